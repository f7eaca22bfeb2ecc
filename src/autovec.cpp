// The compiled half of autovec::compiled, less the kernels that exist once per instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/api/all-inl.hpp"
#include "autovec/base/mode.hpp"

namespace autovec::inline v1 {
template struct Eager<void>;
}  // namespace autovec::inline v1
