# Small cases with known answers.
# SPDX-License-Identifier: Apache-2.0
include(cmake/doctest.cmake)
autovec_doctest_group(cases cases/*.cpp)
