// Contestants of one workload, run in turn in one process; medians, ratios, a table and JSON lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace contest {

/// What is compared: `letter` as in the tables of docs (a: loop of the one-example graph, b:
/// autovec, c: hand-written, d: plain C++ loop).
struct Contestant {
  char letter;
  std::string name;
  std::function<void()> run;
};

inline double seconds_of(const std::function<void()>& run, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

/// Runs all contestants in turn, `rounds` times, each as often as fills about 20 ms, and prints the
/// median of each and its ratio to b. `--json` output goes to stderr.
inline void compare(const std::string& workload, const std::vector<Contestant>& all,
                    int rounds = 9) {
  std::vector<int> calls;
  for (const Contestant& c : all) {
    c.run();  // warm: traced, planned, buffers there
    const double once = seconds_of(c.run, 1);
    calls.push_back(std::clamp(static_cast<int>(0.02 / std::max(once, 1e-9)), 1, 200000));
  }
  std::vector<std::vector<double>> times(all.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i)
      times[i].push_back(seconds_of(all[i].run, calls[i]));
  }
  std::vector<double> median;
  double ours = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    median.push_back(times[i][times[i].size() / 2]);
    if (all[i].letter == 'b') ours = median.back();
  }
  std::printf("%s\n", workload.c_str());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::printf("  (%c) %-44s %12.2f us  %8.2f x b\n", all[i].letter, all[i].name.c_str(),
                1e6 * median[i], ours > 0 ? median[i] / ours : 0);
    std::fprintf(stderr,
                 "{\"workload\":\"%s\",\"contestant\":\"%c\",\"name\":\"%s\",\"seconds\":%.9g}\n",
                 workload.c_str(), all[i].letter, all[i].name.c_str(), median[i]);
  }
}

/// Keeps a result alive.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace contest
