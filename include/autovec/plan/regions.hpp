// Passes on what regions take from outside: fewer captures, constants inside, invariants outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/plan/rewrite.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Which operands of a control flow node are captures of one graph, and at which of its inputs.
struct CaptureRange {
  std::size_t operand = 0;
  std::size_t input = 0;
  std::size_t count = 0;
};

inline bool is_control(const Node& node) {
  return node.op->kind == Kind::branch || node.op->kind == Kind::loop ||
         node.op->kind == Kind::scan;
}

/// The graphs of a control flow node, each with its captures. A branch has the same ones for all.
inline std::vector<std::pair<Graph, CaptureRange>> regions_of(const Node& node) {
  std::vector<std::pair<Graph, CaptureRange>> out;
  if (node.op->kind == Kind::branch) {
    for (const Graph& side : node.params.as<BranchParams>().sides) {
      out.push_back({side, {1, 0, node.operands.size() - 1}});
    }
  } else if (node.op->kind == Kind::loop) {
    const auto& p = node.params.as<LoopParams>();
    const auto c = static_cast<std::size_t>(p.condition_captures);
    out.push_back({p.condition, {0, 0, c}});
    out.push_back({p.body, {c, 0, static_cast<std::size_t>(p.body_captures)}});
  } else {
    const auto& p = node.params.as<ScanParams>();
    out.push_back({p.body, {0, 0, static_cast<std::size_t>(p.captures)}});
  }
  return out;
}

/// The parameters with these graphs for the old ones, and captures as many as counted: those of the
/// condition and the body of a loop.
inline Params with_graphs(const Node& node, std::vector<Graph> graphs,
                          std::vector<std::size_t> captures) {
  if (node.op->kind == Kind::branch) {
    BranchParams p = node.params.as<BranchParams>();
    p.sides = std::move(graphs);
    return Params::of(std::move(p));
  }
  if (node.op->kind == Kind::loop) {
    LoopParams p = node.params.as<LoopParams>();
    p.condition = graphs[0];
    p.body = graphs[1];
    p.condition_captures = static_cast<std::int64_t>(captures[0]);
    p.body_captures = static_cast<std::int64_t>(captures[1]);
    return Params::of(std::move(p));
  }
  ScanParams p = node.params.as<ScanParams>();
  p.body = graphs[0];
  p.captures = static_cast<std::int64_t>(captures[0]);
  return Params::of(std::move(p));
}

/// `graph` without the inputs that `literals` names (by input, null elsewhere) or that are dropped.
inline Graph without_inputs(const Graph& graph, const std::vector<const LiteralParams*>& literals,
                            const std::vector<char>& dropped) {
  GraphBuilder builder;
  GraphCopy copy(builder, graph);
  for (std::size_t i = 0; i < graph.input_count(); ++i) {
    if (literals[i] == nullptr && dropped[i] == 0) {
      copy.bind(graph->inputs[i], builder.add_input(graph.input_type(i)));
    }
  }
  for (std::size_t i = 0; i < graph.input_count(); ++i) {
    if (literals[i] == nullptr) continue;
    const Type& type = graph.input_type(i);
    copy.bind(graph->inputs[i], builder.add_node(literal_row, Params::of(*literals[i]), {},
                                                 std::span(&type, 1), Where::unknown()));
  }
  const std::vector<char> live = live_nodes(graph);
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    if (live[n] != 0) copy.copy_node(graph->nodes[n]);
  }
  return copy.finish();
}

/// Captured constants move into the graphs that captured them, captures that nobody reads go away.
inline Graph tidy_captures(const Graph& graph) {
  GraphBuilder builder;
  GraphCopy copy(builder, graph);
  copy.copy_inputs();
  for (const Node& node : graph->nodes) {
    if (!is_control(node)) {
      copy.copy_node(node);
      continue;
    }
    std::vector<std::pair<Graph, CaptureRange>> regions = regions_of(node);
    std::vector<char> needed(node.operands.size(), 1);
    for (const auto& [region, range] : regions) {
      for (std::size_t i = 0; i < range.count; ++i) needed[range.operand + i] = 0;
    }
    for (auto& [region, range] : regions) {
      region = tidy_captures(region);
      std::vector<char> read(region->types.size(), 0);
      for (const ValueId v : region->outputs) read[static_cast<std::size_t>(v)] = 1;
      const std::vector<char> live = live_nodes(region);
      for (std::size_t n = 0; n < live.size(); ++n) {
        if (live[n] == 0) continue;
        for (const ValueId v : region->nodes[n].operands) read[static_cast<std::size_t>(v)] = 1;
      }
      for (std::size_t i = 0; i < range.count; ++i) {
        const std::size_t operand = range.operand + i;
        const bool literal = as_literal(graph.producer(node.operands[operand])) != nullptr;
        if (read[static_cast<std::size_t>(region->inputs[range.input + i])] != 0 && !literal)
          needed[operand] = 1;
      }
    }
    std::vector<Graph> graphs;
    std::vector<std::size_t> counts;
    for (const auto& [region, range] : regions) {
      std::vector<const LiteralParams*> literals(region.input_count(), nullptr);
      std::vector<char> dropped(region.input_count(), 0);
      std::size_t count = 0;
      for (std::size_t i = 0; i < range.count; ++i) {
        const std::size_t operand = range.operand + i;
        count += needed[operand] != 0 ? 1 : 0;
        if (needed[operand] != 0) continue;
        literals[range.input + i] = as_literal(graph.producer(node.operands[operand]));
        dropped[range.input + i] = 1;
      }
      graphs.push_back(without_inputs(region, literals, dropped));
      counts.push_back(count);
    }
    SmallVector<ValueId, 4> operands;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (needed[i] != 0) operands.push_back(copy[node.operands[i]]);
    }
    const ValueId first = copy.copy_node(
        node, with_graphs(node, std::move(graphs), std::move(counts)), std::move(operands));
    for (std::int32_t i = 0; i < node.result_count; ++i) copy.bind(node.result(i), first + i);
  }
  return copy.finish();
}

}  // namespace plan
}  // namespace autovec::inline v1
