// The verifier: every rule a lane program or function keeps, as one walk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/program.hpp"
#include "autovec/lane/text.hpp"

namespace autovec::inline v1 {
namespace lane {

/// Longest local array; they are meant to live in registers and L1.
inline constexpr std::int64_t longest_array = 1 << 16;

namespace detail {

/// A broken rule; `instruction` counts instructions in order of appearance.
struct Violation {
  std::string text;
  std::size_t instruction = 0;
};

/// Throws Violation at the first broken rule.
class Verifier {
 public:
  explicit Verifier(const Program& program)
      : dtypes_(program.value_dtypes), program_(&program), state_(dtypes_.size(), State::unseen) {}
  explicit Verifier(const Function& function)
      : dtypes_(function.value_dtypes), state_(dtypes_.size(), State::unseen) {}

  void check(const Program& p) {
    std::int64_t points = 1;
    for (const std::int64_t extent : p.domain) {
      require(extent >= 0, "a negative extent");
      require(!__builtin_mul_overflow(points, extent, &points), "too many points");
    }
    for (const Buffer& b : p.buffers) {
      require(contains(Domain::storage, b.dtype), "a buffer of complex numbers");
    }
    for (const Access& a : p.accesses) {
      require(a.buffer >= 0 && static_cast<std::size_t>(a.buffer) < p.buffers.size(),
              "an access to a buffer that is not there");
    }
    require(p.body.parameters.empty(), "a program has no parameters");
    check_block(p.body);
  }
  void check(const Function& f) {
    check_block(f.body);
    require(f.body.yields.size() == 1, "a function yields one value");
    require(dtype(f.body.yields[0]) == f.result, "a function yields its result's dtype");
  }

 private:
  enum class State : std::uint8_t { unseen, scalar, array, out_of_scope };

  [[noreturn]] void refuse(std::string_view rule) const {
    Violation violation;
    violation.text = rule;
    violation.instruction = ordinal_;
    if (current_ != nullptr) {
      violation.text += " in '";
      violation.text +=
          head_text(*current_, dtypes_, program_ != nullptr ? &program_->accesses : nullptr);
      violation.text += "'";
    }
    throw violation;
  }
  void require(bool holds, std::string_view rule) const {
    if (!holds) refuse(rule);
  }

  State& state(ValueId v) {
    require(v >= 0 && static_cast<std::size_t>(v) < dtypes_.size(), "a value that is not there");
    return state_[static_cast<std::size_t>(v)];
  }
  DType dtype(ValueId v) const { return dtypes_[static_cast<std::size_t>(v)]; }
  void define(ValueId v, State kind) {
    require(state(v) == State::unseen, "a value defined twice");
    state(v) = kind;
    scope_.push_back(v);
  }
  void use(ValueId v) {
    const State s = state(v);
    require(s != State::unseen, "a value used before it is defined");
    require(s != State::out_of_scope, "a value used outside its region");
    require(s != State::array, "a local array used as a scalar");
  }

  /// Parameters, instructions and yields; the values stay in scope.
  void check_block(const Block& block) {
    for (const ValueId v : block.parameters) {
      define(v, State::scalar);
      require(contains(Domain::scalars, dtype(v)), "a parameter of this dtype");
    }
    for (const Instruction& i : block.instructions) {
      const Instruction* outer = current_;
      const std::size_t outer_ordinal = ordinal_;
      current_ = &i;
      ordinal_ = count_++;
      check(i);
      current_ = outer;
      ordinal_ = outer_ordinal;
    }
    for (const ValueId v : block.yields) use(v);
  }
  void check_region(const Block& region) {
    const std::size_t start = scope_.size();
    check_block(region);
    for (std::size_t i = start; i < scope_.size(); ++i) state(scope_[i]) = State::out_of_scope;
    scope_.resize(start);
  }

  void check(const Instruction& i) {
    require(static_cast<std::size_t>(i.op) < op_count, "an unknown operation");
    const OpInfo& row = info(i.op);
    require(row.operands < 0 || i.operands.size() == static_cast<std::size_t>(row.operands),
            "a wrong number of operands");
    const bool on_array = row.form == Form::array_get || row.form == Form::array_set;
    for (std::size_t n = on_array ? 1 : 0; n < i.operands.size(); ++n) use(i.operands[n]);
    require((i.callee != nullptr) == (i.op == Op::call), "a callee where none belongs, or none");
    require(i.regions.size() == regions_of(row.form), "a wrong number of regions");
    if (row.form != Form::if_ && row.form != Form::loop && row.form != Form::while_) {
      check_flat(i, row);
    } else {
      check_control(i, row.form);
    }
  }
  static std::size_t regions_of(Form form) {
    return form == Form::loop ? 1 : form == Form::while_ || form == Form::if_ ? 2 : 0;
  }

  void check_flat(const Instruction& i, const OpInfo& row) {
    const bool has_result = !row.effects;
    require(i.results.size() == (has_result ? 1u : 0u), "a wrong number of results");
    check_immediate(i, row.form);
    check_dtypes(i, row);
    if (has_result) {
      define(i.results[0], row.form == Form::array_new ? State::array : State::scalar);
      require(dtype(i.results[0]) == i.dtype, "a result of another dtype than the instruction's");
    }
  }
  void check_immediate(const Instruction& i, Form form) const {
    switch (form) {
      case Form::constant: {
        const std::size_t size = size_of(i.dtype);
        require(size >= 8 || (static_cast<std::uint64_t>(i.immediate) >> (8 * size % 64)) == 0,
                "a constant with bits beyond its dtype");
        require(i.dtype != DType::b8 || i.immediate == 0 || i.immediate == 1,
                "a b8 constant that is neither 0 nor 1");
        break;
      }
      case Form::index:
        require(program_ != nullptr, "an index in a function");
        require(i.immediate >= 0 && static_cast<std::size_t>(i.immediate) < program_->domain.size(),
                "an index along an axis that is not there");
        break;
      case Form::load:
      case Form::store:
      case Form::gather:
      case Form::scatter: check_access(i); break;
      case Form::array_new:
        require(i.immediate > 0 && i.immediate <= longest_array, "an array of this length");
        break;
      default: require(i.immediate == 0, "an immediate where none belongs");
    }
  }
  void check_access(const Instruction& i) const {
    require(program_ != nullptr, "an access to memory in a function");
    require(i.immediate >= 0 && static_cast<std::size_t>(i.immediate) < program_->accesses.size(),
            "an access that is not there");
    const Access& a = program_->accesses[static_cast<std::size_t>(i.immediate)];
    const Buffer& b = program_->buffers[static_cast<std::size_t>(a.buffer)];
    require(a.strides.size() == program_->domain.size() + loops_,
            "a wrong number of strides: one for each domain axis and enclosing loop");
    require(b.dtype == i.dtype, "another dtype than the buffer's");
    require(b.written || (i.op != Op::store && i.op != Op::scatter),
            "a write to a buffer that is not declared written");
  }
  void check_dtypes(const Instruction& i, const OpInfo& row) {
    const auto operand = [&](std::size_t n) { return dtype(i.operands[n]); };
    const auto all_are = [&](DType t) {
      for (const ValueId v : i.operands) require(dtype(v) == t, "operands of different dtypes");
    };
    const DType typed = row.form == Form::compare ? operand(0) : i.dtype;
    require(contains(row.domain, typed), "a dtype this operation does not have");
    switch (row.form) {
      case Form::index: require(i.dtype == DType::i64, "an index that is not i64"); break;
      case Form::same: all_are(i.dtype); break;
      case Form::compare:
        all_are(operand(0));
        require(i.dtype == DType::b8, "a comparison that is not b8");
        break;
      case Form::select:
        require(operand(0) == DType::b8, "a mask that is not b8");
        require(operand(1) == i.dtype && operand(2) == i.dtype, "operands of different dtypes");
        break;
      case Form::bitcast:
        require(contains(row.domain, operand(0)) && size_of(operand(0)) == size_of(i.dtype),
                "a bitcast between different sizes");
        break;
      case Form::store: require(operand(0) == i.dtype, "a value of another dtype"); break;
      case Form::gather: require(operand(0) == DType::i64, "an offset that is not i64"); break;
      case Form::scatter:
        require(i.operands.size() == 2 || i.operands.size() == 3, "a wrong number of operands");
        require(operand(0) == DType::i64, "an offset that is not i64");
        require(operand(1) == i.dtype, "a value of another dtype");
        require(i.operands.size() == 2 || operand(2) == DType::b8, "a mask that is not b8");
        break;
      case Form::call:
        require(i.operands.size() == i.callee->arity(), "a wrong number of arguments");
        for (std::size_t n = 0; n < i.operands.size(); ++n) {
          require(operand(n) == i.callee->parameter_dtype(n), "an argument of another dtype");
        }
        require(i.dtype == i.callee->result, "another dtype than the function's result");
        break;
      case Form::array_get:
      case Form::array_set:
        require(state(i.operands[0]) == State::array, "no local array");
        require(operand(0) == i.dtype, "another dtype than the array's");
        require(operand(1) == DType::i64, "an index that is not i64");
        require(row.form == Form::array_get || operand(2) == i.dtype, "a value of another dtype");
        break;
      default: break;
    }
  }

  void check_control(const Instruction& i, Form form) {
    const bool is_if = form == Form::if_;
    const std::size_t index_parameter = form == Form::loop ? 1 : 0;
    if (is_if) require(dtype(i.operands[0]) == DType::b8, "a condition that is not b8");
    require(form == Form::loop ? i.immediate >= 0 : i.immediate == 0, "a bad trip count");
    require(is_if || i.results.size() == i.operands.size(), "a wrong number of results");
    if (form == Form::loop) ++loops_;
    for (const Block& region : i.regions) {
      const std::size_t carries = is_if ? 0 : i.operands.size();
      require(region.parameters.size() == carries + (is_if ? 0 : index_parameter),
              "a wrong number of parameters");
      check_region(region);
      for (std::size_t c = 0; c < carries; ++c) {
        require(dtype(region.parameters[c + index_parameter]) == dtype(i.operands[c]),
                "a carry that changes its dtype");
      }
    }
    if (form == Form::loop) {
      --loops_;
      require(dtype(i.regions[0].parameters[0]) == DType::i64, "a loop index that is not i64");
    }
    if (form == Form::while_) {
      const std::vector<ValueId>& yields = i.regions[0].yields;
      require(yields.size() == 1 && dtype(yields[0]) == DType::b8,
              "a condition that yields anything but one b8");
    }
    for (std::size_t r = form == Form::while_ ? 1 : 0; r < i.regions.size(); ++r) {
      const std::vector<ValueId>& yields = i.regions[r].yields;
      require(yields.size() == i.results.size(), "a wrong number of yields");
      for (std::size_t n = 0; n < yields.size(); ++n) {
        state(i.results[n]);
        require(dtype(yields[n]) == dtype(i.results[n]), "a yield of another dtype");
      }
    }
    for (std::size_t n = 0; n < i.results.size(); ++n) {
      define(i.results[n], State::scalar);
      require(contains(Domain::scalars, dtype(i.results[n])), "a result of this dtype");
      require(is_if || dtype(i.results[n]) == dtype(i.operands[n]),
              "a carry that changes its dtype");
    }
    require(i.dtype == (i.results.empty() ? DType::b8 : dtype(i.results[0])),
            "another dtype than the first result's");
  }

  const std::vector<DType>& dtypes_;
  const Program* program_ = nullptr;
  std::vector<State> state_;
  std::vector<ValueId> scope_;
  std::size_t loops_ = 0;
  std::size_t count_ = 0;
  std::size_t ordinal_ = 0;  // of current_
  const Instruction* current_ = nullptr;
};

}  // namespace detail

/// Throws InternalError that shows the first instruction that breaks a rule. Callees are taken as
/// verified.
template <class T>
  requires std::is_same_v<T, Program> || std::is_same_v<T, Function>
void verify(const T& program) {
  try {
    detail::Verifier(program).check(program);
  } catch (const detail::Violation& violation) {
    std::string text("lane: ");
    text += violation.text;
    throw InternalError(text);
  }
}

}  // namespace lane
}  // namespace autovec::inline v1
