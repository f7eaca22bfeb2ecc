# tests/*_test.cpp and tests/unit/*.cpp: one binary; MPFR is what the elementary functions are measured against.
# SPDX-License-Identifier: Apache-2.0
include(cmake/doctest.cmake)
autovec_doctest_group(unit *_test.cpp unit/*.cpp)
if(TARGET autovec_unit)
  target_link_libraries(autovec_unit PRIVATE mpfr gmp)
endif()
