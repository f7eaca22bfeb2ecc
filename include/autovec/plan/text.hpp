// Plans as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

inline std::string plan_text(const Plan&) { return {}; }

}  // namespace plan
}  // namespace autovec::inline v1
