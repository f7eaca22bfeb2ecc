// Everything of exec/cpu: the simd backend, for this file's instruction set or for the machine's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/base/config.hpp"
#include "autovec/exec/backend.hpp"

#if AUTOVEC_HEADER_ONLY || defined(AUTOVEC_IMPLEMENTATION)
#include "autovec/exec/cpu/kernels-inl.hpp"
#endif

namespace autovec::inline v1 {

#if AUTOVEC_HEADER_ONLY || defined(AUTOVEC_IMPLEMENTATION)

AUTOVEC_API const Backend& simd_backend() { return AUTOVEC_ISA_NAME::cpu::kernel_table(); }

#else

#if defined(AUTOVEC_HAS_ISA_native)
inline namespace native {
namespace cpu {
const Backend& kernel_table();
}
}
#endif
#if defined(AUTOVEC_HAS_ISA_sse2)
inline namespace sse2 {
namespace cpu {
const Backend& kernel_table();
}
}
#endif
#if defined(AUTOVEC_HAS_ISA_avx2)
inline namespace avx2 {
namespace cpu {
const Backend& kernel_table();
}
}
#endif
#if defined(AUTOVEC_HAS_ISA_avx512)
inline namespace avx512 {
namespace cpu {
const Backend& kernel_table();
}
}
#endif

/// The best of the compiled backends that this machine can run.
const Backend& simd_backend() {
#if defined(AUTOVEC_HAS_ISA_avx512)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return avx512::cpu::kernel_table();
  }
#endif
#if defined(AUTOVEC_HAS_ISA_avx2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return avx2::cpu::kernel_table();
  }
#endif
#if defined(AUTOVEC_HAS_ISA_sse2)
  return sse2::cpu::kernel_table();
#else
  return native::cpu::kernel_table();
#endif
}

#endif

}  // namespace autovec::inline v1
