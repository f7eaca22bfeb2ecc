// The times of a run's steps, and their text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace autovec::inline v1 {

/// Where the time of a run went: one row a step of the plan, steps of loops and branches indented.
struct Profile {
  struct Row {
    std::string step;    // `launch tanh`
    std::string reason;  // `map chain of 3 nodes`
    int depth = 0;
    std::int64_t runs = 0;
    double seconds = 0;
    double bytes = 0;  // read and written; 0 where the step does not count them
  };
  std::vector<Row> rows;
  double seconds = 0;  // of one run, the mean

  /// A table.
  std::string text() const;
  /// The rows one after the other as a trace in Chrome's JSON form, which Perfetto opens.
  std::string trace_json() const;
};
std::ostream& operator<<(std::ostream& out, const Profile& profile);

}  // namespace autovec::inline v1
