# Finds the headers of xsimd 8.1 or newer and names them autovec::xsimd.
# SPDX-License-Identifier: Apache-2.0

# The package file that some distributions ship with xsimd links a library that does not exist, so
# the headers are looked up by hand.
if(TARGET autovec::xsimd)
  return()
endif()
find_path(autovec_xsimd_include_dir xsimd/xsimd.hpp)
mark_as_advanced(autovec_xsimd_include_dir)
if(NOT autovec_xsimd_include_dir)
  message(FATAL_ERROR "autovec needs xsimd 8.1 or newer (Debian: libxsimd-dev)")
endif()
file(STRINGS ${autovec_xsimd_include_dir}/xsimd/config/xsimd_config.hpp autovec_xsimd_version
     REGEX "#define XSIMD_VERSION_(MAJOR|MINOR)")
string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*" "\\1.\\2" autovec_xsimd_version
                     "${autovec_xsimd_version}")
if(autovec_xsimd_version VERSION_LESS 8.1)
  message(FATAL_ERROR "autovec needs xsimd 8.1 or newer, found ${autovec_xsimd_version}")
endif()
add_library(autovec::xsimd INTERFACE IMPORTED GLOBAL)
target_include_directories(autovec::xsimd INTERFACE ${autovec_xsimd_include_dir})
