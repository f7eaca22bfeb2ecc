// The compiled half of autovec::compiled, less the kernels that exist once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/base/mode.hpp"
#if defined(AUTOVEC_HAS_EXECUTOR)
#include "autovec/exec/cpu/all-inl.hpp"
#endif
