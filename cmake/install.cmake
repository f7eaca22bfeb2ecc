# Installs headers, library, CMake package and pkg-config files.
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

set(autovec_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/autovec)
install(DIRECTORY include/autovec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS autovec autovec_compiled EXPORT autovec_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT autovec_targets NAMESPACE autovec:: FILE autovec-targets.cmake
        DESTINATION ${autovec_package_dir})

configure_package_config_file(cmake/autovec-config.cmake.in ${PROJECT_BINARY_DIR}/autovec-config.cmake
                              INSTALL_DESTINATION ${autovec_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/autovec-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/autovec-config.cmake
              ${PROJECT_BINARY_DIR}/autovec-config-version.cmake
              cmake/autovec-xsimd.cmake
        DESTINATION ${autovec_package_dir})

foreach(name autovec autovec-compiled)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
