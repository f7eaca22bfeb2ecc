// Tensors from nothing: from C++ data, constants, ranges. And `iota`, the op behind ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/ops/map.hpp"

namespace autovec::inline v1 {

namespace ops {

/// 0, 1, ..., size - 1.
struct Iota {
  static constexpr std::string_view name = "iota";
  static constexpr Kind kind = Kind::source;
  static constexpr int arity = 0;
  struct Params {
    std::int64_t size = 0;
    DType dtype = DType::i32;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("size", self.size);
      f("dtype", self.dtype);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params, Where where) {
    autovec::detail::check_arity(name, x.size(), 0, where);
    const auto& p = params.as<Params>();
    if (p.size < 0) fail<ShapeError>(name, "a negative size", where);
    if (is_bool(p.dtype) || is_complex(p.dtype)) {
      fail<TypeError>(name, "no range of " + std::string(name_of(p.dtype)), where);
    }
    return {Type{p.dtype, false, {p.size}}};
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> at, LaneTypes types,
                             const autovec::Params&) {
    const std::int32_t i = at[0];
    return types.result == DType::i64 ? i : r.emit(lane::Op::convert, types.result, {i}, 0);
  }
  // No operand, so no operand is mapped; the walk never gets here.
  static void batch(BatchCall& call) { fail<InternalError>(name, "batched without operand", call.where); }
  static std::vector<Sample> samples() {
    std::vector<Sample> out;
    for (const DType dtype : autovec::detail::sample_dtypes) {
      if (is_bool(dtype)) continue;
      for (const std::int64_t size : {5, 0, 1}) out.push_back({autovec::Params::of(Params{size, dtype}), {}});
    }
    return out;
  }
};

using SourceOps = List<Iota>;

}  // namespace ops

namespace detail {

/// One level of nested braces: a number, or a list of levels.
template <class T>
class Nested {
 public:
  template <class U>
    requires std::is_arithmetic_v<U>
  Nested(U value) : values_{static_cast<T>(value)} {}
  Nested(std::initializer_list<Nested> items) {
    shape_.push_back(static_cast<std::int64_t>(items.size()));
    bool first = true;
    for (const Nested& item : items) {
      if (first) {
        shape_.append(item.shape_.begin(), item.shape_.end());
        first = false;
      } else if (!std::equal(item.shape_.begin(), item.shape_.end(), shape_.begin() + 1, shape_.end())) {
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
  for (const std::int64_t extent : type.shape) {
    if (extent < 0) fail<ShapeError>("tensor", "a negative extent in " + shape_text(type.shape), where);
  }
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

inline void check_shape(std::string_view op, const Extents& shape, Where where) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) fail<ShapeError>(op, "a negative extent in " + shape_text(shape), where);
  }
}
}  // namespace detail

/// Data from nested braces: `tensor<float>({{1, 2}, {3, 4}})`. Throws ShapeError for ragged ones.
template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(detail::Nested<T> values, Where where = Where::here()) {
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

/// full(shape, value): every element is `value`, in its own dtype; full(shape, value, dtype): rounded
/// to that.
struct FullFunction {
  Tensor operator()(Extents shape, Operand value) const {
    return (*this)(std::move(shape), value, value.type().dtype);
  }
  Tensor operator()(Extents shape, Operand value, DType dtype) const {
    detail::check_shape("full", shape, value.where());
    const Tensor x = detail::with_element(value, {dtype, false}, value.where());
    return broadcast_to(Operand(x, value.where()), std::move(shape));
  }
};

inline constexpr FullFunction full;

inline constexpr auto zeros = [](Extents shape, DType dtype = default_float(),
                                 Where where = Where::here()) -> Tensor {
  return full(std::move(shape), Operand(0, where), dtype);
};
inline constexpr auto ones = [](Extents shape, DType dtype = default_float(),
                                Where where = Where::here()) -> Tensor {
  return full(std::move(shape), Operand(1, where), dtype);
};
/// Zeros (ones) of the shape and dtype of x.
inline constexpr auto zeros_like = [](Operand x) -> Tensor {
  return zeros(x.type().shape, x.type().dtype, x.where());
};
inline constexpr auto ones_like = [](Operand x) -> Tensor {
  return ones(x.type().shape, x.type().dtype, x.where());
};

/// 0, 1, ..., size - 1.
inline constexpr auto iota = [](std::int64_t size, DType dtype = DType::i32,
                                Where where = Where::here()) -> Tensor {
  return emit_one(row_of<ops::Iota>, Params::of(ops::Iota::Params{size, dtype}), {}, where);
};

/// arange(n): 0 ... n - 1 as i32. arange(start, stop, step): start, start + step, ... below stop,
/// i32 for integers, the default float where one of them is a float.
struct ArangeFunction {
  template <class T>
    requires std::is_arithmetic_v<T>
  Tensor operator()(T stop, Where where = Where::here()) const {
    return range(0, stop, 1, std::is_floating_point_v<T>, where);
  }
  template <class T, class U, class V = int>
    requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U> && std::is_arithmetic_v<V>)
  Tensor operator()(T start, U stop, V step = V(1), Where where = Where::here()) const {
    return range(start, stop, step,
                 std::is_floating_point_v<T> || std::is_floating_point_v<U> || std::is_floating_point_v<V>,
                 where);
  }

 private:
  static Tensor range(Number start, Number stop, Number step, bool real, Where where) {
    if (step.real() == 0) fail<ShapeError>("arange", "the step is 0", where);
    const double count = std::ceil((stop.real() - start.real()) / step.real());
    const auto n = count > 0 ? static_cast<std::int64_t>(count) : 0;
    if (!real) {
      if (start.as<std::int64_t>() == 0 && step.as<std::int64_t>() == 1) return iota(n, DType::i32, where);
      return emit_map<ops::Add>(
          Operand(emit_map<ops::Mul>(Operand(iota(n, DType::i32, where), where),
                                     Operand(step.as<std::int32_t>(), where)),
                  where),
          Operand(start.as<std::int32_t>(), where));
    }
    const Tensor i = iota(n, DType::f64, where);
    const Tensor x = emit_map<ops::Fma>(Operand(i, where), Operand(step.real(), where),
                                        Operand(start.real(), where));
    return cast(Operand(x, where), default_float());
  }
};
inline constexpr ArangeFunction arange;

/// `count` equally spaced numbers from start to stop, both included. Computed in f64, rounded once.
inline constexpr auto linspace = [](double start, double stop, std::int64_t count,
                                    DType dtype = default_float(), Where where = Where::here()) -> Tensor {
  if (count < 0) fail<ShapeError>("linspace", "a negative count", where);
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
  const Operand i(iota(count, DType::f64, where), where);
  const Tensor x = emit_map<ops::Fma>(i, Operand(step, where), Operand(start, where));
  const Operand last(emit_map<ops::Equal>(i, Operand(count - 1, where)), where);
  const Tensor ends = count > 1 ? detail::emit_select(last, Tensor(stop), x) : x;
  return cast(Operand(ends, where), dtype);
};

/// The identity matrix of n rows and `columns` columns (n where left out).
inline constexpr auto eye = [](std::int64_t n, std::int64_t columns = -1, DType dtype = default_float(),
                               Where where = Where::here()) -> Tensor {
  if (columns < 0) columns = n;
  const Tensor i = broadcast_in(iota(n, DType::i32, where), {n, columns}, {0}, where);
  const Tensor j = broadcast_in(iota(columns, DType::i32, where), {n, columns}, {1}, where);
  return cast(Operand(emit_map<ops::Equal>(Operand(i, where), Operand(j, where)), where), dtype);
};

}  // namespace autovec::inline v1
