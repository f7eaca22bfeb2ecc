// Build modes and the few macros of the library; every macro of autovec is defined here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__FAST_MATH__)
#error "autovec needs IEEE arithmetic: compile without -ffast-math"
#endif

// Header-only (default): heavy parts come in through `*-inl.hpp` and are inline.
// AUTOVEC_COMPILED: they are in the library autovec::compiled; headers only declare them.
// AUTOVEC_IMPLEMENTATION: this translation unit defines them for a program that has
// AUTOVEC_COMPILED everywhere else.
#if defined(AUTOVEC_COMPILED)
#define AUTOVEC_API
#define AUTOVEC_HEADER_ONLY 0
#else
#define AUTOVEC_API inline
#define AUTOVEC_HEADER_ONLY 1
#endif

#define AUTOVEC_VERSION_MAJOR 0
#define AUTOVEC_VERSION_MINOR 1
#define AUTOVEC_VERSION_PATCH 0
