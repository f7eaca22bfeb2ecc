// Running sums, products and extremes along an axis, each line in sequential order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ops/map.hpp"

namespace autovec::inline v1 {

/// reverse: from the last element to the first. exclusive: element i combines those before it only,
/// and starts with the identity.
struct CumOptions {
  bool reverse = false;
  bool exclusive = false;
};

namespace ops {
struct Cumsum;
struct Cumprod;
struct Cummax;
struct Cummin;
}  // namespace ops

namespace detail {
Tensor cumulate(const OpInfo& op, const Operand& x, std::int64_t axis, CumOptions options);
/// The only axis of x. Throws ShapeError.
std::int64_t only_axis(const OpInfo& op, const Operand& x);
}  // namespace detail

/// A running combination along an axis, which may be left out for rank 1 only. f16 and bf16 are
/// combined in f32. Throws ShapeError.
template <class Op>
struct CumulativeFunction {
  Tensor operator()(Operand x, CumOptions options = {}) const {
    const OpInfo& op = detail::row<Op>();
    return detail::cumulate(op, x, detail::only_axis(op, x), options);
  }
  Tensor operator()(Operand x, std::int64_t axis, CumOptions options = {}) const {
    return detail::cumulate(detail::row<Op>(), x, axis, options);
  }
};
/// Running sum; b8 and small integers are summed as i32 or u32.
inline constexpr CumulativeFunction<ops::Cumsum> cumsum;

/// Running product; b8 and small integers are multiplied as i32 or u32.
inline constexpr CumulativeFunction<ops::Cumprod> cumprod;

/// Running maximum, NaN from the first NaN on.
inline constexpr CumulativeFunction<ops::Cummax> cummax;

/// Running minimum, NaN from the first NaN on.
inline constexpr CumulativeFunction<ops::Cummin> cummin;

}  // namespace autovec::inline v1
