// The lane vocabulary on plain C++ numbers: what generic lane bodies may say, and what it means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "autovec/base/config.hpp"

namespace autovec::inline v1 {

/// The lane instruction set and the vocabulary in which lane bodies are written.
///
/// A body is `template <class V> V f(V x)`. V is a plain number (this file), a handle that records
/// (`Lane<T>`) or a batch of SIMD lanes; the bits are the same for all three. Bodies
/// - call the functions below unqualified, under `using namespace lane`, so that argument-dependent
///   lookup finds those of the other families of V;
/// - use + - * / and unary - on floats, + - on ints that do not overflow (else wrapping_add);
/// - use & | ^ on ints and masks, == != < <= > >= on all;
/// - never use && || ! ~ or an `if` on a value, but `select`, `invert` and `when_any`;
/// - write a constant as `V(c)` with c of type element_t<V>;
/// - write every multiply that feeds an add or a subtract as `fma`.
namespace lane {

/// What a family of V tells about itself: `element`, `rebind<U>` (same family, element U) and, if
/// functions are not simply expanded in place, `call<F>(x...)`.
template <class V>
struct Traits;

/// A plain C++ number or bool.
template <class T>
concept Scalar = std::is_arithmetic_v<T>;

template <Scalar T>
struct Traits<T> {
  using element = T;
  template <class U>
  using rebind = U;
};

/// float for float, Lane<float>, a batch of floats.
template <class V>
using element_t = typename Traits<V>::element;

/// The same family with element U.
template <class V, class U>
using rebind_t = typename Traits<V>::template rebind<U>;

template <class V>
using mask_t = rebind_t<V, bool>;

namespace detail {
template <std::size_t Bytes>
struct IntOf;
template <>
struct IntOf<1> {
  using type = std::int8_t;
};
template <>
struct IntOf<2> {
  using type = std::int16_t;
};
template <>
struct IntOf<4> {
  using type = std::int32_t;
};
template <>
struct IntOf<8> {
  using type = std::int64_t;
};
}  // namespace detail

/// The signed and the unsigned integer as wide as an element of V, in V's family.
template <class V>
using int_t = rebind_t<V, typename detail::IntOf<sizeof(element_t<V>)>::type>;
template <class V>
using uint_t =
    rebind_t<V, std::make_unsigned_t<typename detail::IntOf<sizeof(element_t<V>)>::type>>;

// The later arguments do not take part in deduction, so constants convert to the first one's type.
namespace detail {
template <class T>
using same = std::type_identity_t<T>;
}

/// a * b + c with one rounding.
template <std::floating_point T>
inline T fma(T a, detail::same<T> b, detail::same<T> c) {
  return std::fma(a, b, c);
}

template <std::floating_point T>
inline T sqrt(T x) {
  return std::sqrt(x);
}

/// Clears a float's sign; the least signed integer stays as it is.
template <Scalar T>
inline T abs(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else if constexpr (std::is_signed_v<T>) {
    using U = std::make_unsigned_t<T>;
    return x < 0 ? static_cast<T>(U(0) - static_cast<U>(x)) : x;
  } else {
    return x;
  }
}

template <std::floating_point T>
inline T floor(T x) {
  return std::floor(x);
}

template <std::floating_point T>
inline T ceil(T x) {
  return std::ceil(x);
}

template <std::floating_point T>
inline T trunc(T x) {
  return std::trunc(x);
}

/// To the nearest integer, ties to even.
template <std::floating_point T>
inline T round_even(T x) {
  return std::nearbyint(x);
}

/// The lesser; NaN if either is NaN, the first if they are equal.
template <Scalar T>
inline T min(T a, detail::same<T> b) {
  if (a != a) return a;
  return b < a || b != b ? b : a;
}

/// The greater; NaN if either is NaN, the first if they are equal.
template <Scalar T>
inline T max(T a, detail::same<T> b) {
  if (a != a) return a;
  return b > a || b != b ? b : a;
}

/// a where the mask holds, else b.
template <Scalar T>
inline T select(bool mask, T a, detail::same<T> b) {
  return mask ? a : b;
}

/// The mask that holds where this one does not.
inline bool invert(bool mask) { return !mask; }

/// Does any lane hold?
inline bool any(bool mask) { return mask; }

/// f() where the mask holds, else `fallback`; f runs only if some lane holds.
template <Scalar V, class F>
inline V when_any(bool mask, F f, V fallback) {
  return mask ? f() : fallback;
}

/// The bit pattern of a float.
template <std::floating_point T>
inline int_t<T> to_bits(T x) {
  return std::bit_cast<int_t<T>>(x);
}

/// The float with this bit pattern.
template <std::floating_point V>
inline V from_bits(int_t<V> bits) {
  return std::bit_cast<V>(bits);
}

/// The value in another type. Float to int truncates and saturates, NaN gives 0; int to int wraps;
/// anything to bool is `!= 0`.
template <Scalar U, Scalar T>
inline U convert(T x) {
  if constexpr (std::is_same_v<U, bool>) {
    return x != T(0);
  } else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>) {
    // Both bounds are powers of two (or 0), so exact in T; the upper one is the first that is out.
    constexpr T low = static_cast<T>(std::numeric_limits<U>::min());
    constexpr T half = static_cast<T>(U(1) << (std::numeric_limits<U>::digits - 1));
    constexpr T high = half + half;
    if (x != x) return U(0);
    if (x < low) return std::numeric_limits<U>::min();
    if (x >= high) return std::numeric_limits<U>::max();
    return static_cast<U>(x);
  } else {
    return static_cast<U>(x);
  }
}

/// a + b and a - b modulo 2^width. Lane programs and batches always wrap; C++ integers do not.
template <class V>
inline V wrapping_add(V a, V b) {
  if constexpr (Scalar<V>) {
    return static_cast<V>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

template <class V>
inline V wrapping_sub(V a, V b) {
  if constexpr (Scalar<V>) {
    return static_cast<V>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return a - b;
  }
}

/// x * 2^n, wrapping; 0 if n is negative or at least the width.
template <std::integral T>
inline T shl(T x, detail::same<T> n) {
  using U = std::make_unsigned_t<T>;
  constexpr int width = std::numeric_limits<U>::digits;
  return n < T(0) || n >= T(width)
             ? T(0)
             : static_cast<T>(static_cast<std::uint64_t>(static_cast<U>(x)) << static_cast<int>(n));
}

/// x / 2^n rounded down; if n is negative or at least the width: the sign (-1 or 0), 0 if unsigned.
template <std::integral T>
inline T shr(T x, detail::same<T> n) {
  constexpr int width = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  if (n < T(0) || n >= T(width)) return std::is_signed_v<T> && x < T(0) ? T(-1) : T(0);
  return static_cast<T>(x >> static_cast<int>(n));
}

/// The function F (a struct with `name` and `body`) at x: expanded in place, unless the family of V
/// has its own `call`.
template <class F, class V, class... Vs>
inline V apply(V x, Vs... xs) {
  if constexpr (requires { Traits<V>::template call<F>(x, xs...); }) {
    return Traits<V>::template call<F>(x, xs...);
  } else {
    return F::body(x, xs...);
  }
}

}  // namespace lane
}  // namespace autovec::inline v1
