// Pass: what a loop's body computes from captures alone is computed once, before the loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/plan/regions.hpp"
#include "autovec/plan/rewrite.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Moves invariant nodes of one region out into the graph around it.
class Hoister {
 public:
  Hoister(GraphBuilder& outside, const Graph& region, std::size_t captures)
      : outside_(outside), region_(region), captures_(captures), outer_(region->types.size(), -1) {}

  /// `operands` are the captures in the graph around; new ones are added at the end. The region
  /// then has them as inputs behind its old captures.
  Graph run(std::vector<ValueId>& operands) {
    const std::vector<char> live = live_nodes(region_);
    std::vector<char> moves(region_->nodes.size(), 0);
    std::vector<char> invariant(region_->types.size(), 0);
    for (std::size_t i = 0; i < captures_; ++i)
      invariant[static_cast<std::size_t>(region_->inputs[i])] = 1;
    bool any = false;
    for (std::size_t n = 0; n < moves.size(); ++n) {
      const Node& node = region_->nodes[n];
      if (live[n] == 0 || !is_safe(node)) continue;
      bool all = true;
      for (const ValueId v : node.operands)
        all = all && invariant[static_cast<std::size_t>(v)] != 0;
      if (!all) continue;
      moves[n] = 1;
      any = any || is_work(node);
      for (std::int32_t i = 0; i < node.result_count; ++i)
        invariant[static_cast<std::size_t>(node.result(i))] = 1;
    }
    if (!any) return region_;
    const std::vector<ValueId> wanted = wanted_values(moves, live);
    if (wanted.empty()) return region_;
    for (std::size_t i = 0; i < captures_; ++i)
      outer_[static_cast<std::size_t>(region_->inputs[i])] = operands[i];

    GraphBuilder builder;
    GraphCopy copy(builder, region_);
    for (std::size_t i = 0; i < captures_; ++i)
      copy.bind(region_->inputs[i], builder.add_input(region_.input_type(i)));
    for (const ValueId v : wanted) {
      operands.push_back(outside(v));
      copy.bind(v, builder.add_input(region_.type(v)));
    }
    for (std::size_t i = captures_; i < region_.input_count(); ++i) {
      copy.bind(region_->inputs[i], builder.add_input(region_.input_type(i)));
    }
    for (std::size_t n = 0; n < moves.size(); ++n) {
      const Node& node = region_->nodes[n];
      if (live[n] != 0 && copy[node.result()] < 0) copy.copy_node(node);
    }
    return copy.finish();
  }

 private:
  /// Whether running the node although no trip runs does no harm: it ends, and throws nothing.
  static bool is_safe(const Node& node) {
    switch (node.op->kind) {
      case Kind::map:
      case Kind::view:
      case Kind::reduce:
      case Kind::contract:
      case Kind::gather: return true;
      case Kind::source: return as_literal(&node) != nullptr || node.op->lane != nullptr;
      default: return false;
    }
  }
  /// Views and sources cost nothing where they are.
  static bool is_work(const Node& node) {
    return node.op->kind != Kind::view && node.op->kind != Kind::source;
  }

  /// Results of nodes that move and do work, read by nodes that stay, in order.
  std::vector<ValueId> wanted_values(const std::vector<char>& moves,
                                     const std::vector<char>& live) const {
    std::vector<char> read(region_->types.size(), 0);
    for (std::size_t n = 0; n < moves.size(); ++n) {
      const bool stays = live[n] != 0 && (moves[n] == 0 || !is_work(region_->nodes[n]));
      if (!stays) continue;
      for (const ValueId v : region_->nodes[n].operands) read[static_cast<std::size_t>(v)] = 1;
    }
    for (const ValueId v : region_->outputs) read[static_cast<std::size_t>(v)] = 1;
    std::vector<ValueId> out;
    for (std::size_t n = 0; n < moves.size(); ++n) {
      const Node& node = region_->nodes[n];
      if (moves[n] == 0 || !is_work(node)) continue;
      for (std::int32_t i = 0; i < node.result_count; ++i) {
        if (read[static_cast<std::size_t>(node.result(i))] != 0) out.push_back(node.result(i));
      }
    }
    return out;
  }

  /// The value in the graph around; copies the nodes that make it.
  ValueId outside(ValueId v) {
    ValueId& known = outer_[static_cast<std::size_t>(v)];
    if (known >= 0) return known;
    const Node& node = *region_.producer(v);
    SmallVector<ValueId, 4> operands;
    for (const ValueId w : node.operands) operands.push_back(outside(w));
    const std::span<const Type> types(&region_->types[static_cast<std::size_t>(node.first_result)],
                                      static_cast<std::size_t>(node.result_count));
    const ValueId first =
        outside_.add_node(*node.op, node.params, std::move(operands), types, node.where);
    for (std::int32_t i = 0; i < node.result_count; ++i) {
      outer_[static_cast<std::size_t>(node.result(i))] = first + i;
    }
    return outer_[static_cast<std::size_t>(v)];
  }

  GraphBuilder& outside_;
  Graph region_;
  std::size_t captures_;
  std::vector<ValueId> outer_;  // by value of the region
};

/// Out of loops and scans, inner ones first; not out of branches, whose sides may not run at all.
inline Graph hoist(const Graph& graph) {
  GraphBuilder builder;
  GraphCopy copy(builder, graph);
  copy.copy_inputs();
  for (const Node& node : graph->nodes) {
    if (node.op->kind != Kind::loop && node.op->kind != Kind::scan) {
      copy.copy_node(node, with_regions(node, hoist));
      continue;
    }
    std::vector<Graph> graphs;
    std::vector<std::size_t> counts;
    SmallVector<ValueId, 4> operands;
    std::size_t next = 0;
    for (const auto& [region, range] : regions_of(node)) {
      std::vector<ValueId> captures;
      for (std::size_t i = 0; i < range.count; ++i)
        captures.push_back(copy[node.operands[range.operand + i]]);
      graphs.push_back(Hoister(builder, hoist(region), range.count).run(captures));
      counts.push_back(captures.size());
      operands.append(captures.begin(), captures.end());
      next = range.operand + range.count;
    }
    for (; next < node.operands.size(); ++next) operands.push_back(copy[node.operands[next]]);
    const ValueId first = copy.copy_node(
        node, with_graphs(node, std::move(graphs), std::move(counts)), std::move(operands));
    for (std::int32_t i = 0; i < node.result_count; ++i) copy.bind(node.result(i), first + i);
  }
  return copy.finish();
}

}  // namespace plan
}  // namespace autovec::inline v1
