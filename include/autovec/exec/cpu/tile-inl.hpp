// What a decoded program is made of: steps over tiles of points, and the places of their values.
// SPDX-License-Identifier: Apache-2.0
//
// A program runs a tile of consecutive points at a time. Each value of the program has an entry in
// the tile's table of pointers: usually its home in scratch memory, for a contiguous load or store
// the buffer itself. b8 is a byte; for points that do not run it may be any byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autovec/base/config.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

struct Step;
struct Tile;

/// Runs one instruction on all lanes of a tile.
using Kernel = void (*)(const Step&, Tile&) noexcept;

struct Step {
  Kernel run = nullptr;
  std::int32_t result = -1;  // values: entries of the table of pointers
  std::int32_t operands[3] = {-1, -1, -1};
  std::int32_t skip = 1;       // steps to the next one: over the steps of a region
  std::int64_t immediate = 0;  // constant bits, view, region
};

/// Tiles are padded to this many lanes, and kernels handle this many at least.
inline constexpr std::int64_t granule = 16;

constexpr std::int64_t padded(std::int64_t lanes) {
  return (lanes + granule - 1) / granule * granule;
}

/// An affine way into a buffer: offset + sum of strides times the tile's coordinates.
struct View {
  std::int32_t buffer = -1;  // -1: the value is the offset itself
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
  std::int64_t step = 0;  // from a point to the next one along the innermost walked axis
  bool linear = false;    // ... and on over all walked axes
  bool in_place = false;  // the buffer may be used in place of a copy
};

/// A value that a loop carries: `carry` holds it, `next` comes out of the body, `result` is what
/// the point left the loop with (`carry` itself for a `loop`).
struct Carry {
  std::int32_t initial, carry, next, result;
  Kernel blend;
  std::size_t size;
};

/// A loop, while or if. Its steps follow the one that runs it: [first, middle) and [middle, last).
struct Region {
  std::int32_t first = 0, middle = 0, last = 0;
  std::int64_t trips = 0;
  std::int32_t coordinate = -1;        // of a loop's index
  std::int32_t index = -1;             // value of a loop's index; -1: nobody reads it
  std::int32_t condition = -1;         // value; b8
  std::int32_t mask = -1, other = -1;  // scratch for masks
  std::vector<Carry> carries;          // of an if: initial is the value of `then`, next of `else`
};

/// A program, decoded. Coordinates are those of the fixed axes, the walked axes, the loops.
struct Code {
  std::vector<Step> prologue;  // once per run, at full width: what no point changes
  std::vector<Step> steps;
  std::vector<View> views;
  std::vector<Region> regions;
  std::vector<std::int64_t> places;  // scratch of a value: offset in bytes per lane
  std::vector<std::int32_t> yields;  // values the program gives
  std::vector<std::int64_t> fixed;   // extents, axes that may join joined
  std::vector<std::int64_t> walked;
  std::int64_t loops = 0;
  std::int64_t bytes_per_lane = 0;
  std::int64_t width = 0;  // lanes of a full tile, a multiple of 64
  std::int64_t points = 1;

  std::size_t coordinate_count() const noexcept {
    return fixed.size() + walked.size() + static_cast<std::size_t>(loops);
  }
};

struct Tile {
  std::byte** slots = nullptr;
  std::byte* const* homes = nullptr;
  std::int64_t lanes = 0;              // padded(live)
  std::int64_t live = 0;               // points
  const std::uint8_t* mask = nullptr;  // points that run; nullptr: all
  bool row = true;                     // the points lie in one row of the innermost walked axis
  const Code* code = nullptr;
  std::byte* const* buffers = nullptr;
  std::int64_t* coordinates = nullptr;  // of the first point

  template <class T>
  T* at(std::int32_t value) const noexcept {
    return reinterpret_cast<T*>(slots[value]);
  }
};

/// Runs steps [first, last) of the tile's code, regions included.
inline void run_steps(Tile& tile, std::int32_t first, std::int32_t last) noexcept {
  const Step* const end = tile.code->steps.data() + last;
  for (const Step* s = tile.code->steps.data() + first; s != end; s += s->skip) s->run(*s, tile);
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
