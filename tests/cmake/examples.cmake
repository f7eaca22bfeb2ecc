# Each example runs to its end in a folder of its own.
# SPDX-License-Identifier: Apache-2.0
get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/examples PROPERTY BUILDSYSTEM_TARGETS)
foreach(target IN LISTS targets)
  string(REPLACE example_ "" name ${target})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/examples/${name})
  file(MAKE_DIRECTORY ${folder})
  autovec_add_test(example.${name} COMMAND ${target} WORKING_DIRECTORY ${folder})
  autovec_test_properties(example.${name} TIMEOUT 600)
endforeach()
