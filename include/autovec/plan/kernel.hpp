// What a plan asks an executor to compute: pointwise programs, reductions, contractions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "autovec/base/dtype.hpp"
#include "autovec/base/small_vector.hpp"
#include "autovec/lane/program.hpp"

namespace autovec::inline v1 {

/// How many partial accumulators a reduction keeps. Part of its meaning: see Reduction.
inline constexpr std::int64_t reduction_ways = 32;

/// Combines `value` over the last `reduced_rank` axes of its domain, for each point of the others.
///
/// The tree is fixed by the number n of reduced points alone, so that every executor, lane count
/// and thread count gives the same bits. Numbering the reduced points row-major: element i goes, in
/// order of i, to accumulator i mod 32, which starts as its first element; then for w = 16, 8, 4,
/// 2, 1 accumulator j < w takes accumulator j + w where both hold something. With no points the
/// result is `identity`.
struct Reduction {
  lane::Program value;  // no stores; its body yields the value, then nothing
  std::int64_t reduced_rank = 0;
  std::shared_ptr<const lane::Function> combine;  // (accumulator, x) -> accumulator
  std::int64_t identity_bits = 0;  // of the result's dtype, as in lane::Instruction::immediate
  DType dtype = DType::f32;
  std::int32_t result_buffer = 0;  // among value.buffers; contiguous, one element an outer point
};

/// c[b, i, j] = sum over k of a[b, i, k] * b[b, k, j], with any strides (in elements).
/// Sums in f32 for f32, f64 for f64; integers wrap; b8 is "any of and".
struct Contraction {
  DType dtype = DType::f32;
  Extents batch;                      // extents of the batch axes
  Extents a_batch, b_batch, c_batch;  // strides along them
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t a_row = 0, a_column = 1;
  std::int64_t b_row = 0, b_column = 1;
  std::int64_t c_row = 0, c_column = 1;
};

}  // namespace autovec::inline v1
