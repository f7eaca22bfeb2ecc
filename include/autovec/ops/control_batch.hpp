// Batching rules of control flow. A predicate that varies by lane gives the op a lane axis; it
// stays one op, and is never expanded into selects here.
//
// Masks are explicit: when a region first runs for some lanes only, the loops inside whose
// predicate is mapped get `alive & predicate`. A mask that a later vmap maps is an ordinary value
// by then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/kinds.hpp"
#include "autovec/ops/batch_call.hpp"
#include "autovec/ops/collective-inl.hpp"
#include "autovec/ops/map-inl.hpp"
#include "autovec/ops/reduce-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

namespace detail {

/// Lanes that are not all alive can't talk.
inline void refuse_collectives(const Graph& graph, const BatchCall& call) {
  const Node* found = find_collective(graph, call.batcher.axis_name());
  if (found == nullptr) return;
  std::string what("not all lanes of axis '");
  what += call.batcher.axis_name();
  what += "' run here";
  fail<Unsupported>(found->op->name, what, found->where, "take it out of the branch or loop");
}

/// Whether a loop stands anywhere in the graph: only loops can hang, so only they need masks.
inline bool has_loop(const Graph& graph) {
  for (const Node& node : graph->nodes) {
    if (node.op->kind == Kind::loop) return true;
    for (const Graph* inner : node.params.graphs()) {
      if (has_loop(*inner)) return true;
    }
  }
  return false;
}

/// Which results of `graph` vary by lane, under the vmap of this axis, when the inputs marked do.
/// An upper bound, from data flow.
inline std::vector<bool> predict_mapped(const Graph& graph, const std::vector<bool>& mapped,
                                        const std::string& axis);

/// Least fixed point: carries that start mapped, or are updated with something mapped, are mapped.
/// `body` takes `before` inputs in front of the carries and `after` behind them.
inline std::vector<bool> carries_mapped(const Graph& body, const std::vector<bool>& before,
                                        std::vector<bool> carries, const std::vector<bool>& after,
                                        const std::string& axis) {
  while (true) {
    std::vector<bool> inputs = before;
    inputs.insert(inputs.end(), carries.begin(), carries.end());
    inputs.insert(inputs.end(), after.begin(), after.end());
    const std::vector<bool> outputs = predict_mapped(body, inputs, axis);
    bool grew = false;
    for (std::size_t i = 0; i < carries.size(); ++i) {
      if (outputs[i] && !carries[i]) carries[i] = grew = true;
    }
    if (!grew) return carries;
  }
}

inline std::vector<bool> sub(const std::vector<bool>& v, std::size_t first, std::size_t count) {
  return std::vector<bool>(v.begin() + static_cast<std::ptrdiff_t>(first),
                           v.begin() + static_cast<std::ptrdiff_t>(first + count));
}

inline bool any_of(const std::vector<bool>& v) {
  for (const bool b : v) {
    if (b) return true;
  }
  return false;
}

inline std::vector<bool> predict_node(const Node& node, const std::vector<bool>& operands,
                                      const std::string& axis) {
  const auto count = static_cast<std::size_t>(node.result_count);
  if (node.op->collective && node.params.as<AxisParams>().axis == axis) {
    return std::vector<bool>(
        count, node.op->name == AxisIndex::name);  // the others give all lanes the same
  }
  if (!any_of(operands) && node.params.graphs().empty()) return std::vector<bool>(count, false);
  if (node.op->kind == Kind::branch) {
    const auto& p = node.params.as<BranchParams>();
    std::vector<bool> out(count, operands[0]);
    const std::vector<bool> inputs = sub(operands, 1, operands.size() - 1);
    for (const Graph& side : p.sides) {
      const std::vector<bool> results = predict_mapped(side, inputs, axis);
      for (std::size_t j = 0; j < count; ++j) out[j] = out[j] || results[j];
    }
    return out;
  }
  if (node.op->kind == Kind::loop) {
    const auto& p = node.params.as<LoopParams>();
    const auto c = static_cast<std::size_t>(p.condition_captures);
    const auto b = static_cast<std::size_t>(p.body_captures);
    std::vector<bool> before = sub(operands, c, b);
    // `alive` is mapped iff the predicate is; assuming it at first only widens the result.
    if (p.masked) before.push_back(true);
    const std::vector<bool> carries =
        carries_mapped(p.body, before, sub(operands, c + b, count), {}, axis);
    std::vector<bool> inputs = sub(operands, 0, c);
    inputs.insert(inputs.end(), carries.begin(), carries.end());
    if (predict_mapped(p.condition, inputs, axis)[0]) return std::vector<bool>(count, true);
    return carries;
  }
  if (node.op->kind == Kind::scan) {
    const auto& p = node.params.as<ScanParams>();
    const auto c = static_cast<std::size_t>(p.captures);
    const auto n = static_cast<std::size_t>(p.carries);
    const std::vector<bool> captures = sub(operands, 0, c);
    const std::vector<bool> slices = sub(operands, c + n, operands.size() - c - n);
    const std::vector<bool> carries =
        carries_mapped(p.body, captures, sub(operands, c, n), slices, axis);
    std::vector<bool> inputs = captures;
    inputs.insert(inputs.end(), carries.begin(), carries.end());
    inputs.insert(inputs.end(), slices.begin(), slices.end());
    std::vector<bool> outputs = predict_mapped(p.body, inputs, axis);
    for (std::size_t j = 0; j < n; ++j) outputs[j] = carries[j];
    return outputs;
  }
  return std::vector<bool>(count, true);
}

inline std::vector<bool> predict_mapped(const Graph& graph, const std::vector<bool>& mapped,
                                        const std::string& axis) {
  std::vector<bool> of(graph->types.size(), false);
  for (std::size_t i = 0; i < mapped.size(); ++i)
    of[static_cast<std::size_t>(graph->inputs[i])] = mapped[i];
  for (const Node& node : graph->nodes) {
    std::vector<bool> operands;
    for (const ValueId v : node.operands) operands.push_back(of[static_cast<std::size_t>(v)]);
    const std::vector<bool> results = predict_node(node, operands, axis);
    for (std::size_t j = 0; j < results.size(); ++j)
      of[static_cast<std::size_t>(node.first_result) + j] = results[j];
  }
  std::vector<bool> out;
  for (const ValueId v : graph->outputs) out.push_back(of[static_cast<std::size_t>(v)]);
  return out;
}

/// A graph with the inputs of these types whose nodes `body` emits.
template <class F>
Graph build_graph(std::span<const Type> inputs, F&& body) {
  Trace trace;
  std::vector<Tensor> handles;
  for (const Type& type : inputs) handles.push_back(trace.add_argument(type));
  const std::vector<Tensor> outputs = body(std::span<const Tensor>(handles));
  TracedGraph traced = trace.finish(outputs);
  ensure(traced.captures.empty(), "a rule built a graph that captures");
  return traced.graph;
}

inline std::vector<Type> types_of_inputs(const Graph& g) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < g.input_count(); ++i) types.push_back(g.input_type(i));
  return types;
}

/// The lane mapped over, as the first of `rank` lane axes: [B, ...] stays, shared [...] -> [1,
/// ...].
inline Tensor with_front_axis(const Batched& x, Where where) {
  return x.mapped ? x.value : expand_dims(Operand(x.value, where), 0);
}

/// Drops a front axis of extent 1 that stands for "shared".
inline Tensor without_front_axis(const Tensor& x, Where where) {
  return squeeze(Operand(x, where), 0);
}

/// x with the lane axis in front, repeated where it is shared.
inline Tensor to_mapped(const Batched& x, std::int64_t lanes, Where where) {
  if (x.mapped) return x.value;
  Extents shape = x.value.shape();
  shape.insert(0, lanes);
  return broadcast_to(Operand(x.value, where), shape);
}

/// A mask [B, ...] as one b8 a lane, shaped [B, 1, ...] to go with `rank` lane axes.
inline Tensor lane_mask(const Tensor& mask, std::size_t rank, Where where) {
  Tensor m = mask;
  if (m.rank() > 1) {
    Extents inner;
    for (std::size_t i = 1; i < m.rank(); ++i) inner.push_back(static_cast<std::int64_t>(i));
    m = autovec::detail::reduce_axes<Any>(m, inner, {}, where);
  }
  Extents shape(rank, 1);
  shape[0] = m.shape()[0];
  return reshape(Operand(m, where), shape);
}

}  // namespace detail

inline void batch_branch(BatchCall& call) {
  const auto& p = call.params.as<BranchParams>();
  const Batched& index = call.operands[0];
  const std::size_t sides = p.sides.size();
  if (index.mapped) {
    for (const Graph& side : p.sides) detail::refuse_collectives(side, call);
  }
  const std::size_t results = p.sides[0].output_count();
  const bool plain = !index.mapped && index.value.rank() == 0;
  const Where where = call.where;

  std::vector<Tensor> operands{plain ? index.value : detail::with_front_axis(index, where)};
  std::vector<bool> mapped;
  for (const Batched& x : call.operands.subspan(1)) {
    operands.push_back(x.value);
    mapped.push_back(x.mapped);
  }
  // Masks go in as further operands; every side takes all operands.
  std::vector<std::int64_t> mask_of(sides, -1);
  std::vector<Type> mask_types;
  const Tensor& outer = call.batcher.mask();
  for (std::size_t s = 0; s < sides; ++s) {
    if (!detail::has_loop(p.sides[s])) continue;
    if (!index.mapped && outer.is_empty()) continue;
    Tensor mask = outer;
    if (index.mapped) {
      const Operand i(index.value, where);
      if (is_bool(index.value.dtype())) {
        mask = s == 1 ? index.value : emit_map<BitwiseNot>(i);
      } else {
        const Operand clamped(
            emit_map<Minimum>(Operand(emit_map<Maximum>(i, Operand(0, where)), where),
                              Operand(static_cast<std::int64_t>(sides) - 1, where)),
            where);
        mask = emit_map<Equal>(clamped, Operand(static_cast<std::int64_t>(s), where));
      }
      if (!outer.is_empty()) {
        mask = emit_map<BitwiseAnd>(Operand(mask, where),
                                    Operand(detail::lane_mask(outer, mask.rank(), where), where));
      }
    }
    mask_of[s] = static_cast<std::int64_t>(mapped.size() + mask_types.size());
    mask_types.push_back(mask.type());
    operands.push_back(mask);
  }
  std::vector<bool> with_masks = mapped;
  with_masks.insert(with_masks.end(), mask_types.size(), true);

  // A side's result may stay shared if all sides agree, or if the index is mapped anyway.
  std::vector<bool> force(results, false);
  if (!index.mapped) {
    for (const Graph& side : p.sides) {
      const std::vector<bool> predicted =
          detail::predict_mapped(side, mapped, call.batcher.axis_name());
      for (std::size_t j = 0; j < results; ++j) force[j] = force[j] || predicted[j];
    }
  }
  BranchParams q;
  for (std::size_t s = 0; s < sides; ++s) {
    // The masks become inputs of the side first, then the side is mapped with its own as mask.
    Graph side = p.sides[s];
    if (!mask_types.empty()) {
      std::vector<Type> inputs = detail::types_of_inputs(side);
      const std::size_t own = inputs.size();
      for (Type type : mask_types) {
        type.shape.erase(0);
        inputs.push_back(type);
      }
      side = detail::build_graph(inputs, [&](std::span<const Tensor> in) {
        return call_graph(p.sides[s], in.subspan(0, own));
      });
    }
    BatchedGraph b = call.batcher.batch(side, with_masks, force, mask_of[s]);
    q.sides.push_back(b.graph);
    for (std::size_t j = 0; j < results; ++j) {
      const std::int64_t old = p.present[s * results + j];
      q.present.push_back(plain ? 0 : 2 * old + (b.mapped[j] ? 1 : 0));
      if (index.mapped) continue;
      force[j] = b.mapped[j];
    }
  }
  const std::vector<Tensor> out = emit(call.op, Params::of(q), operands, where);
  for (std::size_t j = 0; j < results; ++j) {
    const bool is_mapped = index.mapped || force[j];
    if (is_mapped || plain) {
      call.give(out[j], is_mapped);
    } else {
      call.give(detail::without_front_axis(out[j], where), false);
    }
  }
}

inline void batch_loop(BatchCall& call) {
  const auto& p = call.params.as<LoopParams>();
  const auto nc = static_cast<std::size_t>(p.condition_captures);
  const auto nb = static_cast<std::size_t>(p.body_captures);
  const std::size_t count = p.present.size();
  const Where where = call.where;
  const std::int64_t lanes = call.lanes();
  const std::size_t old_rank = p.condition.output_type(0).rank();  // lane axes so far
  std::vector<bool> mapped;
  for (const Batched& x : call.operands) mapped.push_back(x.mapped);
  const std::vector<bool> condition_captures = detail::sub(mapped, 0, nc);
  const std::vector<bool> body_captures = detail::sub(mapped, nc, nb);

  // Which carries vary by lane, and whether the predicate then does. An `alive` input varies with
  // the predicate, so the two are settled together.
  std::vector<bool> carries = detail::sub(mapped, nc + nb, count);
  bool by_lane = false;
  while (true) {
    std::vector<bool> before = body_captures;
    if (p.masked) before.push_back(by_lane);
    carries = detail::carries_mapped(p.body, before, carries, {}, call.batcher.axis_name());
    std::vector<bool> inputs = condition_captures;
    inputs.insert(inputs.end(), carries.begin(), carries.end());
    const bool now =
        by_lane || detail::predict_mapped(p.condition, inputs, call.batcher.axis_name())[0];
    if (now == by_lane) break;
    by_lane = now;
    if (!p.masked) break;
  }
  const bool plain = !by_lane && old_rank == 0;
  if (by_lane) {
    detail::refuse_collectives(p.condition, call);
    detail::refuse_collectives(p.body, call);
  }
  const Tensor& outer = call.batcher.mask();
  const bool inner_loops = detail::has_loop(p.body);
  // Alive lanes are told to the body if loops inside need to know.
  const bool new_alive = by_lane && inner_loops && !p.masked;
  const bool outer_in_body = !by_lane && inner_loops && !outer.is_empty();
  const bool outer_in_condition = by_lane && !outer.is_empty();

  // condition(captures..., [outer mask], carries...)
  std::vector<bool> condition_inputs = condition_captures;
  condition_inputs.insert(condition_inputs.end(), carries.begin(), carries.end());
  const BatchedGraph condition = call.batcher.batch(p.condition, condition_inputs, {by_lane}, -1);
  LoopParams q;
  q.condition_captures = p.condition_captures + (outer_in_condition ? 1 : 0);
  {
    std::vector<Type> types = detail::types_of_inputs(condition.graph);
    if (outer_in_condition) types.insert(types.begin() + p.condition_captures, outer.type());
    q.condition = detail::build_graph(types, [&](std::span<const Tensor> in) {
      std::vector<Tensor> own(in.begin(), in.end());
      if (outer_in_condition) own.erase(own.begin() + p.condition_captures);
      Tensor holds = call_graph(condition.graph, own)[0];
      if (!by_lane && !plain) holds = expand_dims(Operand(holds, where), 0);
      if (outer_in_condition) {
        holds = emit_map<BitwiseAnd>(
            Operand(holds, where), Operand(detail::lane_mask(in[nc], old_rank + 1, where), where));
      }
      return std::vector<Tensor>{holds};
    });
  }

  // body(captures..., [outer mask], [alive], carries...)
  const Type predicate = q.condition.output_type(0);
  Graph body = p.body;
  std::vector<bool> body_inputs = body_captures;
  std::int64_t mask = -1;
  if (outer_in_body || new_alive) {
    std::vector<Type> types = detail::types_of_inputs(p.body);
    Type extra = outer_in_body ? outer.type() : predicate;
    extra.shape.erase(0);
    types.insert(types.begin() + p.body_captures, extra);
    body = detail::build_graph(types, [&](std::span<const Tensor> in) {
      std::vector<Tensor> own(in.begin(), in.end());
      own.erase(own.begin() + p.body_captures);
      return call_graph(p.body, own);
    });
    mask = p.body_captures;
    body_inputs.push_back(true);
  }
  if (p.masked) {
    if (by_lane) mask = static_cast<std::int64_t>(body_inputs.size());
    body_inputs.push_back(by_lane);
  }
  body_inputs.insert(body_inputs.end(), carries.begin(), carries.end());
  BatchedGraph mapped_body = call.batcher.batch(body, body_inputs, carries, mask);
  q.masked = p.masked || new_alive;
  q.body_captures = p.body_captures + (outer_in_body ? 1 : 0);
  q.body = mapped_body.graph;
  if (p.masked && !by_lane && !plain) {
    // The body knows `alive` without the new axis of extent 1.
    std::vector<Type> types = detail::types_of_inputs(q.body);
    const auto at = static_cast<std::size_t>(q.body_captures);
    types[at] = predicate;
    q.body = detail::build_graph(types, [&](std::span<const Tensor> in) {
      std::vector<Tensor> own(in.begin(), in.end());
      own[at] = detail::without_front_axis(own[at], where);
      return call_graph(mapped_body.graph, own);
    });
  }
  for (std::size_t j = 0; j < count; ++j) {
    q.present.push_back(plain ? 0 : 2 * p.present[j] + (carries[j] ? 1 : 0));
  }

  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < nc; ++i) operands.push_back(call.operands[i].value);
  if (outer_in_condition) operands.push_back(outer);
  for (std::size_t i = 0; i < nb; ++i) operands.push_back(call.operands[nc + i].value);
  if (outer_in_body) operands.push_back(outer);
  for (std::size_t j = 0; j < count; ++j) {
    const Batched& x = call.operands[nc + nb + j];
    operands.push_back(carries[j] ? detail::to_mapped(x, lanes, where) : x.value);
  }
  const std::vector<Tensor> out = emit(call.op, Params::of(q), operands, where);
  for (std::size_t j = 0; j < count; ++j) {
    const bool is_mapped = by_lane || carries[j];
    if (is_mapped || plain) {
      call.give(out[j], is_mapped);
    } else {
      call.give(detail::without_front_axis(out[j], where), false);
    }
  }
}

inline void batch_scan(BatchCall& call) {
  const auto& p = call.params.as<ScanParams>();
  const auto nc = static_cast<std::size_t>(p.captures);
  const auto n = static_cast<std::size_t>(p.carries);
  const Where where = call.where;
  std::vector<bool> mapped;
  for (const Batched& x : call.operands) mapped.push_back(x.mapped);
  const std::vector<bool> slices = detail::sub(mapped, nc + n, mapped.size() - nc - n);
  const std::vector<bool> carries =
      detail::carries_mapped(p.body, detail::sub(mapped, 0, nc), detail::sub(mapped, nc, n), slices,
                             call.batcher.axis_name());

  const Tensor& outer = call.batcher.mask();
  const bool masked = !outer.is_empty() && detail::has_loop(p.body);
  Graph body = p.body;
  std::vector<bool> inputs = detail::sub(mapped, 0, nc);
  if (masked) {
    std::vector<Type> types = detail::types_of_inputs(p.body);
    Type extra = outer.type();
    extra.shape.erase(0);
    types.insert(types.begin() + p.captures, extra);
    body = detail::build_graph(types, [&](std::span<const Tensor> in) {
      std::vector<Tensor> own(in.begin(), in.end());
      own.erase(own.begin() + p.captures);
      return call_graph(p.body, own);
    });
    inputs.push_back(true);
  }
  inputs.insert(inputs.end(), carries.begin(), carries.end());
  inputs.insert(inputs.end(), slices.begin(), slices.end());
  std::vector<bool> force = carries;
  force.resize(p.body.output_count(), false);
  const BatchedGraph b = call.batcher.batch(body, inputs, force, masked ? p.captures : -1);

  ScanParams q = p;
  q.captures = p.captures + (masked ? 1 : 0);
  q.body = b.graph;
  for (std::size_t i = 0; i < q.in_axes.size(); ++i) q.in_axes[i] += slices[i] ? 1 : 0;
  for (std::size_t j = 0; j < q.out_axes.size(); ++j) q.out_axes[j] += b.mapped[n + j] ? 1 : 0;
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < nc; ++i) operands.push_back(call.operands[i].value);
  if (masked) operands.push_back(outer);
  for (std::size_t j = 0; j < n; ++j) {
    const Batched& x = call.operands[nc + j];
    operands.push_back(carries[j] ? detail::to_mapped(x, call.lanes(), where) : x.value);
  }
  for (std::size_t i = nc + n; i < call.operands.size(); ++i)
    operands.push_back(call.operands[i].value);
  const std::vector<Tensor> out = emit(call.op, Params::of(q), operands, where);
  for (std::size_t j = 0; j < out.size(); ++j) {
    call.give(out[j], j < n ? static_cast<bool>(carries[j]) : static_cast<bool>(b.mapped[j]));
  }
}

}  // namespace ops
}  // namespace autovec::inline v1
