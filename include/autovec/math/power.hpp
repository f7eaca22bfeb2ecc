// pow, cbrt and hypot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "autovec/math/exp.hpp"
#include "autovec/math/log.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits artanh, cbrt).
template <class E>
struct PowerTable;

template <>
struct PowerTable<float> {
  static constexpr float third_high = 0x1.555556p-2f, third_low = -0x1.555556p-27f;
  static constexpr float two_log2_e_high = 0x1.715476p+1f, two_log2_e_low = 0x1.4ae0cp-25f;
  static constexpr float artanh[] = {0x1.999ap-3f, 0x1.24527cp-3f, 0x1.dfa264p-4f};
  static constexpr float cbrt[] = {0x1.f92caap-2f, 0x1.797614p-1f, -0x1.26dcdp-2f, 0x1.d6a9cap-5f};
};

template <>
struct PowerTable<double> {
  static constexpr double third_high = 0x1.5555555555555p-2, third_low = 0x1.5555555555555p-56;
  static constexpr double two_log2_e_high = 0x1.71547652b82fep+1;
  static constexpr double two_log2_e_low = 0x1.777d0ffda0d24p-55;
  static constexpr double artanh[] = {
      0x1.9999999999996p-3, 0x1.2492492492f51p-3, 0x1.c71c71c5968fap-4, 0x1.745d18295667dp-4,
      0x1.3b1364c95b9a8p-4, 0x1.11206f2916b8fp-4, 0x1.de3d71cbf2928p-5, 0x1.eac5b02d4e129p-5};
  static constexpr double cbrt[] = {0x1.f92ca900c646fp-2, 0x1.797616008614dp-1,
                                    -0x1.26dcd4c544e8dp-2, 0x1.d6a9d780425c4p-5};
};

/// log2 of a positive normal number, to about 2^-35 (f32), 2^-66 (f64) of itself.
/// Source: x = 2^k m, log m = 2 artanh s, s = (m - 1) / (m + 1); the first terms of the series in
/// sums of two numbers, the rest by a minimax polynomial (Remez).
template <class V>
inline Sum<V> precise_log2(V x, V extra_exponent) {
  using T = PowerTable<element_t<V>>;
  Binary<V> b = split_binary(x);
  V f = b.fraction;
  // s = f / (2 + f), with the error of the quotient
  Sum<V> d = exact_sum_ordered(V(2), f);
  V s = f / d.high;
  V s_low = fma(-s, d.low, fma(-s, d.high, f)) / d.high;
  V z = s * s;
  V z_low = fma(s + s, s_low, fma(s, s, -z));
  // artanh s = s (1 + z (1/3 + z p(z)))
  V p = polynomial(z, T::artanh);
  V a = fma(z, p, V(T::third_high));
  V a_low = fma(z, p, V(T::third_high) - a) + V(T::third_low);
  Sum<V> u = exact_product(a, z);
  V u_low = fma(a, z_low, fma(a_low, z, u.low));
  Sum<V> c = exact_sum_ordered(V(1), u.high);
  V c_low = c.low + u_low;
  Sum<V> l = exact_product(s, c.high);
  V l_low = fma(s, c_low, fma(s_low, c.high, l.low));
  // in units of log 2, plus k
  Sum<V> m = exact_product(l.high, V(T::two_log2_e_high));
  V m_low = fma(l.high, V(T::two_log2_e_low), fma(l_low, V(T::two_log2_e_high), m.low));
  Sum<V> r = exact_sum_ordered(b.exponent + extra_exponent, m.high);
  return exact_sum_ordered(r.high, r.low + m_low);
}

/// |x|^y for finite, nonzero x and finite y.
template <class V>
inline V power_of_magnitude(V a, V y) {
  using E = element_t<V>;
  using T = ExpTable<E>;
  using L = LogTable<E>;
  auto subnormal = a < from_bits<V>(int_t<V>(L::least_normal));
  a = select(subnormal, a * V(L::up), a);
  Sum<V> l = precise_log2(a, select(subnormal, V(-L::up_exponent), V(0)));
  Sum<V> e = exact_product(l.high, y);
  V low = fma(l.low, y, e.low);
  // Far outside, low may be anything: the result is 0 or infinity without it.
  V high = select(e.high < V(T::lowest2), V(T::lowest2), e.high);
  high = select(high > V(T::highest2), V(T::highest2), high);
  low = select(high == e.high, low, V(0));
  V shifter = V(Format<E>::shifter + 2 * Format<E>::exponent_bias);
  V shifted = high + shifter;
  V r = (high - (shifted - shifter)) + low;
  return scale_by_power(fma(polynomial(r, T::exp2), r, V(1)), shifted);
}

/// x^y with the whole table of IEEE 754: 1 for y = 0 and for x = 1 (NaN or not), signed zeros and
/// infinities, a negative x with an integer y; NaN for a negative x with any other finite y.
/// Source: 2^(y log2 |x|), the exponent as a sum of two numbers.
struct Pow {
  static constexpr std::string_view name = "pow";
  static constexpr double bound_f32 = 1.2, bound_f64 = 1.2;

  template <class V>
  static V body(V x, V y) {
    using E = element_t<V>;
    using L = LogTable<E>;
    using I = int_t<V>;
    const I infinity = I(L::infinity);
    V a = abs(x);
    V p = power_of_magnitude(a, y);
    I base = to_bits(x), exponent = to_bits(abs(y));
    auto odd = (base <= I(0)) | (base >= infinity) | (exponent >= infinity);
    return when_any(
        odd, [=] { return corners(x, y, a, p); }, p);
  }

 private:
  template <class V>
  static V corners(V x, V y, V a, V p) {
    using F = Format<element_t<V>>;
    V zero = V(0), one = V(1), infinity = V(F::infinity), nan = V(F::nan);
    V half = y * V(element_t<V>(0.5));
    auto integer = trunc(y) == y;
    auto odd = integer & (trunc(half) != half);
    // Zero and infinite bases, then infinite exponents.
    auto grows = (a > one) ^ (y < zero);
    p = select((a == zero) | (a == infinity) | (abs(y) == infinity), select(grows, infinity, zero),
               p);
    p = select((a == one) & (abs(y) == infinity), one, p);
    auto negative = to_bits(x) < int_t<V>(0);
    p = select(negative & odd, -p, p);
    p = select((x < zero) & (a < infinity) & invert(integer), nan, p);
    p = select((x != x) | (y != y), nan, p);
    return select((y == zero) | (x == one), one, p);
  }
};

/// Cube root; keeps the sign of zero.
/// Source: x = 2^(3 q + j) m, a minimax polynomial for the cube root of m to 13 bits (Remez), then
/// Halley's iteration, which triples the bits.
struct Cbrt {
  static constexpr std::string_view name = "cbrt";
  static constexpr double bound_f32 = 0.6, bound_f64 = 0.6;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = PowerTable<E>;
    using L = LogTable<E>;
    using F = Format<E>;
    using I = int_t<V>;
    V a = abs(x);
    auto subnormal = a < from_bits<V>(I(L::least_normal));
    Binary<V> b = split_binary(select(subnormal, a * V(L::up), a));
    V shifter = V(F::shifter + F::exponent_bias);
    V shifted = fma(b.exponent, V(E(1) / E(3)), shifter);
    V j = fma(shifted - shifter, V(-3), b.exponent);  // -1, 0 or 1
    V m = b.fraction + V(1);
    V t = polynomial(m, T::cbrt);
    t = t * select(j > V(0), V(E(1.2599210498948731648)),
                   select(j < V(0), V(E(0.79370052598409973737)), V(1)));
    m = m * select(j > V(0), V(2), select(j < V(0), V(E(0.5)), V(1)));
    for (int i = 0; i < (std::is_same_v<E, float> ? 1 : 2); ++i) {
      V square = t * t;
      V cube = square * t;
      // Where it counts, what cube lacks of m is taken from the exact products.
      V lack = fma(-square, t, m);
      lack = fma(-fma(t, t, -square), t, lack);
      t = fma(t, lack / fma(V(2), cube, m), t);
    }
    V scale = power_from(shifted) *
              select(subnormal, V(power_of_two<E>(-static_cast<int>(L::up_exponent) / 3)), V(1));
    V y = select((a == V(0)) | invert(a < V(F::infinity)), a, t * scale);
    return flip_sign(y, x);
  }
};

/// Square root of x^2 + y^2 without overflow or underflow on the way; infinity if either is
/// infinite, else NaN if either is NaN.
/// Source: both scaled by a power of two, the sum of squares by fma.
struct Hypot {
  static constexpr std::string_view name = "hypot";
  static constexpr double bound_f32 = 1.1, bound_f64 = 1.1;

  template <class V>
  static V body(V x, V y) {
    using E = element_t<V>;
    using F = Format<E>;
    constexpr int far = F::exponent_bias / 2 - F::mantissa_bits;
    V a = abs(x), b = abs(y);
    auto swap = b > a;
    V high = select(swap, b, a), low = select(swap, a, b);
    auto great = high > V(power_of_two<E>(far)), little = high < V(power_of_two<E>(-far));
    constexpr int step = F::exponent_bias / 2 + F::mantissa_bits + 2;
    V scale =
        select(great, V(power_of_two<E>(-step)), select(little, V(power_of_two<E>(step)), V(1)));
    V back =
        select(great, V(power_of_two<E>(step)), select(little, V(power_of_two<E>(-step)), V(1)));
    V h = high * scale, l = low * scale;
    V r = sqrt(fma(h, h, l * l)) * back;
    auto infinite = (a == V(F::infinity)) | (b == V(F::infinity));
    return select(infinite, V(F::infinity), r);
  }
};

template <class V>
inline V pow(V x, V y) {
  return apply<Pow>(x, y);
}

template <class V>
inline V cbrt(V x) {
  return apply<Cbrt>(x);
}

template <class V>
inline V hypot(V x, V y) {
  return apply<Hypot>(x, y);
}

}  // namespace math
}  // namespace autovec::inline v1
