// tanh, sinh and cosh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "autovec/math/exp.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits tanh, sinh).
template <class E>
struct HyperbolicTable;

template <>
struct HyperbolicTable<float> {
  static constexpr float one_from = 9.1f;         // from here on tanh rounds to 1
  static constexpr float infinite_from = 89.45f;  // from here on sinh and cosh overflow
  static constexpr float tanh[] = {-0x1.555534p-2f, 0x1.11075ep-3f, -0x1.b842c4p-5f, 0x1.524c3ep-6f,
                                   -0x1.7679fcp-8f};
  static constexpr float sinh[] = {0x1.55559ap-3f, 0x1.10f6fap-7f, 0x1.ab544p-13f};
};

template <>
struct HyperbolicTable<double> {
  static constexpr double one_from = 19.1;
  static constexpr double infinite_from = 710.5;
  static constexpr double tanh[] = {
      -0x1.5555555555503p-2,  0x1.111111110b072p-3,  -0x1.ba1ba1b52d3c6p-5,  0x1.664f47814b98bp-6,
      -0x1.226e16c88f71cp-7,  0x1.d6cf3a71d77a7p-9,  -0x1.7d6953c4067a8p-10, 0x1.336a50b778fdep-11,
      -0x1.df75cba404d3bp-13, 0x1.43d69c9a2e706p-14, -0x1.0e280484526e4p-16};
  static constexpr double sinh[] = {
      0x1.5555555555556p-3,  0x1.111111111102p-7,   0x1.a01a01a036c6ap-13, 0x1.71de3a3b6a472p-19,
      0x1.ae646f97ec6aap-26, 0x1.61171ceca59afp-33, 0x1.b5bb760e053bfp-41};
};

/// Hyperbolic tangent; keeps the sign of zero.
/// Source: minimax polynomial up to 5/8 (Remez), 1 - 2 / (e^2x + 1) beyond.
struct Tanh {
  static constexpr std::string_view name = "tanh";
  static constexpr double bound_f32 = 1.5, bound_f64 = 1.5;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = HyperbolicTable<E>;
    V a = abs(x);
    V z = a * a;
    V small = fma(a * z, polynomial(z, T::tanh), a);
    auto beyond = a >= V(E(0.625));
    V y = when_any(
        beyond,
        [=] {
          V clamped = select(a > V(T::one_from), V(T::one_from), a);
          ExpReduced<V> e = exp_reduce(clamped + clamped, Format<E>::exponent_bias);
          return V(1) - V(2) / fma(power_from(e.shifted), exp_of_rest(e.rest), V(1));
        },
        small);
    return flip_sign(y, x);
  }
};

/// Hyperbolic sine; keeps the sign of zero; infinity from 89.42 (f32), 710.48 (f64) on.
/// Source: minimax polynomial up to 1 (Remez), (e^x - e^-x) / 2 beyond. Half of e^x is made as two
/// quarters, so that the largest results do not overflow on the way.
struct Sinh {
  static constexpr std::string_view name = "sinh";
  static constexpr double bound_f32 = 1.7, bound_f64 = 1.7;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = HyperbolicTable<E>;
    V a = abs(x);
    V z = a * a;
    V small = fma(a * z, polynomial(z, T::sinh), a);
    auto beyond = a >= V(1);
    V y = when_any(
        beyond,
        [=] {
          V clamped = select(a > V(T::infinite_from), V(T::infinite_from), a);
          ExpReduced<V> e = exp_reduce(clamped, Format<E>::exponent_bias - 2);
          V quarter = power_from(e.shifted) * exp_of_rest(e.rest);
          return fma(quarter, V(2), V(E(-0.125)) / quarter);
        },
        small);
    return flip_sign(y, x);
  }
};

/// Hyperbolic cosine; infinity from 89.42 (f32), 710.48 (f64) on.
/// Source: (e^|x| + e^-|x|) / 2, the first as in exp.
struct Cosh {
  static constexpr std::string_view name = "cosh";
  static constexpr double bound_f32 = 1.4, bound_f64 = 1.4;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = HyperbolicTable<E>;
    V a = abs(x);
    a = select(a > V(T::infinite_from), V(T::infinite_from), a);
    ExpReduced<V> e = exp_reduce(a, Format<E>::exponent_bias - 2);
    V quarter = power_from(e.shifted) * exp_of_rest(e.rest);
    return fma(quarter, V(2), V(E(0.125)) / quarter);
  }
};

template <class V>
inline V sinh(V x) {
  return apply<Sinh>(x);
}

template <class V>
inline V cosh(V x) {
  return apply<Cosh>(x);
}

template <class V>
inline V tanh(V x) {
  return apply<Tanh>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
