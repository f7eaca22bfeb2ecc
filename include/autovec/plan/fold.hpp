// Pass: computes maps of constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>

#include "autovec/ir/literal.hpp"
#include "autovec/lane/evaluate.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/plan/rewrite.hpp"

namespace autovec::inline v1 {
namespace plan {

namespace detail {
/// The node's result, if all operands are literals of dtypes that numbers hold.
inline bool folded(const Graph& graph, const Node& node, LiteralParams& result) {
  const Type& type = graph.type(node.result());
  if (node.op->kind != Kind::map || type.rank() != 0) return false;
  if (!lane::contains(lane::Domain::scalars, type.dtype)) return false;
  lane::Recorder recorder;
  SmallVector<lane::ValueId, 4> ids;
  SmallVector<DType, 4> dtypes;
  for (const ValueId v : node.operands) {
    const LiteralParams* literal = as_literal(graph.producer(v));
    if (literal == nullptr || !lane::contains(lane::Domain::scalars, literal->dtype)) return false;
    ids.push_back(recorder.emit(lane::Op::constant, literal->dtype, {},
                                static_cast<std::int64_t>(literal->value.bits_as(literal->dtype))));
    dtypes.push_back(literal->dtype);
  }
  const lane::ValueId y =
      node.op->lane(recorder, {ids.data(), ids.size()},
                    LaneTypes{{dtypes.data(), dtypes.size()}, type.dtype}, node.params);
  std::uint64_t bits = 0;
  lane::Evaluator(recorder.finish({y}))
      .run({}, 0, 1, [&](std::int64_t, std::span<const std::uint64_t> v) { bits = v[0]; });
  result.dtype = type.dtype;
  result.weak = type.weak;
  bool holds = true;
  dispatch(
      type.dtype,
      [&]<class T>() {
        const T value = lane::from_immediate<T>(static_cast<std::int64_t>(bits));
        result.value = Number(value);
        // A NaN other than the usual one would not come back.
        holds = result.value.bits_as(type.dtype) ==
                (bits & (~std::uint64_t{0} >> (64 - 8 * sizeof(T))));
      },
      [] {});
  return holds;
}
}  // namespace detail

/// f(literal, literal) -> literal. Inside control flow too.
inline Graph fold(const Graph& graph) {
  GraphBuilder builder;
  GraphCopy copy(builder, graph);
  copy.copy_inputs();
  for (const Node& node : graph->nodes) {
    LiteralParams literal;
    // Operands that were folded before are literals of the copy, not yet of `graph`: the pass folds
    // chains when it is repeated.
    if (detail::folded(graph, node, literal)) {
      const Type& type = graph.type(node.result());
      copy.bind(node.result(), builder.add_node(literal_row, Params::of(literal), {},
                                                std::span(&type, 1), node.where));
      continue;
    }
    copy.copy_node(node, with_regions(node, fold));
  }
  return copy.finish();
}

}  // namespace plan
}  // namespace autovec::inline v1
