// The reference executor: every kernel one element at a time, by the definition of its meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "autovec/base/config.hpp"
#include "autovec/exec/backend.hpp"
#include "autovec/lane/evaluate.hpp"
#include "autovec/lane/recorder.hpp"

namespace autovec::inline v1 {
namespace reference {

/// The addresses as the evaluator wants them.
inline SmallVector<void*, 8> addresses(KernelBuffers buffers) {
  SmallVector<void*, 8> out;
  for (std::byte* b : buffers) out.push_back(b);
  return out;
}

struct PointKernel {
  explicit PointKernel(const lane::Program& program)
      : evaluator(program), points(lane::point_count(program)) {}
  lane::Evaluator evaluator;
  std::int64_t points;
};

inline PreparedKernel prepare(const lane::Program& program) {
  return std::make_shared<const PointKernel>(program);
}
inline void launch(const void* prepared, KernelBuffers buffers) {
  const auto& k = *static_cast<const PointKernel*>(prepared);
  const auto at = addresses(buffers);
  k.evaluator.run({at.data(), at.size()}, 0, k.points);
}

/// out[i] = combine(a[i], x[i]) for as many i as are asked for.
inline lane::Program combine_program(const Reduction& r) {
  lane::Recorder recorder({reduction_ways});
  lane::ValueIds in;
  for (int i = 0; i < 2; ++i)
    in.push_back(recorder.load({recorder.add_buffer(r.dtype, false), 0, {1}}));
  const std::int32_t out = recorder.add_buffer(r.dtype, true);
  recorder.store({out, 0, {1}}, recorder.call(r.combine, in));
  return recorder.finish();
}

struct ReductionKernel {
  explicit ReductionKernel(const Reduction& r)
      : value(r.value),
        combine(combine_program(r)),
        width(size_of(r.dtype)),
        identity(static_cast<std::uint64_t>(r.identity_bits)),
        result(static_cast<std::size_t>(r.result_buffer)) {
    const std::size_t rank = r.value.domain.size();
    const std::size_t kept = rank - static_cast<std::size_t>(r.reduced_rank);
    for (std::size_t i = 0; i < kept; ++i) outer *= r.value.domain[i];
    for (std::size_t i = kept; i < rank; ++i) inner *= r.value.domain[i];
  }
  lane::Evaluator value, combine;
  std::size_t width;
  std::uint64_t identity;
  std::size_t result;
  std::int64_t outer = 1, inner = 1;
};

inline PreparedKernel prepare_reduction(const Reduction& reduction) {
  return std::make_shared<const ReductionKernel>(reduction);
}

/// See Reduction for the tree.
inline void launch_reduction(const void* prepared, KernelBuffers buffers) {
  const auto& k = *static_cast<const ReductionKernel*>(prepared);
  const auto at = addresses(buffers);
  const std::span<void* const> in{at.data(), at.size()};
  std::uint64_t accumulators[reduction_ways], row[reduction_ways], combined[reduction_ways];
  auto* acc = reinterpret_cast<std::byte*>(accumulators);
  auto* x = reinterpret_cast<std::byte*>(row);
  const auto combine = [&](std::byte* a, std::byte* b, std::int64_t count) {
    void* const operands[3] = {a, b, combined};
    k.combine.run(operands, 0, count);
    std::memcpy(a, combined, static_cast<std::size_t>(count) * k.width);
  };
  std::byte* to = buffers[k.result];
  for (std::int64_t o = 0; o < k.outer; ++o, to += k.width) {
    if (k.inner == 0) {
      std::memcpy(to, &k.identity, k.width);
      continue;
    }
    const std::int64_t first = o * k.inner;
    k.value.run(in, first, first + k.inner,
                [&](std::int64_t point, std::span<const std::uint64_t> v) {
                  const std::int64_t i = point - first;
                  const std::int64_t way = i % reduction_ways;
                  std::byte* into = i < reduction_ways ? acc : x;
                  std::memcpy(into + static_cast<std::size_t>(way) * k.width, v.data(), k.width);
                  const bool last_way = way == reduction_ways - 1 || i == k.inner - 1;
                  if (i >= reduction_ways && last_way) combine(acc, x, way + 1);
                });
    std::int64_t count = k.inner < reduction_ways ? k.inner : reduction_ways;
    for (std::int64_t w = reduction_ways / 2; w > 0; w /= 2) {
      if (count <= w) continue;
      combine(acc, acc + static_cast<std::size_t>(w) * k.width, count - w);
      count = w;
    }
    std::memcpy(to, acc, k.width);
  }
}

inline PreparedKernel prepare_contraction(const Contraction& contraction) {
  return std::make_shared<const Contraction>(contraction);
}

/// One element of the product: the sum in order of k, one rounding a term.
template <class T>
T dot(const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride, std::int64_t k) {
  T sum{};
  for (std::int64_t i = 0; i < k; ++i) {
    const T x = a[i * a_stride];
    const T y = b[i * b_stride];
    if constexpr (std::is_floating_point_v<T>) {
      sum = std::fma(x, y, sum);
    } else if constexpr (std::is_same_v<T, bool>) {
      sum = sum || (x && y);
    } else {
      using U = std::uint64_t;  // wraps
      sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(x) * static_cast<U>(y));
    }
  }
  return sum;
}

template <class T>
void multiply(const Contraction& c, const T* a, const T* b, T* out, std::size_t axis) {
  if (axis < c.batch.size()) {
    for (std::int64_t i = 0; i < c.batch[axis]; ++i) {
      multiply(c, a + i * c.a_batch[axis], b + i * c.b_batch[axis], out + i * c.c_batch[axis],
               axis + 1);
    }
    return;
  }
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      out[i * c.c_row + j * c.c_column] =
          dot(a + i * c.a_row, c.a_column, b + j * c.b_column, c.b_row, c.k);
    }
  }
}

inline void launch_contraction(const void* prepared, const std::byte* a, const std::byte* b,
                               std::byte* c) {
  const auto& contraction = *static_cast<const Contraction*>(prepared);
  dispatch(
      contraction.dtype,
      [&]<class T>() {
        multiply(contraction, reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b),
                 reinterpret_cast<T*>(c), 0);
      },
      [] {
        ensure(false, "reference: contraction of a dtype that lane programs don't compute with");
      });
}

}  // namespace reference

AUTOVEC_API const Backend& reference_backend() {
  static constexpr Backend backend{"reference",
                                   reference::prepare,
                                   reference::launch,
                                   reference::prepare_reduction,
                                   reference::launch_reduction,
                                   reference::prepare_contraction,
                                   reference::launch_contraction};
  return backend;
}

}  // namespace autovec::inline v1
