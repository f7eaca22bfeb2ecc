// Kernels that read and write buffers: load, store, gather, scatter, index.
// SPDX-License-Identifier: Apache-2.0
//
// A tile's points lie in runs along the innermost walked axis; along a run an access has one
// stride. Points that do not run, and the padding of a tile, touch no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "autovec/exec/cpu/elementwise-inl.hpp"
#include "autovec/exec/cpu/tile-inl.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// The most walked axes that are left after joining.
inline constexpr std::size_t most_axes = 32;

inline std::int64_t first_offset(const View& view, const Tile& t) {
  std::int64_t at = view.offset;
  for (std::size_t i = 0; i < view.strides.size(); ++i) at += view.strides[i] * t.coordinates[i];
  return at;
}

/// Calls f(lane, count, offset) for each run of the tile's points; along it offsets grow by
/// `view.step`.
template <class F>
inline void for_each_run(const View& view, const Tile& t, F f) {
  const std::int64_t first = first_offset(view, t);
  if (t.row || view.linear) {
    f(std::int64_t(0), t.live, first);
    return;
  }
  const std::vector<std::int64_t>& extents = t.code->walked;
  const std::size_t rank = extents.size(), fixed = t.code->fixed.size();
  const std::int64_t* strides = view.strides.data() + fixed;
  std::int64_t at[most_axes];
  for (std::size_t i = 0; i < rank; ++i) at[i] = t.coordinates[fixed + i];
  const std::int64_t inner = extents[rank - 1];
  std::int64_t offset = first;
  for (std::int64_t lane = 0; lane < t.live;) {
    const std::int64_t room = inner - at[rank - 1];
    const std::int64_t count = room < t.live - lane ? room : t.live - lane;
    f(lane, count, offset);
    lane += count;
    // On to the start of the next row.
    offset -= at[rank - 1] * view.step;
    at[rank - 1] = 0;
    for (std::size_t i = rank - 1; i-- > 0;) {
      offset += strides[i];
      if (++at[i] < extents[i]) break;
      offset -= strides[i] * extents[i];
      at[i] = 0;
    }
  }
}

inline const View& view_of(const Step& s, const Tile& t) {
  return t.code->views[static_cast<std::size_t>(s.immediate)];
}
template <class U>
inline U* buffer_of(const View& view, const Tile& t) {
  return reinterpret_cast<U*>(t.buffers[view.buffer]);
}

template <class U>
inline void load(const Step& s, Tile& t) noexcept {
  const View& view = view_of(s, t);
  const U* const from = buffer_of<U>(view, t);
  if (view.in_place && t.mask == nullptr && t.live == t.lanes && (t.row || view.linear)) {
    t.slots[s.result] =
        const_cast<std::byte*>(reinterpret_cast<const std::byte*>(from + first_offset(view, t)));
    return;
  }
  t.slots[s.result] = t.homes[s.result];
  U* const to = t.at<U>(s.result);
  const std::int64_t step = view.step;
  const std::uint8_t* const mask = t.mask;
  for_each_run(view, t, [=](std::int64_t lane, std::int64_t count, std::int64_t offset) {
    const U* p = from + offset;
    U* r = to + lane;
    if (mask != nullptr) {
      for (std::int64_t i = 0; i < count; ++i) r[i] = mask[lane + i] != 0 ? p[i * step] : U(0);
    } else if (step == 1) {
      std::memcpy(r, p, static_cast<std::size_t>(count) * sizeof(U));
    } else if (step == 0) {
      const U value = *p;
      for (std::int64_t i = 0; i < count; ++i) r[i] = value;
    } else {
      for (std::int64_t i = 0; i < count; ++i) r[i] = p[i * step];
    }
  });
}

/// Lets a value that is stored be computed where it is stored.
template <class U>
inline void place(const Step& s, Tile& t) noexcept {
  const View& view = view_of(s, t);
  const bool whole = t.live == t.lanes && (t.row || view.linear);
  t.slots[s.result] =
      whole ? reinterpret_cast<std::byte*>(buffer_of<U>(view, t) + first_offset(view, t))
            : t.homes[s.result];
}

template <class U>
inline void store(const Step& s, Tile& t) noexcept {
  const View& view = view_of(s, t);
  U* const to = buffer_of<U>(view, t);
  const U* const from = t.at<U>(s.operands[0]);
  if (view.in_place && from == to + first_offset(view, t)) return;
  const std::int64_t step = view.step;
  const std::uint8_t* const mask = t.mask;
  for_each_run(view, t, [=](std::int64_t lane, std::int64_t count, std::int64_t offset) {
    U* p = to + offset;
    const U* v = from + lane;
    if (mask != nullptr) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (mask[lane + i] != 0) p[i * step] = v[i];
      }
    } else if (step == 1) {
      std::memcpy(p, v, static_cast<std::size_t>(count) * sizeof(U));
    } else {
      for (std::int64_t i = 0; i < count; ++i) p[i * step] = v[i];
    }
  });
}

/// Operand: i64 offsets on top of the view's.
template <class U>
inline void gather(const Step& s, Tile& t) noexcept {
  const View& view = view_of(s, t);
  const U* const from = buffer_of<U>(view, t);
  const std::int64_t* const offsets = t.at<std::int64_t>(s.operands[0]);
  U* const to = t.at<U>(s.result);
  const std::int64_t step = view.step;
  const std::uint8_t* const mask = t.mask;
  for_each_run(view, t, [=](std::int64_t lane, std::int64_t count, std::int64_t offset) {
    const U* p = from + offset;
    const std::int64_t* o = offsets + lane;
    U* r = to + lane;
    if (mask == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) r[i] = p[i * step + o[i]];
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        r[i] = mask[lane + i] != 0 ? p[i * step + o[i]] : U(0);
      }
    }
  });
}

/// Operands: offsets, values and, unless -1, a mask.
template <class U>
inline void scatter(const Step& s, Tile& t) noexcept {
  const View& view = view_of(s, t);
  U* const to = buffer_of<U>(view, t);
  const std::int64_t* const offsets = t.at<std::int64_t>(s.operands[0]);
  const U* const from = t.at<U>(s.operands[1]);
  const std::uint8_t* const wanted =
      s.operands[2] < 0 ? nullptr : t.at<std::uint8_t>(s.operands[2]);
  const std::int64_t step = view.step;
  const std::uint8_t* const mask = t.mask;
  for_each_run(view, t, [=](std::int64_t lane, std::int64_t count, std::int64_t offset) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t l = lane + i;
      if ((mask == nullptr || mask[l] != 0) && (wanted == nullptr || wanted[l] != 0)) {
        to[offset + i * step + offsets[l]] = from[l];
      }
    }
  });
}

/// The view's offsets themselves: a domain coordinate.
inline void index(const Step& s, Tile& t) noexcept {
  const View& view = view_of(s, t);
  std::int64_t* const to = t.at<std::int64_t>(s.result);
  for_each_run(view, t, [&](std::int64_t lane, std::int64_t count, std::int64_t offset) {
    for (std::int64_t i = 0; i < count; ++i) to[lane + i] = offset + i * view.step;
  });
}

inline Kernel load_kernel(std::size_t size) {
  return detail::by_size(size, []<class U>() -> Kernel { return &load<U>; });
}
inline Kernel place_kernel(std::size_t size) {
  return detail::by_size(size, []<class U>() -> Kernel { return &place<U>; });
}
inline Kernel store_kernel(std::size_t size) {
  return detail::by_size(size, []<class U>() -> Kernel { return &store<U>; });
}
inline Kernel gather_kernel(std::size_t size) {
  return detail::by_size(size, []<class U>() -> Kernel { return &gather<U>; });
}
inline Kernel scatter_kernel(std::size_t size) {
  return detail::by_size(size, []<class U>() -> Kernel { return &scatter<U>; });
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
