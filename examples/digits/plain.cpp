// The plain loop, compiled for this machine (-O3 -march=native), so that it is no straw man.
// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"

#include <limits>

std::vector<std::int32_t> nearest_by_loop(const std::vector<float>& known, const std::vector<std::int32_t>& labels,
                                          const std::vector<float>& digits) {
  std::vector<std::int32_t> result;
  for (std::size_t d = 0; d < digits.size(); d += 64) {
    float least = std::numeric_limits<float>::infinity();
    std::int32_t label = 0;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      float distance = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        const float difference = known[64 * k + i] - digits[d + i];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        label = labels[k];
      }
    }
    result.push_back(label);
  }
  return result;
}
