// Reductions along axes, and what is composed of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ir/kinds.hpp"
#include "autovec/ops/create-inl.hpp"
#include "autovec/ops/reduce.hpp"

namespace autovec::inline v1 {

namespace ops {

/// Base of reductions. A derived struct has `name`, `accept`, `combine(accumulator, x)` on lanes
/// and `identity(dtype)`; `has_identity` false: an empty reduction is a ShapeError.
template <class Op>
struct Reduce {
  static constexpr Kind kind = Kind::reduce;
  static constexpr int arity = 1;
  using Params = ReduceParams;
  static constexpr Accept accept = Accept::numbers;
  static constexpr bool has_identity = true;

  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(Op::name, x.size(), 1, where);
    const Extents& axes = params.as<ReduceParams>().axes;
    Extents shape;
    std::size_t next = 0;
    for (std::size_t i = 0; i < x[0].rank(); ++i) {
      if (next < axes.size() && axes[next] == static_cast<std::int64_t>(i)) {
        ++next;
        if (!Op::has_identity && x[0].shape[i] == 0) {
          fail<ShapeError>(
              Op::name, "nothing to reduce along an axis of extent 0 of " + type_text(x[0]), where);
        }
      } else {
        shape.push_back(x[0].shape[i]);
      }
    }
    if (next != axes.size()) {
      fail<ShapeError>(Op::name,
                       "axes " + shape_text(axes) + " are not ascending axes of " + type_text(x[0]),
                       where);
    }
    if (!accepts(Op::accept, x[0].dtype)) detail::refuse_dtype(Op::name, Op::accept, x, where);
    return {x[0].with_shape(shape)};
  }
  static std::int32_t record_combine(lane::Recorder& r, std::int32_t accumulator, std::int32_t x,
                                     DType dtype) {
    const std::int32_t operands[2] = {accumulator, x};
    return detail::record_as<2, Op>(r, operands, dtype,
                                    [](auto a, auto b) { return Op::combine(a, b); });
  }
  static void batch(BatchCall& call) {
    ReduceParams p = call.params.as<ReduceParams>();
    for (std::int64_t& axis : p.axes) ++axis;
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::int32_t simplify(const Graph&, const Node& node) {
    // reduce(x, no axes) -> x
    return node.params.as<ReduceParams>().axes.empty() ? 0 : -1;
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    // Lines longer than the reduction's tree is wide, too.
    std::vector<SampleForm> forms{form(Params{{0}}, {{3}}),     form(Params{{0, 1}}, {{2, 3}}),
                                  form(Params{{1}}, {{2, 40}}), form(Params{{0, 2}}, {{5, 2, 15}}),
                                  form(Params{{}}, {{2}}),      form(Params{{}}, {{}}),
                                  form(Params{{1}}, {{0, 2}}),  form(Params{{0}}, {{1}})};
    if (Op::has_identity) forms.push_back(form(Params{{0}}, {{0, 2}}));
    return for_dtypes([](DType t) { return accepts(Op::accept, t); }, forms);
  }
  static constexpr bool predicate = false;
};

struct Sum : Reduce<Sum> {
  static constexpr std::string_view name = "sum";
  static constexpr bool sums = true;
  static constexpr bool widens = true;
  template <class V>
  static V combine(V a, V x) {
    return a + x;
  }
  static Number identity(DType) { return 0; }
};
struct Prod : Reduce<Prod> {
  static constexpr std::string_view name = "prod";
  static constexpr bool sums = true;
  static constexpr bool widens = true;
  template <class V>
  static V combine(V a, V x) {
    return a * x;
  }
  static Number identity(DType) { return 1; }
};
/// NaN where any element is.
struct Max : Reduce<Max> {
  static constexpr std::string_view name = "max";
  static constexpr bool has_identity = false;
  template <class V>
  static V combine(V a, V x) {
    return lane::max(a, x);
  }
  static Number identity(DType) { return 0; }
};
struct Min : Reduce<Min> {
  static constexpr std::string_view name = "min";
  static constexpr bool has_identity = false;
  template <class V>
  static V combine(V a, V x) {
    return lane::min(a, x);
  }
  static Number identity(DType) { return 0; }
};
struct Any : Reduce<Any> {
  static constexpr std::string_view name = "any";
  static constexpr Accept accept = Accept::bits;
  template <class V>
  static V combine(V a, V x) {
    return a | x;
  }
  static Number identity(DType) { return false; }
};
struct All : Reduce<All> {
  static constexpr std::string_view name = "all";
  static constexpr Accept accept = Accept::bits;
  template <class V>
  static V combine(V a, V x) {
    return a & x;
  }
  static Number identity(DType) { return true; }
};

using ReduceOps = List<Sum, Prod, Max, Min, Any, All>;

}  // namespace ops

AUTOVEC_API Extents Axes::resolve(std::size_t rank, std::string_view op, Where where) const {
  Extents out;
  if (every_) {
    for (std::size_t i = 0; i < rank; ++i) out.push_back(static_cast<std::int64_t>(i));
    return out;
  }
  for (const std::int64_t axis : axes_) out.push_back(wrap_axis(axis, rank, op, where));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    fail<ShapeError>(op, "an axis is named twice in " + shape_text(axes_), where);
  }
  return out;
}

namespace detail {
/// Shape of x with `axes` at extent 1.
inline Extents kept_shape(Extents shape, const Extents& axes) {
  for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}
inline std::int64_t reduced_size(const Extents& shape, const Extents& axes) {
  std::int64_t n = 1;
  for (const std::int64_t axis : axes) n *= shape[static_cast<std::size_t>(axis)];
  return n;
}
/// Reduces `x`, whose dtype the op takes, along resolved axes.
inline Tensor reduce_axes(const OpInfo& op, const Tensor& x, const Extents& axes, Keepdims keep,
                          Where where) {
  const Tensor y = emit_one(op, Params::of(ReduceParams{axes}), std::span(&x, 1), where);
  return keep.keep ? reshape(Operand(y, where), kept_shape(x.shape(), axes)) : y;
}
template <class Op>
Tensor reduce_axes(const Tensor& x, const Extents& axes, Keepdims keep, Where where) {
  return reduce_axes(row_of<Op>, x, axes, keep, where);
}
/// A number becomes data or a strong literal: reductions have no weak operands.
inline Tensor strong(const Tensor& x, Where where) {
  return x.type().weak ? with_element(x, {x.dtype(), false}, where) : x;
}
/// The dtype in which small integers are summed.
inline DType wide_sum(DType t) {
  if (is_bool(t) || (is_signed_int(t) && size_of(t) < 4)) return DType::i32;
  if (is_unsigned_int(t) && size_of(t) < 4) return DType::u32;
  return t;
}
}  // namespace detail

namespace detail {
AUTOVEC_API Tensor reduce_tensor(const OpInfo& op, const Operand& x, const Axes& axes,
                                 Keepdims keep) {
  const Where where = x.where();
  const Extents resolved = axes.resolve(x.rank(), op.name, where);
  DType dtype = x.type().dtype;
  if (op.accept == Accept::bits) {
    dtype = DType::b8;
  } else if (op.widens) {
    dtype = wide_sum(dtype);
  } else if (is_bool(dtype)) {
    dtype = DType::i32;
  }
  return reduce_axes(op, with_element(strong(x, where), {dtype, false}, where), resolved, keep,
                     where);
}
}  // namespace detail

AUTOVEC_API Tensor MeanFunction::operator()(Operand x, Axes axes, Keepdims keep) const {
  const Where where = x.where();
  const Extents resolved = axes.resolve(x.rank(), "mean", where);
  const Tensor y =
      detail::with_element(detail::strong(x, where), to_inexact({x.type().dtype, false}), where);
  const auto n = static_cast<double>(detail::reduced_size(y.shape(), resolved));
  const Tensor total = detail::reduce_axes<ops::Sum>(
      detail::with_element(y, {y.dtype(), false}, where), resolved, keep, where);
  return emit_map<ops::Div>(Operand(total, where), Operand(n, where));
}

AUTOVEC_API Tensor VarFunction::operator()(Operand x, Axes axes, Keepdims keep, int ddof) const {
  const Where where = x.where();
  const Extents resolved = axes.resolve(x.rank(), "var", where);
  const Tensor centre = mean(x, Axes(resolved), keepdims);
  const Operand away(emit_map<ops::Sub>(x, Operand(centre, where)), where);
  const Tensor squares = emit_map<ops::Mul>(away, away);
  const auto n = static_cast<double>(detail::reduced_size(x.type().shape, resolved) - ddof);
  const Tensor total = detail::reduce_axes<ops::Sum>(squares, resolved, keep, where);
  return emit_map<ops::Div>(Operand(total, where), Operand(n > 0 ? n : 0.0, where));
}

AUTOVEC_API Tensor StddevFunction::operator()(Operand x, Axes axes, Keepdims keep, int ddof) const {
  return sqrt(Operand(var(x, axes, keep, ddof), x.where()));
}

AUTOVEC_API Tensor LogsumexpFunction::operator()(Operand x, Axes axes, Keepdims keep) const {
  const Where where = x.where();
  const Extents resolved = axes.resolve(x.rank(), "logsumexp", where);
  const Tensor y =
      detail::with_element(detail::strong(x, where), to_inexact({x.type().dtype, false}), where);
  if (detail::reduced_size(y.shape(), resolved) == 0) {
    const Tensor total = detail::reduce_axes<ops::Sum>(y, resolved, keep, where);
    return emit_map<ops::Log>(Operand(total, where));
  }
  const Operand top(detail::reduce_axes<ops::Max>(y, resolved, keepdims, where), where);
  // An infinite maximum is left out of the difference: inf - inf would be NaN.
  const Operand finite(
      emit_map<ops::Less>(abs(top), Operand(std::numeric_limits<double>::infinity(), where)),
      where);
  const Operand shift(detail::emit_select(finite, top, Tensor(0.0)), where);
  const Tensor terms = exp(Operand(emit_map<ops::Sub>(Operand(y, where), shift), where));
  const Operand total(detail::reduce_axes<ops::Sum>(terms, resolved, keepdims, where), where);
  const Tensor out = emit_map<ops::Add>(Operand(log(total), where), shift);
  if (keep.keep) return out;
  Extents shape;
  for (std::size_t i = 0, next = 0; i < out.rank(); ++i) {
    if (next < resolved.size() && resolved[next] == static_cast<std::int64_t>(i)) {
      ++next;
    } else {
      shape.push_back(out.shape()[i]);
    }
  }
  return reshape(Operand(out, where), shape);
}

AUTOVEC_API Tensor NormFunction::operator()(Operand x, Axes axes, Keepdims keep) const {
  const Where where = x.where();
  const Operand y(
      detail::with_element(detail::strong(x, where), to_inexact({x.type().dtype, false}), where),
      where);
  return sqrt(Operand(sum(Operand(emit_map<ops::Mul>(y, y), where), axes, keep), where));
}

AUTOVEC_API Tensor CountNonzeroFunction::operator()(Operand x, Axes axes, Keepdims keep) const {
  return sum(Operand(detail::as_bool(x), x.where()), axes, keep);
}

namespace detail {
/// First position along `axis` where x equals its maximum (minimum); NaN counts as such.
template <class Extreme>
Tensor position_of(std::string_view op, Operand x, std::int64_t axis, Keepdims keep) {
  const Where where = x.where();
  axis = wrap_axis(axis, x.rank(), op, where);
  const Tensor y = strong(x, where);
  const Tensor values = is_bool(y.dtype()) ? with_element(y, {DType::i32, false}, where) : y;
  const std::int64_t n = values.shape()[static_cast<std::size_t>(axis)];
  if (n == 0)
    fail<ShapeError>(op, "nothing to reduce along an axis of extent 0 of " + type_text(x.type()),
                     where);
  const Operand best(reduce_axes<Extreme>(values, Extents{axis}, keepdims, where), where);
  const Operand v(values, where);
  const Operand hit(emit_map<ops::BitwiseOr>(Operand(emit_map<ops::Equal>(v, best), where),
                                             Operand(emit_map<ops::NotEqual>(v, v), where)),
                    where);
  const Tensor places = broadcast_in(iota(n, DType::i32, where), values.shape(), {axis}, where);
  const Tensor candidates = emit_select(hit, places, Tensor(n));
  return reduce_axes<ops::Min>(candidates, Extents{axis}, keep, where);
}
template <class Extreme>
Tensor position_anywhere(std::string_view op, Operand x) {
  return position_of<Extreme>(op, Operand(reshape(x, {-1}), x.where()), 0, {});
}
}  // namespace detail

AUTOVEC_API Tensor ArgmaxFunction::operator()(Operand x) const {
  return detail::position_anywhere<ops::Max>("argmax", x);
}

AUTOVEC_API Tensor ArgmaxFunction::operator()(Operand x, std::int64_t axis, Keepdims keep) const {
  return detail::position_of<ops::Max>("argmax", x, axis, keep);
}

AUTOVEC_API Tensor ArgminFunction::operator()(Operand x) const {
  return detail::position_anywhere<ops::Min>("argmin", x);
}

AUTOVEC_API Tensor ArgminFunction::operator()(Operand x, std::int64_t axis, Keepdims keep) const {
  return detail::position_of<ops::Min>("argmin", x, axis, keep);
}

}  // namespace autovec::inline v1
