// The meaning of lane programs: an interpreter that runs one point at a time on scalars.
// SPDX-License-Identifier: Apache-2.0
//
// A program is decoded once into a flat list of steps, calls expanded, regions turned into jumps;
// every step is a pointer to a small function on 8-byte cells, one cell a value. No two steps are
// compiled together, so no compiler can contract a multiply and an add.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/lane/arithmetic.hpp"
#include "autovec/lane/half.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/program.hpp"
#include "autovec/lane/scalar.hpp"

namespace autovec::inline v1 {
namespace lane {

namespace detail {

using Cell = std::uint64_t;
struct Machine;
struct Step;
/// Runs one step and gives the next; nullptr ends the point.
using Handler = const Step* (*)(const Step*, Machine&);

struct Step {
  Handler run = nullptr;
  std::uint32_t result = 0;              // cells
  std::array<std::uint32_t, 3> operands{};
  std::int64_t immediate = 0;            // axis, access, trips, first element or step to jump to
  std::int64_t length = 0;               // of an array or of a list of moves
};

/// Affine offset without the strides that are 0.
struct Address {
  struct Term {
    std::size_t index;
    std::int64_t stride;
  };
  std::size_t buffer = 0;
  std::int64_t offset = 0;
  std::vector<Term> terms;
};

struct Machine {
  const Step* code;
  const Address* addresses;
  void* const* buffers;
  Cell* cells;
  Cell* elements;         // of local arrays
  std::int64_t* indices;  // domain coordinates, then loop indices

  template <class T>
  T get(std::uint32_t cell) const {
    T value;
    std::memcpy(&value, &cells[cell], sizeof(T));
    return value;
  }
  template <class T>
  void set(std::uint32_t cell, T value) {
    std::memcpy(&cells[cell], &value, sizeof(T));
  }
  std::int64_t offset(const Step& s) const {
    const Address& a = addresses[s.immediate];
    std::int64_t at = a.offset;
    for (const Address::Term& term : a.terms) at += term.stride * indices[term.index];
    return at;
  }
  template <class T>
  T* memory(const Step& s) const {
    return static_cast<T*>(buffers[addresses[s.immediate].buffer]);
  }
};

// -- Steps on scalars ---------------------------------------------------------------------------

template <class T, T (*f)(T)>
const Step* run_unary(const Step* s, Machine& m) {
  m.set(s->result, f(m.get<T>(s->operands[0])));
  return s + 1;
}
template <class T, class R, R (*f)(T, T)>
const Step* run_binary(const Step* s, Machine& m) {
  m.set(s->result, f(m.get<T>(s->operands[0]), m.get<T>(s->operands[1])));
  return s + 1;
}
template <class T>
const Step* run_fma(const Step* s, Machine& m) {
  m.set(s->result,
        lane::fma(m.get<T>(s->operands[0]), m.get<T>(s->operands[1]), m.get<T>(s->operands[2])));
  return s + 1;
}
template <class T>
const Step* run_load(const Step* s, Machine& m) {
  m.set(s->result, m.memory<T>(*s)[m.offset(*s)]);
  return s + 1;
}
template <class T>
const Step* run_store(const Step* s, Machine& m) {
  m.memory<T>(*s)[m.offset(*s)] = m.get<T>(s->operands[0]);
  return s + 1;
}
template <class T>
const Step* run_gather(const Step* s, Machine& m) {
  m.set(s->result, m.memory<T>(*s)[m.offset(*s) + m.get<std::int64_t>(s->operands[0])]);
  return s + 1;
}
template <class T>
const Step* run_scatter(const Step* s, Machine& m) {
  m.memory<T>(*s)[m.offset(*s) + m.get<std::int64_t>(s->operands[0])] = m.get<T>(s->operands[1]);
  return s + 1;
}
template <class T>
const Step* run_masked_scatter(const Step* s, Machine& m) {
  return m.get<bool>(s->operands[2]) ? run_scatter<T>(s, m) : s + 1;
}

/// The handler of an operation whose operands are stored as T; nullptr if there is none.
template <class T>
Handler scalar_handler(Op op) {
  namespace a = arithmetic;
  if constexpr (!std::is_same_v<T, bool>) {
    switch (op) {
      case Op::add: return run_binary<T, T, a::add<T>>;
      case Op::sub: return run_binary<T, T, a::sub<T>>;
      case Op::mul: return run_binary<T, T, a::mul<T>>;
      case Op::div: return run_binary<T, T, a::div<T>>;
      case Op::neg: return run_unary<T, a::neg<T>>;
      case Op::abs: return run_unary<T, lane::abs<T>>;
      case Op::min: return run_binary<T, T, lane::min<T>>;
      case Op::max: return run_binary<T, T, lane::max<T>>;
      default: break;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case Op::fma: return run_fma<T>;
      case Op::sqrt: return run_unary<T, lane::sqrt<T>>;
      case Op::floor: return run_unary<T, lane::floor<T>>;
      case Op::ceil: return run_unary<T, lane::ceil<T>>;
      case Op::trunc: return run_unary<T, lane::trunc<T>>;
      case Op::round: return run_unary<T, lane::round_even<T>>;
      default: break;
    }
  } else {
    switch (op) {
      case Op::and_: return run_binary<T, T, a::bit_and<T>>;
      case Op::or_: return run_binary<T, T, a::bit_or<T>>;
      case Op::xor_: return run_binary<T, T, a::bit_xor<T>>;
      case Op::not_: return run_unary<T, a::invert<T>>;
      default: break;
    }
  }
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (op == Op::shl) return run_binary<T, T, lane::shl<T>>;
    if (op == Op::shr) return run_binary<T, T, lane::shr<T>>;
  }
  switch (op) {
    case Op::eq: return run_binary<T, bool, a::equal<T>>;
    case Op::ne: return run_binary<T, bool, a::not_equal<T>>;
    case Op::lt: return run_binary<T, bool, a::less<T>>;
    case Op::le: return run_binary<T, bool, a::less_equal<T>>;
    case Op::gt: return run_binary<T, bool, a::greater<T>>;
    case Op::ge: return run_binary<T, bool, a::greater_equal<T>>;
    default: return nullptr;
  }
}

template <class T>
Handler memory_handler(const Instruction& i) {
  switch (i.op) {
    case Op::load: return run_load<T>;
    case Op::store: return run_store<T>;
    case Op::gather: return run_gather<T>;
    default: return i.operands.size() == 3 ? run_masked_scatter<T> : run_scatter<T>;
  }
}

/// How f16 and bf16 are read and written: through f32.
struct F16 {
  static float read(std::uint16_t bits) { return f32_from_f16(bits); }
  static std::uint16_t write(float x) { return f16_from_f32(x); }
};
struct BF16 {
  static float read(std::uint16_t bits) { return f32_from_bf16(bits); }
  static std::uint16_t write(float x) { return bf16_from_f32(x); }
};

template <class From, class To>
const Step* run_convert(const Step* s, Machine& m) {
  const auto value = [&] {
    if constexpr (std::is_class_v<From>) {
      return From::read(m.get<std::uint16_t>(s->operands[0]));
    } else {
      return m.get<From>(s->operands[0]);
    }
  }();
  if constexpr (std::is_class_v<To>) {
    m.set(s->result, To::write(lane::convert<float>(value)));
  } else {
    m.set(s->result, lane::convert<To>(value));
  }
  return s + 1;
}
template <class From>
Handler convert_handler(DType to) {
  return dispatch(
      to, [&]<class To>() -> Handler { return run_convert<From, To>; },
      [&]() -> Handler {
        return to == DType::f16 ? run_convert<From, F16> : run_convert<From, BF16>;
      });
}
inline Handler convert_handler(DType from, DType to) {
  return dispatch(
      from, [&]<class From>() { return convert_handler<From>(to); },
      [&] {
        return from == DType::f16 ? convert_handler<F16>(to) : convert_handler<BF16>(to);
      });
}

// -- Steps on whole cells and on the order of steps ---------------------------------------------

inline const Step* run_select(const Step* s, Machine& m) {
  m.cells[s->result] = m.cells[m.get<bool>(s->operands[0]) ? s->operands[1] : s->operands[2]];
  return s + 1;
}
inline const Step* run_move(const Step* s, Machine& m) {
  m.cells[s->result] = m.cells[s->operands[0]];
  return s + 1;
}
inline const Step* run_index(const Step* s, Machine& m) {
  m.set(s->result, m.indices[s->immediate]);
  return s + 1;
}
inline const Step* run_array_new(const Step* s, Machine& m) {
  std::fill_n(m.elements + s->immediate, s->length, Cell{0});
  return s + 1;
}
inline Cell& element(const Step& s, Machine& m) {
  const std::int64_t at = m.get<std::int64_t>(s.operands[0]);
  return m.elements[s.immediate + std::clamp(at, std::int64_t{0}, s.length - 1)];
}
inline const Step* run_array_get(const Step* s, Machine& m) {
  m.cells[s->result] = element(*s, m);
  return s + 1;
}
inline const Step* run_array_set(const Step* s, Machine& m) {
  element(*s, m) = m.cells[s->operands[1]];
  return s + 1;
}
inline const Step* run_jump(const Step* s, Machine& m) { return m.code + s->immediate; }
inline const Step* run_jump_unless(const Step* s, Machine& m) {
  return m.get<bool>(s->operands[0]) ? s + 1 : m.code + s->immediate;
}
/// Sets loop index `operands[0]` to 0.
inline const Step* run_loop_start(const Step* s, Machine& m) {
  m.indices[s->operands[0]] = 0;
  m.set(s->result, std::int64_t{0});
  return s + 1;
}
/// Leaves the loop after `length` trips.
inline const Step* run_loop_test(const Step* s, Machine& m) {
  return m.indices[s->operands[0]] < s->length ? s + 1 : m.code + s->immediate;
}
inline const Step* run_loop_next(const Step* s, Machine& m) {
  m.set(s->result, ++m.indices[s->operands[0]]);
  return m.code + s->immediate;
}
inline const Step* run_end(const Step*, Machine&) { return nullptr; }

}  // namespace detail

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
      const auto overwritten = std::find(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(i),
                                         from[i]);
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
      case Op::array_get: case Op::array_set: decode_element(i, scope); break;
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
