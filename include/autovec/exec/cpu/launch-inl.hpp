// Runs decoded programs: scratch memory, the cut of a domain into tiles, threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "autovec/exec/backend.hpp"
#include "autovec/exec/cpu/decode-inl.hpp"
#include "autovec/exec/cpu/threads-inl.hpp"
#include "autovec/exec/cpu/tile-inl.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// Scratch memory of this thread, kept from launch to launch.
class Scratch {
 public:
  static constexpr std::size_t line = 64;

  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { release(); }

  /// At least `bytes` bytes that start on a cache line; their contents are anything.
  static std::byte* take(std::size_t bytes) {
    thread_local Scratch scratch;
    if (scratch.bytes_ < bytes) {
      scratch.release();
      const std::size_t wanted = (bytes + 4095) / 4096 * 4096;
      scratch.data_ = static_cast<std::byte*>(::operator new(wanted, std::align_val_t(line)));
      scratch.bytes_ = wanted;
      std::memset(scratch.data_, 0, wanted);
    }
    return scratch.data_;
  }

 private:
  void release() noexcept {
    if (data_ != nullptr) ::operator delete(data_, std::align_val_t(line));
    data_ = nullptr;
    bytes_ = 0;
  }
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + Scratch::line - 1) / Scratch::line * Scratch::line;
}

/// A code at work on one thread.
class Frame {
 public:
  static std::size_t bytes(const Code& code) {
    return whole_lines((2 * code.places.size() + code.coordinate_count()) * sizeof(void*)) +
           static_cast<std::size_t>(code.bytes_per_lane * code.width);
  }

  /// In `memory`, of `bytes(code)`, which starts on a cache line.
  Frame(const Code& code, std::byte* const* buffers, std::byte* memory) noexcept {
    const std::size_t values = code.places.size();
    auto** homes = reinterpret_cast<std::byte**>(memory);
    tile_.slots = homes + values;
    tile_.coordinates = reinterpret_cast<std::int64_t*>(tile_.slots + values);
    std::byte* const places =
        memory + whole_lines((2 * values + code.coordinate_count()) * sizeof(void*));
    for (std::size_t v = 0; v < values; ++v) {
      homes[v] = tile_.slots[v] = places + code.places[v] * code.width;
    }
    tile_.homes = homes;
    tile_.code = &code;
    tile_.buffers = buffers;
    std::fill_n(tile_.coordinates, code.coordinate_count(), 0);
    tile_.live = tile_.lanes = code.width;
    for (const Step& s : code.prologue) s.run(s, tile_);
  }

  Tile& tile() noexcept { return tile_; }
  void run(std::int64_t live) noexcept {
    tile_.live = live;
    tile_.lanes = padded(live);
    run_steps(tile_, 0, static_cast<std::int32_t>(tile_.code->steps.size()));
  }
  /// Runs on what lies at `first`, `second`: values 0 and 1, the parameters of a function.
  void run_function(void* first, void* second, std::int64_t lanes) noexcept {
    tile_.slots[0] = static_cast<std::byte*>(first);
    tile_.slots[1] = static_cast<std::byte*>(second);
    run(lanes);
  }
  std::byte* yield() const noexcept { return tile_.slots[tile_.code->yields[0]]; }

  /// Splits a row-major number into coordinates along axes of these extents.
  static void split(std::int64_t at, const std::vector<std::int64_t>& extents,
                    std::int64_t* coordinates) noexcept {
    for (std::size_t i = extents.size(); i-- > 1;) {
      coordinates[i] = at % extents[i];
      at /= extents[i];
    }
    if (!extents.empty()) coordinates[0] = at;
  }

 private:
  Tile tile_;
};

/// How the walked points are cut into tiles: along rows if these are long enough, else straight
/// through.
struct Cut {
  bool rows = true;
  std::int64_t inner = 1, pieces = 1, length = 1, tiles = 0;

  Cut() = default;
  explicit Cut(const Code& code) {
    if (code.points == 0) return;
    constexpr std::int64_t long_enough = 64;
    inner = code.walked.back();
    rows = code.walked.size() == 1 || inner >= long_enough;
    if (rows) {
      pieces = (inner + code.width - 1) / code.width;
      length = padded((inner + pieces - 1) / pieces);
      pieces = (inner + length - 1) / length;
      tiles = code.points / inner * pieces;
    } else {
      length = code.width;
      tiles = (code.points + length - 1) / length;
    }
  }

  /// Sets the tile's coordinates and gives {number of its first point, points}.
  std::pair<std::int64_t, std::int64_t> start(std::int64_t k, Tile& t) const noexcept {
    const Code& code = *t.code;
    std::int64_t first, live;
    if (rows) {
      const std::int64_t at = k % pieces * length;
      first = k / pieces * inner + at;
      live = std::min(length, inner - at);
    } else {
      first = k * length;
      live = std::min(length, code.points - first);
    }
    t.row = rows;
    Frame::split(first, code.walked, t.coordinates + code.fixed.size());
    return {first, live};
  }
};

/// A program ready to run.
struct PreparedProgram {
  Code code;
  Cut cut;
  std::int64_t pieces = 1;  // that may run at once
};

/// Into how many pieces work of `units` equal parts is cut, if a part takes `cost` ns. Waking the
/// workers costs 25 us.
inline std::int64_t piece_count(std::int64_t units, double cost) {
  constexpr double worth = 100e3, piece = 20e3;
  const double total = static_cast<double>(units) * cost;
  if (total < worth) return 1;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(total / piece), 1,
                                  std::min<std::int64_t>(units, 64));
}

/// Calls f(begin, end) on `pieces` parts of [0, units), several at once if there are several.
template <class F>
inline void in_pieces(std::int64_t units, std::int64_t pieces, const F& f) {
  if (pieces <= 1) {
    f(std::int64_t(0), units);
    return;
  }
  Threads::instance().for_each(
      pieces, [&](std::int64_t p) { f(units * p / pieces, units * (p + 1) / pieces); });
}

inline PreparedKernel prepare(const lane::Program& program) {
  auto prepared = std::make_shared<PreparedProgram>();
  prepared->code = Decoder().program(program);
  prepared->cut = Cut(prepared->code);
  const double steps = static_cast<double>(prepared->code.steps.size());
  prepared->pieces =
      piece_count(prepared->cut.tiles, steps * static_cast<double>(prepared->cut.length) * 0.1);
  return prepared;
}

inline void launch(const void* kernel, KernelBuffers buffers) {
  const auto& p = *static_cast<const PreparedProgram*>(kernel);
  if (p.cut.tiles == 0) return;
  in_pieces(p.cut.tiles, p.pieces, [&](std::int64_t begin, std::int64_t end) {
    Frame frame(p.code, buffers.data(), Scratch::take(Frame::bytes(p.code)));
    for (std::int64_t k = begin; k < end; ++k) frame.run(p.cut.start(k, frame.tile()).second);
  });
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
