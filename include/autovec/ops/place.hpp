// Carries the caller's place through composites, whose nodes are the caller's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace detail {
/// Makes operands that report the place where the composite was called. An op reports the place of
/// its first operand, so that one is wrapped: `at(exp(x)) + y`.
struct At {
  Where where;
  explicit At(Where w) : where(w) {}
  explicit At(const Operand& x) : where(x.where()) {}
  Operand operator()(const Tensor& x) const { return Operand(x, where); }
};
}  // namespace detail

}  // namespace autovec::inline v1
