// Polynomials with constant coefficients, and the error-free sums and products beside them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "autovec/math/vocabulary.hpp"

namespace autovec::inline v1 {

/// Elementary functions, each written once on the lane vocabulary: the same bits from a plain
/// number, a recorded lane program and a SIMD batch. No branch depends on a value, no table is
/// indexed by one, nothing is taken from <cmath>.
///
/// A function is a struct with a `name`, its error `bound_f32`, `bound_f64` in units in the last
/// place (tested against MPFR) and a `body`. Errors are stated for results; a subnormal result
/// counts in the smallest subnormal.
namespace math {

using namespace lane;

/// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule, an fma a step.
template <class V, std::size_t N>
inline V polynomial(V x, const element_t<V> (&c)[N]) {
  V sum = V(c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) sum = fma(sum, x, V(c[i]));
  return sum;
}

/// An unevaluated sum high + low, low at most half an ulp of high.
template <class V>
struct Sum {
  V high;
  V low;
};

/// a + b without error (Knuth).
template <class V>
inline Sum<V> exact_sum(V a, V b) {
  V s = a + b;
  V t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// a + b without error where |a| >= |b| or a is 0 (Dekker).
template <class V>
inline Sum<V> exact_sum_ordered(V a, V b) {
  V s = a + b;
  return {s, b - (s - a)};
}

/// a * b rounded, for use in an exact sum: as an fma, no compiler can merge it with the add.
template <class V>
inline V rounded_product(V a, V b) {
  return fma(a, b, V(element_t<V>(-0.0)));
}

/// a * b without error, barring underflow.
template <class V>
inline Sum<V> exact_product(V a, V b) {
  V p = rounded_product(a, b);
  return {p, fma(a, b, -p)};
}

/// x with the sign bit of s flipped into it: x where s is positive, -x where it is negative.
template <class V>
inline V flip_sign(V x, V s) {
  using I = int_t<V>;
  constexpr element_t<I> sign = element_t<I>(1) << (sizeof(element_t<I>) * 8 - 1);
  return from_bits<V>(to_bits(x) ^ (to_bits(s) & I(sign)));
}

/// |x| with the sign of s.
template <class V>
inline V copy_sign(V x, V s) {
  using I = int_t<V>;
  constexpr element_t<I> sign = element_t<I>(1) << (sizeof(element_t<I>) * 8 - 1);
  return from_bits<V>((to_bits(x) & I(~sign)) | (to_bits(s) & I(sign)));
}

/// Constants of a floating-point format.
template <class E>
struct Format;

template <>
struct Format<float> {
  static constexpr int mantissa_bits = 23;
  static constexpr int exponent_bias = 127;
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  /// 1.5 * 2^mantissa_bits: adding it rounds to an integer and leaves that in the low bits.
  static constexpr float shifter = 0x1.8p23f;
};

template <>
struct Format<double> {
  static constexpr int mantissa_bits = 52;
  static constexpr int exponent_bias = 1023;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double shifter = 0x1.8p52;
};

/// 2^n, for n that give a normal number.
template <class E>
constexpr E power_of_two(int n) {
  using F = Format<E>;
  return std::bit_cast<E>(static_cast<int_t<E>>(n + F::exponent_bias) << F::mantissa_bits);
}

}  // namespace math
}  // namespace autovec::inline v1
