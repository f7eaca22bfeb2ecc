// atan, atan2, asin and acos.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "autovec/math/polynomial.hpp"

namespace autovec::inline v1 {
namespace math {

/// Coefficients by tools/math_coefficients.py (fits atan, asin).
template <class E>
struct InverseTrigonometricTable;

template <>
struct InverseTrigonometricTable<float> {
  // Two numbers whose exact product is pi / 2 to 42 bits: adding it by fma rounds once.
  static constexpr float half_pi_a = 0x1.ffc638p+0f, half_pi_b = 0x1.924d1cp-1f;
  static constexpr float atan[] = {-0x1.55554p-2f,  0x1.999266p-3f,  -0x1.242628p-3f,
                                   0x1.c0c8b2p-4f,  -0x1.58bc48p-4f, 0x1.dc9622p-5f,
                                   -0x1.012e04p-5f, 0x1.6967e6p-7f,  -0x1.dcd20cp-10f};
  static constexpr float asin[] = {0x1.5555cap-3f, 0x1.330162p-4f, 0x1.748b78p-5f, 0x1.8ba48ep-6f,
                                   0x1.59dd6cp-5f};
};

template <>
struct InverseTrigonometricTable<double> {
  // To 72 bits.
  static constexpr double half_pi_a = 0x1.bc1db0df2953p+0, half_pi_b = 0x1.cf96dc5653ad7p-1;
  static constexpr double atan[] = {
      -0x1.555555555552ap-2, 0x1.9999999995aeep-3,  -0x1.24924923924f7p-3,  0x1.c71c71842cde1p-4,
      -0x1.745d11fb900adp-4, 0x1.3b136a1bb2d91p-4,  -0x1.110e6db19f677p-4,  0x1.e1bcf8b3c284fp-5,
      -0x1.ae644ef9b339cp-5, 0x1.82eea9ecac5c7p-5,  -0x1.59d7c30d095f9p-5,  0x1.2c9770e7cc772p-5,
      -0x1.eb461b10d14cbp-6, 0x1.69d379610266dp-6,  -0x1.ca8bc2c8d2b5dp-7,  0x1.dbf040e0e4bcp-8,
      -0x1.7e8e090e4b7c3p-9, 0x1.ba154b3d9e6dfp-11, -0x1.447d661a95448p-13, 0x1.c45e7f342d379p-17};
  static constexpr double asin[] = {
      0x1.5555555555384p-3, 0x1.333333336fe33p-4, 0x1.6db6db41985c7p-5,  0x1.f1c72c80c1688p-6,
      0x1.6e89eda100e9bp-6, 0x1.1c6c43fbc0a22p-6, 0x1.c6f6483110ef4p-7,  0x1.8ef35a8cce423p-7,
      0x1.aa32c4ea786d6p-8, 0x1.410b40f53f748p-6, -0x1.0b82ee2154be4p-6, 0x1.05ffaefc5bb99p-5};
};

/// atan q for 0 <= q <= 1.
template <class V>
inline V atan_of_fraction(V q) {
  V z = q * q;
  return fma(q * z, polynomial(z, InverseTrigonometricTable<element_t<V>>::atan), q);
}

/// Inverse tangent, in [-pi/2, pi/2]; keeps the sign of zero.
/// Source: pi/2 - atan(1/x) beyond 1, minimax polynomial of degree 19, 41 (Remez).
struct Atan {
  static constexpr std::string_view name = "atan";
  static constexpr double bound_f32 = 1.5, bound_f64 = 1.6;

  template <class V>
  static V body(V x) {
    using T = InverseTrigonometricTable<element_t<V>>;
    V a = abs(x);
    auto above = a > V(1);
    V t = atan_of_fraction(select(above, V(-1), a) / select(above, a, V(1)));
    return flip_sign(fma(select(above, V(T::half_pi_a), V(0)), V(T::half_pi_b), t), x);
  }
};

/// The angle of the point (x, y), in [-pi, pi], with the corner values of IEEE 754: zeros and
/// infinities count with their signs.
/// Source: atan of the smaller over the larger coordinate, placed in its octant.
struct Atan2 {
  static constexpr std::string_view name = "atan2";
  static constexpr double bound_f32 = 1.5, bound_f64 = 1.6;

  template <class V>
  static V body(V y, V x) {
    using T = InverseTrigonometricTable<element_t<V>>;
    using I = int_t<V>;
    V a = abs(x), b = abs(y);
    auto steep = b > a;
    auto left = to_bits(x) < I(0);
    V least = select(steep, a, b), greatest = select(steep, b, a);
    V q = least / select(greatest == V(0), V(1), greatest);  // 0 / 0: the angle of an axis
    q = select(least == greatest, select(least == V(0), V(0), V(1)), q);  // inf / inf
    V t = atan_of_fraction(q);
    V quarters = select(steep, V(T::half_pi_a), select(left, V(T::half_pi_a + T::half_pi_a), V(0)));
    t = select(steep ^ left, -t, t);
    return flip_sign(fma(quarters, V(T::half_pi_b), t), y);
  }
};

/// Inverse sine, in [-pi/2, pi/2]; NaN beyond 1; keeps the sign of zero.
/// Source: minimax polynomial up to 1/2 (Remez), pi/2 - 2 asin sqrt((1 - x) / 2) beyond.
struct Asin {
  static constexpr std::string_view name = "asin";
  static constexpr double bound_f32 = 1.9, bound_f64 = 1.8;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = InverseTrigonometricTable<E>;
    V a = abs(x);
    auto above = a > V(E(0.5));
    V z = select(above, fma(a, V(E(-0.5)), V(E(0.5))), a * a);
    // The great parts are summed first: pi/2 - 2 h, then what h^3 p(h^2) adds.
    V h = sqrt(z);
    h = select(above, V(-2) * h, a);
    V base = select(above, fma(V(T::half_pi_a), V(T::half_pi_b), h), a);
    return flip_sign(fma(h * z, polynomial(z, T::asin), base), x);
  }
};

/// Inverse cosine, in [0, pi]; NaN beyond 1.
/// Source: pi/2 - asin x up to 1/2, 2 asin sqrt((1 - x) / 2) beyond, pi minus that below -1/2.
struct Acos {
  static constexpr std::string_view name = "acos";
  static constexpr double bound_f32 = 1.3, bound_f64 = 1.3;

  template <class V>
  static V body(V x) {
    using E = element_t<V>;
    using T = InverseTrigonometricTable<E>;
    V a = abs(x);
    auto above = a > V(E(0.5));
    V z = select(above, fma(a, V(E(-0.5)), V(E(0.5))), a * a);
    V h = select(above, sqrt(z), a);
    V t = fma(h * z, polynomial(z, T::asin), h);
    t = flip_sign(select(above, t + t, -t), x);
    auto left = x < V(0);
    V quarters = select(above, select(left, V(T::half_pi_a + T::half_pi_a), V(0)), V(T::half_pi_a));
    return fma(quarters, V(T::half_pi_b), t);
  }
};

template <class V>
inline V atan(V x) {
  return apply<Atan>(x);
}

template <class V>
inline V atan2(V y, V x) {
  return apply<Atan2>(y, x);
}

template <class V>
inline V asin(V x) {
  return apply<Asin>(x);
}

template <class V>
inline V acos(V x) {
  return apply<Acos>(x);
}

}  // namespace math
}  // namespace autovec::inline v1
