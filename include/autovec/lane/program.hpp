// Lane programs and functions: scalar code in SSA form that runs at every point of a domain.
// SPDX-License-Identifier: Apache-2.0
//
//   program [256, 1000] {
//     buffer 0: f32
//     buffer 1: f32 written
//     %0: f32 = load 0 [1000, 1] + 0
//     %1: f32 = call exp %0
//     store 1 [1000, 1] + 0, %1
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/small_vector.hpp"
#include "autovec/lane/instruction.hpp"

namespace autovec::inline v1 {
namespace lane {

/// Number of a value within its program or function; unique over all its regions.
using ValueId = std::int32_t;
using ValueIds = SmallVector<ValueId, 4>;

struct Block;
struct Function;

/// One instruction; `Form` says what its parts mean.
struct Instruction {
  Op op = Op::constant;
  DType dtype = DType::f32;  ///< of the first result; without results, of the value written
  ValueIds operands;
  SmallVector<ValueId, 2> results;
  std::int64_t immediate = 0;              ///< constant bits, axis, access, trips or length
  std::vector<Block> regions;              ///< loop: body; while: condition, body; if: then, else
  std::shared_ptr<const Function> callee;  ///< call only
};

/// A straight line of instructions. Values defined outside are seen inside regions, not the
/// other way round: what leaves a region is yielded.
struct Block {
  std::vector<ValueId> parameters;
  std::vector<Instruction> instructions;
  std::vector<ValueId> yields;
};

/// An affine way into a buffer, in elements: offset + sum of strides times domain coordinates,
/// then times the indices of the enclosing `loop` instructions, outermost first.
struct Access {
  std::int32_t buffer = 0;
  std::int64_t offset = 0;
  Extents strides;

  friend bool operator==(const Access& a, const Access& b) noexcept {
    return a.buffer == b.buffer && a.offset == b.offset && a.strides == b.strides;
  }
};

/// Memory the program reads and, if `written`, writes. Two buffers never overlap.
struct Buffer {
  DType dtype = DType::f32;
  bool written = false;

  friend bool operator==(const Buffer& a, const Buffer& b) noexcept {
    return a.dtype == b.dtype && a.written == b.written;
  }
};

/// Runs `body` at every point of `domain`, in any order: points do not depend on one another. What
/// the body yields is the point's value, where whoever runs the program asks for one (a reduction).
/// In normal form (what the recorder and the parser give) values and accesses are numbered in
/// order of appearance and no access stands twice.
struct Program {
  Extents domain;
  std::vector<Buffer> buffers;
  std::vector<Access> accesses;
  Block body;
  std::vector<DType> value_dtypes;  ///< by ValueId; for a local array, of its elements
};

/// A named pure function of scalars: `body` takes its parameters and yields one result. It has
/// no loads, stores or indices of its own.
struct Function {
  std::string name;
  Block body;
  std::vector<DType> value_dtypes;
  DType result = DType::f32;

  std::size_t arity() const noexcept { return body.parameters.size(); }
  DType parameter_dtype(std::size_t i) const {
    return value_dtypes[static_cast<std::size_t>(body.parameters[i])];
  }
};

bool operator==(const Block& a, const Block& b);

/// Structural; callees are compared by address.
inline bool operator==(const Instruction& a, const Instruction& b) {
  return a.op == b.op && a.dtype == b.dtype && a.operands == b.operands && a.results == b.results &&
         a.immediate == b.immediate && a.callee == b.callee && a.regions == b.regions;
}
inline bool operator==(const Block& a, const Block& b) {
  return a.parameters == b.parameters && a.instructions == b.instructions && a.yields == b.yields;
}
inline bool operator==(const Program& a, const Program& b) {
  return a.domain == b.domain && a.buffers == b.buffers && a.accesses == b.accesses &&
         a.body == b.body && a.value_dtypes == b.value_dtypes;
}
inline bool operator==(const Function& a, const Function& b) {
  return a.name == b.name && a.result == b.result && a.body == b.body &&
         a.value_dtypes == b.value_dtypes;
}

/// The immediate of a constant: the value's bit pattern in the low bytes, zeros above.
template <class T>
std::int64_t to_immediate(T value) noexcept {
  static_assert(sizeof(T) <= sizeof(std::int64_t));
  std::int64_t bits = 0;
  // Byte by byte in the machine's order: little-endian machines only, as everywhere here.
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// The value of a constant whose dtype is stored as T.
template <class T>
T from_immediate(std::int64_t bits) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}

/// Points of the program's domain.
inline std::int64_t point_count(const Program& program) noexcept {
  std::int64_t count = 1;
  for (const std::int64_t extent : program.domain) count *= extent;
  return count;
}

/// Calls `f(instruction)` for every instruction, outer before inner, in order.
template <class F>
void for_each_instruction(const Block& block, F&& f) {
  for (const Instruction& instruction : block.instructions) {
    f(instruction);
    for (const Block& region : instruction.regions) for_each_instruction(region, f);
  }
}

}  // namespace lane
}  // namespace autovec::inline v1
