// autovec on the CPU: everything but Eigen's types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/api/inspect.hpp"
#include "autovec/api/jit.hpp"
#include "autovec/api/vmap.hpp"
#include "autovec/ops/index_syntax.hpp"
#include "autovec/ops/table.hpp"
#include "autovec/trace/tensor_text.hpp"
#if !defined(AUTOVEC_COMPILED)
#include "autovec/exec/eager-inl.hpp"
#endif
