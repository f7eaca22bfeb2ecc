// Every definition of the library: what a header-only program and the compiled library include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/api/eager-inl.hpp"
#include "autovec/api/inspect-inl.hpp"
#include "autovec/api/vmap-inl.hpp"
#include "autovec/base/profile-inl.hpp"
#include "autovec/ops/composite-inl.hpp"
#include "autovec/ops/index_syntax-inl.hpp"
#include "autovec/ops/nn-inl.hpp"
#include "autovec/ops/table-inl.hpp"
#include "autovec/trace/tensor_text-inl.hpp"

#if !AUTOVEC_HEADER_ONLY
namespace autovec::inline v1 {
template struct Eager<void>;
}  // namespace autovec::inline v1
#endif
