// sin, cos and tan, with reduction by pi that is right for every finite argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "autovec/math/polynomial.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits sin, tan, tan_sin, tan_cos).
template <class E>
struct TrigonometricTable;

template <>
struct TrigonometricTable<float> {
  static constexpr float inverse_pi = 0x1.45f306p-2f;
  static constexpr float pi[] = {0x1.921fb6p+1f, -0x1.777a5cp-24f, -0x1.ee59dap-49f};
  static constexpr float near = 0x1p+15f;  // up to here three parts of pi suffice
  static constexpr int word_bits = 24;
  /// Digits of 1/pi in base 2^word_bits, each divided by the base.
  static constexpr float words[] = {0x1.45f304p-2f, 0x1.6e4e44p-1f, 0x1.529fcp-5f,
                                    0x1.3abe8p-4f,  0x1.f534dcp-1f, 0x1.c0db62p-1f,
                                    0x1.2b3278p-2f, 0x1.0e41p-3f,   0x1.fe5162p-1f};
  static constexpr float sin[] = {-0x1.55554cp-3f, 0x1.110ed4p-7f, -0x1.9f6ec4p-13f,
                                  0x1.5d9c74p-19f};
  static constexpr float tan[] = {0x1.555562p-2f, 0x1.110d22p-3f,  0x1.baee3p-5f, 0x1.5bf906p-6f,
                                  0x1.66ab1ap-7f, -0x1.8568f4p-15f, 0x1.231bd4p-8f};
};

template <>
struct TrigonometricTable<double> {
  static constexpr double inverse_pi = 0x1.45f306dc9c883p-2;
  static constexpr double pi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53,
                                  -0x1.f1976b7ed8fbcp-109};
  static constexpr double near = 0x1p+30;
  static constexpr int word_bits = 53;
  static constexpr double words[] = {
      0x1.45f306dc9c882p-2, 0x1.4a7f09d5f47d4p-2, 0x1.a6ee06db14accp-2, 0x1.3c439041fe516p-2,
      0x1.d5ef5de2b0db8p-4, 0x1.2371d2126e97p-3,  0x1.924bba82746p-9,   0x1.21cfe1deb1cbp-2,
      0x1.29a73ee88235fp-1, 0x1.4baed1213a67p-2,  0x1.c09ad17df904ep-1, 0x1.91d639835339ep-2,
      0x1.49c845f8bbdf9p-1, 0x1.41d8ffc4bffecp-3, 0x1.816603fbcbc46p-1, 0x1.6b414da3eda6cp-3,
      0x1.fb3c9f2c26ddp-3,  0x1.e8c7ecd3cbfd4p-1, 0x1.6ba93dd63f5f2p-2, 0x1.f17b3d0739f78p-2,
      0x1.4a525d4d7f6bep-2, 0x1.623f1aba10acp-1,  0x1.98237e3db5d5ep-2};
  static constexpr double sin[] = {-0x1.5555555555555p-3,  0x1.11111111110cap-7,
                                   -0x1.a01a01a014ff9p-13, 0x1.71de3a52b419ep-19,
                                   -0x1.ae6454dd99902p-26, 0x1.6123cf4e3847dp-33,
                                   -0x1.ae441789e979cp-41, 0x1.8841782c26bcfp-49};
  static constexpr double tan_sin[] = {-0x1.5555555555549p-3,  0x1.111111110f87fp-7,
                                       -0x1.a01a019c0e407p-13, 0x1.71de35727bed9p-19,
                                       -0x1.ae5e60c6330e6p-26, 0x1.5d911c1f5fd94p-33};
  static constexpr double tan_cos[] = {0x1.555555555554bp-5,   -0x1.6c16c16c15003p-10,
                                       0x1.a01a019c8b2f4p-16,  -0x1.27e4f7ed087dcp-22,
                                       0x1.1ee9d799eaf9ep-29,  -0x1.8fa3c704c7db2p-37};
};

/// Rounds to an integer when added. Odd where cos needs it: cos((n + 1/2) pi + r) = (-1)^(n+1) sin r.
template <class E, bool Odd>
inline constexpr E shifter = Format<E>::shifter + (Odd ? E(1) : E(0));

/// An argument as (multiple, plus 1/2 if Half) * pi / Steps + rest; `shifted` has the multiple in its low bits.
template <class V>
struct Reduced {
  V rest;
  V shifted;
};

/// x - 2 round(x / 2).
template <class V>
inline V modulo_two(V x) {
  return fma(V(-2), round_even(x * V(element_t<V>(0.5))), x);
}

/// a reduced by pi / Steps, for `near` <= a: multiplies a by those five digits of 1/pi that matter,
/// exactly, and drops even integers on the way.
/// Source: the method of Payne and Hanek. The digits are found by halving, a select each, which
/// also scales a down by as many digits as it skips, so no integers and no table look-up are needed.
template <int Steps, bool Half, class V>
inline Reduced<V> reduce_far(V a) {
  using E = element_t<V>;
  using T = TrigonometricTable<E>;
  constexpr int bits = T::word_bits;
  constexpr int count = static_cast<int>(std::size(T::words));
  constexpr int used = 5;
  constexpr int skip = std::is_same_v<E, float> ? 4 : 16;
  V w[used + 2 * skip];
  for (int i = 0; i < used + 2 * skip; ++i) w[i] = V(i < count ? T::words[i] : E(0));
  for (int step = skip; step > 0; step /= 2) {
    // From here on the products with the first `step` words are even integers.
    auto far = a >= V(power_of_two<E>(bits * (1 + step)));
    a = select(far, a * V(power_of_two<E>(-bits * step)), a);
    for (int i = 0; i < used + step; ++i) w[i] = select(far, w[i + step], w[i]);
  }
  Sum<V> p[used];
  for (int i = 0; i < used; ++i) {
    p[i] = exact_product(a, w[i]);
    a = a * V(power_of_two<E>(-bits));
  }
  // p[0] and p[1].high may hold integers; what follows is smaller by 2^-word_bits each.
  Sum<V> s0 = exact_sum(modulo_two(p[0].high), modulo_two(p[0].low));
  Sum<V> s1 = exact_sum(s0.high, modulo_two(p[1].high));
  Sum<V> s2 = exact_sum(s1.high, p[2].high);
  Sum<V> s3 = exact_sum(s2.high, p[1].low);
  Sum<V> s4 = exact_sum(s3.high, V(Half ? E(-0.5) : E(0)));
  V shifted = fma(s4.high, V(Steps), V(shifter<E, Half>));
  V n = shifted - V(shifter<E, Half>);
  V lead = fma(n, V(E(-1) / E(Steps)), s4.high);
  Sum<V> t1 = exact_sum(s1.low, s2.low);
  Sum<V> t2 = exact_sum(s3.low, s4.low);
  Sum<V> t3 = exact_sum(p[2].low, p[3].high);
  Sum<V> t4 = exact_sum(t1.high, t2.high);
  Sum<V> t5 = exact_sum(t4.high, t3.high);
  Sum<V> t6 = exact_sum(t5.high, s0.low);
  V tail = ((t1.low + t2.low) + (t3.low + t4.low)) + ((t5.low + t6.low) + (p[3].low + p[4].high));
  Sum<V> turn = exact_sum(lead, t6.high);
  V low = turn.low + tail;
  V rest = fma(turn.high, V(T::pi[0]), fma(turn.high, V(T::pi[1]), low * V(T::pi[0])));
  return {rest, shifted};
}

/// x reduced by pi / Steps, for |x| < `near`. The first product is exact, the others are small.
/// Source: Cody and Waite, three parts of pi, with fma.
template <int Steps, bool Half, class V>
inline Reduced<V> reduce_near(V x) {
  using E = element_t<V>;
  using T = TrigonometricTable<E>;
  constexpr E part = E(1) / E(Steps);
  const V s = V(shifter<E, Half>);
  V shifted, n;
  if constexpr (Half) {
    shifted = fma(x, V(T::inverse_pi * E(Steps)), V(E(-0.5))) + s;
    n = (shifted - s) + V(E(0.5));
  } else {
    shifted = fma(x, V(T::inverse_pi * E(Steps)), s);
    n = shifted - s;
  }
  V r = fma(n, V(-T::pi[0] * part), x);
  r = fma(n, V(-T::pi[1] * part), r);
  return {fma(n, V(-T::pi[2] * part), r), shifted};
}

/// f of x reduced by pi / Steps: the near way, unless some lane needs the far one.
template <int Steps, bool Half, class V, class F>
inline V with_reduced(V x, F f) {
  V a = abs(x);
  return when_any(
      a >= V(TrigonometricTable<element_t<V>>::near),
      [=] {
        Reduced<V> far = reduce_far<Steps, Half>(a);
        if constexpr (!Half) far.rest = flip_sign(far.rest, x);
        return f(far);
      },
      f(reduce_near<Steps, Half>(x)));
}

/// sin of the rest, negated if the multiple is odd.
template <class V>
inline V alternating_sine(Reduced<V> x) {
  using I = int_t<V>;
  V square = x.rest * x.rest;
  V y = fma(x.rest * square, polynomial(square, TrigonometricTable<element_t<V>>::sin), x.rest);
  constexpr int top_bit = static_cast<int>(sizeof(element_t<V>)) * 8 - 1;
  return from_bits<V>(to_bits(y) ^ shl(to_bits(x.shifted), I(top_bit)));
}

/// Sine of an angle in radians, for every finite x; NaN at infinity; keeps the sign of zero.
/// Source: x = n pi + r, minimax polynomial of degree 9, 17 on [-pi/2, pi/2] (Remez).
struct Sin {
  static constexpr std::string_view name = "sin";
  static constexpr double bound_f32 = 1.5, bound_f64 = 1.5;

  template <class V>
  static V body(V x) {
    V y = with_reduced<1, false>(x, [](Reduced<V> r) { return alternating_sine(r); });
    return select(x == V(0), x, y);
  }
};

/// Cosine of an angle in radians, for every finite x; NaN at infinity.
/// Source: x = (n + 1/2) pi + r, then as sin.
struct Cos {
  static constexpr std::string_view name = "cos";
  static constexpr double bound_f32 = 1.5, bound_f64 = 1.5;

  template <class V>
  static V body(V x) {
    return with_reduced<1, true>(x, [](Reduced<V> r) { return alternating_sine(r); });
  }
};

/// Tangent of an angle in radians, for every finite x; NaN at infinity; keeps the sign of zero.
/// Source: x = n pi/2 + r; t = tan r by a minimax polynomial (f32) or as sin r / cos r (f64); -1 / t
/// where n is odd.
struct Tan {
  static constexpr std::string_view name = "tan";
  static constexpr double bound_f32 = 2.5, bound_f64 = 2.5;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = TrigonometricTable<E>;
    using I = int_t<V>;
    V y = with_reduced<2, false>(x, [](Reduced<V> reduced) {
      V r = reduced.rest;
      V z = r * r;
      V sine, cosine;
      if constexpr (std::is_same_v<E, float>) {
        sine = fma(r * z, polynomial(z, T::tan), r);
        cosine = V(1);
      } else {
        sine = fma(r * z, polynomial(z, T::tan_sin), r);
        cosine = fma(z * z, polynomial(z, T::tan_cos), fma(z, V(-0.5), V(1)));
      }
      auto odd = (to_bits(reduced.shifted) & I(1)) != I(0);
      return select(odd, -cosine, sine) / select(odd, sine, cosine);
    });
    return select(x == V(0), x, y);
  }
};

template <class V>
inline V sin(V x) {
  return apply<Sin>(x);
}

template <class V>
inline V cos(V x) {
  return apply<Cos>(x);
}

template <class V>
inline V tan(V x) {
  return apply<Tan>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
