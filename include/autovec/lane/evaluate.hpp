// The meaning of lane programs: an interpreter that runs one point at a time on scalars.
// SPDX-License-Identifier: Apache-2.0
//
// A program is decoded once into a flat list of steps, calls expanded, regions turned into jumps;
// every step is a pointer to a small function on 8-byte cells, one cell a value. No two steps are
// compiled together, so no compiler can contract a multiply and an add.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/program.hpp"
#include "autovec/lane/step.hpp"

namespace autovec::inline v1 {
namespace lane {

/// A decoded program. Runs from several threads at once. The program must be right by `verify`,
/// and its accesses in range: nothing is checked while it runs.
class Evaluator {
 public:
  explicit Evaluator(const Program& program) : domain_(program.domain) {
    for (const Access& access : program.accesses) {
      detail::Address& address = addresses_.emplace_back();
      address.buffer = static_cast<std::size_t>(access.buffer);
      address.offset = access.offset;
      for (std::size_t i = 0; i < access.strides.size(); ++i) {
        if (access.strides[i] != 0) address.terms.push_back({i, access.strides[i]});
      }
    }
    Scope scope;
    scope.cells.assign(program.value_dtypes.size(), 0);
    scope.dtypes = &program.value_dtypes;
    decode(program.body, scope);
    emit(detail::run_end);
    yields_ = cells_of(scope, program.body.yields);
  }

  /// Evaluates domain points [begin, end) in row-major order.
  void run(std::span<void* const> buffers, std::int64_t begin, std::int64_t end) const {
    run(buffers, begin, end, [](std::int64_t, std::span<const std::uint64_t>) {});
  }
  /// The same, and calls `sink(point, values)` after each point with the bits of what it yields
  /// (as in a constant's immediate).
  template <class Sink>
  void run(std::span<void* const> buffers, std::int64_t begin, std::int64_t end,
           Sink&& sink) const {
    if (begin >= end) return;
    std::vector<std::uint64_t> values(yields_.size());
    std::vector<detail::Cell> cells = initial_;
    std::vector<detail::Cell> elements(element_count_);
    std::vector<std::int64_t> indices(domain_.size() + most_loops_);
    for (std::size_t axis = domain_.size(), rest = static_cast<std::size_t>(begin); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(domain_[axis]);
      indices[axis] = static_cast<std::int64_t>(rest % extent);
      rest /= extent;
    }
    detail::Machine machine{code_.data(), addresses_.data(), buffers.data(),
                            cells.data(), elements.data(),   indices.data()};
    for (std::int64_t point = begin; point < end; ++point) {
      for (const detail::Step* step = code_.data(); step != nullptr;) {
        step = step->run(step, machine);
      }
      for (std::size_t i = 0; i < yields_.size(); ++i) values[i] = cells[yields_[i]];
      sink(point, std::span<const std::uint64_t>(values));
      for (std::size_t axis = domain_.size(); axis-- > 0;) {
        if (++indices[axis] < domain_[axis]) break;
        indices[axis] = 0;
      }
    }
  }

 private:
  /// Where the values of one program or expanded function live: cells, or for local arrays the
  /// first element (array lengths aside).
  struct Scope {
    std::vector<std::uint32_t> cells;
    const std::vector<DType>* dtypes = nullptr;
    std::vector<std::pair<ValueId, std::int64_t>> array_lengths;

    std::uint32_t& operator[](ValueId v) { return cells[static_cast<std::size_t>(v)]; }
    DType dtype(ValueId v) const { return (*dtypes)[static_cast<std::size_t>(v)]; }
  };

  std::uint32_t new_cell(detail::Cell initial = 0) {
    initial_.push_back(initial);
    return static_cast<std::uint32_t>(initial_.size() - 1);
  }
  std::int64_t here() const { return static_cast<std::int64_t>(code_.size()); }
  /// Valid until the next one.
  detail::Step& emit(detail::Handler handler) {
    ensure(handler != nullptr, "lane: an instruction without meaning; verify the program first");
    detail::Step& step = code_.emplace_back();
    step.run = handler;
    return step;
  }
  std::int64_t emit_jump_unless(std::uint32_t condition) {
    emit(detail::run_jump_unless).operands[0] = condition;
    return here() - 1;
  }
  void jump_here(std::int64_t step) { code_[static_cast<std::size_t>(step)].immediate = here(); }
  void emit_move(std::uint32_t to, std::uint32_t from) {
    if (to == from) return;
    detail::Step& step = emit(detail::run_move);
    step.result = to;
    step.operands[0] = from;
  }
  /// All moves at once: a source that an earlier move overwrites is saved first.
  void emit_moves(const std::vector<std::uint32_t>& to, std::vector<std::uint32_t> from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto overwritten =
          std::find(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(i), from[i]);
      if (overwritten == to.begin() + static_cast<std::ptrdiff_t>(i)) continue;
      const std::uint32_t saved = new_cell();
      emit_move(saved, from[i]);
      from[i] = saved;
    }
    for (std::size_t i = 0; i < from.size(); ++i) emit_move(to[i], from[i]);
  }
  template <class Ids>
  static std::vector<std::uint32_t> cells_of(Scope& scope, const Ids& ids) {
    std::vector<std::uint32_t> out;
    for (const ValueId v : ids) out.push_back(scope[v]);
    return out;
  }

  void decode(const Block& block, Scope& scope) {
    for (const Instruction& i : block.instructions) decode(i, scope);
  }
  void decode(const Instruction& i, Scope& scope) {
    switch (i.op) {
      case Op::constant:
        scope[i.results[0]] = new_cell(static_cast<detail::Cell>(i.immediate));
        break;
      case Op::loop: decode_loop(i, scope); break;
      case Op::while_: decode_while(i, scope); break;
      case Op::if_: decode_if(i, scope); break;
      case Op::call: decode_call(i, scope); break;
      case Op::array_new: decode_array_new(i, scope); break;
      case Op::array_get:
      case Op::array_set: decode_element(i, scope); break;
      default: decode_flat(i, scope);
    }
  }
  void decode_flat(const Instruction& i, Scope& scope) {
    detail::Step& step = emit(handler_of(i, scope));
    step.immediate = i.immediate;
    for (std::size_t n = 0; n < i.operands.size(); ++n) step.operands[n] = scope[i.operands[n]];
    if (!i.results.empty()) step.result = scope[i.results[0]] = new_cell();
  }
  static detail::Handler handler_of(const Instruction& i, const Scope& scope) {
    if (accesses_memory(i.op)) {
      return dispatch(
          i.dtype, [&]<class T>() { return detail::memory_handler<T>(i); },
          [&] { return detail::memory_handler<std::uint16_t>(i); });
    }
    switch (i.op) {
      case Op::index: return detail::run_index;
      case Op::select: return detail::run_select;
      case Op::bitcast: return detail::run_move;
      case Op::convert: return detail::convert_handler(scope.dtype(i.operands[0]), i.dtype);
      default:
        return dispatch(
            scope.dtype(i.operands[0]), [&]<class T>() { return detail::scalar_handler<T>(i.op); },
            []() -> detail::Handler { return nullptr; });
    }
  }

  void decode_array_new(const Instruction& i, Scope& scope) {
    detail::Step& step = emit(detail::run_array_new);
    step.immediate = static_cast<std::int64_t>(element_count_);
    step.length = i.immediate;
    scope[i.results[0]] = static_cast<std::uint32_t>(element_count_);
    scope.array_lengths.emplace_back(i.results[0], i.immediate);
    element_count_ += static_cast<std::size_t>(i.immediate);
  }
  void decode_element(const Instruction& i, Scope& scope) {
    const bool get = i.op == Op::array_get;
    detail::Step& step = emit(get ? detail::run_array_get : detail::run_array_set);
    step.immediate = scope[i.operands[0]];
    for (const auto& [array, length] : scope.array_lengths) {
      if (array == i.operands[0]) step.length = length;
    }
    for (std::size_t n = 1; n < i.operands.size(); ++n) {
      step.operands[n - 1] = scope[i.operands[n]];
    }
    if (get) step.result = scope[i.results[0]] = new_cell();
  }

  /// Gives carries cells of their own, filled with the initial values.
  std::vector<std::uint32_t> start_carries(const Instruction& i, Scope& scope) {
    std::vector<std::uint32_t> carries;
    for (const ValueId v : i.operands) {
      carries.push_back(new_cell());
      emit_move(carries.back(), scope[v]);
    }
    return carries;
  }
  // Results live where the carries do: nobody sees one while the other changes.
  static void bind(const std::vector<std::uint32_t>& cells, std::span<const ValueId> ids,
                   Scope& scope) {
    for (std::size_t n = 0; n < cells.size(); ++n) scope[ids[n]] = cells[n];
  }
  void decode_loop(const Instruction& i, Scope& scope) {
    const Block& body = i.regions[0];
    const std::span<const ValueId> parameters(body.parameters);
    const std::vector<std::uint32_t> carries = start_carries(i, scope);
    bind(carries, parameters.subspan(1), scope);
    const std::uint32_t counter = scope[parameters[0]] = new_cell();
    const auto index = static_cast<std::uint32_t>(domain_.size() + loops_);
    most_loops_ = std::max(most_loops_, ++loops_);
    emit_loop_step(detail::run_loop_start, counter, index);
    const std::int64_t test = here();
    emit_loop_step(detail::run_loop_test, counter, index).length = i.immediate;
    decode(body, scope);
    emit_moves(carries, cells_of(scope, body.yields));
    emit_loop_step(detail::run_loop_next, counter, index).immediate = test;
    jump_here(test);
    --loops_;
    bind(carries, {i.results.data(), i.results.size()}, scope);
  }
  detail::Step& emit_loop_step(detail::Handler handler, std::uint32_t counter,
                               std::uint32_t index) {
    detail::Step& step = emit(handler);
    step.result = counter;
    step.operands[0] = index;
    return step;
  }
  void decode_while(const Instruction& i, Scope& scope) {
    const std::vector<std::uint32_t> carries = start_carries(i, scope);
    bind(carries, i.regions[0].parameters, scope);
    bind(carries, i.regions[1].parameters, scope);
    const std::int64_t test = here();
    decode(i.regions[0], scope);
    const std::int64_t leave = emit_jump_unless(scope[i.regions[0].yields[0]]);
    decode(i.regions[1], scope);
    emit_moves(carries, cells_of(scope, i.regions[1].yields));
    emit(detail::run_jump).immediate = test;
    jump_here(leave);
    bind(carries, {i.results.data(), i.results.size()}, scope);
  }
  void decode_if(const Instruction& i, Scope& scope) {
    std::vector<std::uint32_t> results;
    for (std::size_t n = 0; n < i.results.size(); ++n) results.push_back(new_cell());
    const std::int64_t otherwise = emit_jump_unless(scope[i.operands[0]]);
    decode(i.regions[0], scope);
    emit_moves(results, cells_of(scope, i.regions[0].yields));
    emit(detail::run_jump);
    const std::int64_t leave = here() - 1;
    jump_here(otherwise);
    decode(i.regions[1], scope);
    emit_moves(results, cells_of(scope, i.regions[1].yields));
    jump_here(leave);
    bind(results, {i.results.data(), i.results.size()}, scope);
  }
  void decode_call(const Instruction& i, Scope& scope) {
    const Function& f = *i.callee;
    Scope inner;
    inner.cells.assign(f.value_dtypes.size(), 0);
    inner.dtypes = &f.value_dtypes;
    bind(cells_of(scope, i.operands), f.body.parameters, inner);
    decode(f.body, inner);
    scope[i.results[0]] = inner[f.body.yields[0]];
  }

  Extents domain_;
  std::vector<detail::Step> code_;
  std::vector<detail::Address> addresses_;
  std::vector<std::uint32_t> yields_;
  std::vector<detail::Cell> initial_;  // cells before each run: constants, zeros
  std::size_t element_count_ = 0;
  std::size_t loops_ = 0;
  std::size_t most_loops_ = 0;
};

/// Evaluates domain points [begin, end) of `program` in row-major order: the definition of its
/// meaning. `buffers[i]` is element 0 of buffer i.
inline void run(const Program& program, std::span<void* const> buffers, std::int64_t begin,
                std::int64_t end) {
  Evaluator(program).run(buffers, begin, end);
}

}  // namespace lane
}  // namespace autovec::inline v1
