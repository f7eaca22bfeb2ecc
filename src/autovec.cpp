// The compiled half of autovec::compiled, less the kernels that exist once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/base/mode.hpp"
#if __has_include("autovec/exec/cpu/all-inl.hpp")
#include "autovec/exec/cpu/all-inl.hpp"
#endif
