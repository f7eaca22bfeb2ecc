// Ops that rearrange without computing: each says how the result lies in its operand's block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

/// NumPy's broadcast: axes correspond from the back. Throws ShapeError.
struct BroadcastToFunction {
  Tensor operator()(Operand x, Extents shape) const;
};
inline constexpr BroadcastToFunction broadcast_to;

/// Shape as given; one extent may be -1 and follows from the size. Throws ShapeError.
struct ReshapeFunction {
  Tensor operator()(Operand x, Extents shape) const;
};
inline constexpr ReshapeFunction reshape;

/// Result axis i is axis `axes[i]` of x (negative ones count from the back).
struct PermuteFunction {
  Tensor operator()(Operand x, Extents axes) const;
};
inline constexpr PermuteFunction permute;

/// transpose(x) reverses the axes; transpose(x, axes) is permute.
struct TransposeFunction {
  Tensor operator()(Operand x) const;
  Tensor operator()(Operand x, Extents axes) const;
};
inline constexpr TransposeFunction transpose;

/// Moves axis `from` to position `to`, the others keep their order.
struct MoveaxisFunction {
  Tensor operator()(Operand x, std::int64_t from, std::int64_t to) const;
};
inline constexpr MoveaxisFunction moveaxis;

struct SwapaxesFunction {
  Tensor operator()(Operand x, std::int64_t a, std::int64_t b) const;
};
inline constexpr SwapaxesFunction swapaxes;

/// A new axis of extent 1 at position `axis` of the result.
struct ExpandDimsFunction {
  Tensor operator()(Operand x, std::int64_t axis) const;
};
inline constexpr ExpandDimsFunction expand_dims;

/// squeeze(x) drops all axes of extent 1; squeeze(x, axis) that one, or throws ShapeError where it
/// has another extent.
struct SqueezeFunction {
  Tensor operator()(Operand x) const;
  Tensor operator()(Operand x, std::int64_t axis) const;
};
inline constexpr SqueezeFunction squeeze;

/// Reverses the order along `axis`.
struct FlipFunction {
  Tensor operator()(Operand x, std::int64_t axis) const;
};
inline constexpr FlipFunction flip;

/// The diagonal of the axes `first` and `second`, as the last axis of the result.
struct DiagonalFunction {
  Tensor operator()(Operand x, std::int64_t first = 0, std::int64_t second = 1) const;
};
inline constexpr DiagonalFunction diagonal;

}  // namespace autovec::inline v1
