// Numbers to text and back (shortest round trip), and a cursor that the parsers share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "autovec/base/error.hpp"

namespace autovec::inline v1 {

/// Shortest text that reads back to the same value; `nan`, `inf`, `-inf`; NaN payloads are dropped.
template <class T>
std::string number_text(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return "nan";
      if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    }
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, end.ptr);
  }
}

/// Reads a text left to right; every refusal is a ParseError that names line and column.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  /// Skips blanks, line ends and `#` comments.
  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        break;
      }
    }
  }
  bool at_end() {
    skip_space();
    return at_ >= text_.size();
  }
  /// Next significant character, '\0' at the end.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  /// The character directly at the cursor, blanks included; '\0' at the end.
  char peek_raw() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    if (is_word(token.back()) && at_ + token.size() < text_.size() &&
        is_word(text_[at_ + token.size()])) {
      return false;
    }
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) {
      std::string what("expected '");
      what += token;
      what += "'";
      fail_here(what);
    }
  }
  /// Letters, digits, `_`, `.`; not starting with a digit.
  std::string_view word() {
    skip_space();
    const std::size_t start = at_;
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      fail_here("expected a name");
    }
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ == start) fail_here("expected a name");
    return text_.substr(start, at_ - start);
  }
  bool at_number() {
    const char c = peek();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.') return true;
    return starts_word("inf") || starts_word("nan");
  }
  std::int64_t integer() {
    skip_space();
    std::int64_t value = 0;
    const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (r.ec == std::errc::result_out_of_range) fail_here("integer out of range");
    if (r.ec != std::errc()) fail_here("expected an integer");
    at_ = static_cast<std::size_t>(r.ptr - text_.data());
    return value;
  }
  std::uint64_t unsigned_integer() {
    skip_space();
    std::uint64_t value = 0;
    const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (r.ec != std::errc()) fail_here("expected an unsigned integer");
    at_ = static_cast<std::size_t>(r.ptr - text_.data());
    return value;
  }
  template <class T>
  T real() {
    skip_space();
    if (accept("-inf")) return -std::numeric_limits<T>::infinity();
    if (accept("inf")) return std::numeric_limits<T>::infinity();
    if (accept("nan") || accept("-nan")) return std::numeric_limits<T>::quiet_NaN();
    T value = 0;
    const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (r.ec == std::errc::result_out_of_range) fail_here("number out of range");
    if (r.ec != std::errc()) fail_here("expected a number");
    at_ = static_cast<std::size_t>(r.ptr - text_.data());
    return value;
  }
  /// A double-quoted string with `\"`, `\\` and `\n`.
  std::string quoted() {
    expect("\"");
    std::string out;
    while (true) {
      if (at_ >= text_.size()) fail_here("string does not end");
      char c = text_[at_++];
      if (c == '"') return out;
      if (c == '\\') {
        if (at_ >= text_.size()) fail_here("string does not end");
        c = text_[at_++];
        if (c == 'n') c = '\n';
      }
      out += c;
    }
  }
  /// Brackets what may contain itself; refuses depths that could exhaust the stack.
  void enter() {
    if (++depth_ > deepest) fail_here("nested too deeply");
  }
  void leave() { --depth_; }
  std::size_t position() const { return at_; }
  void rewind(std::size_t position) { at_ = position; }
  std::string_view slice(std::size_t from, std::size_t to) const {
    return text_.substr(from, to - from);
  }

  [[noreturn]] void fail_here(std::string_view what) const {
    int line = 1;
    int column = 1;
    for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) {
      ++column;
      if (text_[i] == '\n') ++line, column = 1;
    }
    std::string text("parse: line ");
    text += std::to_string(line);
    text += ", column ";
    text += std::to_string(column);
    text += ": ";
    text += what;
    throw ParseError(text);
  }

 private:
  static constexpr int deepest = 64;
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  bool starts_word(std::string_view token) {
    const std::size_t start = at_;
    const bool yes = accept(token);
    at_ = start;
    return yes;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// Escapes `"`, `\` and line ends, and puts quotes around.
inline std::string quoted_text(std::string_view text) {
  std::string out("\"");
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

}  // namespace autovec::inline v1
