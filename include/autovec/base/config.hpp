// Build modes and the few macros of the library; every macro of autovec is defined here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__FAST_MATH__)
#error "autovec needs IEEE arithmetic: compile without -ffast-math"
#endif

// Header-only (default): heavy parts come in through `*-inl.hpp` and are inline.
// AUTOVEC_COMPILED: they are in the library autovec::compiled; headers only declare them.
// AUTOVEC_IMPLEMENTATION: this translation unit defines them for a program that has
// AUTOVEC_COMPILED everywhere else (it need not be defined here too).
// AUTOVEC_BUILDING: the same for the files of autovec::compiled.
#if defined(AUTOVEC_IMPLEMENTATION) && !defined(AUTOVEC_COMPILED)
#define AUTOVEC_COMPILED
#endif
#if defined(AUTOVEC_COMPILED)
#define AUTOVEC_API
#define AUTOVEC_HEADER_ONLY 0
#else
#define AUTOVEC_API inline
#define AUTOVEC_HEADER_ONLY 1
#endif

// Whether this translation unit holds the definitions of the heavy parts.
#if AUTOVEC_HEADER_ONLY || defined(AUTOVEC_IMPLEMENTATION) || defined(AUTOVEC_BUILDING)
#define AUTOVEC_DEFINITIONS 1
#else
#define AUTOVEC_DEFINITIONS 0
#endif

// The inline namespace of exec/cpu, so that files built for different instruction sets link. The
// build of autovec::compiled sets AUTOVEC_ISA; elsewhere the file's own flags decide.
#if defined(AUTOVEC_ISA)
#define AUTOVEC_ISA_NAME AUTOVEC_ISA
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#define AUTOVEC_ISA_NAME avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define AUTOVEC_ISA_NAME avx2
#elif defined(__SSE2__)
#define AUTOVEC_ISA_NAME sse2
#else
#define AUTOVEC_ISA_NAME native
#endif

#define AUTOVEC_VERSION_MAJOR 0
#define AUTOVEC_VERSION_MINOR 1
#define AUTOVEC_VERSION_PATCH 0
