// From a call with any operands to one map node: promotion, conversion, broadcasting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>

#include "autovec/ops/convert-inl.hpp"
#include "autovec/ops/map_kind.hpp"
#include "autovec/ops/view-inl.hpp"

namespace autovec::inline v1 {

namespace detail {

/// Operands' common shape; throws ShapeError in the library's form.
inline Extents common_shape(std::string_view op, std::span<const Tensor> operands, Where where) {
  Extents shape;
  for (const Tensor& x : operands) {
    bool fits = true;
    const Extents both = broadcast_shapes(shape, x.type().shape, fits);
    if (!fits) {
      std::vector<Type> types;
      for (const Tensor& y : operands) types.push_back(y.type());
      fail<ShapeError>(op, "shapes differ: " + types_text(types), where);
    }
    shape = both;
  }
  return shape;
}

/// Computes on C++ numbers alone, in 64 bits, so that they keep their value.
inline Tensor fold_numbers(const OpInfo& op, const Params& params, std::span<const Tensor> operands,
                           Element element, Where where) {
  std::vector<Array> arrays;
  for (const Tensor& x : operands) {
    const DType wide = is_float(x.dtype())       ? DType::f64
                       : is_bool(x.dtype())      ? DType::b8
                       : x.dtype() == DType::u64 ? DType::u64
                                                 : DType::i64;
    arrays.push_back(Tensor::from_number(x.state().number, wide, false).array(op.name, where));
  }
  const std::vector<Array> out = Eager<>::apply(op, params, arrays, where);
  const Number value = dispatch(
      out[0].type.dtype, [&]<class T>() { return Number(*out[0].as<T>()); },
      [] { return Number(); });
  if (is_bool(out[0].type.dtype)) return Tensor::from_number(value);
  return Tensor::from_number(value, element.dtype, element.weak);
}

}  // namespace detail

/// Applies map op `op` to operands of any shapes and dtypes: promotes as the op says, converts,
/// broadcasts, emits one node.
inline Tensor emit_map(const OpInfo& op, std::span<Tensor> operands, Where where,
                       Params params = {}) {
  bool numbers = true;
  for (const Tensor& x : operands) numbers = numbers && x.is_number();
  const Element element = detail::promote_operands(op, operands, where);
  if (numbers && element.weak) {
    for (Tensor& x : operands) {
      // Numbers of different kinds meet as doubles or as 64-bit integers.
      if (is_float(element.dtype) && x.state().number.kind != Number::Kind::real) {
        x = Tensor::from_number(Number(x.state().number.real()));
      }
    }
    return detail::fold_numbers(op, params, operands, element, where);
  }
  for (Tensor& x : operands) {
    // A weak tensor of the right dtype stays as it is: the result is strong all the same.
    if (x.is_number() || x.dtype() != element.dtype) x = detail::with_element(x, element, where);
  }
  const Extents shape = detail::common_shape(op.name, operands, where);
  for (Tensor& x : operands) {
    if (x.rank() != 0 && !(x.state().type.shape == shape))
      x = broadcast_to(Operand(x, where), shape);
  }
  return emit_one(op, std::move(params), operands, where);
}

template <class Op>
Tensor emit_map(Operand x) {
  std::array<Tensor, 1> operands{x.tensor()};
  return emit_map(row_of<Op>, operands, x.where());
}
template <class Op>
Tensor emit_map(Operand x, Operand y) {
  std::array<Tensor, 2> operands{x.tensor(), y.tensor()};
  return emit_map(row_of<Op>, operands, x.where());
}
template <class Op>
Tensor emit_map(Operand x, Operand y, Operand z) {
  std::array<Tensor, 3> operands{x.tensor(), y.tensor(), z.tensor()};
  return emit_map(row_of<Op>, operands, x.where());
}

}  // namespace autovec::inline v1
