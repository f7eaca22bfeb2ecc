# One doctest binary for a group of files, one CTest test for each of its files.
# SPDX-License-Identifier: Apache-2.0
include_guard()

add_library(autovec_test_main OBJECT main.cpp)
target_link_libraries(autovec_test_main PUBLIC doctest::doctest)
target_compile_features(autovec_test_main PUBLIC cxx_std_20)

function(autovec_doctest_group group)
  set(patterns ${ARGN})
  list(TRANSFORM patterns PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT sources)
    return()
  endif()
  add_executable(autovec_${group} ${sources} $<TARGET_OBJECTS:autovec_test_main>)
  set_target_properties(autovec_${group} PROPERTIES OUTPUT_NAME ${group})
  target_link_libraries(autovec_${group} PRIVATE autovec::compiled doctest::doctest)
  target_include_directories(autovec_${group} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(autovec_${group} PRIVATE
                             AUTOVEC_ACCEPT_FILE="${CMAKE_BINARY_DIR}/accepted.jsonl")
  target_compile_options(autovec_${group} PRIVATE ${autovec_test_flags})
  foreach(source IN LISTS sources)
    file(STRINGS ${source} cases REGEX "TEST_CASE" LIMIT_COUNT 1)
    if(cases)
      get_filename_component(file ${source} NAME)
      string(REGEX REPLACE "(_test)?\\.cpp$" "" name ${file})
      autovec_add_test(${group}.${name} COMMAND autovec_${group} --source-file=*/${file})
      # doctest is content when a filter leaves nothing to run; we are not.
      autovec_test_properties(${group}.${name} TIMEOUT 900 FAIL_REGULAR_EXPRESSION "test cases: +0 ")
    endif()
  endforeach()
endfunction()
