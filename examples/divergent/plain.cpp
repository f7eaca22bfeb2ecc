// The plain loops, compiled for this machine (-O3 -march=native), so that they are no straw men.
// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"

#include <cmath>
#include <cstddef>

std::vector<std::int32_t> escape_times_by_loop(const std::vector<float>& xs,
                                               const std::vector<float>& ys, std::int32_t most) {
  std::vector<std::int32_t> out;
  out.reserve(xs.size() * ys.size());
  for (const float cy : ys) {
    for (const float cx : xs) {
      float x = 0, y = 0;
      std::int32_t trips = 0;
      while (trips < most && x * x + y * y <= 4) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++trips;
      }
      out.push_back(trips);
    }
  }
  return out;
}

std::vector<double> kepler_by_loop(const std::vector<double>& mean,
                                   const std::vector<double>& eccentricity) {
  std::vector<double> out;
  out.reserve(mean.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double m = mean[i], e = eccentricity[i];
    double anomaly = m + e, step = 1;
    while (std::abs(step) > 1e-12) {
      step = (anomaly - e * std::sin(anomaly) - m) / (1 - e * std::cos(anomaly));
      anomaly -= step;
    }
    out.push_back(anomaly);
  }
  return out;
}
