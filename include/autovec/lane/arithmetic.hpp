// The operators of lane instructions as functions on scalars: integers wrap and nothing traps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace autovec::inline v1 {
namespace lane {
namespace arithmetic {

/// Wide enough that narrow types don't promote to int, where they could overflow.
template <class T>
using wrapping = std::make_unsigned_t<std::common_type_t<T, int>>;

template <class T>
constexpr T add(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
  } else {
    return a + b;
  }
}

template <class T>
constexpr T sub(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
  } else {
    return a - b;
  }
}

template <class T>
constexpr T mul(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
  } else {
    return a * b;
  }
}

template <class T>
constexpr T neg(T a) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return sub(T(0), a);
  } else {
    return -a;
  }
}

/// Truncates; x / 0 is 0, and the least integer divided by -1 is itself.
template <class T>
constexpr T div(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    if (b == T(0)) return T(0);
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return neg(a);
    }
    return static_cast<T>(a / b);
  } else {
    return a / b;
  }
}

/// On bool, logical not; on integers, all bits.
template <class T>
constexpr T invert(T a) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}

template <class T>
constexpr T bit_and(T a, T b) noexcept {
  return static_cast<T>(a & b);
}

template <class T>
constexpr T bit_or(T a, T b) noexcept {
  return static_cast<T>(a | b);
}

template <class T>
constexpr T bit_xor(T a, T b) noexcept {
  return static_cast<T>(a ^ b);
}

template <class T>
constexpr bool equal(T a, T b) noexcept {
  return a == b;
}

template <class T>
constexpr bool not_equal(T a, T b) noexcept {
  return a != b;
}

template <class T>
constexpr bool less(T a, T b) noexcept {
  return a < b;
}

template <class T>
constexpr bool less_equal(T a, T b) noexcept {
  return a <= b;
}

template <class T>
constexpr bool greater(T a, T b) noexcept {
  return a > b;
}

template <class T>
constexpr bool greater_equal(T a, T b) noexcept {
  return a >= b;
}

}  // namespace arithmetic
}  // namespace lane
}  // namespace autovec::inline v1
