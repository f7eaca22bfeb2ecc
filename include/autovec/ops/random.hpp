// Random numbers from counters: Threefry-2x32, with the numbers of jax.random for the same key.
//
// A key is u32[2]. Nothing is stateful: the same key gives the same numbers, so split it. Under
// vmap a mapped key gives every lane its own numbers, those of a loop over the lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ops/map.hpp"

namespace autovec::inline v1 {

/// The x whose error function is the argument; infinite at -1 and 1, NaN beyond.
inline constexpr MapFunction<ops::Erfinv, 1> erfinv;

namespace random {

/// The key of a seed. A C++ number is a seed of 64 bits, an integer tensor one of its own width.
struct KeyFunction {
  Tensor operator()(Operand seed) const;
};
inline constexpr KeyFunction key;

/// n independent keys, u32[n, 2], from one.
struct SplitFunction {
  Tensor operator()(Operand key, std::int64_t n = 2) const;
};
inline constexpr SplitFunction split;

/// The key for item `i` (an integer; its low 32 bits count) under `key`.
struct FoldInFunction {
  Tensor operator()(Operand key, Operand i) const;
};
inline constexpr FoldInFunction fold_in;

/// 32 random bits an element, as u32.
struct BitsFunction {
  Tensor operator()(Operand key, Extents shape) const;
};
inline constexpr BitsFunction bits;

/// Uniform in [lo, hi). The bounds broadcast to the shape.
struct UniformFunction {
  Tensor operator()(Operand key, Extents shape, DType dtype = DType::f32, Operand lo = 0.0,
                    Operand hi = 1.0) const;
};
inline constexpr UniformFunction uniform;

/// Normal with mean 0 and variance 1, by the inverse error function of a uniform.
struct NormalFunction {
  Tensor operator()(Operand key, Extents shape, DType dtype = DType::f32) const;
};
inline constexpr NormalFunction normal;

/// True with probability p, which broadcasts to the shape; b8.
struct BernoulliFunction {
  Tensor operator()(Operand key, Operand p = 0.5, Extents shape = {}) const;
};
inline constexpr BernoulliFunction bernoulli;

/// Integers from lo up to, not including, hi; lo where hi is not above it. The bounds broadcast to
/// the shape; hi may be one more than the greatest value of the dtype.
struct RandintFunction {
  Tensor operator()(Operand key, Extents shape, Operand lo, Operand hi,
                    DType dtype = DType::i32) const;
};
inline constexpr RandintFunction randint;

}  // namespace random

}  // namespace autovec::inline v1
