// Sorting along an axis, and what is made of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "autovec/lane/half.hpp"
#include "autovec/ops/arrange-inl.hpp"
#include "autovec/ops/reduce-inl.hpp"
#include "autovec/ops/sort.hpp"

namespace autovec::inline v1 {

namespace ops {

/// The axis along which an op works line by line.
struct LineParams {
  std::int64_t axis = 0;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("axis", self.axis);
  }
};

namespace detail {

/// Calls `line(first, stride)` with the first element of each line along `axis` in contiguous data
/// of this shape, and the distance between a line's elements.
template <class F>
void for_each_line(const Extents& shape, std::int64_t axis, F&& line) {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t outer = extent_product(shape, 0, a);
  const std::int64_t stride = extent_product(shape, a + 1, shape.size());
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < stride; ++j) line(i * stride * shape[a] + j, stride);
  }
}

/// The ascending order of sorts: NaN behind all numbers, -0.0 equal to 0.0.
template <class T>
bool sorts_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (b != b && a == a);
  else return a < b;
}

/// Calls `f.operator()<T, Key>(key)` where T stores an element and `key(T)` is what is compared.
template <class F>
void with_keys(DType dtype, F&& f) {
  dispatch(
      dtype, [&]<class T>() { f.template operator()<T>([](T x) { return x; }); },
      [&] {
        if (dtype == DType::f16) f.template operator()<std::uint16_t>(lane::f32_from_f16);
        else f.template operator()<std::uint16_t>(lane::f32_from_bf16);
      });
}

}  // namespace detail

/// Base of sorts: lines along an axis, in ascending order, stable, NaN last.
template <class Op>
struct SortOp {
  static constexpr Kind kind = Kind::call;
  static constexpr int arity = 1;
  using Params = LineParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(Op::name, x.size(), 1, where);
    const std::int64_t axis = params.as<Params>().axis;
    if (axis < 0) fail<ShapeError>(Op::name, "a negative axis", where);
    wrap_axis(axis, x[0].rank(), Op::name, where);
    if (is_complex(x[0].dtype)) {
      fail<TypeError>(Op::name, "complex numbers have no order: " + type_text(x[0]), where);
    }
    return {Op::result(x[0])};
  }
  static void batch(BatchCall& call) {
    const Params p{call.params.as<Params>().axis + 1};
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        takes_real, {form(Params{0}, {{5}}), form(Params{0}, {{3, 4}}), form(Params{1}, {{2, 33}}),
                     form(Params{0}, {{0}}), form(Params{1}, {{2, 1}})});
  }
};

struct Sort : SortOp<Sort> {
  static constexpr std::string_view name = "sort";
  static Type result(const Type& x) { return x; }
  static void kernel(std::span<const Array> x, std::span<Array> results,
                     const autovec::Params& params) {
    const std::int64_t axis = params.as<Params>().axis;
    const Extents& shape = x[0].type.shape;
    detail::with_keys(x[0].type.dtype, [&]<class T>(auto key) {
      // A byte each where T is bool: vector<bool> has no elements to point at.
      using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      const Stored* from = x[0].as<Stored>();
      Stored* to = results[0].as<Stored>();
      std::vector<Stored> line(static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]));
      detail::for_each_line(shape, axis, [&](std::int64_t first, std::int64_t stride) {
        for (std::size_t i = 0; i < line.size(); ++i)
          line[i] = from[first + static_cast<std::int64_t>(i) * stride];
        std::stable_sort(line.begin(), line.end(), [&](Stored a, Stored b) {
          return detail::sorts_before(key(static_cast<T>(a)), key(static_cast<T>(b)));
        });
        for (std::size_t i = 0; i < line.size(); ++i)
          to[first + static_cast<std::int64_t>(i) * stride] = line[i];
      });
    });
  }
};

/// Positions (i32) of the sorted elements.
struct Argsort : SortOp<Argsort> {
  static constexpr std::string_view name = "argsort";
  static Type result(const Type& x) { return x.with_dtype(DType::i32); }
  static void kernel(std::span<const Array> x, std::span<Array> results,
                     const autovec::Params& params) {
    const std::int64_t axis = params.as<Params>().axis;
    const Extents& shape = x[0].type.shape;
    detail::with_keys(x[0].type.dtype, [&]<class T>(auto key) {
      const T* from = x[0].as<T>();
      std::int32_t* to = results[0].as<std::int32_t>();
      std::vector<std::int32_t> line(
          static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]));
      detail::for_each_line(shape, axis, [&](std::int64_t first, std::int64_t stride) {
        std::iota(line.begin(), line.end(), 0);
        std::stable_sort(line.begin(), line.end(), [&](std::int32_t a, std::int32_t b) {
          return detail::sorts_before(key(from[first + a * stride]), key(from[first + b * stride]));
        });
        for (std::size_t i = 0; i < line.size(); ++i)
          to[first + static_cast<std::int64_t>(i) * stride] = line[i];
      });
    });
  }
};

/// Positions (i32) of the `count` greatest elements of each line, greatest first, NaN before all
/// numbers, the first of equals first.
struct TopK {
  static constexpr std::string_view name = "top_k";
  static constexpr Kind kind = Kind::call;
  static constexpr int arity = 1;
  struct Params {
    std::int64_t axis = 0;
    std::int64_t count = 0;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("axis", self.axis);
      f("count", self.count);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    if (p.axis < 0) fail<ShapeError>(name, "a negative axis", where);
    const auto axis = static_cast<std::size_t>(wrap_axis(p.axis, x[0].rank(), name, where));
    if (p.count < 0 || p.count > x[0].shape[axis]) {
      fail<ShapeError>(name,
                       "no " + number_text(p.count) + " elements along axis " +
                           number_text(p.axis) + " of " + type_text(x[0]),
                       where);
    }
    if (is_complex(x[0].dtype)) {
      fail<TypeError>(name, "complex numbers have no order: " + type_text(x[0]), where);
    }
    Type result = x[0].with_dtype(DType::i32);
    result.shape[axis] = p.count;
    return {result};
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    ++p.axis;
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static void kernel(std::span<const Array> x, std::span<Array> results,
                     const autovec::Params& params) {
    const auto& p = params.as<Params>();
    if (p.count == 0) return;
    const Extents& shape = x[0].type.shape;
    detail::with_keys(x[0].type.dtype, [&]<class T>(auto key) {
      const T* from = x[0].as<T>();
      std::int32_t* to = results[0].as<std::int32_t>();
      std::vector<std::int32_t> line(
          static_cast<std::size_t>(shape[static_cast<std::size_t>(p.axis)]));
      detail::for_each_line(shape, p.axis, [&](std::int64_t first, std::int64_t stride) {
        std::iota(line.begin(), line.end(), 0);
        std::partial_sort(line.begin(), line.begin() + p.count, line.end(),
                          [&](std::int32_t a, std::int32_t b) {
                            const auto ka = key(from[first + a * stride]);
                            const auto kb = key(from[first + b * stride]);
                            if (detail::sorts_before(kb, ka)) return true;
                            return !detail::sorts_before(ka, kb) && a < b;
                          });
        // Line l of x starts at (l / stride) * stride * n + l % stride; the result has `count` for
        // n.
        const std::int64_t n = static_cast<std::int64_t>(line.size());
        const std::int64_t start = first / (stride * n) * stride * p.count + first % stride;
        for (std::int64_t i = 0; i < p.count; ++i)
          to[start + i * stride] = line[static_cast<std::size_t>(i)];
      });
    });
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(takes_real, {form(Params{0, 3}, {{5}}), form(Params{0, 2}, {{3, 4}}),
                                   form(Params{1, 33}, {{2, 33}}), form(Params{0, 0}, {{0}}),
                                   form(Params{1, 1}, {{2, 1}}), form(Params{1, 0}, {{2, 3}})});
  }
};

using SortOps = List<Sort, Argsort, TopK>;

}  // namespace ops

namespace detail {
template <class Op>
Tensor emit_sort(const Operand& x, std::int64_t axis) {
  axis = wrap_axis(axis, x.rank(), Op::name, x.where());
  return emit_one(row_of<Op>, Params::of(ops::LineParams{axis}), std::span(&x.tensor(), 1),
                  x.where());
}
}  // namespace detail

AUTOVEC_API Tensor SortFunction::operator()(Operand x, std::int64_t axis) const {
  return detail::emit_sort<ops::Sort>(x, axis);
}

AUTOVEC_API Tensor ArgsortFunction::operator()(Operand x, std::int64_t axis) const {
  return detail::emit_sort<ops::Argsort>(x, axis);
}

AUTOVEC_API std::pair<Tensor, Tensor> TopKFunction::operator()(Operand x, std::int64_t k,
                                                               std::int64_t axis) const {
  const detail::At at(x.where());
  axis = wrap_axis(axis, x.rank(), "top_k", x.where());
  const std::int64_t n = x.tensor().extent(axis);
  if (k < 0 || k > n) {
    std::string what("no ");
    what += number_text(k);
    what += " elements along axis ";
    what += number_text(axis);
    what += " of ";
    what += type_text(x.type());
    fail<ShapeError>("top_k", what, x.where());
  }
  const Tensor places = emit_one(row_of<ops::TopK>, Params::of(ops::TopK::Params{axis, k}),
                                 std::span(&x.tensor(), 1), x.where());
  return {take_along_axis(x, at(places), axis), places};
}

AUTOVEC_API Tensor SearchsortedFunction::operator()(Operand sorted, Operand queries,
                                                    Side side) const {
  const Where where = sorted.where();
  const detail::At at(where);
  if (sorted.rank() != 1) {
    fail<ShapeError>("searchsorted", "expected a vector, got " + type_text(sorted.type()), where);
  }
  const std::int64_t n = sorted.type().shape[0];
  const Element element = promote(element_of(sorted.type()), element_of(queries.type()));
  const Tensor values = detail::with_element(sorted, element, where);
  const Tensor wanted = detail::with_element(queries, element, where);
  const auto in_front = [&](const Tensor& v) {
    const Tensor before = side == Side::left ? at(v) < wanted : at(v) <= wanted;
    if (!is_float(element.dtype)) return before;
    const Tensor query_is_nan = isnan(at(wanted));
    return at(before) | (side == Side::left ? at(query_is_nan) & ~at(isnan(at(v))) : query_is_nan);
  };
  // Binary search: all of the first `found` elements lie in front; steps are powers of two.
  std::int64_t step = 1;
  while (2 * step <= n) step *= 2;
  Tensor found = full(queries.type().shape, Operand(0, where), DType::i32);
  for (; n > 0 && step > 0; step /= 2) {
    const Tensor next = at(found) + step;
    const Tensor fits = at(at(next) <= n) & in_front(take(at(values), at(at(next) - 1)));
    found = detail::emit_select(at(fits), next, found);
  }
  return found;
}

AUTOVEC_API Tensor QuantileFunction::operator()(Operand x, Operand q) const {
  return (*this)(Operand(reshape(x, {-1}), x.where()), q, 0);
}

AUTOVEC_API Tensor QuantileFunction::operator()(Operand x, Operand q, std::int64_t axis) const {
  const Where where = x.where();
  const detail::At at(where);
  axis = wrap_axis(axis, x.rank(), "quantile", where);
  const std::int64_t n = x.type().shape[static_cast<std::size_t>(axis)];
  if (n == 0)
    fail<ShapeError>("quantile", "no elements along an axis of " + type_text(x.type()), where);
  if (q.rank() != 0)
    fail<ShapeError>("quantile", "the share has type " + type_text(q.type()), where);
  const Element element{to_inexact(element_of(x.type())).dtype, false};
  const Tensor lines = sort(at(detail::with_element(x, element, where)), axis);
  const Tensor place = at(detail::with_element(q, element, where)) * (n - 1);
  const Tensor low = floor(at(place));
  const Tensor a = take(at(lines), at(cast(at(low), DType::i32)), axis);
  const Tensor b = take(at(lines), at(cast(at(ceil(at(place))), DType::i32)), axis);
  const Tensor between = fma(at(at(b) - a), at(at(place) - low), at(a));
  // Equal neighbours, infinite ones too, give themselves.
  const Tensor y = detail::emit_select(at(at(a) == b), a, between);
  const Tensor last = take(at(lines), n - 1, axis);
  return detail::emit_select(at(isnan(at(last))), last, y);
}

AUTOVEC_API Tensor MedianFunction::operator()(Operand x) const {
  return quantile(x, Operand(0.5, x.where()));
}

AUTOVEC_API Tensor MedianFunction::operator()(Operand x, std::int64_t axis) const {
  return quantile(x, Operand(0.5, x.where()), axis);
}

}  // namespace autovec::inline v1
