// exp, exp2 and expm1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "autovec/math/polynomial.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits exp, exp2).
template <class E>
struct ExpTable;

template <>
struct ExpTable<float> {
  static constexpr float lowest = -104, highest = 89;     // beyond: 0 and infinity
  static constexpr float lowest2 = -151, highest2 = 128;  // of exp2
  static constexpr float lowest_minus_one = -18;          // below: expm1 is -1
  static constexpr float tiny = 0x1p-25f;                 // below: expm1(x) is x
  static constexpr float log2_e = 0x1.715476p+0f;
  static constexpr float ln2_high = 0x1.62e43p-1f, ln2_low = -0x1.05c61p-29f;
  static constexpr float exp[] = {0x1p-1f, 0x1.55548ap-3f, 0x1.555522p-5f, 0x1.123e6p-7f,
                                  0x1.6d0a1p-10f};
  static constexpr float exp2[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af72p-5f,
                                   0x1.3b2a4ep-7f, 0x1.5f0e0cp-10f, 0x1.442778p-13f};
};

template <>
struct ExpTable<double> {
  static constexpr double lowest = -746, highest = 710;
  static constexpr double lowest2 = -1076, highest2 = 1024;
  static constexpr double lowest_minus_one = -38;
  static constexpr double tiny = 0x1p-54;
  static constexpr double log2_e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  static constexpr double exp[] = {
      0x1.000000000000cp-1,  0x1.555555555555ep-3,  0x1.555555554fd2fp-5, 0x1.111111110e07fp-7,
      0x1.6c16c186462f6p-10, 0x1.a01a01b7f4662p-13, 0x1.a01994fecdc7p-16, 0x1.71dde52f4215ap-19,
      0x1.28b1aa1bf3a17p-22, 0x1.af7ec1a172fb3p-26};
  static constexpr double exp2[] = {
      0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5ap-3,   0x1.c6b08d704a18p-5,   0x1.3b2ab6fba08fep-7,
      0x1.5d87fe788996fp-10, 0x1.4309130da121ap-13, 0x1.ffcbfcd658959p-17, 0x1.62bfca1451704p-20,
      0x1.b5242f60cc475p-24, 0x1.e617c9fbb9a5bp-28, 0x1.eae84c32b315ap-32};
};

/// x as n ln 2 + r; the low bits of `shifted` hold n plus the bias that was asked for.
template <class V>
struct ExpReduced {
  V rest;
  V shifted;
};

template <class V>
inline ExpReduced<V> exp_reduce(V x, int bias) {
  using E = element_t<V>;
  using T = ExpTable<E>;
  V shifter = V(Format<E>::shifter + E(bias));
  V shifted = fma(x, V(T::log2_e), shifter);
  V n = shifted - shifter;
  return {fma(n, V(-T::ln2_low), fma(n, V(-T::ln2_high), x)), shifted};
}

/// e^r - 1 - r
template <class V>
inline V exp_tail(V r) {
  return (r * r) * polynomial(r, ExpTable<element_t<V>>::exp);
}

/// e^r
template <class V>
inline V exp_of_rest(V r) {
  return fma(fma(polynomial(r, ExpTable<element_t<V>>::exp), r, V(1)), r, V(1));
}

/// The power of two whose biased exponent is in the low bits of `shifted`.
template <class V>
inline V power_from(V shifted) {
  return from_bits<V>(shl(to_bits(shifted), Format<element_t<V>>::mantissa_bits));
}

/// p * 2^n with one rounding, n an integer from -2 * bias to bias + 1 that comes as the low bits of
/// `shifted` = shifter + 2 * bias + n. Two factors, since 2^n itself may be no normal number.
template <class V>
inline V scale_by_power(V p, V shifted) {
  using I = int_t<V>;
  using F = Format<element_t<V>>;
  constexpr int m = F::mantissa_bits;
  I i = to_bits(shifted);
  I half = shl(i, m - 1) & I(element_t<I>(2 * F::exponent_bias + 1) << m);
  V first = from_bits<V>(half);                            // 2^floor(n / 2)
  V second = from_bits<V>(wrapping_sub(shl(i, m), half));  // 2^ceil(n / 2)
  return (p * first) * second;
}

/// e^x. inf above 88.72 (f32), 709.78 (f64); 0 below -103.98, -745.14; subnormal before that.
/// Source: reduction by ln 2 (Cody and Waite), minimax polynomial of degree 6, 11 (Remez).
struct Exp {
  static constexpr std::string_view name = "exp";
  static constexpr double bound_f32 = 1.1, bound_f64 = 1.1;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = ExpTable<E>;
    x = select(x < V(T::lowest), V(T::lowest), x);
    x = select(x > V(T::highest), V(T::highest), x);
    auto [r, shifted] = exp_reduce(x, 2 * Format<E>::exponent_bias);
    return scale_by_power(exp_of_rest(r), shifted);
  }
};

/// 2^x. Exact where x is an integer; inf from 128, 1024 on; 0 below -150, -1075.
/// Source: nearest integer, minimax polynomial of degree 6, 11 (Remez).
struct Exp2 {
  static constexpr std::string_view name = "exp2";
  static constexpr double bound_f32 = 1.1, bound_f64 = 1.1;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = ExpTable<E>;
    const V shifter = V(Format<E>::shifter + 2 * Format<E>::exponent_bias);
    x = select(x < V(T::lowest2), V(T::lowest2), x);
    x = select(x > V(T::highest2), V(T::highest2), x);
    V shifted = x + shifter;
    V r = x - (shifted - shifter);
    return scale_by_power(fma(polynomial(r, T::exp2), r, V(1)), shifted);
  }
};

/// e^x - 1, accurate near 0; -1 below -17, -37; keeps the sign of zero.
/// Source: 2^n (e^r - 1) + (2^n - 1) with the reduction and the polynomial of exp.
struct Expm1 {
  static constexpr std::string_view name = "expm1";
  static constexpr double bound_f32 = 1.5, bound_f64 = 1.7;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = ExpTable<E>;
    using F = Format<E>;
    V a = select(x < V(T::lowest_minus_one), V(T::lowest_minus_one), x);
    a = select(a > V(T::highest), V(T::highest), a);
    auto [r, shifted] = exp_reduce(a, F::exponent_bias - 1);
    V half = power_from(shifted);  // 2^(n - 1)
    V y = fma(half, exp_tail(r), fma(half, r, half - V(E(0.5))));
    return select(abs(x) < V(T::tiny), x, y + y);
  }
};

template <class V>
inline V exp(V x) {
  return apply<Exp>(x);
}

template <class V>
inline V exp2(V x) {
  return apply<Exp2>(x);
}

template <class V>
inline V expm1(V x) {
  return apply<Expm1>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
