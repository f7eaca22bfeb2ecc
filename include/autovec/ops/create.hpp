// Tensors from nothing: from C++ data, constants, ranges. And `iota`, the op behind ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace detail {

/// One level of nested braces: a number, or a list of levels.
template <class T>
class Nested {
 public:
  template <class U>
    requires std::is_arithmetic_v<U> Nested(U value) : values_{static_cast<T>(value)} {}
    Nested(std::initializer_list<Nested> items) {
      shape_.push_back(static_cast<std::int64_t>(items.size()));
      bool first = true;
      for (const Nested& item : items) {
        if (first) {
          shape_.append(item.shape_.begin(), item.shape_.end());
          first = false;
        } else if (!std::equal(item.shape_.begin(), item.shape_.end(), shape_.begin() + 1,
                               shape_.end())) {
          ragged_ = true;
        }
        ragged_ = ragged_ || item.ragged_;
        values_.insert(values_.end(), item.values_.begin(), item.values_.end());
      }
    }
    const Extents& shape() const { return shape_; }
    const std::vector<T>& values() const { return values_; }
    bool ragged() const { return ragged_; }

   private:
    Extents shape_;
    std::vector<T> values_;
    bool ragged_ = false;
};

template <class T, class Container>
Tensor tensor_of(const Container& values, Extents shape, Where where) {
  Type type{autovec::dtype_of<T>, false, std::move(shape)};
  check_size("tensor", type, where);
  if (type.size() != static_cast<std::int64_t>(std::size(values))) {
    std::string what(number_text(static_cast<std::int64_t>(std::size(values))));
    what += " values do not fill shape ";
    what += shape_text(type.shape);
    fail<ShapeError>("tensor", what, where);
  }
  Array out = Array::allocate(type);
  T* to = out.as<T>();
  for (const auto& value : values) *to++ = static_cast<T>(value);
  return Tensor(std::move(out));
}

}  // namespace detail

/// Data from nested braces: `tensor<float>({{1, 2}, {3, 4}})`. Throws ShapeError for ragged ones.
template <class T>
  requires std::is_arithmetic_v<T> Tensor tensor(detail::Nested<T> values,
                                                 Where where = Where::here()) {
    if (values.ragged()) fail<ShapeError>("tensor", "nested braces of different lengths", where);
    return detail::tensor_of<T>(values.values(), values.shape(), where);
  }

/// A copy of a container's numbers, row-major, as `shape`; rank 1 where no shape is given.
template <class Container>
  requires(!std::is_arithmetic_v<Container> && std::is_arithmetic_v<typename Container::value_type>)
Tensor tensor(const Container& values, Extents shape, Where where = Where::here()) {
  return detail::tensor_of<typename Container::value_type>(values, std::move(shape), where);
}

template <class Container>
  requires(!std::is_arithmetic_v<Container> && std::is_arithmetic_v<typename Container::value_type>)
Tensor tensor(const Container& values, Where where = Where::here()) {
  Extents shape{static_cast<std::int64_t>(std::size(values))};
  return detail::tensor_of<typename Container::value_type>(values, std::move(shape), where);
}

/// full(shape, value): every element is `value`, in its own dtype; full(shape, value, dtype):
/// rounded to that.
struct FullFunction {
  Tensor operator()(Extents shape, Operand value) const;
  Tensor operator()(Extents shape, Operand value, DType dtype) const;
};
inline constexpr FullFunction full;

struct ZerosFunction {
  Tensor operator()(Extents shape, DType dtype = default_float(),
                    Where where = Where::here()) const;
};
inline constexpr ZerosFunction zeros;

struct OnesFunction {
  Tensor operator()(Extents shape, DType dtype = default_float(),
                    Where where = Where::here()) const;
};
inline constexpr OnesFunction ones;

/// Zeros (ones) of the shape and dtype of x.
struct ZerosLikeFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr ZerosLikeFunction zeros_like;

struct OnesLikeFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr OnesLikeFunction ones_like;

/// 0, 1, ..., size - 1.
struct IotaFunction {
  Tensor operator()(std::int64_t size, DType dtype = DType::i32, Where where = Where::here()) const;
};
inline constexpr IotaFunction iota;

/// arange(n): 0 ... n - 1 as i32. arange(start, stop, step): start, start + step, ... below stop,
/// i32 for integers, the default float where one of them is a float.
struct ArangeFunction {
  template <class T>
  requires std::is_arithmetic_v<T> Tensor operator()(T stop, Where where = Where::here()) const {
    return range(0, stop, 1, std::is_floating_point_v<T>, where);
  }
  template <class T, class U, class V = int>
    requires(std::is_arithmetic_v<T>&& std::is_arithmetic_v<U>&& std::is_arithmetic_v<V>)
  Tensor operator()(T start, U stop, V step = V(1), Where where = Where::here()) const {
    return range(
        start, stop, step,
        std::is_floating_point_v<T> || std::is_floating_point_v<U> || std::is_floating_point_v<V>,
        where);
  }

 private:
  static Tensor range(Number start, Number stop, Number step, bool real, Where where);
};
inline constexpr ArangeFunction arange;

/// `count` equally spaced numbers from start to stop, both included. Computed in f64, rounded once.
struct LinspaceFunction {
  Tensor operator()(double start, double stop, std::int64_t count, DType dtype = default_float(),
                    Where where = Where::here()) const;
};
inline constexpr LinspaceFunction linspace;

/// The identity matrix of n rows and `columns` columns (n where left out).
struct EyeFunction {
  Tensor operator()(std::int64_t n, std::int64_t columns = -1, DType dtype = default_float(),
                    Where where = Where::here()) const;
};
inline constexpr EyeFunction eye;

}  // namespace autovec::inline v1
