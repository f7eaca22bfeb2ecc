# The target autovec::compiled: src/autovec.cpp once, src/kernels.cpp once per instruction set.
# SPDX-License-Identifier: Apache-2.0

# Each kernels object is built with its own -march flags and AUTOVEC_ISA=name; src/autovec.cpp sees
# AUTOVEC_HAS_ISA_name for each and takes the best one the machine has at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(AUTOVEC_ISAS "sse2;avx2;avx512" CACHE STRING "Instruction sets of autovec::compiled")
else()
  set(AUTOVEC_ISAS "native" CACHE STRING "Instruction sets of autovec::compiled")
endif()
set(autovec_isa_flags_sse2 -msse2)
set(autovec_isa_flags_avx2 -mavx2 -mfma -mf16c)
set(autovec_isa_flags_avx512 ${autovec_isa_flags_avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq
                             -mavx512vl -mprefer-vector-width=512)
set(autovec_isa_flags_native -march=native)

# No flag may change bits, and nothing but the table of kernels is meant for other files.
set(autovec_exact_flags -ffp-contract=off -fvisibility=hidden -fvisibility-inlines-hidden)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND autovec_exact_flags -fno-gnu-unique)  # such names are neither weak nor local
endif()

if(PROJECT_IS_TOP_LEVEL)
  list(APPEND autovec_exact_flags -Wall -Wextra -Werror)
  add_library(autovec_compiled STATIC ${PROJECT_SOURCE_DIR}/src/autovec.cpp)
else()
  add_library(autovec_compiled STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/autovec.cpp)
endif()
add_library(autovec::compiled ALIAS autovec_compiled)
set_target_properties(autovec_compiled PROPERTIES EXPORT_NAME compiled OUTPUT_NAME autovec
                                                  POSITION_INDEPENDENT_CODE ON)
target_link_libraries(autovec_compiled PUBLIC autovec)
target_compile_definitions(autovec_compiled PUBLIC AUTOVEC_COMPILED PRIVATE AUTOVEC_BUILDING)
target_compile_options(autovec_compiled PRIVATE ${autovec_exact_flags})

# An inline function of the standard library or of Eigen exists in each kernels object, and the linker
# keeps one of them, perhaps the one with instructions this machine lacks. So each object is linked
# with itself and left with one global function, its kernel_table(). This takes GNU binutils,
# whichever linker the program is linked with.
find_program(autovec_ld ld.bfd)
find_program(autovec_objcopy objcopy)
find_program(autovec_readelf readelf)
mark_as_advanced(autovec_ld autovec_objcopy autovec_readelf)
list(LENGTH AUTOVEC_ISAS autovec_isa_count)
if(autovec_isa_count EQUAL 1)
  set(autovec_isolate FALSE)
elseif(autovec_ld AND autovec_objcopy AND autovec_readelf)
  set(autovec_isolate TRUE)
else()
  message(FATAL_ERROR "autovec needs GNU ld and objcopy to keep its instruction sets apart; "
                      "install binutils, or set AUTOVEC_ISAS to one of ${AUTOVEC_ISAS}")
endif()

foreach(isa IN LISTS AUTOVEC_ISAS)
  set(kernels autovec_kernels_${isa})
  add_library(${kernels} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/kernels.cpp)
  set_target_properties(${kernels} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                              INTERPROCEDURAL_OPTIMIZATION OFF)
  target_link_libraries(${kernels} PRIVATE autovec)
  target_compile_definitions(${kernels} PRIVATE AUTOVEC_COMPILED AUTOVEC_BUILDING AUTOVEC_ISA=${isa})
  target_compile_options(${kernels} PRIVATE ${autovec_exact_flags} ${autovec_isa_flags_${isa}}
                         $<$<NOT:$<CONFIG:Debug>>:-O3>)
  target_compile_definitions(autovec_compiled PRIVATE AUTOVEC_HAS_ISA_${isa})
  if(autovec_isolate)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${kernels}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${PROJECT_SOURCE_DIR}/cmake/isolate.sh ${autovec_ld} ${autovec_objcopy} ${autovec_readelf}
              kernel_table $<TARGET_OBJECTS:${kernels}> ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/cmake/isolate.sh $<TARGET_OBJECTS:${kernels}>
      COMMENT "Leaving ${kernels} one global function"
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(autovec_compiled PRIVATE ${object})
  else()
    target_sources(autovec_compiled PRIVATE $<TARGET_OBJECTS:${kernels}>)
  endif()
endforeach()
