// The compiled half of autovec::compiled, less the kernels that exist once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/autovec.hpp"
