// The passes that a graph runs through before it is lowered, as data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

#include "autovec/ir/graph.hpp"

namespace autovec::inline v1 {
namespace plan {

inline Graph run_passes(const Graph& graph) { return graph; }

}  // namespace plan
}  // namespace autovec::inline v1
