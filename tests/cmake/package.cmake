# The library as strangers use it: tests/package/run has the steps.
# SPDX-License-Identifier: Apache-2.0
foreach(step install find_package pkg_config subdirectory one_file mixed_modes one_global_function)
  autovec_add_test(package.${step}
                   COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/run ${step} ${PROJECT_SOURCE_DIR}
                           ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/package ${CMAKE_CXX_COMPILER})
  autovec_test_properties(package.${step} TIMEOUT 900)
endforeach()
autovec_test_properties(package.install FIXTURES_SETUP installed)
foreach(step find_package pkg_config mixed_modes one_global_function)
  autovec_test_properties(package.${step} FIXTURES_REQUIRED installed)
endforeach()
