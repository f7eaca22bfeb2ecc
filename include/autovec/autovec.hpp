// autovec on the CPU: everything but Eigen's types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/api/inspect.hpp"
#include "autovec/api/jit.hpp"
#include "autovec/api/vmap.hpp"
#include "autovec/base/mode.hpp"
#include "autovec/ops/arrange.hpp"
#include "autovec/ops/collective.hpp"
#include "autovec/ops/composite.hpp"
#include "autovec/ops/contract.hpp"
#include "autovec/ops/control_flow.hpp"
#include "autovec/ops/convert.hpp"
#include "autovec/ops/create.hpp"
#include "autovec/ops/cumulative.hpp"
#include "autovec/ops/index.hpp"
#include "autovec/ops/index_syntax.hpp"
#include "autovec/ops/map.hpp"
#include "autovec/ops/nn.hpp"
#include "autovec/ops/random.hpp"
#include "autovec/ops/reduce.hpp"
#include "autovec/ops/sort.hpp"
#include "autovec/ops/view.hpp"
#include "autovec/trace/tensor_text.hpp"
#if AUTOVEC_DEFINITIONS
#include "autovec/api/all-inl.hpp"
#endif
