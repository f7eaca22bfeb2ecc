// The inverse of the error function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "autovec/math/log.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients of M. Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2010):
/// erfinv(x) / x as polynomials in w = -log(1 - x^2) near 0, and in its square root beyond.
template <class E>
struct ErfinvTable;

template <>
struct ErfinvTable<float> {
  static constexpr float near_to = 5, near_shift = 2.5f, far_shift = 3;
  static constexpr float near[] = {1.50140941f,     0.246640727f,    -0.00417768164f,
                                   -0.00125372503f, 0.00021858087f,  -4.39150654e-06f,
                                   -3.5233877e-06f, 3.43273939e-07f, 2.81022636e-08f};
  static constexpr float far[] = {2.83297682f,    1.00167406f,     0.00943887047f,
                                  -0.0076224613f, 0.00573950773f,  -0.00367342844f,
                                  0.00134934322f, 0.000100950558f, -0.000200214257f};
};

template <>
struct ErfinvTable<double> {
  static constexpr double near_to = 6.25, near_shift = 3.125;
  static constexpr double near[] = {
      1.6536545626831027356,      0.24015818242558961693,    -0.0060336708714301490533,
      -0.00074070253416626697512, 0.0001867342080340571352,  -1.3882523362786468719e-05,
      -1.3654692000834678645e-06, 4.2347877827932403518e-07, -2.9070369957882005086e-08,
      -4.1126339803469836976e-09, 1.051212273321532285e-09,  -5.4154120542946279317e-11,
      -1.2975133253453532498e-11, 2.6335093153082322977e-12, -8.1519341976054721522e-14,
      -4.0545662729752068639e-14, 6.6376381343583238325e-15, 2.0972767875968561637e-17,
      -1.333171662854620906e-16,  1.115787767802518096e-17,  1.2858480715256400167e-18,
      -1.685059138182016589e-19,  -3.6444120640178196996e-21};
  static constexpr double far_to = 16, far_shift = 3.25;
  static constexpr double far[] = {
      3.0838856104922207635,     1.0052589676941592334,      0.005370914553590063617,
      -0.0037512085075692412107, 0.0024914420961078508066,   -0.0016882755560235047313,
      0.00095328937973738049703, -0.0003550375203628474796,  2.4031110387097893999e-05,
      6.8284851459573175448e-05, -4.7318229009055733981e-05, 1.2475304481671778723e-05,
      2.9234449089955446044e-06, -4.013867526981545969e-06,  1.5027403968909827627e-06,
      1.8239629214389227755e-08, -2.7517406297064545428e-07, 9.0756561938885390979e-08,
      2.2137376921775787049e-09};
  static constexpr double tail_shift = 5;
  static constexpr double tail[] = {
      4.8499064014085844221,      1.0103004648645343977,      -0.00013871931833623122026,
      -0.00021503011930044477347, 7.5995277030017761139e-05,  -1.9681778105531670567e-05,
      4.5260625972231537039e-06,  -9.9298272942317002539e-07, 2.2900482228026654717e-07,
      -6.7711997758452339498e-08, 2.9147953450901080826e-08,  -1.4960026627149240478e-08,
      7.6157012080783393804e-09,  -3.7894654401267369937e-09, 1.5076572693500548083e-09,
      -2.5556418169965252055e-10, -2.7109920616438573243e-11};
};

/// erfinv(x) from x and w = -log(1 - x^2).
template <class V>
inline V erfinv_from(V x, V w) {
  using E = element_t<V>;
  using T = ErfinvTable<E>;
  V p = polynomial(w - V(T::near_shift), T::near);
  p = when_any(
      invert(w < V(T::near_to)),
      [=] {
        V root = sqrt(w);
        V q = polynomial(root - V(T::far_shift), T::far);
        if constexpr (std::is_same_v<E, double>) {
          q = select(w < V(T::far_to), q, polynomial(root - V(T::tail_shift), T::tail));
        }
        // A polynomial does not see infinity as it should: its leading coefficient is negative.
        return select(w == V(Format<E>::infinity), w, q);
      },
      p);
  return p * x;
}

/// The x whose error function is the argument; infinite at -1 and 1, NaN beyond; keeps the sign of
/// zero.
struct Erfinv {
  static constexpr std::string_view name = "erfinv";
  static constexpr double bound_f32 = 4, bound_f64 = 4;

  template <class V>
  static V body(V x) {
    // 1 - x^2 with one rounding: near 1 all that matters of x is in what is left.
    return erfinv_from(x, -log(fma(-x, x, V(1))));
  }
};

/// The normal variate of x uniform in (-1, 1): sqrt(2) erfinv(x) as jax.random computes it, with 1
/// - x^2 from a rounded square, so that the numbers are those of that library within 4 ulp. They
/// are not the exact quantiles: the error is greatest where the square's rounding is, at 1 - |x|
/// about the root of an ulp.
struct NormalFromUniform {
  static constexpr std::string_view name = "normal_from_uniform";
  static constexpr double bound_f32 = 100, bound_f64 = 1e6;

  template <class V>
  static V body(V x) {
    V square = x * x;
    return erfinv_from(x, -log1p(-square)) * V(element_t<V>(1.4142135623730951));
  }
};

template <class V>
inline V erfinv(V x) {
  return apply<Erfinv>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
