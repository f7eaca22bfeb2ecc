// The elementary functions against MPFR, at corners, and recorded as lane programs.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "autovec/lane/evaluate.hpp"
#include "autovec/lane/record.hpp"
#include "autovec/math/functions.hpp"
#include "math_reference.hpp"

using namespace autovec;

namespace {

template <class T>
constexpr T inf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class F, class T>
constexpr double bound = std::is_same_v<T, float> ? F::bound_f32 : F::bound_f64;

/// Functions of one argument and of two.
template <class F>
constexpr bool is_unary = requires(float x) {
  F::body(x);
};

std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
T from_random_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(std::uint32_t(bits >> 32));
  else return std::bit_cast<double>(bits);
}

/// Any bits in a third of the cases, else uniform in some interval around 0.
template <class T>
T sample(std::uint64_t& state) {
  const std::uint64_t kind = next(state);
  const std::uint64_t bits = next(state);
  if (kind % 3 == 0) return from_random_bits<T>(bits);
  const T scales[] = {T(1), T(2), T(8), T(100), T(1000), T(0.01)};
  return scales[(kind >> 8) % 6] *
         static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63);
}

template <class T>
std::vector<T> corners() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> positive = {T(0),
                             Limits::denorm_min(),
                             3 * Limits::denorm_min(),
                             Limits::min() - Limits::denorm_min(),
                             Limits::min(),
                             Limits::epsilon(),
                             T(0.25),
                             T(0.47),
                             T(0.5),
                             T(0.625),
                             T(0.75),
                             std::nextafter(T(1), T(0)),
                             T(1),
                             std::nextafter(T(1), T(2)),
                             T(1.5),
                             T(2),
                             T(3),
                             T(4),
                             T(6),
                             T(9.1),
                             T(10),
                             T(19.1),
                             T(27.2),
                             T(88.7228),
                             T(88.73),
                             T(103.9),
                             T(104.1),
                             T(128),
                             T(149),
                             T(150),
                             T(709.78),
                             T(709.79),
                             T(710.4),
                             T(745.1),
                             T(745.2),
                             T(1024),
                             T(1074),
                             T(1075),
                             T(32768),
                             T(0x1p24),
                             T(0x1p30),
                             T(0x1p53),
                             T(1e22),
                             Limits::max() / 2,
                             Limits::max(),
                             inf<T>,
                             not_a_number<T>};
  // Arguments next to multiples of pi/2, one of them the hardest of f64.
  for (int k = 1; k <= 16; ++k) positive.push_back(T(k * 1.5707963267948966));
  positive.push_back(T(6381956970095103.0 * 0x1p797));
  std::vector<T> all = positive;
  for (T x : positive) all.push_back(-x);
  return all;
}

template <class F, class T>
void check_point(UlpMeter& meter, T x, T y = T(0)) {
  T got;
  if constexpr (is_unary<F>) got = F::body(x);
  else got = F::body(x, y);
  const double error = meter.error(got, x, y);
  if (!(error <= bound<F, T>)) {
    INFO(std::string(F::name), " at ", double(x), ", ", double(y), " gives ", double(got));
    CHECK(error <= bound<F, T>);
  }
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

}  // namespace

TEST_CASE_TEMPLATE("functions of one argument are within their bounds of MPFR", T, float, double) {
  for_each_type(math::Functions{}, []<class F>() {
    if constexpr (is_unary<F>) {
      UlpMeter meter(reference_of(F::name));
      for (T x : corners<T>()) check_point<F>(meter, x);
      std::uint64_t state = 2;
      for (int i = 0; i < 20000; ++i) check_point<F>(meter, sample<T>(state));
    }
  });
}

TEST_CASE_TEMPLATE("functions of two arguments are within their bounds of MPFR", T, float, double) {
  for_each_type(math::Functions{}, []<class F>() {
    if constexpr (!is_unary<F>) {
      UlpMeter meter(reference_of(F::name));
      for (T x : corners<T>()) {
        for (T y : corners<T>()) check_point<F>(meter, x, y);
      }
      std::uint64_t state = 3;
      for (int i = 0; i < 20000; ++i) check_point<F>(meter, sample<T>(state), sample<T>(state));
    }
  });
}

TEST_CASE_TEMPLATE("pow stays within its bound where the result is near the limits", T, float,
                   double) {
  UlpMeter meter(reference_of("pow"));
  std::uint64_t state = 4;
  const double range = std::is_same_v<T, float> ? 152 : 1076;
  for (int i = 0; i < 20000; ++i) {
    const T x = std::fabs(from_random_bits<T>(next(state)));
    const double e = range * static_cast<double>(static_cast<std::int64_t>(next(state))) * 0x1p-63;
    const T y = static_cast<T>(e / std::log2(static_cast<double>(x)));
    check_point<math::Pow>(meter, x, y);
    check_point<math::Pow>(meter, -x, std::nearbyint(y));
  }
}

TEST_CASE_TEMPLATE("zeros keep their signs", T, float, double) {
  const T zero = T(0);
  const auto negative_zero = [](T x) { return x == T(0) && std::signbit(x); };
  const auto positive_zero = [](T x) { return x == T(0) && !std::signbit(x); };
  for_each_type(List<math::Expm1, math::Log1p, math::Sin, math::Tan, math::Asin, math::Atan,
                     math::Sinh, math::Tanh, math::Cbrt, math::Erf>{},
                [&]<class F>() {
                  INFO(std::string(F::name));
                  CHECK(positive_zero(F::body(zero)));
                  CHECK(negative_zero(F::body(-zero)));
                });
  CHECK(positive_zero(math::atan2(zero, zero)));
  CHECK(negative_zero(math::atan2(-zero, zero)));
  CHECK(positive_zero(math::atan2(zero, inf<T>)));
  CHECK(negative_zero(math::atan2(T(-1), inf<T>)));
  CHECK(math::atan2(zero, -zero) == T(3.14159265358979323846L));
  CHECK(math::atan2(-zero, -zero) == T(-3.14159265358979323846L));
  CHECK(positive_zero(math::pow(zero, T(3))));
  CHECK(negative_zero(math::pow(-zero, T(3))));
  CHECK(positive_zero(math::pow(-zero, T(2))));
  CHECK(negative_zero(math::pow(-inf<T>, T(-3))));
  CHECK(positive_zero(math::pow(-inf<T>, T(-2))));
  CHECK(positive_zero(math::exp(-inf<T>)));
  CHECK(positive_zero(math::log(T(1))));
  CHECK(positive_zero(math::acos(T(1))));
}

TEST_CASE_TEMPLATE("limits", T, float, double) {
  CHECK(math::exp(inf<T>) == inf<T>);
  CHECK(math::exp(T(0)) == T(1));
  CHECK(math::exp2(T(-3)) == T(0.125));
  CHECK(math::expm1(-inf<T>) == T(-1));
  CHECK(math::log(T(0)) == -inf<T>);
  CHECK(math::log(-T(0)) == -inf<T>);
  CHECK(std::isnan(math::log(T(-1))));
  CHECK(std::isnan(math::log(-inf<T>)));
  CHECK(math::log(inf<T>) == inf<T>);
  CHECK(math::log1p(T(-1)) == -inf<T>);
  CHECK(std::isnan(math::log1p(T(-2))));
  CHECK(std::isnan(math::sin(inf<T>)));
  CHECK(std::isnan(math::cos(-inf<T>)));
  CHECK(std::isnan(math::tan(inf<T>)));
  CHECK(math::cos(T(0)) == T(1));
  CHECK(math::atan(inf<T>) == T(1.57079632679489661923L));
  CHECK(std::isnan(math::asin(std::nextafter(T(1), T(2)))));
  CHECK(math::tanh(inf<T>) == T(1));
  CHECK(math::tanh(-inf<T>) == T(-1));
  CHECK(math::cosh(-inf<T>) == inf<T>);
  CHECK(math::sinh(-inf<T>) == -inf<T>);
  CHECK(math::erf(inf<T>) == T(1));
  CHECK(math::erfc(-inf<T>) == T(2));
  CHECK(math::cbrt(-inf<T>) == -inf<T>);
  CHECK(math::cbrt(T(27)) == T(3));
  for (int k = -20; k <= 20; ++k) {
    CHECK(math::log2(std::ldexp(T(1), k)) == T(k));
    CHECK(math::exp2(T(k)) == std::ldexp(T(1), k));
  }
}

TEST_CASE_TEMPLATE("pow follows the table of IEEE 754", T, float, double) {
  const T big = std::numeric_limits<T>::max();
  for (T y : {T(0), -T(0), T(1), T(-2.5), big, inf<T>, -inf<T>, not_a_number<T>}) {
    CHECK(math::pow(T(1), y) == T(1));
    CHECK(math::pow(y, T(0)) == T(1));
    CHECK(math::pow(y, -T(0)) == T(1));
  }
  CHECK(std::isnan(math::pow(not_a_number<T>, T(1))));
  CHECK(std::isnan(math::pow(T(2), not_a_number<T>)));
  CHECK(std::isnan(math::pow(T(-2), T(0.5))));
  CHECK(math::pow(-inf<T>, T(0.5)) == inf<T>);
  CHECK(math::pow(T(-2), T(3)) == T(-8));
  CHECK(math::pow(T(-2), T(-2)) == T(0.25));
  CHECK(math::pow(T(-1), big) == T(1));
  CHECK(math::pow(T(-1), inf<T>) == T(1));
  CHECK(math::pow(T(-1), -inf<T>) == T(1));
  CHECK(math::pow(T(0.5), inf<T>) == T(0));
  CHECK(math::pow(T(-0.5), -inf<T>) == inf<T>);
  CHECK(math::pow(T(-2), inf<T>) == inf<T>);
  CHECK(math::pow(T(2), -inf<T>) == T(0));
  CHECK(math::pow(T(0), T(-1)) == inf<T>);
  CHECK(math::pow(-T(0), T(-1)) == -inf<T>);
  CHECK(math::pow(-T(0), T(-2)) == inf<T>);
  CHECK(math::pow(-T(0), T(0.5)) == T(0));
  CHECK(math::pow(-T(0), inf<T>) == T(0));
  CHECK(math::pow(-T(0), -inf<T>) == inf<T>);
  CHECK(math::pow(-inf<T>, T(3)) == -inf<T>);
  CHECK(math::pow(-inf<T>, T(2)) == inf<T>);
  CHECK(math::pow(inf<T>, T(-0.1)) == T(0));
  CHECK(math::pow(big, T(2)) == inf<T>);
  CHECK(math::pow(-big, T(3)) == -inf<T>);
}

TEST_CASE("pi/2 is left out of arguments of any size") {
  // Values from MPFR at the largest numbers and at the double closest to a multiple of pi/2.
  CHECK(math::sin(1e22) == doctest::Approx(-0.8522008497671888).epsilon(1e-15));
  CHECK(math::cos(1e22) == doctest::Approx(0.5232147853951389).epsilon(1e-15));
  UlpMeter sine(reference_of("sin")), cosine(reference_of("cos"));
  const double hardest = 6381956970095103.0 * 0x1p797;
  CHECK(sine.error(math::sin(hardest), hardest) <= math::Sin::bound_f64);
  CHECK(cosine.error(math::cos(hardest), hardest) <= math::Cos::bound_f64);
  CHECK(std::fabs(math::cos(hardest)) < 1e-18);
}

TEST_CASE_TEMPLATE("sine and cosine stay within [-1, 1]", T, float, double) {
  std::uint64_t state = 5;
  for (int i = 0; i < 20000; ++i) {
    const T near =
        T(1.5707963267948966) * T(static_cast<int>(next(state) % 64)) + T(1e-3) * sample<T>(state);
    CHECK_UNARY(!(std::fabs(math::sin(near)) > T(1)));
    CHECK_UNARY(!(std::fabs(math::cos(near)) > T(1)));
  }
}

TEST_CASE_TEMPLATE("a recorded function has the bits of the plain one", T, float, double) {
  for_each_type(math::Functions{}, []<class F>() {
    INFO(std::string(F::name));
    std::vector<T> x = corners<T>(), y;
    std::uint64_t state = 6;
    for (int i = 0; i < 1000; ++i) x.push_back(sample<T>(state));
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[(i * 7 + 3) % x.size()]);
    std::vector<T> got(x.size());
    const auto n = static_cast<std::int64_t>(x.size());
    lane::Recorder recorder(Extents{n});
    const auto buffer = [&](bool written) { return recorder.add_buffer(dtype_of<T>, written); };
    const std::int32_t a = buffer(false), b = buffer(false), out = buffer(true);
    const lane::Lane<T> u(recorder, recorder.load({a, 0, {1}}));
    if constexpr (is_unary<F>) {
      recorder.store({out, 0, {1}}, lane::apply<F>(u).id_in(recorder));
    } else {
      const lane::Lane<T> v(recorder, recorder.load({b, 0, {1}}));
      recorder.store({out, 0, {1}}, lane::apply<F>(u, v).id_in(recorder));
    }
    const auto program = recorder.finish();
    void* buffers[] = {x.data(), y.data(), got.data()};
    lane::run(program, buffers, 0, n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      T expected;
      if constexpr (is_unary<F>) expected = F::body(x[i]);
      else expected = F::body(x[i], y[i]);
      if (!same_bits(got[i], expected)) {
        INFO("at ", double(x[i]), ", ", double(y[i]));
        CHECK(got[i] == expected);
      }
    }
  });
}
