// Collectives: values that lanes of a named vmap axis exchange. The vmap that owns the name turns
// them into ordinary ops; none is left when a graph runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/ops/collective.hpp"
#include "autovec/ops/reduce-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

/// Base: until resolved, a collective has its operand's type. A derived struct says what the owning
/// vmap emits in `resolve(call, lanes first)`.
template <class Op>
struct Collective {
  static constexpr Kind kind = Kind::call;
  static constexpr int arity = 1;
  static constexpr bool collective = true;
  static constexpr Accept accept = Accept::numbers;
  using Params = AxisParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params&, Where where) {
    autovec::detail::check_arity(Op::name, x.size(), 1, where);
    if (!accepts(Op::accept, x[0].dtype)) detail::refuse_dtype(Op::name, Op::accept, x, where);
    return {x[0]};
  }
  static void batch(BatchCall& call) {
    if (call.params.as<AxisParams>().axis != call.batcher.axis_name()) {
      // Another vmap's: element-wise as far as this one goes.
      call.give(emit_one(call.op, call.params, std::span(&call.operands[0].value, 1), call.where),
                call.operands[0].mapped);
      return;
    }
    Op::resolve(call, call.operands[0]);
  }
  static void kernel(std::span<const Array>, std::span<Array>, const autovec::Params& params) {
    unresolved(params);
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    const Params p{"i", 3};
    return for_dtypes([](DType t) { return accepts(Op::accept, t); },
                      {form(p, {{}}), form(p, {{2}}), form(p, {{0, 1}})});
  }
  [[noreturn]] static void unresolved(const autovec::Params& params) {
    fail<TraceError>(Op::name, "no vmap has the axis '" + params.as<AxisParams>().axis + "'",
                     Where::unknown());
  }
};

struct Psum : Collective<Psum> {
  static constexpr std::string_view name = "psum";
  static void resolve(BatchCall& call, const Batched& x) {
    const Operand v(x.value, call.where);
    call.give(x.mapped ? autovec::detail::reduce_axes<Sum>(x.value, Extents{0}, {}, call.where)
                       : emit_map<Mul>(v, Operand(call.lanes(), call.where)),
              false);
  }
};
struct Pmax : Collective<Pmax> {
  static constexpr std::string_view name = "pmax";
  static void resolve(BatchCall& call, const Batched& x) {
    call.give(
        x.mapped ? autovec::detail::reduce_axes<Max>(x.value, Extents{0}, {}, call.where) : x.value,
        false);
  }
};
struct Pmin : Collective<Pmin> {
  static constexpr std::string_view name = "pmin";
  static void resolve(BatchCall& call, const Batched& x) {
    call.give(
        x.mapped ? autovec::detail::reduce_axes<Min>(x.value, Extents{0}, {}, call.where) : x.value,
        false);
  }
};
/// All lanes' values along a new axis 0.
struct AllGather : Collective<AllGather> {
  static constexpr std::string_view name = "all_gather";
  static constexpr Accept accept = Accept::scalars;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 1, where);
    Type type = x[0];
    type.shape.insert(0, params.as<AxisParams>().lanes);
    return {type};
  }
  static void batch(BatchCall& call) {
    if (call.params.as<AxisParams>().axis == call.batcher.axis_name()) {
      resolve(call, call.operands[0]);
      return;
    }
    if (!call.operands[0].mapped) {
      Collective::batch(call);
      return;
    }
    // Gathered along axis 0 of what lies behind the lane axis: move it there.
    const Tensor gathered =
        emit_one(call.op, call.params, std::span(&call.operands[0].value, 1), call.where);
    call.give(moveaxis(Operand(gathered, call.where), 1, 0));
  }
  static void resolve(BatchCall& call, const Batched& x) {
    if (x.mapped) {
      call.give(x.value, false);
      return;
    }
    Extents shape = x.value.shape();
    shape.insert(0, call.lanes());
    call.give(broadcast_to(Operand(x.value, call.where), shape), false);
  }
};
/// The lane's number, i32.
struct AxisIndex : Collective<AxisIndex> {
  static constexpr std::string_view name = "axis_index";
  static constexpr int arity = 0;
  static std::vector<Type> infer(std::span<const Type>, const autovec::Params&, Where) {
    return {Type{DType::i32, false, {}}};
  }
  static void batch(BatchCall& call) {
    if (call.params.as<AxisParams>().axis == call.batcher.axis_name()) {
      call.give(iota(call.lanes(), DType::i32, call.where), true);
    } else {
      call.give(emit_one(call.op, call.params, {}, call.where), false);
    }
  }
  static std::vector<Sample> samples() { return {{autovec::Params::of(Params{"i", 3}), {}}}; }
};

using CollectiveOps = List<Psum, Pmax, Pmin, AllGather, AxisIndex>;

namespace detail {
const Node* find_collective(const Node& node, const std::string& axis);
/// The first collective over `axis` in the graph or one that it holds; null where there is none.
inline const Node* find_collective(const Graph& graph, const std::string& axis) {
  if (axis.empty()) return nullptr;
  for (const Node& node : graph->nodes) {
    if (const Node* found = find_collective(node, axis)) return found;
  }
  return nullptr;
}
inline const Node* find_collective(const Node& node, const std::string& axis) {
  if (axis.empty()) return nullptr;
  if (node.op->collective) return node.params.as<AxisParams>().axis == axis ? &node : nullptr;
  for (const Graph* inner : node.params.graphs()) {
    if (const Node* found = find_collective(*inner, axis)) return found;
  }
  return nullptr;
}
inline bool has_collective(const Node& node, const std::string& axis) {
  return find_collective(node, axis) != nullptr;
}
}  // namespace detail

}  // namespace ops

namespace detail {
inline std::int64_t lanes_of(std::string_view op, const AxisName& axis) {
  const std::int64_t lanes = Trace::lanes_of_axis(axis.text);
  if (lanes < 0) {
    fail<TraceError>(op, "no enclosing vmap has the axis '" + axis.text + "'", axis.where,
                     "name it: VmapOptions{.axis_name = \"...\"}");
  }
  return lanes;
}
template <class Op>
Tensor emit_collective(Operand x, const AxisName& axis) {
  const std::int64_t lanes = lanes_of(Op::name, axis);
  DType dtype = x.type().dtype;
  if (std::is_same_v<Op, ops::Psum>) dtype = wide_sum(dtype);
  if (Op::accept == Accept::numbers && is_bool(dtype)) dtype = DType::i32;
  const Tensor value = with_element(strong(x, x.where()), {dtype, false}, x.where());
  return emit_one(row_of<Op>, Params::of(ops::AxisParams{axis.text, lanes}), std::span(&value, 1),
                  x.where());
}
}  // namespace detail

AUTOVEC_API Tensor PsumFunction::operator()(Operand x, detail::AxisName axis) const {
  return detail::emit_collective<ops::Psum>(x, axis);
}

AUTOVEC_API Tensor PmeanFunction::operator()(Operand x, detail::AxisName axis) const {
  const auto lanes = static_cast<double>(detail::lanes_of("pmean", axis));
  const Tensor y = detail::with_element(detail::strong(x, x.where()),
                                        to_inexact({x.type().dtype, false}), x.where());
  const Tensor total = detail::emit_collective<ops::Psum>(Operand(y, x.where()), axis);
  return emit_map<ops::Div>(Operand(total, x.where()), Operand(lanes, x.where()));
}

AUTOVEC_API Tensor PmaxFunction::operator()(Operand x, detail::AxisName axis) const {
  return detail::emit_collective<ops::Pmax>(x, axis);
}

AUTOVEC_API Tensor PminFunction::operator()(Operand x, detail::AxisName axis) const {
  return detail::emit_collective<ops::Pmin>(x, axis);
}

AUTOVEC_API Tensor AllGatherFunction::operator()(Operand x, detail::AxisName axis) const {
  return detail::emit_collective<ops::AllGather>(x, axis);
}

AUTOVEC_API Tensor AxisIndexFunction::operator()(detail::AxisName axis) const {
  const std::int64_t lanes = detail::lanes_of("axis_index", axis);
  return emit_one(row_of<ops::AxisIndex>, Params::of(ops::AxisParams{axis.text, lanes}), {},
                  axis.where);
}

}  // namespace autovec::inline v1
