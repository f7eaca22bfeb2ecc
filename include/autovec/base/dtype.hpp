// Element types: names, sizes, classes, and the mapping from C++ types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace autovec::inline v1 {

/// Element type of a tensor. f16 and bf16 are storage types: arithmetic on them runs in f32.
enum class DType : std::uint8_t {
  b8,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128
};

inline constexpr std::size_t dtype_count = 15;

inline constexpr DType b8 = DType::b8, i8 = DType::i8, i16 = DType::i16, i32 = DType::i32,
                       i64 = DType::i64, u8 = DType::u8, u16 = DType::u16, u32 = DType::u32,
                       u64 = DType::u64, f16 = DType::f16, bf16 = DType::bf16, f32 = DType::f32,
                       f64 = DType::f64, c64 = DType::c64, c128 = DType::c128;

/// `f32`, `i64`, ...
constexpr std::string_view name_of(DType t) noexcept {
  constexpr std::array<std::string_view, dtype_count> names = {"b8",   "i8",  "i16", "i32", "i64",
                                                               "u8",   "u16", "u32", "u64", "f16",
                                                               "bf16", "f32", "f64", "c64", "c128"};
  return names[static_cast<std::size_t>(t)];
}

/// Bytes of one element.
constexpr std::size_t size_of(DType t) noexcept {
  constexpr std::array<std::uint8_t, dtype_count> sizes = {1, 1, 2, 4, 8, 1, 2, 4,
                                                           8, 2, 2, 4, 8, 8, 16};
  return sizes[static_cast<std::size_t>(t)];
}

constexpr bool is_bool(DType t) noexcept { return t == DType::b8; }
constexpr bool is_signed_int(DType t) noexcept { return t >= DType::i8 && t <= DType::i64; }
constexpr bool is_unsigned_int(DType t) noexcept { return t >= DType::u8 && t <= DType::u64; }
constexpr bool is_int(DType t) noexcept { return t >= DType::i8 && t <= DType::u64; }
constexpr bool is_float(DType t) noexcept { return t >= DType::f16 && t <= DType::f64; }
constexpr bool is_complex(DType t) noexcept { return t >= DType::c64; }
/// Float or complex: the types that have derivatives.
constexpr bool is_inexact(DType t) noexcept { return t >= DType::f16; }

namespace detail {
template <class T>
constexpr DType dtype_of() noexcept {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return DType::b8;
  else if constexpr (std::is_same_v<U, float>) return DType::f32;
  else if constexpr (std::is_same_v<U, double>) return DType::f64;
  else if constexpr (std::is_same_v<U, std::complex<float>>) return DType::c64;
  else if constexpr (std::is_same_v<U, std::complex<double>>) return DType::c128;
  else {
    static_assert(std::is_integral_v<U>, "this C++ type is no element type of tensors");
    constexpr bool s = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1) return s ? DType::i8 : DType::u8;
    else if constexpr (sizeof(U) == 2) return s ? DType::i16 : DType::u16;
    else if constexpr (sizeof(U) == 4) return s ? DType::i32 : DType::u32;
    else return s ? DType::i64 : DType::u64;
  }
}
}  // namespace detail

/// The dtype whose elements are stored as `T`.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of<T>();

/// Calls `f.template operator()<T>()` with the C++ type behind `t`; b8 is stored as a byte that
/// holds 0 or 1 and comes as `bool`. f16, bf16 and complex give `otherwise()`.
template <class F, class G>
constexpr decltype(auto) dispatch(DType t, F&& f, G&& otherwise) {
  switch (t) {
    case DType::b8: return f.template operator()<bool>();
    case DType::i8: return f.template operator()<std::int8_t>();
    case DType::i16: return f.template operator()<std::int16_t>();
    case DType::i32: return f.template operator()<std::int32_t>();
    case DType::i64: return f.template operator()<std::int64_t>();
    case DType::u8: return f.template operator()<std::uint8_t>();
    case DType::u16: return f.template operator()<std::uint16_t>();
    case DType::u32: return f.template operator()<std::uint32_t>();
    case DType::u64: return f.template operator()<std::uint64_t>();
    case DType::f32: return f.template operator()<float>();
    case DType::f64: return f.template operator()<double>();
    default: return otherwise();
  }
}

/// The dtype with this name; `found` tells whether there is one.
constexpr DType dtype_named(std::string_view name, bool& found) noexcept {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    if (name_of(static_cast<DType>(i)) == name) {
      found = true;
      return static_cast<DType>(i);
    }
  }
  found = false;
  return DType::f32;
}

}  // namespace autovec::inline v1
