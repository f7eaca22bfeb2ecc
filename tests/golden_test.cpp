// The comparison of golden texts: what counts as different and what does not.
// SPDX-License-Identifier: Apache-2.0
#include "golden.hpp"

TEST_CASE("indentation, blanks at line ends and blank lines at both ends do not count") {
  CHECK_TEXT("(x) {\n  y = log x\n}\n", R"(
    (x) {
      y = log x
    }
  )");
  CHECK(golden::dedent("  a\n    b  \n\n") == "a\n  b");
  CHECK(golden::dedent("\n\n") == "");
}

TEST_CASE("indentation inside the text and lines between count") {
  CHECK(golden::dedent("a\n  b") != golden::dedent("a\nb"));
  CHECK(golden::dedent("a\n\nb") != golden::dedent("a\nb"));
  CHECK(golden::dedent("  a\n\n  b") == "a\n\nb");
}

TEST_CASE("texts survive the way to tools/accept") {
  CHECK(golden::json("a\"b\\c\n\t") == "\"a\\\"b\\\\c\\u000a\\u0009\"");
}
