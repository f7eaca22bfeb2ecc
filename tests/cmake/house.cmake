# The checks of tools/ on the whole tree, and checks of those tools.
# SPDX-License-Identifier: Apache-2.0
autovec_add_test(house.layers COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/layers)
autovec_add_test(house.format COMMAND ${PROJECT_SOURCE_DIR}/tools/format --check)
autovec_add_test(house.sizes COMMAND ${PROJECT_SOURCE_DIR}/tools/sizes)
autovec_add_test(house.tools COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/house/tools_test.py)
