// Runs indexed updates: windows written or combined one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "autovec/lane/half.hpp"
#include "autovec/lane/scalar.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

enum class ScatterMode : std::uint8_t { set, add, mul, min, max };

inline ScatterMode scatter_mode(std::string_view name) {
  if (name == "add") return ScatterMode::add;
  if (name == "mul") return ScatterMode::mul;
  if (name == "min") return ScatterMode::min;
  if (name == "max") return ScatterMode::max;
  ensure(name == "set", "scatter: unknown mode");
  return ScatterMode::set;
}

/// One element combined with another; integers wrap, b8 adds by "or" and multiplies by "and".
template <ScatterMode mode, class T>
T combined(T a, T b) {
  if constexpr (mode == ScatterMode::min) {
    return lane::min(a, b);
  } else if constexpr (mode == ScatterMode::max) {
    return lane::max(a, b);
  } else if constexpr (std::is_floating_point_v<T>) {
    return mode == ScatterMode::add ? a + b : a * b;
  } else if constexpr (std::is_same_v<T, bool>) {
    return mode == ScatterMode::add ? a || b : a && b;
  } else {
    using U = std::uint64_t;
    return static_cast<T>(mode == ScatterMode::add ? static_cast<U>(a) + static_cast<U>(b)
                                                   : static_cast<U>(a) * static_cast<U>(b));
  }
}

/// A row of a window: `count` elements with strides in bytes.
using ScatterRow = void (*)(std::byte* to, std::int64_t to_stride, const std::byte* from,
                            std::int64_t from_stride, std::int64_t count);

template <std::size_t width>
void set_row(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
             std::int64_t count) {
  constexpr auto w = static_cast<std::int64_t>(width);
  if (to_stride == w && from_stride == w) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * width);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, width);
}

template <ScatterMode mode, class T>
void combine_row(std::byte* to, std::int64_t to_stride, const std::byte* from,
                 std::int64_t from_stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, to + i * to_stride, sizeof(T));
    std::memcpy(&b, from + i * from_stride, sizeof(T));
    a = combined<mode>(a, b);
    std::memcpy(to + i * to_stride, &a, sizeof(T));
  }
}

/// Half floats combine in f32.
template <ScatterMode mode, bool brain>
void combine_half_row(std::byte* to, std::int64_t to_stride, const std::byte* from,
                      std::int64_t from_stride, std::int64_t count) {
  const auto widen = [](std::uint16_t bits) {
    return brain ? lane::f32_from_bf16(bits) : lane::f32_from_f16(bits);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t a, b;
    std::memcpy(&a, to + i * to_stride, 2);
    std::memcpy(&b, from + i * from_stride, 2);
    const float r = combined<mode>(widen(a), widen(b));
    a = brain ? lane::bf16_from_f32(r) : lane::f16_from_f32(r);
    std::memcpy(to + i * to_stride, &a, 2);
  }
}

template <ScatterMode mode>
ScatterRow combine_row_for(DType dtype) {
  return dispatch(
      dtype, []<class T>() -> ScatterRow { return combine_row<mode, T>; },
      [&]() -> ScatterRow {
        ensure(dtype == DType::f16 || dtype == DType::bf16, "scatter: complex elements");
        return dtype == DType::bf16 ? combine_half_row<mode, true> : combine_half_row<mode, false>;
      });
}

inline ScatterRow scatter_row_for(ScatterMode mode, DType dtype) {
  switch (mode) {
    case ScatterMode::add: return combine_row_for<ScatterMode::add>(dtype);
    case ScatterMode::mul: return combine_row_for<ScatterMode::mul>(dtype);
    case ScatterMode::min: return combine_row_for<ScatterMode::min>(dtype);
    case ScatterMode::max: return combine_row_for<ScatterMode::max>(dtype);
    case ScatterMode::set: break;
  }
  switch (size_of(dtype)) {
    case 1: return set_row<1>;
    case 2: return set_row<2>;
    case 4: return set_row<4>;
    case 8: return set_row<8>;
    default: return set_row<16>;
  }
}

/// A start as i64; what does not fit is beyond every extent all the same.
inline std::int64_t read_start(const std::byte* at, DType dtype) {
  return dispatch(
      dtype,
      [&]<class T>() {
        T value;
        std::memcpy(&value, at, sizeof(T));
        if constexpr (std::is_same_v<T, std::uint64_t>) {
          return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
        } else {
          return static_cast<std::int64_t>(value);
        }
      },
      [] { return std::int64_t{0}; });
}

/// Runs one update. Addresses are those of the ports' elements (0, ...). Returns bytes moved.
inline std::int64_t run_scatter(const Scatter& s, std::byte* target, const std::byte* starts,
                                const std::byte* updates, const std::byte* mask) {
  const ScatterParams& p = s.params;
  const Type& x = s.target.type;
  const auto width = static_cast<std::int64_t>(size_of(x.dtype));
  const auto batch = static_cast<std::size_t>(p.batch);
  const std::size_t outer = s.starts.type.rank() - 1;  // batch and index axes
  const ScatterRow row = scatter_row_for(scatter_mode(p.mode), x.dtype);

  // The window: extents, and strides in bytes in the target and in the updates.
  Extents extents, to_strides, from_strides;
  std::size_t update_axis = outer;
  for (std::size_t axis = batch; axis < x.rank(); ++axis) {
    if (std::find(p.collapsed.begin(), p.collapsed.end(), static_cast<std::int64_t>(axis)) !=
        p.collapsed.end()) {
      continue;
    }
    extents.push_back(p.sizes[axis - batch]);
    to_strides.push_back(s.target.place.layout.strides[axis] * width);
    from_strides.push_back(s.updates.place.layout.strides[update_axis++] * width);
  }
  if (extents.empty())
    extents.push_back(1), to_strides.push_back(width), from_strides.push_back(width);
  const std::size_t last = extents.size() - 1;
  std::int64_t window = 1;
  for (const std::int64_t n : extents) window *= n;
  std::int64_t windows = 1;
  for (std::size_t i = 0; i < outer; ++i) windows *= s.starts.type.shape[i];
  if (window == 0 || windows == 0) return 0;

  const auto start_width = static_cast<std::int64_t>(size_of(s.starts.type.dtype));
  Extents at(outer, 0);
  Extents inner(last, 0);
  for (std::int64_t w = 0; w < windows; ++w) {
    std::int64_t to = 0, from = 0, index = 0, hidden = 0;
    for (std::size_t i = 0; i < outer; ++i) {
      if (i < batch) to += at[i] * s.target.place.layout.strides[i] * width;
      from += at[i] * s.updates.place.layout.strides[i] * width;
      index += at[i] * s.starts.place.layout.strides[i] * start_width;
      if (p.masked) hidden += at[i] * s.mask.place.layout.strides[i];
    }
    bool runs = !p.masked || mask[hidden] != std::byte{0};
    for (std::size_t k = 0; runs && k < p.axes.size(); ++k) {
      const auto axis = static_cast<std::size_t>(p.axes[k]);
      std::int64_t start = read_start(
          starts + index +
              static_cast<std::int64_t>(k) * s.starts.place.layout.strides[outer] * start_width,
          s.starts.type.dtype);
      const std::int64_t extent = x.shape[axis];
      const std::int64_t top = extent - p.sizes[axis - batch];
      if (start < 0) start += extent;
      if (p.clamp) start = std::max<std::int64_t>(0, std::min(start, top));
      runs = start >= 0 && start <= top;
      to += start * s.target.place.layout.strides[axis] * width;
    }
    if (runs) {
      std::byte* t = target + to;
      const std::byte* f = updates + from;
      for (std::size_t i = 0; i < last; ++i) inner[i] = 0;
      for (std::int64_t done = 0; done < window; done += extents[last]) {
        row(t, to_strides[last], f, from_strides[last], extents[last]);
        for (std::size_t i = last; i-- > 0;) {
          t += to_strides[i];
          f += from_strides[i];
          if (++inner[i] < extents[i]) break;
          t -= to_strides[i] * extents[i];
          f -= from_strides[i] * extents[i];
          inner[i] = 0;
        }
      }
    }
    for (std::size_t i = outer; i-- > 0;) {
      if (++at[i] < s.starts.type.shape[i]) break;
      at[i] = 0;
    }
  }
  return 2 * window * windows * width;
}

}  // namespace plan
}  // namespace autovec::inline v1
