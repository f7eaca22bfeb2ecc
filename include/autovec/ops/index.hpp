// Reads and writes at computed places: gather, scatter, and the indexing functions made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

/// Slices of x along `axis` at integers `i` of any shape, which stands in place of the axis.
/// Negative indices count from the end; what is out of range then is clamped.
/// Throws TypeError unless i is integer, ShapeError where there is nothing to read.
struct TakeFunction {
  Tensor operator()(Operand x, Operand i, std::int64_t axis = 0) const;
};
inline constexpr TakeFunction take;

/// Along `axis` the elements of x at `indices`, line by line: result[..., j, ...] =
/// x[..., indices[..., j, ...], ...]. Ranks are equal, the other axes broadcast.
struct TakeAlongAxisFunction {
  Tensor operator()(Operand x, Operand indices, std::int64_t axis) const;
};
inline constexpr TakeAlongAxisFunction take_along_axis;

/// Slices of x at `indices` [..., k], whose last axis indexes the first k axes of x:
/// [..., the other axes of x]. Negative indices count from the end, then are clamped.
struct GatherFunction {
  Tensor operator()(Operand x, Operand indices) const;
};
inline constexpr GatherFunction gather;

/// x with slices at `indices` (as in gather) set to `updates`, or combined with them (`mode`: set,
/// add, mul, min, max). Updates broadcast and are converted to the dtype of x. Negative indices
/// count from the end; what is out of range then is dropped. Of several writers of one place the
/// last wins.
struct ScatterFunction {
  Tensor operator()(Operand x, Operand indices, Operand updates,
                    std::string_view mode = "set") const;
};
inline constexpr ScatterFunction scatter;

/// dynamic_slice(x, {starts}, {sizes}): a window of fixed sizes at computed starts, one an axis; or
/// starts as one integer tensor [rank]. Negative starts count from the end; then the window is
/// moved inside x.
struct DynamicSliceFunction {
  Tensor operator()(Operand x, std::initializer_list<Operand> starts, Extents sizes) const;
  Tensor operator()(Operand x, Operand starts, Extents sizes) const;
};
inline constexpr DynamicSliceFunction dynamic_slice;

/// dynamic_update_slice(x, update, {starts}): x with a window overwritten by `update`; starts as in
/// dynamic_slice. The update is converted to the dtype of x.
struct DynamicUpdateSliceFunction {
  Tensor operator()(Operand x, Operand update, std::initializer_list<Operand> starts) const;
  Tensor operator()(Operand x, Operand update, Operand starts) const;
};
inline constexpr DynamicUpdateSliceFunction dynamic_update_slice;

/// A new last axis of extent n that is 1 at position `i` and 0 elsewhere; all 0 where i is out of
/// [0, n).
struct OneHotFunction {
  Tensor operator()(Operand i, std::int64_t n, DType dtype = DType::f32) const;
};
inline constexpr OneHotFunction one_hot;

}  // namespace autovec::inline v1
