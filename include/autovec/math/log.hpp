// log, log2, log10 and log1p.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "autovec/math/polynomial.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fit log): of (log(1 + f) - f + f^2 / 2) / f^3 in f
/// (f32), of (log((1 + s) / (1 - s)) - 2 s) / s in s^2 (f64).
template <class E>
struct LogTable;

template <>
struct LogTable<float> {
  static constexpr std::int32_t least_normal = 0x00800000, infinity = 0x7f800000;
  static constexpr std::int32_t one = 0x3f800000, sqrt_half = 0x3f3504f3;
  static constexpr float ln2 = 0x1.62e43p-1f;
  static constexpr float log2_e[] = {0x1.715476p+0f, 0x1.4ae0cp-26f};
  static constexpr float log10_e[] = {0x1.bcb7b2p-2f, -0x1.5b235ep-27f};
  static constexpr float log10_2[] = {0x1.344136p-2f, -0x1.ec10cp-27f};
  static constexpr float up = 0x1p+24f, up_exponent = 24;  // makes subnormal numbers normal
  static constexpr float log[] = {0x1.555552p-2f, -0x1.000238p-2f, 0x1.99a132p-3f, -0x1.546f34p-3f,
                                  0x1.22c28cp-3f, -0x1.0d88e2p-3f, 0x1.05ee74p-3f, -0x1.3a082ep-4f};
};

template <>
struct LogTable<double> {
  static constexpr std::int64_t least_normal = 0x0010000000000000;
  static constexpr std::int64_t infinity = 0x7ff0000000000000;
  static constexpr std::int64_t one = 0x3ff0000000000000, sqrt_half = 0x3fe6a09e667f3bcd;
  static constexpr double ln2 = 0x1.62e42fefa39efp-1;
  static constexpr double log2_e[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  static constexpr double log10_e[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  static constexpr double log10_2[] = {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59};
  static constexpr double up = 0x1p+54, up_exponent = 54;
  static constexpr double log[] = {0x1.5555555555592p-1, 0x1.999999997ff1bp-2, 0x1.24924941e1329p-2,
                                   0x1.c71c52146be25p-3, 0x1.74663ce8789ep-3,  0x1.39a1e93eaa1c5p-3,
                                   0x1.2f03b5b5b3747p-3};
};

/// x = 2^exponent * (1 + fraction), 1 + fraction in [sqrt(1/2), sqrt(2)); x positive and normal.
template <class V>
struct Binary {
  V exponent;
  V fraction;
  int_t<V> power;  // exponent << mantissa_bits
};

template <class V>
inline Binary<V> split_binary(V x) {
  using E = element_t<V>;
  using T = LogTable<E>;
  using F = Format<E>;
  using I = int_t<V>;
  // Adding one - sqrt_half lifts mantissas from sqrt(2) on into the next binade.
  I lifted = wrapping_add(to_bits(x), I(T::one - T::sqrt_half));
  I power = wrapping_sub(lifted & I(T::infinity), I(T::one));
  V exponent;
  if constexpr (std::is_same_v<E, float>) {
    exponent = convert<float>(shr(power, F::mantissa_bits));
  } else {
    // 64-bit integers convert slowly or not at all: place the biased exponent in 2^52's low bits.
    I biased = shr(lifted, F::mantissa_bits) | to_bits(V(0x1p52));
    exponent = from_bits<V>(biased) - V(0x1p52 + F::exponent_bias);
  }
  V fraction = from_bits<V>(wrapping_sub(to_bits(x), power)) - V(1);
  return {exponent, fraction, power};
}

/// log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1].
template <class V>
inline V log1p_minus_identity(V f) {
  using E = element_t<V>;
  using T = LogTable<E>;
  if constexpr (std::is_same_v<E, float>) {
    V square = f * f;
    return fma(V(-0.5f), square, (square * f) * polynomial(f, T::log));
  } else {
    // log(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f / (2 + f), R = s^2 p(s^2)
    V s = f / (f + V(2));
    V z = s * s;
    V half = f * V(0.5);
    V t = s * fma(z, polynomial(z, T::log), half * f);
    return fma(-half, f, t);
  }
}

/// What log, log2 and log10 share: `near` on positive normal x; other x by their limits.
/// `step` is the logarithm of 2.
template <class V, class Normal>
inline V log_of_all(V x, V step, Normal normal) {
  using E = element_t<V>;
  using T = LogTable<E>;
  using F = Format<E>;
  using I = int_t<V>;
  I bits = to_bits(x);
  auto odd = (bits < I(T::least_normal)) | (bits >= I(T::infinity));
  return when_any(
      odd,
      [=] {
        V y = fma(V(-T::up_exponent), step, normal(x * V(T::up)));  // subnormal
        y = select(x == V(0), V(-F::infinity), y);
        y = select(x < V(0), V(F::nan), y);
        return select(invert(x < V(F::infinity)), x, y);  // infinity and NaN
      },
      normal(x));
}

/// Natural logarithm. -inf at 0, NaN below.
/// Source: x = 2^k (1 + f); minimax polynomial in f (f32); in s = f / (2 + f) (f64), where log(1 +
/// f) is 2 artanh s.
struct Log {
  static constexpr std::string_view name = "log";
  static constexpr double bound_f32 = 1.2, bound_f64 = 1.3;

  template <class V>
  static V body(V x) {
    const V ln2 = V(LogTable<element_t<V>>::ln2);
    return log_of_all(x, ln2, [=](V positive) {
      Binary<V> b = split_binary(positive);
      return fma(b.exponent, ln2, b.fraction + log1p_minus_identity(b.fraction));
    });
  }
};

/// log of a positive normal x to another base, as k step + log(1 + f) / log base, where the second
/// factor is a sum of two numbers.
template <class V>
inline V log_to_base(V x, Sum<V> step, Sum<V> factor) {
  Binary<V> b = split_binary(x);
  Sum<V> l = exact_sum_ordered(b.fraction, log1p_minus_identity(b.fraction));
  V low = fma(l.high, factor.low, l.low * factor.high);
  V near = fma(l.high, factor.high, fma(b.exponent, step.low, low));
  return fma(b.exponent, step.high, near);
}

/// Logarithm to base 2, exact at powers of 2. -inf at 0, NaN below.
/// Source: as log.
struct Log2 {
  static constexpr std::string_view name = "log2";
  static constexpr double bound_f32 = 1.1, bound_f64 = 1.1;

  template <class V>
  static V body(V x) {
    using T = LogTable<element_t<V>>;
    return log_of_all(x, V(1), [](V positive) {
      return log_to_base(positive, Sum<V>{V(1), V(0)}, Sum<V>{V(T::log2_e[0]), V(T::log2_e[1])});
    });
  }
};

/// Logarithm to base 10. -inf at 0, NaN below.
/// Source: as log.
struct Log10 {
  static constexpr std::string_view name = "log10";
  static constexpr double bound_f32 = 1.1, bound_f64 = 1.1;

  template <class V>
  static V body(V x) {
    using T = LogTable<element_t<V>>;
    return log_of_all(x, V(T::log10_2[0]), [](V positive) {
      return log_to_base(positive, Sum<V>{V(T::log10_2[0]), V(T::log10_2[1])},
                         Sum<V>{V(T::log10_e[0]), V(T::log10_e[1])});
    });
  }
};

/// log(1 + x), accurate near 0; -inf at -1, NaN below; keeps the sign of zero.
/// Source: log(u) with u = 1 + x rounded, the rounding error added to the reduced argument.
struct Log1p {
  static constexpr std::string_view name = "log1p";
  static constexpr double bound_f32 = 1.7, bound_f64 = 1.9;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = LogTable<E>;
    using F = Format<E>;
    using I = int_t<V>;
    Sum<V> sum = exact_sum(V(1), x);
    V u = sum.high;
    Binary<V> b = split_binary(u);
    // 2^-k times what u lost. From 2^60 on it is nothing, and 2^-k may be no normal number.
    V lost = sum.low * from_bits<V>(wrapping_sub(I(T::one), b.power));
    lost = select(x < V(E(0x1p60)), lost, V(0));
    V f = b.fraction + lost;
    V y = fma(b.exponent, V(T::ln2), f + log1p_minus_identity(f));
    y = select(u > V(0), y, select(u == V(0), V(-F::infinity), V(F::nan)));
    y = select(u < V(F::infinity), y, u + x);  // infinity and NaN
    return select(abs(x) < V(E(0x1p-60)), x, y);
  }
};

template <class V>
inline V log(V x) {
  return apply<Log>(x);
}

template <class V>
inline V log2(V x) {
  return apply<Log2>(x);
}

template <class V>
inline V log10(V x) {
  return apply<Log10>(x);
}

template <class V>
inline V log1p(V x) {
  return apply<Log1p>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
