// The times of a run's steps as a table and as JSON: what profile.hpp declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "autovec/base/config.hpp"
#include "autovec/base/profile.hpp"
#include "autovec/base/text.hpp"

namespace autovec::inline v1 {

namespace detail {
/// `value` with one decimal, right-aligned.
inline std::string tenths_text(double value, std::size_t width) {
  const auto tenths = static_cast<std::int64_t>(value * 10 + 0.5);
  std::string text = number_text(tenths / 10);
  text += '.';
  text += number_text(tenths % 10);
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
}  // namespace detail

AUTOVEC_API std::string Profile::text() const {
  std::string out("        us      %     GB/s     runs  step\n");
  for (const Row& row : rows) {
    out += detail::tenths_text(1e6 * row.seconds, 10);
    out += detail::tenths_text(seconds > 0 ? 100 * row.seconds / seconds : 0, 7);
    out += detail::tenths_text(row.seconds > 0 ? 1e-9 * row.bytes / row.seconds : 0, 9);
    const std::string runs = number_text(row.runs);
    out.append(runs.size() < 9 ? 9 - runs.size() : 0, ' ');
    out += runs;
    out.append(2 + 2 * static_cast<std::size_t>(row.depth), ' ');
    out += row.step;
    out += ": ";
    out += row.reason;
    out += '\n';
  }
  out += detail::tenths_text(1e6 * seconds, 10);
  out += "  in all\n";
  return out;
}

AUTOVEC_API std::string Profile::trace_json() const {
  std::string out("{\"traceEvents\":[");
  double start = 0;
  double inside = 0;  // start of the next inner step
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    double& at = row.depth == 0 ? start : inside;
    if (i != 0) out += ',';
    out += "{\"name\":";
    out += quoted_text(row.step);
    out += ",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":";
    out += number_text(1e6 * at);
    out += ",\"dur\":";
    out += number_text(1e6 * row.seconds);
    out += ",\"args\":{\"reason\":";
    out += quoted_text(row.reason);
    out += ",\"runs\":";
    out += number_text(row.runs);
    out += "}}";
    if (row.depth == 0) inside = at;
    at += row.seconds;
  }
  out += "]}";
  return out;
}

AUTOVEC_API std::ostream& operator<<(std::ostream& out, const Profile& profile) {
  return out << profile.text();
}

}  // namespace autovec::inline v1
