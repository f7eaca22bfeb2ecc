# Programs that must be refused, with the words they must be refused with.
# SPDX-License-Identifier: Apache-2.0
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/must_not_compile/*.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  autovec_add_test(must_not_compile.${name}
                   COMMAND Python3::Interpreter
                           ${CMAKE_CURRENT_SOURCE_DIR}/compile_time/must_not_compile.py
                           ${CMAKE_CXX_COMPILER} ${autovec_flags_compiled} ${source})
endforeach()
