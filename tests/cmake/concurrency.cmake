# Many threads at once; ThreadSanitizer runs these too.
# SPDX-License-Identifier: Apache-2.0
include(cmake/doctest.cmake)
autovec_doctest_group(concurrency concurrency/*.cpp)
