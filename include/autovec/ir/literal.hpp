// The one op that `ir` knows: a rank-0 constant, printed in place as an operand (`mul a 2:f32`).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autovec/ir/number.hpp"
#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {

/// Value and type of a literal. `value` is already rounded to `dtype`.
struct LiteralParams {
  Number value;
  DType dtype = DType::f32;
  bool weak = false;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("value", self.value);
    f("dtype", self.dtype);
    f("weak", self.weak);
  }
};

/// A rank-0 constant.
struct Literal {
  static std::vector<Type> infer(std::span<const Type>, const Params& params, Where) {
    const auto& p = params.as<LiteralParams>();
    return {Type{p.dtype, p.weak, {}}};
  }
  static constexpr OpInfo make() {
    OpInfo row;
    row.name = "literal";
    row.kind = Kind::source;
    row.params = &params_info<LiteralParams>;
    row.arity = 0;
    row.infer = infer;
    return row;
  }
};
inline constexpr OpInfo literal_row = Literal::make();

/// The parameters of `node` if it is a literal, else null.
inline const LiteralParams* as_literal(const Node* node) {
  if (node == nullptr || node->op->name != literal_row.name) return nullptr;
  return &node->params.as<LiteralParams>();
}

/// `number` rounded to `dtype`, as a number: what a literal of that dtype holds.
inline Number rounded(const Number& number, DType dtype) {
  return dispatch(
      dtype, [&]<class T>() { return Number(number.as<T>()); },
      [&] { return Number(number.as<float>()); });
}

}  // namespace autovec::inline v1
