// The lane instruction set: its operations and one table of their properties.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "autovec/base/dtype.hpp"

namespace autovec::inline v1 {
namespace lane {

/// A scalar operation. The set is closed: an executor implements exactly these.
///
/// Meaning, the same bits on every executor and under every compiler flag:
/// - Integers wrap. Integer `div` truncates; by zero it gives 0, and INT_MIN / -1 wraps.
/// - `shl`, `shr` by a negative amount or at least the width give 0, or the sign for a signed
///   `shr`, which is arithmetic; on unsigned integers `shr` is logical.
/// - Float `min`, `max` give NaN if either operand is NaN, and the first operand if both are equal.
/// - `round` is half to even; `fma` rounds once; comparisons with NaN are false, except `ne`.
/// - `convert` from float to integer saturates, NaN gives 0; between integers it wraps; to b8 it
///   is `!= 0`; between floats and from integers it rounds to nearest even. Conversions between
///   f16 or bf16 and any other dtype go through f32.
/// - f16 and bf16 values can only be loaded, gathered, stored, scattered and converted.
/// - NaNs are all alike: sign and payload of a computed NaN are not pinned.
enum class Op : std::uint8_t {
  constant,
  index,
  add,
  sub,
  mul,
  div,
  neg,
  abs,
  min,
  max,
  fma,
  sqrt,
  floor,
  ceil,
  trunc,
  round,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  and_,
  or_,
  xor_,
  not_,
  shl,
  shr,
  select,
  convert,
  bitcast,
  load,
  store,
  gather,
  scatter,
  loop,
  while_,
  if_,
  call,
  array_new,
  array_get,
  array_set
};

inline constexpr std::size_t op_count = 42;

/// How operands and result of an instruction relate.
enum class Form : std::uint8_t {
  constant,   ///< no operand; `immediate` holds the bits
  index,      ///< no operand; i64 coordinate along domain axis `immediate`
  same,       ///< all operands and the result have one dtype
  compare,    ///< two operands of one dtype; the result is b8
  select,     ///< b8, then two operands of the result's dtype
  convert,    ///< one operand of any dtype
  bitcast,    ///< one operand whose dtype has the result's size
  load,       ///< no operand; access `immediate`; the buffer's dtype
  store,      ///< value; access `immediate`; no result
  gather,     ///< i64 offset in elements, added to the affine part of access `immediate`
  scatter,    ///< i64 offset, value, optionally b8 mask (false: nothing is written); no result
  loop,       ///< carries; `immediate` trips; body(i64 index, carries) yields carries
  while_,     ///< carries; condition(carries) yields b8, body(carries) yields carries
  if_,        ///< b8; both regions yield the results
  call,       ///< arguments of `callee`
  array_new,  ///< no operand; `immediate` zeros; the result's dtype is that of the elements
  array_get,  ///< array, i64 index (clamped into range)
  array_set   ///< array, i64 index (clamped into range), value; no result: updated in place
};

/// dtypes an instruction's dtype may be taken from (for `compare`, that of its operands).
enum class Domain : std::uint8_t {
  floats,    ///< f32, f64
  integers,  ///< i8 ... u64
  numbers,   ///< floats and integers
  bits,      ///< integers and b8
  scalars,   ///< everything but f16, bf16 and complex
  storage    ///< scalars, f16 and bf16: what memory can hold
};

/// An operation's row in the table.
struct OpInfo {
  Op op;
  std::string_view name;  ///< in text
  std::int8_t operands;   ///< -1: as many as the instruction has
  Form form;
  Domain domain;
  bool effects = false;   ///< writes memory or a local array
  bool may_trap = false;  ///< can read or write out of range, or hang, in a lane that must not run
};

namespace detail {
inline constexpr std::array<OpInfo, op_count> op_table = {{
    {Op::constant, "constant", 0, Form::constant, Domain::scalars},
    {Op::index, "index", 0, Form::index, Domain::integers},
    {Op::add, "add", 2, Form::same, Domain::numbers},
    {Op::sub, "sub", 2, Form::same, Domain::numbers},
    {Op::mul, "mul", 2, Form::same, Domain::numbers},
    {Op::div, "div", 2, Form::same, Domain::numbers},
    {Op::neg, "neg", 1, Form::same, Domain::numbers},
    {Op::abs, "abs", 1, Form::same, Domain::numbers},
    {Op::min, "min", 2, Form::same, Domain::numbers},
    {Op::max, "max", 2, Form::same, Domain::numbers},
    {Op::fma, "fma", 3, Form::same, Domain::floats},
    {Op::sqrt, "sqrt", 1, Form::same, Domain::floats},
    {Op::floor, "floor", 1, Form::same, Domain::floats},
    {Op::ceil, "ceil", 1, Form::same, Domain::floats},
    {Op::trunc, "trunc", 1, Form::same, Domain::floats},
    {Op::round, "round", 1, Form::same, Domain::floats},
    {Op::eq, "eq", 2, Form::compare, Domain::scalars},
    {Op::ne, "ne", 2, Form::compare, Domain::scalars},
    {Op::lt, "lt", 2, Form::compare, Domain::scalars},
    {Op::le, "le", 2, Form::compare, Domain::scalars},
    {Op::gt, "gt", 2, Form::compare, Domain::scalars},
    {Op::ge, "ge", 2, Form::compare, Domain::scalars},
    {Op::and_, "and", 2, Form::same, Domain::bits},
    {Op::or_, "or", 2, Form::same, Domain::bits},
    {Op::xor_, "xor", 2, Form::same, Domain::bits},
    {Op::not_, "not", 1, Form::same, Domain::bits},
    {Op::shl, "shl", 2, Form::same, Domain::integers},
    {Op::shr, "shr", 2, Form::same, Domain::integers},
    {Op::select, "select", 3, Form::select, Domain::scalars},
    {Op::convert, "convert", 1, Form::convert, Domain::storage},
    {Op::bitcast, "bitcast", 1, Form::bitcast, Domain::numbers},
    {Op::load, "load", 0, Form::load, Domain::storage, false, true},
    {Op::store, "store", 1, Form::store, Domain::storage, true, true},
    {Op::gather, "gather", 1, Form::gather, Domain::storage, false, true},
    {Op::scatter, "scatter", -1, Form::scatter, Domain::storage, true, true},
    {Op::loop, "loop", -1, Form::loop, Domain::scalars},
    {Op::while_, "while", -1, Form::while_, Domain::scalars, false, true},
    {Op::if_, "if", 1, Form::if_, Domain::scalars},
    {Op::call, "call", -1, Form::call, Domain::scalars},
    {Op::array_new, "array_new", 0, Form::array_new, Domain::scalars},
    {Op::array_get, "array_get", 2, Form::array_get, Domain::scalars},
    {Op::array_set, "array_set", 3, Form::array_set, Domain::scalars, true},
}};
}  // namespace detail

/// The row of `op`.
constexpr const OpInfo& info(Op op) noexcept {
  return detail::op_table[static_cast<std::size_t>(op)];
}

constexpr std::string_view name_of(Op op) noexcept { return info(op).name; }

/// The row of the operation with this name, or nullptr.
constexpr const OpInfo* op_named(std::string_view name) noexcept {
  for (const OpInfo& row : detail::op_table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

constexpr bool contains(Domain domain, DType t) noexcept {
  switch (domain) {
    case Domain::floats: return t == f32 || t == f64;
    case Domain::integers: return is_int(t);
    case Domain::numbers: return is_int(t) || t == f32 || t == f64;
    case Domain::bits: return is_int(t) || t == b8;
    case Domain::scalars: return !is_complex(t) && t != f16 && t != bf16;
    case Domain::storage: return !is_complex(t);
  }
  return false;
}

/// Whether equal instructions on equal operands give equal results wherever they stand. Loads
/// and gathers are pure only from buffers that the program does not write.
constexpr bool is_pure(Op op) noexcept {
  switch (info(op).form) {
    case Form::constant:
    case Form::index:
    case Form::same:
    case Form::compare:
    case Form::select:
    case Form::convert:
    case Form::bitcast:
    case Form::call: return true;
    default: return false;
  }
}

constexpr bool accesses_memory(Op op) noexcept { return op >= Op::load && op <= Op::scatter; }

namespace detail {
constexpr bool op_table_in_order() {
  for (std::size_t i = 0; i < op_count; ++i) {
    if (op_table[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(op_table_in_order());
}  // namespace detail

}  // namespace lane
}  // namespace autovec::inline v1
