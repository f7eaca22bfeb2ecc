// Makes a row of the op table from an op's struct: what the struct leaves out follows from its
// kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "autovec/ir/op_info.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/ir/print.hpp"
#include "autovec/ops/batch_call.hpp"
#include "autovec/ops/sample.hpp"

namespace autovec::inline v1 {

namespace detail {
template <class Op>
constexpr OpInfo make_row() {
  static_assert(
      requires { Op::samples; },
      "autovec: this op has no samples: give it `static std::vector<Sample> samples()`, see "
      "ops/sample.hpp");
  OpInfo row;
  row.samples = &Op::samples;
  row.name = Op::name;
  row.kind = Op::kind;
  row.arity = Op::arity;
  row.params = &params_info<typename Op::Params>;
  row.infer = &Op::infer;
  row.batch = &Op::batch;
  if constexpr (Op::kind == Kind::map) {
    row.lane = &Op::record;
  } else if constexpr (Op::kind == Kind::view) {
    row.layout = &Op::layout;
  } else if constexpr (Op::kind == Kind::reduce) {
    row.combine = &Op::record_combine;
    row.identity = &Op::identity;
  } else if constexpr (Op::kind == Kind::call) {
    row.kernel = &Op::kernel;
  } else if constexpr (Op::kind == Kind::source) {
    row.lane = &Op::record;
  }
  if constexpr (requires { Op::accept; }) row.accept = Op::accept;
  if constexpr (requires { Op::simplify; }) row.simplify = &Op::simplify;
  if constexpr (requires { Op::bound_f32; }) {
    row.bound_f32 = Op::bound_f32;
    row.bound_f64 = Op::bound_f64;
  }
  if constexpr (requires { Op::collective; }) row.collective = Op::collective;
  if constexpr (requires { Op::widens; }) row.widens = Op::widens;
  if constexpr (requires { Op::sums; }) row.sums = Op::sums;
  return row;
}
}  // namespace detail

/// The row of op struct `Op`.
template <class Op>
inline constexpr OpInfo row_of = detail::make_row<Op>();

namespace detail {
template <class Op>
[[gnu::noinline]] const OpInfo& row() {  // so that the library keeps a copy of each
  return row_of<Op>;
}
/// Throws InternalError unless the operand count is the op's: only texts and our own rules can be
/// wrong here, the functions users call take the right number.
inline void check_arity(std::string_view op, std::size_t got, std::size_t want, Where where) {
  if (got == want) return;
  std::string what("expected ");
  what += number_text(want);
  what += " operands, got ";
  what += number_text(got);
  fail<TypeError>(op, what, where);
}

}  // namespace detail

}  // namespace autovec::inline v1
