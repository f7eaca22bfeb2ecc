// The kernels of one instruction set: AUTOVEC_ISA names it, the compiler flags belong to it.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/exec/cpu/kernels-inl.hpp"
