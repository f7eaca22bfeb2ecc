// Tools of the passes: copying graphs node by node, and reaching the graphs inside control flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/builder.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/kinds.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Copies the nodes of a graph into a builder, value by value.
class GraphCopy {
 public:
  GraphCopy(GraphBuilder& to, const Graph& from)
      : to_(to), from_(from), map_(from->types.size(), -1) {}
  /// `old` of the source is `fresh` in the copy.
  void bind(ValueId old, ValueId fresh) { map_[static_cast<std::size_t>(old)] = fresh; }
  ValueId operator[](ValueId old) const { return map_[static_cast<std::size_t>(old)]; }
  /// The node with its operands as they were copied; `params` may differ from the node's own.
  ValueId copy_node(const Node& node, Params params, SmallVector<ValueId, 4> operands) {
    const std::span<const Type> types(&from_->types[static_cast<std::size_t>(node.first_result)],
                                      static_cast<std::size_t>(node.result_count));
    return to_.add_node(*node.op, std::move(params), std::move(operands), types, node.where);
  }
  void copy_node(const Node& node) { copy_node(node, node.params); }
  void copy_node(const Node& node, Params params) {
    SmallVector<ValueId, 4> operands;
    for (const ValueId v : node.operands) operands.push_back((*this)[v]);
    const ValueId first = copy_node(node, std::move(params), std::move(operands));
    for (std::int32_t i = 0; i < node.result_count; ++i) bind(node.result(i), first + i);
  }
  void copy_inputs() {
    for (const ValueId v : from_->inputs) bind(v, to_.add_input(from_.type(v)));
  }
  Graph finish() {
    std::vector<ValueId> outputs;
    for (const ValueId v : from_->outputs) outputs.push_back((*this)[v]);
    return to_.finish(std::move(outputs));
  }

 private:
  GraphBuilder& to_;
  Graph from_;
  std::vector<ValueId> map_;
};

/// The parameters of a control flow node with each graph replaced by `f(graph)`, which has the same
/// inputs and outputs; those of other nodes as they are.
template <class F>
Params with_regions(const Node& node, F&& f) {
  switch (node.op->kind) {
    case Kind::branch: {
      BranchParams p = node.params.as<BranchParams>();
      for (Graph& side : p.sides) side = f(side);
      return Params::of(std::move(p));
    }
    case Kind::loop: {
      LoopParams p = node.params.as<LoopParams>();
      p.condition = f(p.condition);
      p.body = f(p.body);
      return Params::of(std::move(p));
    }
    case Kind::scan: {
      ScanParams p = node.params.as<ScanParams>();
      p.body = f(p.body);
      return Params::of(std::move(p));
    }
    default: return node.params;
  }
}

/// By node: whether an output needs it.
inline std::vector<char> live_nodes(const Graph& graph) {
  std::vector<char> live(graph->nodes.size(), 0);
  const auto mark = [&](ValueId v) {
    const std::int32_t n = graph->producers[static_cast<std::size_t>(v)];
    if (n >= 0) live[static_cast<std::size_t>(n)] = 1;
  };
  for (const ValueId v : graph->outputs) mark(v);
  for (std::size_t n = live.size(); n-- > 0;) {
    if (live[n] == 0) continue;
    for (const ValueId v : graph->nodes[n].operands) mark(v);
  }
  return live;
}

}  // namespace plan
}  // namespace autovec::inline v1
