// Makes a program that mixes header-only and compiled files fail when it is linked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/base/config.hpp"

namespace autovec::inline v1 {
namespace detail {

// The same name is thread-local in header-only files and an ordinary variable in compiled ones, and
// no linker binds the one to the other: "TLS definition mismatches non-TLS reference".
#if AUTOVEC_HEADER_ONLY
inline thread_local constinit const char one_build_mode_in_a_program = 0;
#else
extern const char one_build_mode_in_a_program;
#if AUTOVEC_DEFINITIONS && !defined(AUTOVEC_ISA)
const char one_build_mode_in_a_program = 0;
#endif
#endif

[[gnu::used]] inline const char& build_mode() { return one_build_mode_in_a_program; }

}  // namespace detail
}  // namespace autovec::inline v1
