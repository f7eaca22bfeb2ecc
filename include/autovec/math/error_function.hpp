// erf and erfc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "autovec/math/exp.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits erf, erfc_log, erfc).
template <class E>
struct ErrorFunctionTable;

template <>
struct ErrorFunctionTable<float> {
  static constexpr float one_from = 4;       // from here on erf rounds to 1
  static constexpr float zero_from = 10.1f;  // and erfc to 0
  static constexpr float center = 2;
  static constexpr float erf[] = {0x1.06eba8p-3f, -0x1.81274p-2f,  0x1.ce2d5p-4f,  -0x1.b7fe9p-6f,
                                  0x1.542e0cp-8f, -0x1.a50acp-11f, 0x1.4c32d8p-14f};
  static constexpr float erfc_log[] = {-0x1.72b35p-12f, -0x1.2085bep+0f, -0x1.46c562p-1f,
                                       -0x1.a60b42p-4f, 0x1.65432cp-6f,  -0x1.814e2p-9f,
                                       0x1.852e2ep-13f};
  static constexpr float erfc_first = 0x1.46e80ep+0f, erfc_first_low = 0x1.bd84ap-27f;
  static constexpr float erfc[] = {-0x1.7bf5ep-4f,  -0x1.54081p-3f,  0x1.4ff92ap-3f,
                                   -0x1.bc135ap-5f, -0x1.0695bp-7f,  0x1.1b4bep-7f,
                                   0x1.349a24p-10f, -0x1.46754p-10f, -0x1.16a3bap-12f};
};

template <>
struct ErrorFunctionTable<double> {
  static constexpr double one_from = 6;
  static constexpr double zero_from = 27.3;
  static constexpr double center = 3.25;
  static constexpr double erf[] = {
      0x1.06eba8214db69p-3,  -0x1.812746b037a01p-2,  0x1.ce2f21a04392cp-4,  -0x1.b82ce312c7fecp-6,
      0x1.565bcd1946de5p-8,  -0x1.c02db632caa72p-11, 0x1.f9a36d6feb65dp-14, -0x1.f4d8074f807f6p-17,
      0x1.ba32e6aff0f24p-20, -0x1.62078d8e52e12p-23, 0x1.0c16b9f54e537p-26, -0x1.9fe348440f61dp-30,
      0x1.11cb453aa1c7ep-33};
  static constexpr double erfc_log[] = {
      -0x1.1364464ce00b1p-21, -0x1.20dd1e3b5b851p+0,  -0x1.45f635469b1f4p-1,
      -0x1.a4ab300749a0fp-4,  0x1.3719d9a446755p-6,   0x1.b18c34cb619ecp-12,
      -0x1.f70543d6a3847p-10, 0x1.9544384d8fe86p-11,  -0x1.1e4c886938159p-13,
      -0x1.47da01948042dp-16, 0x1.7a28de8ad1b39p-16,  -0x1.1fedf064d93ffp-17,
      0x1.1be9ac93cc362p-19,  -0x1.8cead041f1bbdp-22, 0x1.8aab2273f880cp-25,
      -0x1.0b65aa50c9f4cp-28, 0x1.bc6b8123a7824p-33,  -0x1.56790d62e9ba1p-38};
  static constexpr double erfc_first = 0x1.3f5d268476f91p+0,
                          erfc_first_low = -0x1.37f341da3327ep-54;
  static constexpr double erfc[] = {
      -0x1.1be042459f8a2p-3,  -0x1.c1da16512bf5cp-6, 0x1.d0ed3bd04bed9p-4,  -0x1.e75668d4d765p-4,
      0x1.484a4db142628p-4,   -0x1.2ec7f60d3b3cfp-5, 0x1.4c8d0580c9f8ep-7,  -0x1.894fb3a6929d1p-13,
      -0x1.19d65cc2b54dbp-10, 0x1.3fdd86dba4281p-12, 0x1.3abe64db091b7p-14, -0x1.c65d0a19271fp-15,
      -0x1.25ff20c67fd79p-18, 0x1.2095370d5c32bp-17, 0x1.4a060700a6b92p-22, -0x1.7ba5b2a17642bp-20,
      -0x1.2dec92627bf6cp-24, 0x1.e99302a301c1cp-23, 0x1.5bc629bbe6ddfp-26, -0x1.bf0de817bc748p-26,
      -0x1.7e836d742654p-29};
};

/// erf x for |x| up to 1.
template <class V>
inline V erf_near(V x) {
  return fma(x, polynomial(x * x, ErrorFunctionTable<element_t<V>>::erf), x);
}

/// Error function, 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x; keeps the sign of zero.
/// Source: minimax polynomial up to 1; 1 - e^p(x) beyond, p minimax for the logarithm of erfc
/// (Remez).
struct Erf {
  static constexpr std::string_view name = "erf";
  static constexpr double bound_f32 = 1.2, bound_f64 = 1.2;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = ErrorFunctionTable<E>;
    V a = abs(x);
    V small = erf_near(a);
    auto beyond = a >= V(1);
    V y = when_any(
        beyond,
        [=] {
          V clamped = select(a > V(T::one_from), V(T::one_from), a);
          V exponent = polynomial(clamped, T::erfc_log);
          ExpReduced<V> e = exp_reduce(exponent, Format<E>::exponent_bias);
          return fma(-power_from(e.shifted), exp_of_rest(e.rest), V(1));
        },
        small);
    return flip_sign(y, x);
  }
};

/// 1 - erf x, accurate where that is small; 0 from 10.06 (f32), 27.23 (f64) on, subnormal before.
/// Source: 1 - erf x up to 0.47; e^(-x^2) p(q) / (1 + 2 x) beyond, p minimax in
/// q = (x - k) / (x + k) (Remez), the last steps of each factor in sums of two numbers.
struct Erfc {
  static constexpr std::string_view name = "erfc";
  static constexpr double bound_f32 = 1.3, bound_f64 = 1.3;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = ErrorFunctionTable<E>;
    V a = abs(x);
    auto near = a < V(E(0.47));
    a = select(a > V(T::zero_from), V(T::zero_from), a);
    // q, with the error of the quotient
    Sum<V> d = exact_sum(a, V(T::center));
    Sum<V> n = exact_sum(a, V(-T::center));
    V inverse = V(1) / d.high;
    V q = rounded_product(n.high, inverse);
    V q_low = (fma(-q, d.high, n.high) + fma(-q, d.low, n.low)) * inverse;
    // p(q), last step apart; then over 1 + 2 a
    V tail = polynomial(q, T::erfc);
    V p = fma(q, tail, V(T::erfc_first));
    V p_low = fma(q, tail, V(T::erfc_first) - p) + fma(q_low, tail, V(T::erfc_first_low));
    // e^r
    Sum<V> square = exact_product(a, a);
    auto [r, shifted] = exp_reduce(-square.high, 2 * Format<E>::exponent_bias);
    V e_tail = fma(polynomial(r, ExpTable<E>::exp), r, V(1));
    V e = fma(e_tail, r, V(1));
    V e_low = fma(-square.low, e, fma(e_tail, r, V(1) - e));
    Sum<V> top = exact_product(p, e);
    V top_low = fma(p, e_low, fma(p_low, e, top.low));
    Sum<V> base = exact_sum(V(1), a + a);
    V ratio = top.high / base.high;
    V ratio_low = (fma(-ratio, base.high, top.high) + fma(-ratio, base.low, top_low)) / base.high;
    V large = scale_by_power(ratio + ratio_low, shifted);
    large = select(x < V(0), fma(large, V(-1), V(2)), large);
    return when_any(
        near, [=] { return V(1) - erf_near(x); }, large);
  }
};

template <class V>
inline V erf(V x) {
  return apply<Erf>(x);
}

template <class V>
inline V erfc(V x) {
  return apply<Erfc>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
