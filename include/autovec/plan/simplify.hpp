// Pass: drops nodes that equal an operand, by the identities that rows state of themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ir/op_info.hpp"
#include "autovec/plan/rewrite.hpp"

namespace autovec::inline v1 {
namespace plan {

/// op(..., x, ...) -> x, where `row.simplify` says so. Inside control flow too.
inline Graph simplify(const Graph& graph) {
  GraphBuilder builder;
  GraphCopy copy(builder, graph);
  copy.copy_inputs();
  for (const Node& node : graph->nodes) {
    if (node.op->simplify != nullptr && node.result_count == 1) {
      const std::int32_t same = node.op->simplify(graph, node);
      if (same >= 0) {
        const ValueId x = node.operands[static_cast<std::size_t>(same)];
        // The planner does not tell weak types apart, but results keep theirs.
        if (graph.type(x) == graph.type(node.result())) {
          copy.bind(node.result(), copy[x]);
          continue;
        }
      }
    }
    copy.copy_node(node, with_regions(node, simplify));
  }
  return copy.finish();
}

}  // namespace plan
}  // namespace autovec::inline v1
