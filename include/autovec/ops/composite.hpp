// Element-wise functions made of ops. They have no rules of their own, so they are written such
// that neither values nor derivatives overflow on the way: a `where` feeds a side what it can bear.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

struct SquareFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr SquareFunction square;

struct ReciprocalFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr ReciprocalFunction reciprocal;

/// 1 / sqrt(x): inf at 0, 0 at inf, NaN below 0.
struct RsqrtFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr RsqrtFunction rsqrt;

/// Whether x is an infinity; false for integers.
struct IsinfFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr IsinfFunction isinf;

/// Whether x is neither infinite nor NaN; true for integers.
struct IsfiniteFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr IsfiniteFunction isfinite;

/// x with NaN, inf and -inf replaced: by 0 and the greatest and least finite value where no others
/// are given. Integers stay as they are.
struct NanToNumFunction {
  Tensor operator()(Operand x, double nan = 0, std::optional<double> posinf = {},
                    std::optional<double> neginf = {}) const;
};
inline constexpr NanToNumFunction nan_to_num;

/// x brought into [lo, hi]; hi where lo is above it.
struct ClipFunction {
  Tensor operator()(Operand x, Operand lo, Operand hi) const;
};
inline constexpr ClipFunction clip;

/// x above 0, else 0; NaN stays.
struct ReluFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr ReluFunction relu;

/// 1 / (1 + exp(-x)), without overflow, and small where x is far below 0.
struct SigmoidFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr SigmoidFunction sigmoid;

/// log(1 + exp(x)), without overflow.
struct SoftplusFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr SoftplusFunction softplus;

/// x sigmoid(x); 0 at -inf.
struct SiluFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr SiluFunction silu;

/// x times the normal distribution's share below x; with `approximate` by tanh. 0 at -inf.
struct GeluFunction {
  Tensor operator()(Operand x, bool approximate = false) const;
};
inline constexpr GeluFunction gelu;

/// log(exp(x) + exp(y)), without overflow.
struct LogaddexpFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr LogaddexpFunction logaddexp;

/// x log(y), and 0 where x is 0 unless y is NaN.
struct XlogyFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr XlogyFunction xlogy;

/// x log(1 + y), and 0 where x is 0 unless y is NaN.
struct Xlog1pyFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr Xlog1pyFunction xlog1py;

/// sin(pi x) / (pi x), 1 at 0.
struct SincFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr SincFunction sinc;

/// 0 below 0, 1 above, `at_zero` at 0; NaN stays.
struct HeavisideFunction {
  Tensor operator()(Operand x, Operand at_zero) const;
};
inline constexpr HeavisideFunction heaviside;

/// What is left of x after taking away y a whole number of times, with the sign of x.
struct FmodFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr FmodFunction fmod;

/// Inverse hyperbolic sine.
struct AsinhFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr AsinhFunction asinh;

/// Inverse hyperbolic cosine; NaN below 1.
struct AcoshFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr AcoshFunction acosh;

/// Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.
struct AtanhFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr AtanhFunction atanh;

/// Truth of x (`!= 0`) and y, element by element; `&&`, `||`, `!` do the same.
struct LogicalAndFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr LogicalAndFunction logical_and;

struct LogicalOrFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr LogicalOrFunction logical_or;

struct LogicalXorFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr LogicalXorFunction logical_xor;

struct LogicalNotFunction {
  Tensor operator()(Operand x) const;
};
inline constexpr LogicalNotFunction logical_not;

/// Differences of neighbours along `axis`, `n` times over. Throws ShapeError for a negative n.
struct DiffFunction {
  Tensor operator()(Operand x, std::int64_t n = 1, std::int64_t axis = -1) const;
};
inline constexpr DiffFunction diff;

}  // namespace autovec::inline v1
