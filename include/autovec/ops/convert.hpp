// Conversion between dtypes, and the promotion of the operands of map ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace detail {
/// `x` with this element; a C++ number is rounded once, here.
Tensor with_element(const Tensor& x, Element element, Where where);
}  // namespace detail

/// x with elements of `dtype`: floats to integers saturate, NaN gives 0, integers wrap.
struct CastFunction {
  Tensor operator()(Operand x, DType dtype) const;
};
inline constexpr CastFunction cast;

/// The bits of x read as `dtype` of the same size.
struct BitcastFunction {
  Tensor operator()(Operand x, DType dtype) const;
};
inline constexpr BitcastFunction bitcast;

}  // namespace autovec::inline v1
