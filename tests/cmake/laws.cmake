# Laws over the whole op table.
# SPDX-License-Identifier: Apache-2.0
include(cmake/doctest.cmake)
autovec_doctest_group(laws laws/*.cpp)
