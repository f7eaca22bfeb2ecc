// The steps of the interpreter: small functions on 8-byte cells, one for each operation and dtype.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "autovec/base/dtype.hpp"
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
  std::uint32_t result = 0;  // cells
  std::array<std::uint32_t, 3> operands{};
  std::int64_t immediate = 0;  // axis, access, trips, first element or step to jump to
  std::int64_t length = 0;     // of an array or of a list of moves
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
      [&] { return from == DType::f16 ? convert_handler<F16>(to) : convert_handler<BF16>(to); });
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

}  // namespace lane
}  // namespace autovec::inline v1
