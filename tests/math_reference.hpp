// Exact values of the elementary functions (MPFR) and errors in units in the last place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <string_view>

/// The y with erf(y) = x, by Newton's iteration in 60 more bits than asked for.
inline int mpfr_erfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round) {
  if (mpfr_nan_p(x) != 0 || mpfr_cmpabs_ui(x, 1) > 0) {
    mpfr_set_nan(result);
    return 0;
  }
  if (mpfr_cmpabs_ui(x, 1) == 0) {
    mpfr_set_inf(result, mpfr_sgn(x));
    return 0;
  }
  mpfr_t y, t, slope;
  mpfr_inits2(mpfr_get_prec(result) + 60, y, t, slope, static_cast<mpfr_ptr>(nullptr));
  // log(1 - x^2) and the approximation of S. Winitzki, to 2e-3.
  mpfr_sqr(t, x, MPFR_RNDN);
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_log1p(t, t, MPFR_RNDN);
  const double l = mpfr_get_d(t, MPFR_RNDN), a = 0.147, b = 2 / (3.14159265358979 * a) + l / 2;
  mpfr_set_d(y, std::copysign(std::sqrt(std::sqrt(b * b - l / a) - b), mpfr_sgn(x)), MPFR_RNDN);
  if (mpfr_zero_p(y) != 0) mpfr_set(y, x, MPFR_RNDN);
  for (int i = 0; i < 9; ++i) {
    // y -= (erf y - x) e^(y^2) sqrt(pi) / 2
    mpfr_sqr(slope, y, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_mul(slope, slope, t, MPFR_RNDN);
    mpfr_div_ui(slope, slope, 2, MPFR_RNDN);
    mpfr_erf(t, y, MPFR_RNDN);
    mpfr_sub(t, t, x, MPFR_RNDN);
    mpfr_mul(t, t, slope, MPFR_RNDN);
    mpfr_sub(y, y, t, MPFR_RNDN);
  }
  mpfr_set(result, y, round);
  mpfr_clears(y, t, slope, static_cast<mpfr_ptr>(nullptr));
  return 0;
}

/// The MPFR function behind a name of math/functions.hpp; one of the two is null.
struct Reference {
  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  std::string_view name;
  Unary unary;
  Binary binary = nullptr;
};

inline Reference reference_of(std::string_view name) {
  const Reference all[] = {{"exp", mpfr_exp},
                           {"exp2", mpfr_exp2},
                           {"expm1", mpfr_expm1},
                           {"log", mpfr_log},
                           {"log2", mpfr_log2},
                           {"log10", mpfr_log10},
                           {"log1p", mpfr_log1p},
                           {"sin", mpfr_sin},
                           {"cos", mpfr_cos},
                           {"tan", mpfr_tan},
                           {"asin", mpfr_asin},
                           {"acos", mpfr_acos},
                           {"atan", mpfr_atan},
                           {"sinh", mpfr_sinh},
                           {"cosh", mpfr_cosh},
                           {"tanh", mpfr_tanh},
                           {"asinh", mpfr_asinh},
                           {"acosh", mpfr_acosh},
                           {"atanh", mpfr_atanh},
                           {"cbrt", mpfr_cbrt},
                           {"erf", mpfr_erf},
                           {"erfc", mpfr_erfc},
                           {"erfinv", mpfr_erfinv},
                           {"pow", nullptr, mpfr_pow},
                           {"atan2", nullptr, mpfr_atan2},
                           {"hypot", nullptr, mpfr_hypot}};
  for (const Reference& r : all) {
    if (r.name == name) return r;
  }
  return {name, nullptr};
}

/// Measures errors of results against MPFR at 140 bits.
class UlpMeter {
 public:
  explicit UlpMeter(Reference reference) : reference_(reference) {
    mpfr_inits2(140, x_, y_, exact_, got_, static_cast<mpfr_ptr>(nullptr));
  }
  ~UlpMeter() { mpfr_clears(x_, y_, exact_, got_, static_cast<mpfr_ptr>(nullptr)); }
  UlpMeter(const UlpMeter&) = delete;
  UlpMeter& operator=(const UlpMeter&) = delete;

  /// |got - f(x, y)| in ulps of T at the exact value; 0 where both are NaN or the same infinity,
  /// infinity where only one is NaN. An overflow is measured as 2^emax.
  template <class T>
  double error(T got, T x, T y = T(0)) {
    evaluate(x, y);
    if (mpfr_nan_p(exact_) != 0 || got != got) {
      return (mpfr_nan_p(exact_) != 0) == (got != got) ? 0 : INFINITY;
    }
    using Limits = std::numeric_limits<T>;
    const T rounded = round_to<T>();
    if (rounded == got) {
      if (std::isinf(got)) return 0;
    } else if (std::isinf(got) && mpfr_inf_p(exact_) != 0) {
      return INFINITY;
    }
    if (mpfr_inf_p(exact_) != 0) return INFINITY;
    long e = mpfr_zero_p(exact_) != 0 ? Limits::min_exponent : mpfr_get_exp(exact_);
    if (e < Limits::min_exponent) e = Limits::min_exponent;
    if (std::isinf(got)) {
      mpfr_set_ui_2exp(got_, 1, Limits::max_exponent, MPFR_RNDN);
      if (got < T(0)) mpfr_neg(got_, got_, MPFR_RNDN);
      e = Limits::max_exponent;
    } else {
      mpfr_set_d(got_, static_cast<double>(got), MPFR_RNDN);
    }
    mpfr_sub(got_, got_, exact_, MPFR_RNDN);
    mpfr_mul_2si(got_, got_, Limits::digits - e, MPFR_RNDN);
    return std::fabs(mpfr_get_d(got_, MPFR_RNDN));
  }

  /// The exact value rounded to T.
  template <class T>
  T exact(T x, T y = T(0)) {
    evaluate(x, y);
    return round_to<T>();
  }

 private:
  void evaluate(double x, double y) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    if (reference_.unary != nullptr) {
      reference_.unary(exact_, x_, MPFR_RNDN);
    } else {
      mpfr_set_d(y_, y, MPFR_RNDN);
      reference_.binary(exact_, x_, y_, MPFR_RNDN);
    }
  }

  // Through 140 bits first: the double rounding is wrong once in 2^80 values.
  template <class T>
  T round_to() {
    if constexpr (std::is_same_v<T, float>) return mpfr_get_flt(exact_, MPFR_RNDN);
    else return mpfr_get_d(exact_, MPFR_RNDN);
  }

  Reference reference_;
  mpfr_t x_, y_, exact_, got_;
};
