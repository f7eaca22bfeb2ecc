// Nearest neighbours without the library: the loop that the example is timed against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// For each of `digits` (64 pixels one after the other) the label that most of the three nearest of
/// `known` have.
std::vector<std::int32_t> nearest_by_loop(const std::vector<float>& known,
                                          const std::vector<std::int32_t>& labels,
                                          const std::vector<float>& digits);
