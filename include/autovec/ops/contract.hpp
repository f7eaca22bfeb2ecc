// The contraction op: an einsum of two operands, in which every matrix product ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace detail {
Tensor einsum_of(std::string_view spec, std::vector<Tensor> operands, Where where);
}  // namespace detail

/// Einstein summation of any number of operands: `einsum("nij,jk->nik", x, y)`. Labels are letters;
/// `...` stands for leading axes that broadcast; a label twice in one operand takes the diagonal;
/// without `->` the result has the labels that stand once, in alphabetical order. Throws
/// ShapeError.
struct EinsumFunction {
  /// The specification together with the caller's place.
  struct Spec {
    template <class T>
      requires std::convertible_to<T, std::string_view> Spec(const T& spec,
                                                             Where place = Where::here())
          : text(spec), where(place) {}
      std::string_view text;
      Where where;
  };
  template <class... T>
  Tensor operator()(Spec spec, const T&... operands) const {
    static_assert(sizeof...(T) > 0, "einsum needs at least one operand");
    return detail::einsum_of(spec.text, {Tensor(operands)...}, spec.where);
  }
};
inline constexpr EinsumFunction einsum;

/// Matrix product as in NumPy: vectors count as a row on the left and a column on the right, axes
/// before the last two broadcast. Throws ShapeError.
struct MatmulFunction {
  Tensor operator()(Operand a, Operand b) const;
};
inline constexpr MatmulFunction matmul;

/// Sum over products of the last axis of a and the last but one of b (the only one of a vector);
/// with a rank-0 operand the plain product.
struct DotFunction {
  Tensor operator()(Operand a, Operand b) const;
};
inline constexpr DotFunction dot;

/// Sum of the products of all elements of two vectors.
struct VdotFunction {
  Tensor operator()(Operand a, Operand b) const;
};
inline constexpr VdotFunction vdot;

/// All products of an element of a and one of b, both flattened: [size of a, size of b].
struct OuterFunction {
  Tensor operator()(Operand a, Operand b) const;
};
inline constexpr OuterFunction outer;

/// Sums over the last axes of both: a[..., k] b[..., k].
struct InnerFunction {
  Tensor operator()(Operand a, Operand b) const;
};
inline constexpr InnerFunction inner;

/// Sums over pairs of axes: the last `axes` of a with the first of b, or the axes named.
struct TensordotFunction {
  Tensor operator()(Operand a, Operand b, std::int64_t axes = 2) const;
  Tensor operator()(Operand a, Operand b, Extents axes_a, Extents axes_b) const;
};
inline constexpr TensordotFunction tensordot;

/// Kronecker product of two matrices.
struct KronFunction {
  Tensor operator()(Operand a, Operand b) const;
};
inline constexpr KronFunction kron;

}  // namespace autovec::inline v1
