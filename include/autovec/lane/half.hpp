// f16 and bf16 to f32 and back, by integer arithmetic, so that bits depend on no instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace autovec::inline v1 {
namespace lane {

/// Exact.
inline float f32_from_f16(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
  const std::uint32_t rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | rest << 13);
  if (rest >= 0x0400u) return std::bit_cast<float>(sign | (rest + 0x1c000u) << 13);
  // Subnormal: rest * 2^-24, exact in f32.
  const float magnitude = static_cast<float>(rest) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

/// To nearest, ties to even; overflows to infinity; any NaN to a quiet NaN of its sign.
inline std::uint16_t f16_from_f32(float x) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return sign | 0x7e00u;
  if (rest >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and more
  if (rest >= 0x38800000u) {
    const std::uint32_t odd = rest >> 13 & 1u;
    return static_cast<std::uint16_t>(sign | ((rest - 0x38000000u + 0x0fffu + odd) >> 13));
  }
  // Below 2^-14: adding 1/2 puts units of 2^-24 into the low bits, rounded as wanted.
  const float shifted = std::bit_cast<float>(rest) + 0.5f;
  return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
}

/// Exact.
inline float f32_from_bf16(std::uint16_t half) noexcept {
  return std::bit_cast<float>(std::uint32_t(half) << 16);
}

/// To nearest, ties to even; any NaN to a quiet NaN of its sign.
inline std::uint16_t bf16_from_f32(float x) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7fc0u);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace lane
}  // namespace autovec::inline v1
