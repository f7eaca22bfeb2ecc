// CHECK_TEXT: compares a text with the golden text beside it, or offers it to tools/accept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace golden {

/// The lines of `text`, without blanks at their ends.
inline std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == '\n') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  for (std::string& line : out) line.erase(line.find_last_not_of(" \t\r") + 1);
  return out;
}

/// `text` without the indentation its lines share and without blank lines at its ends.
inline std::string dedent(std::string_view text) {
  std::vector<std::string> all = lines(text);
  while (!all.empty() && all.back().empty()) all.pop_back();
  while (!all.empty() && all.front().empty()) all.erase(all.begin());
  std::size_t shared = std::string::npos;
  for (const std::string& line : all) {
    if (!line.empty()) shared = std::min(shared, line.find_first_not_of(' '));
  }
  std::string out;
  for (const std::string& line : all) {
    if (!out.empty() || &line != &all.front()) out += '\n';
    if (!line.empty()) out += line.substr(shared);
  }
  return out;
}

/// `text` as a JSON string.
inline std::string json(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

/// What a reader needs to see of two texts that differ.
inline std::string difference(const std::string& actual, const std::string& expected) {
  const std::vector<std::string> a = lines(actual);
  const std::vector<std::string> e = lines(expected);
  std::size_t at = 0;
  while (at < a.size() && at < e.size() && a[at] == e[at]) ++at;
  std::string out = "texts differ from line " + std::to_string(at + 1);
  out += "\n--- expected\n" + expected;
  out += "\n--- actual\n" + actual;
  out += "\n---";
  return out;
}

/// The body of CHECK_TEXT. With AUTOVEC_ACCEPT=1 in the environment a text that differs is appended
/// to AUTOVEC_ACCEPT_FILE, one JSON object a line, and the check holds.
inline void check_text(std::string_view actual_text, std::string_view expected_text,
                       const char* file, int line) {
  const std::string actual = dedent(actual_text);
  const std::string expected = dedent(expected_text);
  if (actual == expected) {
    CHECK(true);  // counts the comparison
    return;
  }
  const char* accept = std::getenv("AUTOVEC_ACCEPT");
  if (accept == nullptr || std::string_view(accept) != "1") {
    ADD_FAIL_CHECK_AT(file, line, difference(actual, expected));
    return;
  }
  // The golden text itself tells tools/accept which literal is meant: compilers do not agree on the
  // line of a macro that is spread over several.
  std::ofstream out(AUTOVEC_ACCEPT_FILE, std::ios::app);
  out << "{\"file\": " << json(file) << ", \"line\": " << line
      << ", \"expected\": " << json(expected_text) << ", \"actual\": " << json(actual) << "}\n";
  CHECK(out.good());
}

}  // namespace golden

/// Checks that `actual` equals the text that follows, which must be a raw string literal. Shared
/// indentation, blanks at line ends and blank lines at both ends do not count.
#define CHECK_TEXT(actual, ...) golden::check_text(actual, __VA_ARGS__, __FILE__, __LINE__)
