// The caller's file and line, taken by default arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace autovec::inline v1 {

/// A place in the user's source. Only `here()` makes one, so no brace list converts to it.
class Where {
 public:
  /// The place where the innermost call that carries this as a default argument is written.
  static constexpr Where here(const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) noexcept {
    return Where(file, line);
  }
  static constexpr Where unknown() noexcept { return Where(nullptr, 0); }

  constexpr const char* file() const noexcept { return file_; }
  constexpr int line() const noexcept { return line_; }
  constexpr bool known() const noexcept { return file_ != nullptr; }

  /// `model.cpp:42`: the file's last path component and the line.
  std::string text() const {
    if (!known()) return "unknown place";
    const char* name = file_;
    for (const char* p = file_; *p != '\0'; ++p) {
      if (*p == '/' || *p == '\\') name = p + 1;
    }
    std::string out(name);
    out += ':';
    out += std::to_string(line_);
    return out;
  }

 private:
  constexpr Where(const char* file, int line) noexcept : file_(file), line_(line) {}
  const char* file_;
  int line_;
};

}  // namespace autovec::inline v1
