# Random programs against a scalar interpreter.
# SPDX-License-Identifier: Apache-2.0
include(cmake/doctest.cmake)
autovec_doctest_group(programs programs/*.cpp)
