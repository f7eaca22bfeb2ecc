// Running sums, products and extremes along an axis, each line in sequential order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autovec/lane/arithmetic.hpp"
#include "autovec/lane/scalar.hpp"
#include "autovec/ops/cumulative.hpp"
#include "autovec/ops/reduce-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

struct CumulativeParams {
  std::int64_t axis = 0;
  bool reverse = false;
  bool exclusive = false;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("axis", self.axis);
    f("reverse", self.reverse);
    f("exclusive", self.exclusive);
  }
};

/// Base of cumulative ops. A derived struct has `name`, `combine(accumulator, x)` and
/// `identity<T>()`.
template <class Op>
struct Cumulative {
  static constexpr Kind kind = Kind::call;
  static constexpr int arity = 1;
  using Params = CumulativeParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(Op::name, x.size(), 1, where);
    const std::int64_t axis = params.as<Params>().axis;
    if (axis < 0) fail<ShapeError>(Op::name, "a negative axis", where);
    wrap_axis(axis, x[0].rank(), Op::name, where);
    if (!is_int(x[0].dtype) && x[0].dtype != DType::f32 && x[0].dtype != DType::f64) {
      fail<TypeError>(Op::name, "expected integers, f32 or f64, got " + type_text(x[0]), where);
    }
    return {x[0]};
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
    dispatch(
        x[0].type.dtype,
        [&]<class T>() {
          if constexpr (!std::is_same_v<T, bool>)
            run(x[0].as<T>(), results[0].as<T>(), x[0].type.shape, p);
        },
        [] {});
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        takes_plain_numbers,
        {form(Params{0, false, false}, {{5}}), form(Params{0, true, false}, {{3, 4}}),
         form(Params{1, false, true}, {{2, 33}}), form(Params{0, true, true}, {{2, 2}}),
         form(Params{0, false, false}, {{0}}), form(Params{1, false, true}, {{2, 1}})});
  }

 private:
  /// Walks along the axis for all lines behind it at once, so that memory is read in order.
  template <class T>
  static void run(const T* from, T* to, const Extents& shape, const Params& p) {
    const auto axis = static_cast<std::size_t>(p.axis);
    const std::int64_t outer = extent_product(shape, 0, axis);
    const std::int64_t inner = extent_product(shape, axis + 1, shape.size());
    const std::int64_t n = shape[axis];
    if (outer == 0 || inner == 0 || n == 0) return;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t here = (o * n + (p.reverse ? n - 1 - step : step)) * inner;
        const std::int64_t previous = here + (p.reverse ? inner : -inner);
        const T* values = from + (p.exclusive ? previous : here);
        if (step == 0) {
          for (std::int64_t i = 0; i < inner; ++i)
            to[here + i] = p.exclusive ? Op::template identity<T>() : from[here + i];
        } else {
          for (std::int64_t i = 0; i < inner; ++i)
            to[here + i] = Op::combine(to[previous + i], values[i]);
        }
      }
    }
  }
};

struct Cumsum : Cumulative<Cumsum> {
  static constexpr std::string_view name = "cumsum";
  static constexpr bool widens = true;
  template <class T>
  static T combine(T a, T x) {
    return lane::arithmetic::add<T>(a, x);
  }
  template <class T>
  static T identity() {
    return T(0);
  }
};
struct Cumprod : Cumulative<Cumprod> {
  static constexpr std::string_view name = "cumprod";
  static constexpr bool widens = true;
  template <class T>
  static T combine(T a, T x) {
    return lane::arithmetic::mul<T>(a, x);
  }
  template <class T>
  static T identity() {
    return T(1);
  }
};
/// NaN from the first NaN on. The identity is the least value there is.
struct Cummax : Cumulative<Cummax> {
  static constexpr std::string_view name = "cummax";
  template <class T>
  static T combine(T a, T x) {
    return lane::max(a, x);
  }
  template <class T>
  static T identity() {
    if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::min();
  }
};
/// NaN from the first NaN on. The identity is the greatest value there is.
struct Cummin : Cumulative<Cummin> {
  static constexpr std::string_view name = "cummin";
  template <class T>
  static T combine(T a, T x) {
    return lane::min(a, x);
  }
  template <class T>
  static T identity() {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::max();
  }
};

using CumulativeOps = List<Cumsum, Cumprod, Cummax, Cummin>;

}  // namespace ops

namespace detail {
AUTOVEC_API std::int64_t only_axis(const OpInfo& op, const Operand& x) {
  if (x.rank() != 1) {
    fail<ShapeError>(
        op.name, "the axis can be left out for rank 1 only, got " + type_text(x.type()), x.where());
  }
  return 0;
}
AUTOVEC_API Tensor cumulate(const OpInfo& op, const Operand& x, std::int64_t axis,
                            CumOptions options) {
  const Where where = x.where();
  axis = wrap_axis(axis, x.rank(), op.name, where);
  const DType given = x.type().dtype;
  const bool half = given == DType::f16 || given == DType::bf16;
  const DType wide = op.widens ? wide_sum(given) : is_bool(given) ? DType::i32 : given;
  const Tensor operand = with_element(strong(x, where), {half ? DType::f32 : wide, false}, where);
  const ops::CumulativeParams params{axis, options.reverse, options.exclusive};
  const Tensor y = emit_one(op, Params::of(params), std::span(&operand, 1), where);
  return half ? with_element(y, {given, false}, where) : y;
}
}  // namespace detail

}  // namespace autovec::inline v1
