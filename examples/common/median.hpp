// How long a call takes: the median of several.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

/// The median time of `runs` calls in milliseconds; one call before them is not counted.
template <class F>
double median_ms(int runs, const F& f) {
  using Clock = std::chrono::steady_clock;
  f();
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const Clock::time_point start = Clock::now();
    f();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<std::size_t>(runs / 2)];
}
