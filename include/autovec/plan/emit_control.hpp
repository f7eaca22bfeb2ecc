// Control flow inside a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/plan/control.hpp"
#include "autovec/plan/emit.hpp"

namespace autovec::inline v1 {
namespace plan {

inline lane::ValueId Emitter::control_value(const Scope& scope, const Node&, ValueId v,
                                            const AffineMap&) {
  return fail(scope.graph.type(v).dtype);
}
inline lane::ValueId Emitter::input_value(const Scope& scope, ValueId v, const AffineMap&) {
  return fail(scope.graph.type(v).dtype);
}

}  // namespace plan
}  // namespace autovec::inline v1
