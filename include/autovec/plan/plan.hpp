// A plan: what is computed in which order, in which memory. Immutable once lowered.
//
// All blocks of a plan share one table of buffers. At run time the table holds one address a
// buffer; loops rebind the addresses of carries and slices and never copy them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autovec/ir/array.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/plan/kernel.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Position in `Plan::buffers`.
using BufferId = std::int32_t;

/// Where a buffer's address comes from.
enum class Role : std::uint8_t {
  input,      ///< the caller's array number `index`
  output,     ///< the caller's result number `index`
  workspace,  ///< `offset` bytes into the workspace
  bound       ///< set by the step that owns it: a carry, a slice
};

struct Buffer {
  Role role = Role::workspace;
  DType dtype = DType::f32;
  std::int64_t size = 0;    // elements
  std::int32_t index = -1;  // input, output
  std::int64_t offset = 0;  // workspace
  std::int64_t bytes() const noexcept { return size * static_cast<std::int64_t>(size_of(dtype)); }
};

/// Where a value lies.
struct Place {
  BufferId buffer = -1;
  Layout layout;
  explicit operator bool() const noexcept { return buffer >= 0; }
};

/// A typed place.
struct Port {
  Type type;
  Place place;
};

using Kernel = std::variant<lane::Program, Reduction, Contraction>;

struct Step;
struct Block {
  std::vector<Step> steps;
};

/// Runs a program or a reduction on buffers.
struct Launch {
  std::int32_t kernel = -1;
  SmallVector<BufferId, 8> buffers;  // by the program's buffer number
  std::int64_t bytes = 0;            // see moved_bytes
};

/// Runs a contraction.
struct Contract {
  std::int32_t kernel = -1;
  Port a, b, c;
};

/// Copies elements of `from` to `to`, which is contiguous.
struct Copy {
  Port from;
  Place to;
};

/// Runs a row's kernel on contiguous arrays.
struct Call {
  const OpInfo* op = nullptr;
  Params params;
  std::int32_t number = 0;  // among the plan's calls
  std::vector<Port> operands, results;
};

/// Overwrites or combines windows of `target` (see ScatterParams).
struct Scatter {
  ScatterParams params;
  Port target, starts, updates;
  Port mask;  // where params.masked
};

/// Runs one of the sides; with more than one lane each side that some lane takes, under its mask.
struct Branch {
  Port index;  // contiguous
  std::int64_t lanes = 1;
  BufferId mask = -1;  // b8, one a lane: what the running side reads; where lanes > 1
  std::vector<Block> sides;
};

/// A value that a loop hands from trip to trip.
struct Carry {
  BufferId current = -1;  // bound: what the body reads
  BufferId next = -1;     // bound: what the body writes; -1: it updates `current` in place
  BufferId home = -1;     // holds the initial value, in the end the last one
  BufferId spare = -1;    // the second of two buffers that take turns
};

/// Runs the body while the condition holds for some lane.
struct Loop {
  std::int64_t lanes = 1;
  BufferId holds = -1;  // b8, one a lane: written by the condition
  BufferId alive = -1;  // b8, one a lane: holds now and held always
  BufferId died = -1;   // b8, one a lane: stopped right now; read by `freeze`
  std::vector<Carry> carries;
  Block condition, body;
  bool body_tests =
      false;     // the body writes `holds` for the trip after it; the condition runs once
  Block freeze;  // stores uniform carries for the lanes that died
};

/// A slice that moves along an axis of an array with each trip.
struct Slice {
  BufferId bound = -1;
  Place whole;  // at slice 0
  DType dtype = DType::f32;
  std::int64_t stride = 0;  // in elements
};

/// Runs the body once for each slice.
struct Scan {
  std::int64_t length = 0;
  bool reverse = false;
  std::vector<Carry> carries;
  std::vector<Slice> slices;
  Block body;
};

struct Step {
  std::variant<Launch, Contract, Copy, Call, Scatter, Branch, Loop, Scan> what;
  std::string op;  // of the node that asked for it
  Where where = Where::unknown();
  std::string reason;  // why it is a step of its own, for people
};

/// Bytes that a kernel at its points moves, each access by itself; repeated elements count once.
inline std::int64_t moved_bytes(const Kernel& kernel) {
  const auto* reduction = std::get_if<Reduction>(&kernel);
  const lane::Program& program =
      reduction != nullptr ? reduction->value : std::get<lane::Program>(kernel);
  std::int64_t bytes = 0;
  lane::for_each_instruction(program.body, [&](const lane::Instruction& i) {
    if (!lane::accesses_memory(i.op)) return;
    const lane::Access& access = program.accesses[static_cast<std::size_t>(i.immediate)];
    const bool affine = i.op == lane::Op::load || i.op == lane::Op::store;
    std::int64_t points = 1;
    for (std::size_t axis = 0; axis < program.domain.size(); ++axis) {
      if (!affine || access.strides[axis] != 0 || program.domain[axis] == 0)
        points *= program.domain[axis];
    }
    bytes += points * static_cast<std::int64_t>(size_of(i.dtype));
  });
  if (reduction != nullptr) {
    std::int64_t results = static_cast<std::int64_t>(size_of(reduction->dtype));
    for (std::size_t i = 0;
         i + static_cast<std::size_t>(reduction->reduced_rank) < program.domain.size(); ++i) {
      results *= program.domain[i];
    }
    bytes += results;
  }
  return bytes;
}

struct Plan {
  std::vector<Type> inputs, outputs;
  std::vector<Extents> input_strides;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  Block root;
  std::int32_t call_count = 0;
  std::int64_t workspace_bytes = 0;
};

}  // namespace plan
}  // namespace autovec::inline v1
