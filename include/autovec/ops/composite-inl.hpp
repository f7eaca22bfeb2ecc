// Element-wise functions made of ops. They have no rules of their own, so they are written such
// that neither values nor derivatives overflow on the way: a `where` feeds a side what it can bear.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "autovec/ops/composite.hpp"
#include "autovec/ops/map-inl.hpp"
#include "autovec/ops/place.hpp"

namespace autovec::inline v1 {

namespace detail {
/// x as a float: integers and b8 become the default float.
inline Tensor as_float(const Operand& x) {
  return with_element(x, to_inexact(element_of(x.type())), x.where());
}

/// The element of two operands that are computed with together as floats.
inline Element common_float(const Operand& x, const Operand& y) {
  return to_inexact(promote(element_of(x.type()), element_of(y.type())));
}

/// Greatest finite value of a float dtype.
inline double greatest_finite(DType dtype) {
  switch (dtype) {
    case DType::f16: return 65504;
    case DType::bf16: return 0x1.fep127;
    case DType::f32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double ln_2 = 0.69314718055994530942;
inline constexpr double pi = 3.14159265358979323846;

/// From here on log(x + sqrt(x^2 + c)) is log(2 x) to the last bit, for c = 1 and -1.
inline double log_2x_from(DType dtype) { return dtype == DType::f64 ? 0x1p28 : 0x1p13; }
}  // namespace detail

AUTOVEC_API Tensor SquareFunction::operator()(Operand x) const { return x * x; }

AUTOVEC_API Tensor ReciprocalFunction::operator()(Operand x) const {
  return Operand(1.0, x.where()) / x;
}

AUTOVEC_API Tensor RsqrtFunction::operator()(Operand x) const {
  return Operand(1.0, x.where()) / sqrt(x);
}

AUTOVEC_API Tensor IsinfFunction::operator()(Operand x) const {
  return Operand(abs(x), x.where()) == detail::infinity;
}

AUTOVEC_API Tensor IsfiniteFunction::operator()(Operand x) const {
  return Operand(abs(x), x.where()) < detail::infinity;
}

AUTOVEC_API Tensor NanToNumFunction::operator()(Operand x, double nan, std::optional<double> posinf,
                                                std::optional<double> neginf) const {
  const DType dtype = x.type().dtype;
  if (!is_float(dtype)) return x;
  const detail::At at(x.where());
  const double most = detail::greatest_finite(dtype);
  Tensor y = where(at(isnan(x)), nan, x);
  y = where(at(at(y) == detail::infinity), posinf.value_or(most), y);
  return where(at(at(y) == -detail::infinity), neginf.value_or(-most), y);
}

AUTOVEC_API Tensor ClipFunction::operator()(Operand x, Operand lo, Operand hi) const {
  return minimum(Operand(maximum(x, lo), x.where()), hi);
}

AUTOVEC_API Tensor ReluFunction::operator()(Operand x) const {
  // Not `maximum`, whose slope at 0 is 1/2.
  return where(Operand(x <= 0, x.where()), 0, x);
}

AUTOVEC_API Tensor SigmoidFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  const Operand positive = at(x >= 0);
  const Tensor z = exp(at(where(positive, -x, x)));
  return at(where(positive, 1, z)) / (at(z) + 1);
}

AUTOVEC_API Tensor SoftplusFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  return at(maximum(x, 0)) + log1p(at(exp(at(-at(abs(x))))));
}

AUTOVEC_API Tensor SiluFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  // Below -1000 the product is 0 in every dtype, and the infinite factor would make it NaN.
  return at(where(at(x < -1000), 0, x)) * sigmoid(x);
}

AUTOVEC_API Tensor GeluFunction::operator()(Operand x, bool approximate) const {
  const detail::At at(x.where());
  const Operand bounded = at(where(at(x < -1000), 0, x));
  const Operand half = at(bounded * 0.5);
  // erfc keeps what 1 + erf would cancel where x is far below 0.
  if (!approximate) return half * erfc(at(bounded * -0.70710678118654752440));
  // sqrt(2 / pi) (x + 0.044715 x^3); beyond 100 tanh is 1 long since.
  const Operand y = at(minimum(bounded, 100));
  const Tensor cubic = at(at(y * y) * y) * 0.044715 + y;
  return half * (at(tanh(at(at(cubic) * 0.79788456080286535588))) + 1);
}

AUTOVEC_API Tensor LogaddexpFunction::operator()(Operand x, Operand y) const {
  const detail::At at(x.where());
  const Element element = detail::common_float(x, y);
  const Operand a = at(detail::with_element(x, element, x.where()));
  const Operand b = at(detail::with_element(y, element, x.where()));
  const Operand difference = at(a - b);
  const Tensor sum = at(maximum(a, b)) + log1p(at(exp(at(-at(abs(difference))))));
  // Equal infinities, or NaN: their sum is the answer.
  return where(at(isnan(difference)), a + b, sum);
}

AUTOVEC_API Tensor XlogyFunction::operator()(Operand x, Operand y) const {
  const detail::At at(x.where());
  const Operand skip = at(at(x == 0) & ~at(isnan(y)));
  return x * log(at(where(skip, 1, y)));
}

AUTOVEC_API Tensor Xlog1pyFunction::operator()(Operand x, Operand y) const {
  const detail::At at(x.where());
  const Operand skip = at(at(x == 0) & ~at(isnan(y)));
  return x * log1p(at(where(skip, 0, y)));
}

AUTOVEC_API Tensor SincFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  const Operand zero = at(x == 0);
  const Operand y = at(at(where(zero, 1, x)) * detail::pi);
  return where(zero, 1.0, at(sin(y)) / y);
}

AUTOVEC_API Tensor HeavisideFunction::operator()(Operand x, Operand at_zero) const {
  const detail::At at(x.where());
  const Tensor side = where(at(x < 0), 0, where(at(x > 0), 1, at_zero));
  return is_float(x.type().dtype) ? where(at(isnan(x)), x, side) : side;
}

AUTOVEC_API Tensor FmodFunction::operator()(Operand x, Operand y) const {
  const detail::At at(x.where());
  if (is_float(promote(element_of(x.type()), element_of(y.type())).dtype)) {
    return copysign(at(remainder(at(abs(x)), abs(y))), x);
  }
  const Operand r = at(remainder(x, y));
  return where(at(at(r != 0) & at(at(r < 0) != at(x < 0))), r - y, r);
}

AUTOVEC_API Tensor AsinhFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  const Operand negative = at(y < 0);
  const Operand a = at(where(negative, -y, y));
  const Operand large = at(a > detail::log_2x_from(y.type().dtype));
  const Operand b = at(where(large, 1.0, a));
  // a + sqrt(a^2 + 1) - 1 without cancellation.
  const Operand square_of_b = at(b * b);
  const Tensor excess = b + square_of_b / (at(sqrt(at(square_of_b + 1.0))) + 1.0);
  const Tensor far = at(log(at(where(large, a, 1.0)))) + detail::ln_2;
  const Operand magnitude = at(where(large, far, log1p(at(excess))));
  return where(negative, -magnitude, magnitude);
}

AUTOVEC_API Tensor AcoshFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  const Operand large = at(y > detail::log_2x_from(y.type().dtype));
  const Operand t = at(at(where(large, 2.0, y)) - 1.0);
  const Tensor near = log1p(at(t + sqrt(at(t * (t + 2.0)))));
  return where(large, at(log(at(where(large, y, 1.0)))) + detail::ln_2, near);
}

AUTOVEC_API Tensor AtanhFunction::operator()(Operand x) const {
  const detail::At at(x.where());
  return at(at(log1p(x)) - log1p(at(-x))) * 0.5;
}

AUTOVEC_API Tensor LogicalAndFunction::operator()(Operand x, Operand y) const {
  return Operand(detail::as_bool(x), x.where()) & detail::as_bool(y);
}

AUTOVEC_API Tensor LogicalOrFunction::operator()(Operand x, Operand y) const {
  return Operand(detail::as_bool(x), x.where()) | detail::as_bool(y);
}

AUTOVEC_API Tensor LogicalXorFunction::operator()(Operand x, Operand y) const {
  return Operand(detail::as_bool(x), x.where()) ^ detail::as_bool(y);
}

AUTOVEC_API Tensor LogicalNotFunction::operator()(Operand x) const {
  return ~Operand(detail::as_bool(x), x.where());
}

AUTOVEC_API Tensor DiffFunction::operator()(Operand x, std::int64_t n, std::int64_t axis) const {
  const Where where = x.where();
  axis = wrap_axis(axis, x.rank(), "diff", where);
  if (n < 0) fail<ShapeError>("diff", "a negative count", where);
  Tensor y = x;
  for (; n > 0 && y.extent(axis) > 0; --n) {
    const std::int64_t m = y.extent(axis) - 1;
    const Operand next(slice_axis(y, axis, 1, m, where), where);
    y = is_bool(y.dtype()) ? next != slice_axis(y, axis, 0, m, where)
                           : next - slice_axis(y, axis, 0, m, where);
  }
  return y;
}

}  // namespace autovec::inline v1
