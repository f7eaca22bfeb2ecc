// What a call throws, as text to compare with a golden one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "autovec/base/error.hpp"

/// The message of the `Kind` that `f()` throws; the test fails where it throws none. Lines of the
/// caller's file count from the line of this call, `test.cpp:+0`, so that a golden text stays right
/// when lines are added above.
template <class Kind, class F>
std::string thrown(const F& f, autovec::Where where = autovec::Where::here()) {
  std::string text;
  try {
    f();
    ADD_FAIL_CHECK_AT(where.file(), where.line(), "nothing was thrown");
  } catch (const Kind& e) {
    text = e.what();
  } catch (const autovec::Error& e) {
    text = e.what();
    ADD_FAIL_CHECK_AT(where.file(), where.line(), "an error of another class was thrown: " << text);
  }
  std::string file = where.text();
  file.resize(file.find(':') + 1);
  for (std::size_t at = text.find(file); at != std::string::npos;
       at = text.find(file, at + file.size())) {
    const std::size_t digits = at + file.size();
    const std::size_t end = text.find_first_not_of("0123456789", digits);
    const int offset = std::stoi(text.substr(digits, end - digits)) - where.line();
    text.replace(digits, (end == std::string::npos ? text.size() : end) - digits,
                 (offset < 0 ? "" : "+") + std::to_string(offset));
  }
  return text;
}
