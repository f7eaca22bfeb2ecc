// Every lane instruction on every dtype, at corner values, against plain C++ in wider types.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "autovec/lane/evaluate.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/lane/text.hpp"
#include "autovec/lane/verify.hpp"

using namespace autovec;
using lane::Op;

namespace {

using Wide = __int128;

/// std::vector<bool> has no data().
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// `op` at every element of equally long arrays.
template <class R, class... Ts>
std::vector<Stored<R>> run_op(Op op, DType result, std::vector<DType> operands,
                              std::vector<Stored<Ts>>... arrays) {
  const std::size_t count = std::get<0>(std::tie(arrays...)).size();
  lane::Recorder recorder({static_cast<std::int64_t>(count)});
  std::vector<void*> buffers = {arrays.data()...};
  lane::ValueIds ids;
  for (const DType t : operands)
    ids.push_back(recorder.load({recorder.add_buffer(t, false), 0, {1}}));
  const std::int32_t out = recorder.add_buffer(result, true);
  recorder.store({out, 0, {1}}, recorder.emit(op, result, ids));
  const lane::Program program = recorder.finish();
  lane::verify(program);
  std::vector<Stored<R>> results(count);
  buffers.push_back(results.data());
  lane::run(program, buffers, 0, static_cast<std::int64_t>(count));
  return results;
}

template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

template <class T>
std::vector<Stored<T>> corners() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {0, 1};
  } else if constexpr (std::is_floating_point_v<T>) {
    const T big = std::is_same_v<T, float> ? T(8388609) : T(4503599627370497);
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(0.5),
            T(-0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(3.7),
            T(-3.7),
            big,
            L::max(),
            L::lowest(),
            L::min(),
            L::denorm_min(),
            -L::denorm_min(),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN(),
            T(127),
            T(128),
            T(255.9),
            T(-128.9),
            T(2147483648.0),
            T(-2147483648.0),
            T(4294967296.0),
            T(9223372036854775808.0),
            T(1.0e-3)};
  } else {
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(7),
            T(8),
            T(15),
            T(16),
            T(31),
            T(32),
            T(63),
            T(64),
            T(100),
            L::max(),
            T(L::max() - 1),
            L::min(),
            T(L::min() + 1),
            T(-1),
            T(-2),
            T(L::max() / 2)};
  }
}

/// All pairs of corner values.
template <class T>
struct Pairs {
  std::vector<Stored<T>> a, b;
  Pairs() {
    for (const auto x : corners<T>()) {
      for (const auto y : corners<T>()) a.push_back(x), b.push_back(y);
    }
  }
};

template <class R, class T, class F>
void check_unary(Op op, F expected) {
  const auto x = corners<T>();
  const auto got = run_op<R, T>(op, dtype_of<R>, {dtype_of<T>}, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(name_of(op));
    CAPTURE(name_of(dtype_of<T>));
    CAPTURE(name_of(dtype_of<R>));
    CAPTURE(x[i]);
    CAPTURE(got[i]);
    CHECK(same_bits<R>(static_cast<R>(got[i]), static_cast<R>(expected(static_cast<T>(x[i])))));
  }
}

template <class R, class T, class F>
void check_binary(Op op, F expected) {
  const Pairs<T> p;
  const auto got = run_op<R, T, T>(op, dtype_of<R>, {dtype_of<T>, dtype_of<T>}, p.a, p.b);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < p.a.size(); ++i) {
    const R want = static_cast<R>(expected(static_cast<T>(p.a[i]), static_cast<T>(p.b[i])));
    if (same_bits<R>(static_cast<R>(got[i]), want)) continue;
    CAPTURE(name_of(op));
    CAPTURE(name_of(dtype_of<T>));
    CAPTURE(p.a[i]);
    CAPTURE(p.b[i]);
    CAPTURE(got[i]);
    CHECK(got[i] == want);
    ++wrong;
  }
  CHECK(wrong == 0);
}

template <class T>
Wide width() {
  return static_cast<Wide>(sizeof(T) * 8);
}

template <class T>
void check_integers() {
  check_binary<T, T>(Op::add, [](Wide x, Wide y) { return x + y; });
  check_binary<T, T>(Op::sub, [](Wide x, Wide y) { return x - y; });
  // The low 64 bits of a product depend on those of its factors alone.
  check_binary<T, T>(Op::mul, [](T x, T y) {
    return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  });
  check_binary<T, T>(Op::div, [](Wide x, Wide y) { return y == 0 ? 0 : x / y; });
  check_binary<T, T>(Op::min, [](Wide x, Wide y) { return y < x ? y : x; });
  check_binary<T, T>(Op::max, [](Wide x, Wide y) { return y > x ? y : x; });
  check_binary<T, T>(Op::shl, [](Wide x, Wide n) {
    return n < 0 || n >= width<T>() ? Wide(0) : x * (Wide(1) << static_cast<int>(n));
  });
  check_binary<T, T>(Op::shr, [](Wide x, Wide n) {
    if (n < 0 || n >= width<T>()) return x < 0 ? Wide(-1) : Wide(0);
    return x >> static_cast<int>(n);
  });
  check_unary<T, T>(Op::neg, [](Wide x) { return -x; });
  check_unary<T, T>(Op::abs, [](Wide x) { return x < 0 ? -x : x; });
}

template <class T>
void check_floats() {
  const auto nan = std::numeric_limits<T>::quiet_NaN();
  check_binary<T, T>(Op::add, [](T x, T y) { return x + y; });
  check_binary<T, T>(Op::sub, [](T x, T y) { return x - y; });
  check_binary<T, T>(Op::mul, [](T x, T y) { return x * y; });
  check_binary<T, T>(Op::div, [](T x, T y) { return x / y; });
  check_binary<T, T>(Op::min, [nan](T x, T y) {
    if (std::isnan(x) || std::isnan(y)) return nan;
    return y < x ? y : x;
  });
  check_binary<T, T>(Op::max, [nan](T x, T y) {
    if (std::isnan(x) || std::isnan(y)) return nan;
    return y > x ? y : x;
  });
  check_unary<T, T>(Op::neg, [](T x) { return std::copysign(x, std::signbit(x) ? T(1) : T(-1)); });
  check_unary<T, T>(Op::abs, [](T x) { return std::copysign(x, T(1)); });
  check_unary<T, T>(Op::sqrt, [](T x) { return std::sqrt(x); });
  check_unary<T, T>(Op::floor, [](T x) { return std::floor(x); });
  check_unary<T, T>(Op::ceil, [](T x) { return std::ceil(x); });
  check_unary<T, T>(Op::trunc, [](T x) { return std::trunc(x); });
  check_unary<T, T>(Op::round, [](T x) {
    const T low = std::floor(x);
    if (std::isinf(x) || x == low) return x;
    const T up = x - low;
    const bool odd = std::fmod(low, T(2)) != 0;
    return std::copysign(up > T(0.5) || (up == T(0.5) && odd) ? low + 1 : low, x);
  });
}

template <class T>
void check_everywhere() {
  check_binary<bool, T>(Op::eq, [](T x, T y) { return x == y; });
  check_binary<bool, T>(Op::ne, [](T x, T y) { return x != y; });
  check_binary<bool, T>(Op::lt, [](T x, T y) { return x < y; });
  check_binary<bool, T>(Op::le, [](T x, T y) { return x <= y; });
  check_binary<bool, T>(Op::gt, [](T x, T y) { return x > y; });
  check_binary<bool, T>(Op::ge, [](T x, T y) { return x >= y; });
  const Pairs<T> p;
  std::vector<std::uint8_t> mask(p.a.size());
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 0;
  const auto got = run_op<T, bool, T, T>(Op::select, dtype_of<T>,
                                         {DType::b8, dtype_of<T>, dtype_of<T>}, mask, p.a, p.b);
  std::size_t right = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    right += same_bits<T>(static_cast<T>(got[i]), static_cast<T>(mask[i] ? p.a[i] : p.b[i]));
  }
  CHECK(right == mask.size());
}

template <class T>
void check_bits() {
  check_binary<T, T>(Op::and_, [](T x, T y) { return x & y; });
  check_binary<T, T>(Op::or_, [](T x, T y) { return x | y; });
  check_binary<T, T>(Op::xor_, [](T x, T y) { return x ^ y; });
  if constexpr (std::is_same_v<T, bool>) {
    check_unary<T, T>(Op::not_, [](T x) { return !x; });
  } else {
    check_unary<T, T>(Op::not_, [](Wide x) { return -x - 1; });
  }
}

template <class To, class From>
void check_convert() {
  check_unary<To, From>(Op::convert, [](From x) {
    using L = std::numeric_limits<To>;
    if constexpr (std::is_same_v<To, bool>) {
      return x != 0;
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      // long double holds every value and every bound exactly.
      const auto wide = static_cast<long double>(x);
      if (std::isnan(x)) return To(0);
      if (wide <= static_cast<long double>(L::min())) return L::min();
      if (wide >= static_cast<long double>(L::max())) return L::max();
      return static_cast<To>(wide);
    } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
      return static_cast<To>(static_cast<std::uint64_t>(static_cast<Wide>(x)));
    } else {
      return static_cast<To>(static_cast<long double>(x));
    }
  });
}

template <class From>
void check_conversions() {
  check_convert<bool, From>();
  check_convert<std::int8_t, From>();
  check_convert<std::int16_t, From>();
  check_convert<std::int32_t, From>();
  check_convert<std::int64_t, From>();
  check_convert<std::uint8_t, From>();
  check_convert<std::uint16_t, From>();
  check_convert<std::uint32_t, From>();
  check_convert<std::uint64_t, From>();
  check_convert<float, From>();
  check_convert<double, From>();
}

/// x rounded to `digits` significant bits, exponents from `least` on, ties to even.
double rounded(double x, int digits, int least) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - digits, least);
  return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}

}  // namespace

TEST_CASE_TEMPLATE("integer instructions wrap and never trap", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  check_integers<T>();
  check_bits<T>();
  check_everywhere<T>();
  check_conversions<T>();
}

TEST_CASE_TEMPLATE("float instructions are IEEE's, one rounding each", T, float, double) {
  check_floats<T>();
  check_everywhere<T>();
  check_conversions<T>();
}

TEST_CASE("b8 instructions") {
  check_bits<bool>();
  check_everywhere<bool>();
  check_conversions<bool>();
}

TEST_CASE_TEMPLATE("fma rounds once, mul and add twice", T, float, double) {
  const T e = std::numeric_limits<T>::epsilon();
  const std::vector<T> a = {1 + e, T(3), T(0.1)}, c = {-(1 + 2 * e), T(-9), T(-0.01)};
  const auto fused =
      run_op<T, T, T, T>(Op::fma, dtype_of<T>, std::vector<DType>(3, dtype_of<T>), a, a, c);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(fused[i] == std::fma(a[i], a[i], c[i]));
  CHECK(fused[0] == e * e);
  const auto square = run_op<T, T, T>(Op::mul, dtype_of<T>, {dtype_of<T>, dtype_of<T>}, a, a);
  const auto sum = run_op<T, T, T>(Op::add, dtype_of<T>, {dtype_of<T>, dtype_of<T>}, square, c);
  CHECK(sum[0] == 0);
}

TEST_CASE("bitcast keeps the bits") {
  const auto bits = run_op<std::int32_t, float>(Op::bitcast, i32, {f32}, {1.0f, -0.0f});
  CHECK(bits == std::vector<std::int32_t>{0x3f800000, INT32_MIN});
  CHECK(run_op<float, std::uint32_t>(Op::bitcast, f32, {u32}, {0x3f800000u})[0] == 1.0f);
  CHECK(run_op<std::uint64_t, double>(Op::bitcast, u64, {f64}, {2.0})[0] == 0x4000000000000000u);
}

TEST_CASE("f16 and bf16 are read exactly and written to the nearest, ties to even") {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const auto from_f16 = run_op<float, std::uint16_t>(Op::convert, f32, {f16}, all);
  const auto from_bf16 = run_op<float, std::uint16_t>(Op::convert, f32, {bf16}, all);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const int exponent = i >> 10 & 31;
    const double magnitude =
        exponent == 0 ? std::ldexp(i & 1023, -24) : std::ldexp((i & 1023) + 1024, exponent - 25);
    const double value = i < 32768 ? magnitude : -magnitude;
    if (exponent < 31) wrong += !same_bits(from_f16[i], static_cast<float>(value));
    else if ((i & 1023) == 0) wrong += !std::isinf(from_f16[i]);
    else wrong += !std::isnan(from_f16[i]);
    wrong += !same_bits(from_bf16[i], lane::from_immediate<float>(std::int64_t{i} << 16));
  }
  CHECK(wrong == 0);

  std::vector<float> x;
  for (std::uint32_t i = 0; i < 60000; ++i) {
    const float value = std::bit_cast<float>(i * 71583u);  // all exponents
    if (std::isfinite(value)) x.push_back(value), x.push_back(-value);
  }
  for (const float half : {2049.0f, 2051.0f, 65519.9f, 65520.0f, 1.5f * 0x1p-24f, 0.5f * 0x1p-24f,
                           1.00390625f, 1.01171875f}) {
    x.push_back(half);
  }
  const auto to_f16 = run_op<std::uint16_t, float>(Op::convert, f16, {f32}, x);
  const auto to_bf16 = run_op<std::uint16_t, float>(Op::convert, bf16, {f32}, x);
  const auto f16_back = run_op<float, std::uint16_t>(Op::convert, f32, {f16}, to_f16);
  const auto bf16_back = run_op<float, std::uint16_t>(Op::convert, f32, {bf16}, to_bf16);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double narrow = rounded(x[i], 11, -24);
    const auto want =
        static_cast<float>(std::abs(narrow) > 65504 ? std::copysign(INFINITY, narrow) : narrow);
    wrong += !same_bits(f16_back[i], want);
    const double brain = rounded(x[i], 8, -133);
    wrong += !same_bits(bf16_back[i], static_cast<float>(brain));
  }
  CHECK(wrong == 0);
  CHECK(run_op<std::uint16_t, float>(Op::convert, f16, {f32}, {NAN})[0] == 0x7e00);
  CHECK(run_op<std::int32_t, std::uint16_t>(Op::convert, i32, {f16}, {0xc500})[0] == -5);
  CHECK(run_op<std::uint16_t, double>(Op::convert, bf16, {f64}, {-3.0})[0] == 0xc040);
}
