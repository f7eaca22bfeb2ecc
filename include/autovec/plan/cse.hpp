// Pass: computes equal things once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "autovec/base/hash.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/plan/rewrite.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Nodes of one op with equal parameters and operands become one. Not library calls: they may do
/// more than compute. Inside control flow too.
inline Graph merge_equal(const Graph& graph) {
  GraphBuilder builder;
  GraphCopy copy(builder, graph);
  copy.copy_inputs();
  std::unordered_multimap<std::uint64_t, const Node*> known;
  for (const Node& node : graph->nodes) {
    if (node.op->kind == Kind::call) {
      copy.copy_node(node);
      continue;
    }
    Hasher h;
    h.add(node.op->name);
    node.params.hash(h);
    for (const ValueId v : node.operands) h.add(static_cast<std::uint64_t>(copy[v]));
    const Node* equal = nullptr;
    const auto [first, last] = known.equal_range(h.value());
    for (auto it = first; it != last && equal == nullptr; ++it) {
      const Node& other = *it->second;
      bool same = same_op(other.op, node.op) && other.operands.size() == node.operands.size() &&
                  (node.params.empty() ? other.params.empty() : other.params == node.params);
      for (std::size_t i = 0; same && i < node.operands.size(); ++i) {
        same = copy[other.operands[i]] == copy[node.operands[i]];
      }
      // Sources have no operands that tell their types apart.
      for (std::int32_t i = 0; same && i < node.result_count; ++i) {
        same = graph.type(other.result(i)) == graph.type(node.result(i));
      }
      if (same) equal = &other;
    }
    if (equal == nullptr) {
      copy.copy_node(node, with_regions(node, merge_equal));
      known.emplace(h.value(), &node);
      continue;
    }
    for (std::int32_t i = 0; i < node.result_count; ++i)
      copy.bind(node.result(i), copy[equal->result(i)]);
  }
  return copy.finish();
}

}  // namespace plan
}  // namespace autovec::inline v1
