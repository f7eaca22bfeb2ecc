// Mixing of 64-bit words into one hash; for structural keys, not for security.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace autovec::inline v1 {

/// Accumulates words; equal sequences give equal values on every machine.
class Hasher {
 public:
  void add(std::uint64_t word) noexcept {
    // Multiply, xor-shift: the finalizer of MurmurHash3 over a running state.
    state_ = (state_ ^ word) * 0xff51afd7ed558ccdULL;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) noexcept {
    add(text.size());
    while (!text.empty()) {
      std::uint64_t word = 0;
      const std::size_t n = text.size() < 8 ? text.size() : 8;
      std::memcpy(&word, text.data(), n);
      add(word);
      text.remove_prefix(n);
    }
  }
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace autovec::inline v1
