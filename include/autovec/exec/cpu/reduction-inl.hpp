// Reductions by the pinned tree: along the reduced points, or many results side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "autovec/base/error.hpp"
#include "autovec/exec/cpu/launch-inl.hpp"
#include "autovec/plan/kernel.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

// Accumulators for one result: `reduction_ways` elements in a row.

/// Lets accumulators take `count` elements, of which the first goes to accumulator 0; with `fresh`
/// they hold nothing yet.
template <class F, class T>
inline void fold(const void* from, std::int64_t count, void* accumulators, bool fresh) noexcept {
  const T* x = static_cast<const T*>(from);
  T* acc = static_cast<T*>(accumulators);
  if (fresh) {
    const std::int64_t first = std::min(count, reduction_ways);
    std::memcpy(acc, x, static_cast<std::size_t>(first) * sizeof(T));
    x += first;
    count -= first;
  }
  if constexpr (Batched<T>) {
    constexpr std::int64_t size = Batch<T>::size, batches = reduction_ways / size;
    Batch<T> a[batches];
    for (std::int64_t b = 0; b < batches; ++b) a[b] = Batch<T>::load(acc + b * size);
    for (; count >= reduction_ways; count -= reduction_ways, x += reduction_ways) {
      for (std::int64_t b = 0; b < batches; ++b) {
        a[b] = F::run(a[b], Batch<T>::load(x + b * size));
      }
    }
    for (std::int64_t b = 0; b < batches; ++b) a[b].store(acc + b * size);
  }
  for (; count > 0; count -= reduction_ways, x += reduction_ways) {
    for (std::int64_t j = 0; j < std::min(count, reduction_ways); ++j) {
      acc[j] = F::run(acc[j], x[j]);
    }
  }
}

/// The tree over the first `count` accumulators; the result is in the first.
template <class F, class T>
inline void tree(void* accumulators, std::int64_t count) noexcept {
  T* acc = static_cast<T*>(accumulators);
  for (std::int64_t w = reduction_ways / 2; w > 0; w /= 2) {
    for (std::int64_t j = 0; j < std::min(w, count - w); ++j) acc[j] = F::run(acc[j], acc[j + w]);
    count = std::min(count, w);
  }
}

/// fold and tree of a combine function that is one instruction.
struct Combine {
  void (*fold)(const void*, std::int64_t, void*, bool) noexcept = nullptr;
  void (*tree)(void*, std::int64_t) noexcept = nullptr;
};

namespace detail {
template <class F>
inline Combine combine_on(DType t) {
  return dispatch(
      t,
      []<class T>() -> Combine {
        using U = Served<F, T>;
        return {&fold<F, U>, &tree<F, U>};
      },
      [] { return Combine(); });
}
template <class F>
inline Combine combine_bits(DType t) {
  return dispatch(
      t,
      []<class T>() -> Combine {
        if constexpr (std::is_floating_point_v<T>) return {};
        else return {&fold<F, Served<F, T>>, &tree<F, Served<F, T>>};
      },
      [] { return Combine(); });
}
}  // namespace detail

/// Nullptrs if the function is not one of the known instructions on (accumulator, x).
inline Combine find_combine(const lane::Function& f, DType t) {
  if (f.arity() != 2 || f.body.instructions.size() != 1) return {};
  const lane::Instruction& i = f.body.instructions[0];
  if (i.operands.size() != 2 || i.operands[0] != f.body.parameters[0] ||
      i.operands[1] != f.body.parameters[1] || i.results.size() != 1 ||
      i.results[0] != f.body.yields[0]) {
    return {};
  }
  switch (i.op) {
    case lane::Op::add: return detail::combine_on<Add>(t);
    case lane::Op::mul: return detail::combine_on<Mul>(t);
    case lane::Op::min: return detail::combine_on<Min>(t);
    case lane::Op::max: return detail::combine_on<Max>(t);
    case lane::Op::and_: return detail::combine_bits<And>(t);
    case lane::Op::or_: return detail::combine_bits<Or>(t);
    default: return {};
  }
}

struct PreparedReduction {
  Code value;  // fixed: the outer axes if `along`, else the reduced ones
  Code combine;
  Combine known;
  bool along = true;  // tiles walk along the reduced points
  Cut cut;            // of the outer points, if not `along`
  std::int64_t outer = 1, reduced = 1;
  std::int64_t pieces = 1;
  std::size_t size = 0;
  std::int64_t identity = 0;
  std::int32_t result = 0;
};

/// Whether tiles should walk along the reduced points. A question of speed only.
inline bool walks_along(const Code& along, const Code& across, std::int64_t outer,
                        std::int64_t reduced) {
  const auto contiguous = [](const Code& code) {
    return std::all_of(code.views.begin(), code.views.end(),
                       [](const View& v) { return v.step == 0 || v.step == 1; });
  };
  if (outer < granule / 2) return true;
  if (reduced < reduction_ways) return false;
  if (contiguous(along)) return true;
  return reduced >= 4 * reduction_ways && !contiguous(across);
}

inline PreparedKernel prepare_reduction(const Reduction& r) {
  auto p = std::make_shared<PreparedReduction>();
  const Extents& domain = r.value.domain;
  const std::size_t rank = domain.size(), reduced = static_cast<std::size_t>(r.reduced_rank);
  ensure(reduced <= rank && r.combine != nullptr, "simd: a reduction of too many axes");
  for (std::size_t i = 0; i < rank; ++i) (i < rank - reduced ? p->outer : p->reduced) *= domain[i];
  p->size = size_of(r.dtype);
  p->identity = r.identity_bits;
  p->result = r.result_buffer;
  if (p->outer == 0 || p->reduced == 0) return p;
  Code along = Decoder().program(r.value, rank - reduced, false);
  Code across = Decoder().program(r.value, reduced, true);
  p->along = walks_along(along, across, p->outer, p->reduced);
  p->value = std::move(p->along ? along : across);
  if (!p->along) p->value.width = std::min<std::int64_t>(p->value.width, 256);
  p->cut = Cut(p->value);
  p->combine = Decoder().function(*r.combine);
  p->combine.width = std::max(p->value.width, reduction_ways);
  p->known = find_combine(*r.combine, r.dtype);
  const double steps = static_cast<double>(p->value.steps.size() + p->combine.steps.size());
  p->pieces = p->along
                  ? piece_count(p->outer, steps * (20 + static_cast<double>(p->reduced) * 0.1))
                  : piece_count(p->cut.tiles, steps * static_cast<double>(p->reduced) *
                                                  (5 + static_cast<double>(p->cut.length) * 0.1));
  return p;
}

/// acc[0, lanes) = combine(acc, x), keeping what acc holds beyond `lanes`.
inline void combine_into(Frame& combine, std::byte* acc, std::byte* x, std::int64_t lanes,
                         std::size_t size) noexcept {
  combine.run_function(acc, x, lanes);
  std::memcpy(acc, combine.yield(), static_cast<std::size_t>(lanes) * size);
}

inline void reduce_along(const PreparedReduction& p, KernelBuffers buffers, std::int64_t begin,
                         std::int64_t end) {
  const std::size_t size = p.size;
  const std::size_t value_bytes = Frame::bytes(p.value), combine_bytes = Frame::bytes(p.combine);
  std::byte* memory = Scratch::take(value_bytes + combine_bytes + reduction_ways * 8);
  Frame value(p.value, buffers.data(), memory);
  Frame combine(p.combine, buffers.data(), memory + value_bytes);
  std::byte* const acc = memory + value_bytes + combine_bytes;
  Tile& t = value.tile();
  const std::int64_t width = p.value.width, held = std::min(p.reduced, reduction_ways);
  t.row = p.value.walked.size() == 1;
  for (std::int64_t o = begin; o < end; ++o) {
    Frame::split(o, p.value.fixed, t.coordinates);
    for (std::int64_t first = 0; first < p.reduced; first += width) {
      const std::int64_t count = std::min(width, p.reduced - first);
      Frame::split(first, p.value.walked, t.coordinates + p.value.fixed.size());
      value.run(count);
      std::byte* const x = value.yield();
      if (p.known.fold != nullptr) {
        p.known.fold(x, count, acc, first == 0);
        continue;
      }
      for (std::int64_t at = 0; at < count; at += reduction_ways) {
        const std::int64_t lanes = std::min(count - at, reduction_ways);
        std::byte* const group = x + static_cast<std::size_t>(at) * size;
        if (first + at == 0) std::memcpy(acc, group, static_cast<std::size_t>(lanes) * size);
        else combine_into(combine, acc, group, lanes, size);
      }
    }
    if (p.known.tree != nullptr) {
      p.known.tree(acc, held);
    } else {
      std::int64_t left = held;
      for (std::int64_t w = reduction_ways / 2; w > 0; w /= 2) {
        const std::int64_t lanes = std::min(w, left - w);
        if (lanes > 0) {
          std::byte other[granule * 8];
          std::memcpy(other, acc + static_cast<std::size_t>(w) * size,
                      static_cast<std::size_t>(lanes) * size);
          combine_into(combine, acc, other, lanes, size);
        }
        left = std::min(left, w);
      }
    }
    std::memcpy(buffers[static_cast<std::size_t>(p.result)] + static_cast<std::size_t>(o) * size,
                acc, size);
  }
}

inline void reduce_across(const PreparedReduction& p, KernelBuffers buffers, std::int64_t begin,
                          std::int64_t end) {
  const std::size_t size = p.size, row = static_cast<std::size_t>(p.value.width) * size;
  const std::int64_t held = std::min(p.reduced, reduction_ways);
  const std::size_t value_bytes = Frame::bytes(p.value), combine_bytes = Frame::bytes(p.combine);
  std::byte* memory =
      Scratch::take(value_bytes + combine_bytes + static_cast<std::size_t>(held) * row);
  Frame value(p.value, buffers.data(), memory);
  Frame combine(p.combine, buffers.data(), memory + value_bytes);
  std::byte* const acc = memory + value_bytes + combine_bytes;
  Tile& t = value.tile();
  for (std::int64_t k = begin; k < end; ++k) {
    const auto [start, live] = p.cut.start(k, t);
    const std::size_t bytes = static_cast<std::size_t>(live) * size;
    for (std::int64_t i = 0; i < p.reduced; ++i) {
      Frame::split(i, p.value.fixed, t.coordinates);
      value.run(live);
      std::byte* const a = acc + static_cast<std::size_t>(i % reduction_ways) * row;
      if (i < reduction_ways) std::memcpy(a, value.yield(), bytes);
      else combine_into(combine, a, value.yield(), live, size);
    }
    std::int64_t left = held;
    for (std::int64_t w = reduction_ways / 2; w > 0; w /= 2) {
      for (std::int64_t j = 0; j < std::min(w, left - w); ++j) {
        combine_into(combine, acc + static_cast<std::size_t>(j) * row,
                     acc + static_cast<std::size_t>(j + w) * row, live, size);
      }
      left = std::min(left, w);
    }
    std::memcpy(
        buffers[static_cast<std::size_t>(p.result)] + static_cast<std::size_t>(start) * size, acc,
        bytes);
  }
}

inline void launch_reduction(const void* kernel, KernelBuffers buffers) {
  const auto& p = *static_cast<const PreparedReduction*>(kernel);
  if (p.outer == 0) return;
  if (p.reduced == 0) {
    std::byte* to = buffers[static_cast<std::size_t>(p.result)];
    for (std::int64_t o = 0; o < p.outer; ++o) {
      std::memcpy(to + static_cast<std::size_t>(o) * p.size, &p.identity, p.size);
    }
    return;
  }
  in_pieces(p.along ? p.outer : p.cut.tiles, p.pieces, [&](std::int64_t begin, std::int64_t end) {
    if (p.along) reduce_along(p, buffers, begin, end);
    else reduce_across(p, buffers, begin, end);
  });
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
