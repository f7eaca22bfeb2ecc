# What including the library costs: preprocessed lines and seconds, in both modes.
# SPDX-License-Identifier: Apache-2.0
set(lines_compiled 80000)
set(seconds_compiled 1.5)
set(lines_header_only 260000)
# The aim is 6 s; the tile kernels of every dtype take it to three times that.
set(seconds_header_only 12)

foreach(mode compiled header_only)
  foreach(what lines seconds)
    autovec_add_test(budget.${mode}.${what}
                     COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/compile_time/budget.py ${what}
                             ${${what}_${mode}} ${CMAKE_CXX_COMPILER} ${autovec_flags_${mode}}
                             ${CMAKE_CURRENT_SOURCE_DIR}/compile_time/hello.cpp)
  endforeach()
  autovec_test_properties(budget.${mode}.seconds RUN_SERIAL TRUE)
endforeach()
