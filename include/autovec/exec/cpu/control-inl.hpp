// Kernels of control flow and local arrays: loop, while, if under masks.
// SPDX-License-Identifier: Apache-2.0
//
// A `while` does not freeze its carries at each trip. When points leave, what they carry is blended
// into the results; the carries run on with what may be anything for those points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "autovec/exec/cpu/elementwise-inl.hpp"
#include "autovec/exec/cpu/tile-inl.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

inline const Region& region_of(const Step& s, const Tile& t) {
  return t.code->regions[static_cast<std::size_t>(s.immediate)];
}
inline void copy_value(Tile& t, std::int32_t to, std::int32_t from, std::size_t size) {
  if (t.slots[to] != t.slots[from]) {
    std::memcpy(t.slots[to], t.slots[from], static_cast<std::size_t>(t.lanes) * size);
  }
}

/// Points that run now, as bytes 0 and 1; padding is 0. Gives their number.
inline std::int64_t running(const Tile& t, std::uint8_t* to) {
  if (t.mask == nullptr) {
    std::memset(to, 1, static_cast<std::size_t>(t.live));
    std::memset(to + t.live, 0, static_cast<std::size_t>(t.lanes - t.live));
    return t.live;
  }
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < t.lanes; ++i) {
    to[i] = t.mask[i];
    count += t.mask[i];
  }
  return count;
}

/// yes = mask & condition, no = mask & ~condition; gives the number of yes.
inline std::int64_t part(const std::uint8_t* mask, const std::uint8_t* condition, std::uint8_t* yes,
                         std::uint8_t* no, std::int64_t lanes) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < lanes; i += granule) {
    std::uint8_t m[granule], c[granule], y[granule], n[granule];
    std::memcpy(m, mask + i, granule);
    std::memcpy(c, condition + i, granule);
    std::uint8_t sum = 0;
    for (std::int64_t j = 0; j < granule; ++j) {
      y[j] = static_cast<std::uint8_t>(m[j] & (c[j] != 0 ? 1 : 0));
      n[j] = static_cast<std::uint8_t>(m[j] ^ y[j]);
      sum = static_cast<std::uint8_t>(sum + y[j]);
    }
    std::memcpy(yes + i, y, granule);
    std::memcpy(no + i, n, granule);
    count += sum;
  }
  return count;
}

inline void run_while(const Step& s, Tile& t) noexcept {
  const Region& r = region_of(s, t);
  std::uint8_t* const alive = t.at<std::uint8_t>(r.mask);
  std::uint8_t* const left = t.at<std::uint8_t>(r.other);
  const std::uint8_t* const condition = t.at<std::uint8_t>(r.condition);
  const std::uint8_t* const outer = t.mask;
  std::int64_t count = running(t, alive);
  for (const Carry& c : r.carries) copy_value(t, c.carry, c.initial, c.size);
  const std::int64_t start = count;
  while (count > 0) {
    // As long as nobody left, the mask of outside will do, and none if there was none.
    t.mask = count == start ? outer : alive;
    run_steps(t, r.first, r.middle);
    const std::int64_t stay = part(alive, condition, alive, left, t.lanes);
    if (stay != count) {
      for (const Carry& c : r.carries) {
        Step blend;
        blend.result = c.result;
        blend.operands[0] = r.other;
        blend.operands[1] = c.carry;
        blend.operands[2] = c.result;
        c.blend(blend, t);
      }
      count = stay;
      if (count == 0) break;
    }
    t.mask = count == start ? outer : alive;
    run_steps(t, r.middle, r.last);
    for (const Carry& c : r.carries) copy_value(t, c.carry, c.next, c.size);
  }
  t.mask = outer;
}

inline void run_if(const Step& s, Tile& t) noexcept {
  const Region& r = region_of(s, t);
  std::uint8_t* const yes = t.at<std::uint8_t>(r.mask);
  std::uint8_t* const no = t.at<std::uint8_t>(r.other);
  const std::uint8_t* const outer = t.mask;
  const std::int64_t all = running(t, yes);
  const std::int64_t taken = part(yes, t.at<std::uint8_t>(r.condition), yes, no, t.lanes);
  if (taken == all || taken == 0) {
    const bool then = taken != 0;
    if (all != 0) run_steps(t, then ? r.first : r.middle, then ? r.middle : r.last);
    for (const Carry& c : r.carries) copy_value(t, c.result, then ? c.initial : c.next, c.size);
    return;
  }
  t.mask = yes;
  run_steps(t, r.first, r.middle);
  t.mask = no;
  run_steps(t, r.middle, r.last);
  t.mask = outer;
  for (const Carry& c : r.carries) {
    Step blend;
    blend.result = c.result;
    blend.operands[0] = r.mask;
    blend.operands[1] = c.initial;
    blend.operands[2] = c.next;
    c.blend(blend, t);
  }
}

inline void run_loop(const Step& s, Tile& t) noexcept {
  const Region& r = region_of(s, t);
  for (const Carry& c : r.carries) copy_value(t, c.carry, c.initial, c.size);
  for (std::int64_t i = 0; i < r.trips; ++i) {
    t.coordinates[r.coordinate] = i;
    if (r.index >= 0) {
      std::int64_t* const index = t.at<std::int64_t>(r.index);
      for (std::int64_t l = 0; l < t.lanes; ++l) index[l] = i;
    }
    run_steps(t, r.first, r.last);
    for (const Carry& c : r.carries) copy_value(t, c.carry, c.next, c.size);
  }
}

/// A copy of a value of `immediate` bytes a lane.
inline void copy(const Step& s, Tile& t) noexcept {
  copy_value(t, s.result, s.operands[0], static_cast<std::size_t>(s.immediate));
}

// -- Local arrays: element j of lane i lies at [j * width + i] ----------------------------------

template <class U>
inline void array_new(const Step& s, Tile& t) noexcept {
  std::memset(t.slots[s.result], 0,
              static_cast<std::size_t>(s.immediate * t.code->width) * sizeof(U));
}
inline std::int64_t clamped(std::int64_t at, std::int64_t length) {
  return at < 0 ? 0 : at < length ? at : length - 1;
}
template <class U>
inline void array_get(const Step& s, Tile& t) noexcept {
  const U* const array = t.at<U>(s.operands[0]);
  const std::int64_t* const at = t.at<std::int64_t>(s.operands[1]);
  U* const to = t.at<U>(s.result);
  for (std::int64_t i = 0; i < t.lanes; ++i) {
    to[i] = array[clamped(at[i], s.immediate) * t.code->width + i];
  }
}
template <class U>
inline void array_set(const Step& s, Tile& t) noexcept {
  U* const array = t.at<U>(s.operands[0]);
  const std::int64_t* const at = t.at<std::int64_t>(s.operands[1]);
  const U* const from = t.at<U>(s.operands[2]);
  for (std::int64_t i = 0; i < t.live; ++i) {
    if (t.mask == nullptr || t.mask[i] != 0) {
      array[clamped(at[i], s.immediate) * t.code->width + i] = from[i];
    }
  }
}
inline Kernel array_kernel(lane::Op op, std::size_t size) {
  return detail::by_size(size, [op]<class U>() -> Kernel {
    return op == lane::Op::array_new   ? &array_new<U>
           : op == lane::Op::array_get ? &array_get<U>
                                       : &array_set<U>;
  });
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
