# The ```cpp blocks of README.md and docs/*.md: each is built, run, and compared with what the page says.
# SPDX-License-Identifier: Apache-2.0
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/*.md)
if(NOT pages)
  return()
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages}
                                       ${CMAKE_CURRENT_SOURCE_DIR}/docs/extract.py)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/docs)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/docs/extract.py ${folder} ${pages}
                OUTPUT_VARIABLE programs COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" programs "${programs}")
foreach(name IN LISTS programs)
  add_executable(docs_${name} ${folder}/${name}.cpp)
  target_link_libraries(docs_${name} PRIVATE autovec::compiled)
  # A page may show a value without using it.
  target_compile_options(docs_${name} PRIVATE ${autovec_test_flags} -Wno-unused-variable
                                              -Wno-unused-but-set-variable)
  autovec_add_test(docs.${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/docs/compare.py
                                        $<TARGET_FILE:docs_${name}> ${folder}/${name}.txt
                                WORKING_DIRECTORY ${folder})
endforeach()

# docs/ops.md is what tools/op_table.cpp writes.
add_executable(docs_ops ${PROJECT_SOURCE_DIR}/tools/op_table.cpp)
target_link_libraries(docs_ops PRIVATE autovec::compiled)
target_compile_options(docs_ops PRIVATE ${autovec_test_flags})
autovec_add_test(docs.ops COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/docs/compare.py
                                  $<TARGET_FILE:docs_ops> ${PROJECT_SOURCE_DIR}/docs/ops.md)
