// sin, cos and tan, with reduction by pi that is right for every finite argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "autovec/math/polynomial.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits sin, cos).
template <class E>
struct TrigonometricTable;

template <>
struct TrigonometricTable<float> {
  static constexpr float inverse_pi = 0x1.45f306p-2f;
  // Rounded down, so that -0 less 0 times each part stays -0.
  static constexpr float pi[] = {0x1.921fb4p+1f, 0x1.4442dp-23f, 0x1.846988p-47f};
  static constexpr float near = 0x1p+15f;  // up to here three parts of pi suffice
  static constexpr int word_bits = 24;
  /// Digits of 1/pi in base 2^word_bits, each divided by the base.
  static constexpr float words[] = {0x1.45f304p-2f, 0x1.6e4e44p-1f, 0x1.529fcp-5f,
                                    0x1.3abe8p-4f,  0x1.f534dcp-1f, 0x1.c0db62p-1f,
                                    0x1.2b3278p-2f, 0x1.0e41p-3f,   0x1.fe5162p-1f};
  static constexpr float sin[] = {-0x1.555546p-3f, 0x1.110778p-7f, -0x1.99537ap-13f};
  static constexpr float cos[] = {0x1.55554ap-5f, -0x1.6c0c1ap-10f, 0x1.99e0e2p-16f};
};

template <>
struct TrigonometricTable<double> {
  static constexpr double inverse_pi = 0x1.45f306dc9c883p-2;
  static constexpr double pi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c06p-53,
                                  0x1.c1cd129024e08p-106};
  static constexpr double near = 0x1p+30;
  static constexpr int word_bits = 53;
  static constexpr double words[] = {
      0x1.45f306dc9c882p-2, 0x1.4a7f09d5f47d4p-2, 0x1.a6ee06db14accp-2, 0x1.3c439041fe516p-2,
      0x1.d5ef5de2b0db8p-4, 0x1.2371d2126e97p-3,  0x1.924bba82746p-9,   0x1.21cfe1deb1cbp-2,
      0x1.29a73ee88235fp-1, 0x1.4baed1213a67p-2,  0x1.c09ad17df904ep-1, 0x1.91d639835339ep-2,
      0x1.49c845f8bbdf9p-1, 0x1.41d8ffc4bffecp-3, 0x1.816603fbcbc46p-1, 0x1.6b414da3eda6cp-3,
      0x1.fb3c9f2c26ddp-3,  0x1.e8c7ecd3cbfd4p-1, 0x1.6ba93dd63f5f2p-2, 0x1.f17b3d0739f78p-2,
      0x1.4a525d4d7f6bep-2, 0x1.623f1aba10acp-1,  0x1.98237e3db5d5ep-2};
  static constexpr double sin[] = {-0x1.5555555555549p-3,  0x1.111111110f87fp-7,
                                   -0x1.a01a019c0e407p-13, 0x1.71de35727bed9p-19,
                                   -0x1.ae5e60c6330e6p-26, 0x1.5d911c1f5fd94p-33};
  static constexpr double cos[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15003p-10,
                                   0x1.a01a019c8b2f4p-16, -0x1.27e4f7ed087dcp-22,
                                   0x1.1ee9d799eaf9ep-29, -0x1.8fa3c704c7db2p-37};
};

/// An angle as n pi/2 + rest; the low bits of `shifted` hold n.
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

/// a reduced by pi/2, for `near` <= a: multiplies a by those five digits of 1/pi that matter,
/// exactly, and drops even integers on the way.
/// Source: the method of Payne and Hanek. The digits are found by halving, a select each, which
/// also scales a down by as many digits as it skips, so no integers and no table look-up are
/// needed.
template <class V>
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
  V shifter = V(Format<E>::shifter);
  V shifted = fma(s3.high, V(2), shifter);
  V lead = fma(shifted - shifter, V(E(-0.5)), s3.high);
  Sum<V> t1 = exact_sum(s1.low, s2.low);
  Sum<V> t2 = exact_sum(s0.low, s3.low);
  Sum<V> t3 = exact_sum(p[2].low, p[3].high);
  Sum<V> t4 = exact_sum(t1.high, t2.high);
  Sum<V> t5 = exact_sum(t4.high, t3.high);
  V tail = ((t1.low + t2.low) + (t3.low + t4.low)) + (t5.low + (p[3].low + p[4].high));
  Sum<V> turn = exact_sum(lead, t5.high);
  V low = turn.low + tail;
  V rest = fma(turn.high, V(T::pi[0]), fma(turn.high, V(T::pi[1]), low * V(T::pi[0])));
  return {rest, shifted};
}

/// x reduced by pi/2, for |x| < `near`. The first step is exact, the others are small.
/// Source: Cody and Waite, three parts of pi/2, with fma.
template <class V>
inline Reduced<V> reduce_near(V x) {
  using E = element_t<V>;
  using T = TrigonometricTable<E>;
  V shifter = V(Format<E>::shifter);
  V shifted = fma(x, V(2 * T::inverse_pi), shifter);
  V n = shifted - shifter;
  V r = fma(n, V(T::pi[0] * E(-0.5)), x);
  r = fma(n, V(T::pi[1] * E(-0.5)), r);
  return {fma(n, V(T::pi[2] * E(-0.5)), r), shifted};
}

/// f of x reduced by pi/2: the near way, unless some lane needs the far one.
template <class V, class F>
inline V with_reduced(V x, F f) {
  V a = abs(x);
  return when_any(
      a >= V(TrigonometricTable<element_t<V>>::near),
      [=] {
        Reduced<V> far = reduce_far(a);
        // The reduction of -a, whose n is -n.
        V shifter = V(Format<element_t<V>>::shifter);
        V n = flip_sign(far.shifted - shifter, x);
        return f(Reduced<V>{flip_sign(far.rest, x), n + shifter});
      },
      f(reduce_near(x)));
}

/// sin r and cos r, |r| up to pi/4.
template <class V>
struct SineCosine {
  V sine;
  V cosine;
};

template <class V>
inline SineCosine<V> sine_cosine(V r) {
  using E = element_t<V>;
  using T = TrigonometricTable<E>;
  V z = r * r;
  V sine = fma(r * z, polynomial(z, T::sin), r);
  V cosine = fma(z * z, polynomial(z, T::cos), fma(z, V(E(-0.5)), V(1)));
  return {select(z == V(0), r, sine), cosine};  // keeps -0, which the sum would lose
}

/// sin(x + quarter pi/2).
template <class V>
inline V shifted_sine(V x, int quarter) {
  using E = element_t<V>;
  using I = int_t<V>;
  return with_reduced(x, [=](Reduced<V> reduced) {
    SineCosine<V> s = sine_cosine(reduced.rest);
    I n = to_bits(reduced.shifted + V(E(quarter)));
    V y = select((n & I(1)) != I(0), s.cosine, s.sine);
    constexpr int sign = static_cast<int>(sizeof(E)) * 8 - 1;
    return from_bits<V>(to_bits(y) ^ (shl(n, I(sign - 1)) & I(element_t<I>(1) << sign)));
  });
}

/// Sine of an angle in radians, for every finite x; NaN at infinity; keeps the sign of zero.
/// Source: x = n pi/2 + r, minimax polynomials for sin r and cos r (Remez).
struct Sin {
  static constexpr std::string_view name = "sin";
  static constexpr double bound_f32 = 1.7, bound_f64 = 1.7;

  template <class V>
  static V body(V x) {
    return shifted_sine(x, 0);
  }
};

/// Cosine of an angle in radians, for every finite x; NaN at infinity.
/// Source: as sin, a quarter turn further.
struct Cos {
  static constexpr std::string_view name = "cos";
  static constexpr double bound_f32 = 1.7, bound_f64 = 1.7;

  template <class V>
  static V body(V x) {
    return shifted_sine(x, 1);
  }
};

/// Tangent of an angle in radians, for every finite x; NaN at infinity; keeps the sign of zero.
/// Source: x = n pi/2 + r; sin r / cos r, or -cos r / sin r where n is odd.
struct Tan {
  static constexpr std::string_view name = "tan";
  static constexpr double bound_f32 = 3.5, bound_f64 = 3.5;

  template <class V>
  static V body(V x) {
    using I = int_t<V>;
    return with_reduced(x, [](Reduced<V> reduced) {
      SineCosine<V> s = sine_cosine(reduced.rest);
      auto odd = (to_bits(reduced.shifted) & I(1)) != I(0);
      return select(odd, -s.cosine, s.sine) / select(odd, s.sine, s.cosine);
    });
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
