// The simd backend of one instruction set, as a table of plain functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/exec/backend.hpp"
#include "autovec/exec/cpu/contraction-inl.hpp"
#include "autovec/exec/cpu/launch-inl.hpp"
#include "autovec/exec/cpu/reduction-inl.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// The one name that other files see of a file built for an instruction set.
AUTOVEC_API const Backend& kernel_table() {
  static const Backend backend = {"simd",
                                  &prepare,
                                  &launch,
                                  &prepare_reduction,
                                  &launch_reduction,
                                  &prepare_contraction,
                                  &launch_contraction};
  return backend;
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
