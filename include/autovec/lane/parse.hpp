// Reads the text of programs and functions; the inverse of text.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/base/text.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/normalize.hpp"
#include "autovec/lane/program.hpp"
#include "autovec/lane/verify.hpp"

namespace autovec::inline v1 {
namespace lane {

/// Finds the function that a `call` names, by name and dtypes of the arguments; nullptr if there
/// is none.
using Lookup =
    std::function<std::shared_ptr<const Function>(std::string_view, std::span<const DType>)>;

/// The lookup of texts that call nothing.
inline std::shared_ptr<const Function> no_functions(std::string_view, std::span<const DType>) {
  return nullptr;
}

namespace detail {

/// One text, one walk; refusals name line and column.
class Parser {
 public:
  Parser(std::string_view text, const Lookup& lookup) : in_(text), lookup_(lookup) {}

  Program program() {
    in_.expect("program");
    Program p;
    p.domain = extents();
    in_.expect("{");
    while (in_.accept("buffer")) p.buffers.push_back(buffer(p.buffers.size()));
    program_ = &p;
    instructions(p.body, 1);
    yields(p.body);
    in_.expect("}");
    end();
    p.value_dtypes = std::move(dtypes_);
    check(p);
    renumber(p);
    return p;
  }
  Function function() {
    in_.expect("function");
    Function f;
    f.name = in_.word();
    in_.expect("(");
    if (!in_.accept(")")) {
      do f.body.parameters.push_back(define(typed_name()));
      while (in_.accept(","));
      in_.expect(")");
    }
    in_.expect("->");
    f.result = dtype();
    in_.expect("{");
    instructions(f.body, 1);
    yields(f.body);
    in_.expect("}");
    end();
    f.value_dtypes = std::move(dtypes_);
    check(f);
    renumber(f);
    return f;
  }

 private:
  static constexpr int deepest = 64;
  static constexpr std::size_t most_extents = 64;

  struct TypedName {
    std::uint64_t name = 0;
    DType dtype = DType::f32;
    std::size_t position = 0;
  };

  [[noreturn]] void fail_at(std::size_t position, std::string_view what) {
    in_.rewind(position);
    in_.fail_here(what);
  }
  std::size_t position() {
    in_.skip_space();
    return in_.position();
  }
  void end() {
    if (!in_.at_end()) in_.fail_here("expected the end");
  }
  template <class T>
  void check(const T& parsed) {
    try {
      Verifier(parsed).check(parsed);
    } catch (const Violation& violation) {
      const std::size_t n = violation.instruction;
      fail_at(n < positions_.size() ? positions_[n] : 0, violation.text);
    }
  }

  DType dtype() {
    const std::size_t at = position();
    bool found = false;
    const DType t = dtype_named(in_.word(), found);
    if (!found) fail_at(at, "expected a dtype");
    return t;
  }
  Extents extents() {
    Extents out;
    in_.expect("[");
    if (in_.accept("]")) return out;
    do {
      if (out.size() == most_extents) in_.fail_here("too many axes");
      out.push_back(in_.integer());
    } while (in_.accept(","));
    in_.expect("]");
    return out;
  }
  Buffer buffer(std::size_t number) {
    const std::size_t at = position();
    if (in_.unsigned_integer() != number) fail_at(at, "buffers are numbered in order");
    in_.expect(":");
    Buffer b;
    b.dtype = dtype();
    b.written = in_.accept("written");
    return b;
  }

  std::uint64_t name() {
    in_.expect("%");
    return in_.unsigned_integer();
  }
  TypedName typed_name() {
    TypedName out;
    out.position = position();
    out.name = name();
    in_.expect(":");
    out.dtype = dtype();
    return out;
  }
  ValueId define(const TypedName& value) {
    const auto id = static_cast<ValueId>(dtypes_.size());
    if (!ids_.emplace(value.name, id).second) fail_at(value.position, "a value defined twice");
    dtypes_.push_back(value.dtype);
    return id;
  }
  ValueId use() {
    const std::size_t at = position();
    const auto found = ids_.find(name());
    if (found == ids_.end()) fail_at(at, "a value used before it is defined");
    return found->second;
  }
  template <class Ids>
  void use_list(Ids& ids) {
    do ids.push_back(use());
    while (in_.accept(","));
  }

  void instructions(Block& block, int depth) {
    if (depth > deepest) in_.fail_here("regions nested too deeply");
    while (in_.peek() != '}' && !at_yield()) {
      positions_.push_back(position());
      instruction(block, depth);
    }
  }
  bool at_yield() {
    const std::size_t start = in_.position();
    const bool yes = in_.accept("yield");
    in_.rewind(start);
    return yes;
  }
  void yields(Block& block) {
    if (in_.accept("yield")) use_list(block.yields);
  }
  void region(Block& block, int depth) {
    in_.expect("{");
    instructions(block, depth + 1);
    yields(block);
    in_.expect("}");
  }

  void instruction(Block& block, int depth) {
    Instruction i;
    std::vector<TypedName> results;
    if (in_.peek() == '%') {
      do results.push_back(typed_name());
      while (in_.accept(","));
      in_.expect("=");
      i.dtype = results[0].dtype;
    } else {
      i.dtype = DType::b8;  // of control flow without results; writes take their value's
    }
    const std::size_t at = position();
    const OpInfo* row = op_named(in_.word());
    if (row == nullptr) fail_at(at, "expected an operation");
    i.op = row->op;
    switch (row->form) {
      case Form::constant: i.immediate = constant(i.dtype); break;
      case Form::index:
      case Form::array_new: i.immediate = in_.integer(); break;
      case Form::load: i.immediate = access(); break;
      case Form::gather:
      case Form::store:
      case Form::scatter:
        i.immediate = access();
        in_.expect(",");
        use_list(i.operands);
        break;
      case Form::loop:
        i.immediate = in_.integer();
        carries(i, depth);
        break;
      case Form::while_:
        carries(i, depth);
        in_.expect("do");
        while_body(i, depth);
        break;
      case Form::if_:
        i.operands.push_back(use());
        region(i.regions.emplace_back(), depth);
        in_.expect("else");
        region(i.regions.emplace_back(), depth);
        break;
      case Form::call: call(i); break;
      default: use_list(i.operands);
    }
    if (row->effects) i.dtype = written_dtype(i);
    // After the regions: inside them the results are not there yet.
    for (const TypedName& result : results) i.results.push_back(define(result));
    block.instructions.push_back(std::move(i));
  }
  DType written_dtype(const Instruction& i) {
    const std::size_t value = i.op == Op::store ? 0 : i.op == Op::scatter ? 1 : 2;
    if (i.operands.size() <= value) in_.fail_here("a wrong number of operands");
    return dtypes_[static_cast<std::size_t>(i.operands[value])];
  }

  std::int64_t constant(DType t) {
    if (in_.accept("bits")) return static_cast<std::int64_t>(in_.unsigned_integer());
    return dispatch(
        t,
        [&]<class T>() -> std::int64_t {
          if constexpr (std::is_same_v<T, bool>) {
            if (in_.accept("true")) return 1;
            in_.expect("false");
            return 0;
          } else if constexpr (std::is_floating_point_v<T>) {
            return to_immediate(in_.real<T>());
          } else {
            const std::size_t at = position();
            if constexpr (std::is_signed_v<T>) {
              const std::int64_t wide = in_.integer();
              if (wide != static_cast<T>(wide)) fail_at(at, "integer out of range");
              return to_immediate(static_cast<T>(wide));
            } else {
              const std::uint64_t wide = in_.unsigned_integer();
              if (wide != static_cast<T>(wide)) fail_at(at, "integer out of range");
              return to_immediate(static_cast<T>(wide));
            }
          }
        },
        [&]() -> std::int64_t { in_.fail_here("no constants of this dtype"); });
  }
  std::int64_t access() {
    if (program_ == nullptr) in_.fail_here("a function reads and writes no memory");
    Access a;
    const std::size_t at = position();
    const std::uint64_t buffer = in_.unsigned_integer();
    if (buffer >= program_->buffers.size()) fail_at(at, "a buffer that is not there");
    a.buffer = static_cast<std::int32_t>(buffer);
    a.strides = extents();
    in_.expect("+");
    a.offset = in_.integer();
    program_->accesses.push_back(std::move(a));
    return static_cast<std::int64_t>(program_->accesses.size() - 1);
  }
  void call(Instruction& i) {
    const std::size_t at = position();
    const std::string_view callee = in_.word();
    if (in_.peek() == '%') use_list(i.operands);
    std::vector<DType> arguments;
    for (const ValueId v : i.operands) arguments.push_back(dtypes_[static_cast<std::size_t>(v)]);
    i.callee = lookup_(callee, arguments);
    if (i.callee == nullptr) fail_at(at, "no function of this name and these dtypes");
  }
  /// `(%1: i64, %2: f32 = %0) { ... }`
  void carries(Instruction& i, int depth) {
    Block& first = i.regions.emplace_back();
    in_.expect("(");
    if (!in_.accept(")")) {
      do {
        const TypedName parameter = typed_name();
        if (i.op != Op::loop || !first.parameters.empty()) {
          in_.expect("=");
          i.operands.push_back(use());
        }
        first.parameters.push_back(define(parameter));
      } while (in_.accept(","));
      in_.expect(")");
    }
    region(first, depth);
  }
  void while_body(Instruction& i, int depth) {
    Block& body = i.regions.emplace_back();
    in_.expect("(");
    if (!in_.accept(")")) {
      do body.parameters.push_back(define(typed_name()));
      while (in_.accept(","));
      in_.expect(")");
    }
    region(body, depth);
  }

  TextCursor in_;
  const Lookup& lookup_;
  Program* program_ = nullptr;
  std::vector<DType> dtypes_;
  std::unordered_map<std::uint64_t, ValueId> ids_;
  std::vector<std::size_t> positions_;  // of instructions, in order of appearance
};

}  // namespace detail

/// The program in this text, verified and in normal numbering. Throws ParseError.
inline Program parse_program(std::string_view text, const Lookup& lookup = no_functions) {
  return detail::Parser(text, lookup).program();
}

/// The function in this text, verified. Throws ParseError.
inline Function parse_function(std::string_view text, const Lookup& lookup = no_functions) {
  return detail::Parser(text, lookup).function();
}

}  // namespace lane
}  // namespace autovec::inline v1
