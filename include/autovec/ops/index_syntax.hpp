// Indexing as in NumPy: x.slice({all, range(1, -1, 2), 3}) and x.at(i, j).set(v).
//
// Whole axes and ranges are views. Tensor indices read at computed places: they broadcast against
// each other, and numbers beside them count as such; their shape stands where they stand if they
// are neighbours, else in front.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

struct AllFunction;

/// Every `step`-th position from `start` up to, not including, `stop`; negative ends count from the
/// end of the axis, ends left out are those of the axis.
struct Range {
  std::optional<std::int64_t> start, stop;
  std::int64_t step = 1;
};

/// range(1, -1, 2), range(1, {}), range({}, {}, -1).
struct RangeFunction {
  Range operator()(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                   std::int64_t step = 1) const;
};
inline constexpr RangeFunction range;

struct NewAxis {};

struct Ellipsis {};

/// As an index: a new axis of extent 1.
inline constexpr NewAxis newaxis;

/// As an index: all axes that the other indices leave.
inline constexpr Ellipsis ellipsis;

/// What stands between the brackets for one axis: a number, an integer tensor, `all`, a range,
/// `newaxis`, or `ellipsis`.
class Index {
 public:
  enum class Kind : std::uint8_t { place, range, new_axis, ellipsis };
  /// A number in the source: `slice` refuses one that is out of range.
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Index(T number) : kind_(Kind::place), place_(number), exact_(true) {}
  Index(const Tensor& place) : kind_(Kind::place), place_(place) {}
  Index(const AllFunction&) : kind_(Kind::range) {}
  Index(Range range) : kind_(Kind::range), range_(range) {}
  Index(NewAxis) : kind_(Kind::new_axis) {}
  Index(Ellipsis) : kind_(Kind::ellipsis) {}

  Kind kind() const { return kind_; }
  const Tensor& place() const { return place_; }
  const Range& range() const { return range_; }
  bool exact() const { return exact_; }
  /// Whether the place is known while tracing.
  bool is_known() const { return kind_ == Kind::place && place_.is_number(); }

 private:
  Kind kind_;
  Tensor place_;
  Range range_;
  bool exact_ = false;
};

/// A part of a tensor to be replaced by or combined with values: x.at(i, j).set(v) is a new tensor.
/// Values broadcast to the part and are converted to the dtype of x. Negative places count from the
/// end; what is out of range then is dropped, and of several writers of one element the last wins.
class IndexedUpdate {
 public:
  IndexedUpdate(Tensor x, std::vector<Index> indices, Where where)
      : x_(std::move(x)), indices_(std::move(indices)), where_(where) {}

  /// The part itself, as slice gives it.
  Tensor get(Where where = Where::here()) const;
  Tensor set(Operand values) const { return apply("set", values); }
  Tensor add(Operand values) const { return apply("add", values); }
  Tensor mul(Operand values) const { return apply("mul", values); }
  Tensor min(Operand values) const { return apply("min", values); }
  Tensor max(Operand values) const { return apply("max", values); }

 private:
  Tensor apply(std::string mode, const Operand& given) const;

  Tensor x_;
  std::vector<Index> indices_;
  Where where_;  // unknown where `at` could not take it: then that of the values
};

template <class... I>
IndexedUpdate Tensor::at(const I&... indices) const {
  return IndexedUpdate(*this, std::vector<Index>{Index(indices)...}, Where::unknown());
}

}  // namespace autovec::inline v1
