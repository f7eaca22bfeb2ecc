// A C++ number that keeps its 64 bits until it meets a typed tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "autovec/ir/type.hpp"

namespace autovec::inline v1 {

/// bool, int64, uint64 or double, with the weak type it stands for until it is converted.
struct Number {
  enum class Kind : std::uint8_t { boolean, integer, natural, real };
  Kind kind = Kind::integer;
  std::uint64_t bits = 0;

  Number() = default;
  template <class T>
    requires std::is_arithmetic_v<T> Number(T value) {
      if constexpr (std::is_same_v<T, bool>) {
        kind = Kind::boolean;
        bits = value ? 1 : 0;
      } else if constexpr (std::is_floating_point_v<T>) {
        kind = Kind::real;
        bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
      } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
        const auto u = static_cast<std::uint64_t>(value);
        kind = u > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                   ? Kind::natural
                   : Kind::integer;
        bits = u;
      } else {
        kind = Kind::integer;
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
      }
    }

  double real() const {
    switch (kind) {
      case Kind::real: return std::bit_cast<double>(bits);
      case Kind::integer: return static_cast<double>(static_cast<std::int64_t>(bits));
      default: return static_cast<double>(bits);
    }
  }

  /// The weak element it counts as: b8, i32~ (i64 where 32 bits do not hold it, u64 above), float~.
  Element element() const {
    switch (kind) {
      case Kind::boolean: return {DType::b8, false};
      case Kind::natural: return {DType::u64, false};
      case Kind::real: return {default_float(), true};
      default: break;
    }
    const auto v = static_cast<std::int64_t>(bits);
    const bool small = v >= std::numeric_limits<std::int32_t>::min() &&
                       v <= std::numeric_limits<std::int32_t>::max();
    return {small ? DType::i32 : DType::i64, true};
  }

  /// Rounded once to C++ type T; float to integer saturates, NaN gives 0, integers wrap.
  template <class T>
  T as() const {
    if constexpr (std::is_same_v<T, bool>) {
      return kind == Kind::real ? real() != 0 : bits != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      if (kind == Kind::integer) return static_cast<T>(static_cast<std::int64_t>(bits));
      if (kind == Kind::real) return static_cast<T>(real());
      return static_cast<T>(bits);
    } else {
      if (kind != Kind::real) return static_cast<T>(bits);
      const double v = real();
      if (std::isnan(v)) return 0;
      if (v <= static_cast<double>(std::numeric_limits<T>::min())) {
        return std::numeric_limits<T>::min();
      }
      if (v >= static_cast<double>(std::numeric_limits<T>::max())) {
        return std::numeric_limits<T>::max();
      }
      return static_cast<T>(v);
    }
  }

  /// The bit pattern of this number rounded to `dtype`, in the low bytes. b8 and integers of all
  /// widths, f32 and f64; f16 and bf16 give their f32 value's pattern.
  std::uint64_t bits_as(DType dtype) const {
    return dispatch(
        dtype,
        [&]<class T>() {
          const T value = as<T>();
          std::uint64_t out = 0;
          std::memcpy(&out, &value, sizeof value);
          return out;
        },
        [&] { return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(as<float>())); });
  }

  friend bool operator==(const Number&, const Number&) noexcept = default;
};

/// The number as it reads back when the dtype is known: `2`, `0.1`, `true`, `nan`.
inline std::string number_text_as(const Number& number, DType dtype) {
  return dispatch(
      dtype, [&]<class T>() { return number_text(number.as<T>()); },
      [&] { return number_text(number.as<float>()); });
}

}  // namespace autovec::inline v1
