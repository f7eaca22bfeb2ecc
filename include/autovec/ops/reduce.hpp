// Reductions along axes, and what is composed of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "autovec/ops/map.hpp"

namespace autovec::inline v1 {

/// Axes of a reduction: all (default), one, several, or none (`{}`).
class Axes {
 public:
  Axes() = default;
  static Axes every() {
    Axes out;
    out.every_ = true;
    return out;
  }
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Axes(T axis) : axes_{static_cast<std::int64_t>(axis)} {}
  Axes(std::initializer_list<std::int64_t> axes) : axes_(axes) {}
  Axes(const Extents& axes) : axes_(axes) {}

  /// Ascending axes of a tensor of this rank. Throws ShapeError for one out of range or named
  /// twice.
  Extents resolve(std::size_t rank, std::string_view op, Where where) const;

 private:
  Extents axes_;
  bool every_ = false;
};

/// `keepdims` as last argument keeps reduced axes with extent 1.
struct Keepdims {
  bool keep = false;
};
inline constexpr Keepdims keepdims{true};

namespace ops {
struct Sum;
struct Prod;
struct Max;
struct Min;
struct Any;
struct All;
}  // namespace ops

namespace detail {
/// Converts to a dtype the reduction takes, and reduces.
Tensor reduce_tensor(const OpInfo& op, const Operand& x, const Axes& axes, Keepdims keep);
}  // namespace detail

/// A reduction as users call it: all axes, or those named; see Axes and keepdims.
template <class Op>
struct ReduceFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}) const {
    return detail::reduce_tensor(detail::row<Op>(), x, axes, keep);
  }
};
/// Sum of the elements; b8 and small integers are summed as i32 or u32. The order is a fixed tree.
inline constexpr ReduceFunction<ops::Sum> sum;

/// Product of the elements.
inline constexpr ReduceFunction<ops::Prod> prod;

/// Greatest element, NaN if there is one. Throws ShapeError along an axis of extent 0.
inline constexpr ReduceFunction<ops::Max> max;

/// Least element, NaN if there is one. Throws ShapeError along an axis of extent 0.
inline constexpr ReduceFunction<ops::Min> min;

/// Whether any element is true (`!= 0`).
inline constexpr ReduceFunction<ops::Any> any;

/// Whether all elements are true (`!= 0`). As an index it stands for a whole axis, `x.slice({all,
/// 0})`.
struct AllFunction : ReduceFunction<ops::All> {};
inline constexpr AllFunction all;

/// Mean; integers as the default float; NaN of no elements.
struct MeanFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}) const;
};
inline constexpr MeanFunction mean;

/// Mean of the squared distances to the mean, divided by n - ddof.
struct VarFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}, int ddof = 0) const;
};
inline constexpr VarFunction var;

/// Square root of var.
struct StddevFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}, int ddof = 0) const;
};
inline constexpr StddevFunction stddev;

/// log(sum(exp(x))) without overflow; -inf of no elements.
struct LogsumexpFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}) const;
};
inline constexpr LogsumexpFunction logsumexp;

/// Euclidean norm of all elements along the axes.
struct NormFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}) const;
};
inline constexpr NormFunction norm;

/// How many elements are not 0, as i32.
struct CountNonzeroFunction {
  Tensor operator()(Operand x, Axes axes = Axes::every(), Keepdims keep = {}) const;
};
inline constexpr CountNonzeroFunction count_nonzero;

/// Position (i32) of the greatest element: the first of equals, NaN counts as largest. Without an
/// axis: in row-major order of all elements.
struct ArgmaxFunction {
  Tensor operator()(Operand x) const;
  Tensor operator()(Operand x, std::int64_t axis, Keepdims keep = {}) const;
};
inline constexpr ArgmaxFunction argmax;

/// As argmax, of the least element; NaN counts as least.
struct ArgminFunction {
  Tensor operator()(Operand x) const;
  Tensor operator()(Operand x, std::int64_t axis, Keepdims keep = {}) const;
};
inline constexpr ArgminFunction argmin;

}  // namespace autovec::inline v1
