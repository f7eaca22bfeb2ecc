// The plain loop, compiled for this machine (-O3 -march=native), so that it is no straw man.
// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

std::vector<std::int32_t> nearest_by_loop(const std::vector<float>& known,
                                          const std::vector<std::int32_t>& labels,
                                          const std::vector<float>& digits) {
  std::vector<std::int32_t> result;
  for (std::size_t d = 0; d < digits.size(); d += 64) {
    std::array<std::pair<float, std::int32_t>, 3> nearest;  // distance and label, ascending
    nearest.fill({std::numeric_limits<float>::infinity(), 0});
    for (std::size_t k = 0; k < labels.size(); ++k) {
      float distance = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        const float difference = known[64 * k + i] - digits[d + i];
        distance += difference * difference;
      }
      if (distance >= nearest[2].first) continue;
      nearest[2] = {distance, labels[k]};
      if (nearest[2].first < nearest[1].first) std::swap(nearest[2], nearest[1]);
      if (nearest[1].first < nearest[0].first) std::swap(nearest[1], nearest[0]);
    }
    std::array<int, 10> votes{};
    for (const auto& held : nearest) ++votes[static_cast<std::size_t>(held.second)];
    result.push_back(
        static_cast<std::int32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin()));
  }
  return result;
}
