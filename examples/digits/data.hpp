// The digits as tensors: reading them, and drawing those that were not recognised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <autovec/autovec.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// n digits: pixels f32[n,64] from 0 to 16, labels i32[n]. One digit: f32[64] and i32[].
struct Digits {
  autovec::Tensor pixels, labels;
};

/// Throws std::runtime_error where the file can't be read.
Digits read_digits(const std::string& path);

/// A digit that was taken for another.
struct Mistake {
  std::size_t digit;  // its row in the tensors
  std::int32_t said, truth;
};

/// Writes an SVG picture of these digits, each with what was said of it and what it is.
void draw_mistakes(const std::string& path, const Digits& digits,
                   const std::vector<Mistake>& mistakes);
