// Sorting along an axis, and what is made of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

/// Lines along `axis` in ascending order: stable, NaN last, -0.0 and 0.0 equal.
struct SortFunction {
  Tensor operator()(Operand x, std::int64_t axis = -1) const;
};
inline constexpr SortFunction sort;

/// Positions (i32) along `axis` that `sort` takes the elements from.
struct ArgsortFunction {
  Tensor operator()(Operand x, std::int64_t axis = -1) const;
};
inline constexpr ArgsortFunction argsort;

/// The k greatest elements along `axis`, greatest first, and their positions (i32). The first of
/// equals comes first; NaN counts as greatest. Throws ShapeError where there are fewer than k.
struct TopKFunction {
  std::pair<Tensor, Tensor> operator()(Operand x, std::int64_t k, std::int64_t axis = -1) const;
};
inline constexpr TopKFunction top_k;

/// On which side of elements equal to the query `searchsorted` counts.
enum class Side : std::uint8_t { left, right };

/// How many elements of the ascending vector `sorted` lie in front of each query (i32, of the
/// queries' shape): those below it, with Side::right also those equal to it. NaN counts as
/// greatest.
struct SearchsortedFunction {
  Tensor operator()(Operand sorted, Operand queries, Side side = Side::left) const;
};
inline constexpr SearchsortedFunction searchsorted;

/// The value below which a share `q` (in [0, 1], rank 0) of the elements along `axis` lies, linear
/// between neighbours; without an axis of all elements. NaN where there is any. Throws ShapeError
/// of no elements.
struct QuantileFunction {
  Tensor operator()(Operand x, Operand q) const;
  Tensor operator()(Operand x, Operand q, std::int64_t axis) const;
};
inline constexpr QuantileFunction quantile;

/// The middle element along `axis`, the mean of the two middle ones where there is an even number.
struct MedianFunction {
  Tensor operator()(Operand x) const;
  Tensor operator()(Operand x, std::int64_t axis) const;
};
inline constexpr MedianFunction median;

}  // namespace autovec::inline v1
