// Composites of neural networks: softmax and its kin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ops/composite.hpp"
#include "autovec/ops/index.hpp"
#include "autovec/ops/reduce.hpp"

namespace autovec::inline v1 {

namespace nn {

using autovec::one_hot;

/// exp(x) / sum(exp(x)) along `axis`, without overflow; nothing of nothing.
inline constexpr auto softmax = [](Operand x, std::int64_t axis = -1) -> Tensor {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  axis = wrap_axis(axis, x.rank(), "softmax", x.where());
  if (y.tensor().extent(axis) == 0) return y;
  const Operand e = at(exp(at(y - max(y, axis, keepdims))));
  return e / sum(e, axis, keepdims);
};

/// x - log(sum(exp(x))) along `axis`, without overflow.
inline constexpr auto log_softmax = [](Operand x, std::int64_t axis = -1) -> Tensor {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  axis = wrap_axis(axis, x.rank(), "log_softmax", x.where());
  if (y.tensor().extent(axis) == 0) return y;
  const Operand shifted = at(y - max(y, axis, keepdims));
  return shifted - log(at(sum(at(exp(shifted)), axis, keepdims)));
};

/// -log softmax(logits)[label] along the last axis; labels are integers of the other axes' shape.
inline constexpr auto cross_entropy = [](Operand logits, Operand labels) -> Tensor {
  const detail::At at(logits.where());
  const Tensor chosen = take_along_axis(at(log_softmax(logits, -1)), at(expand_dims(labels, -1)), -1);
  return -at(squeeze(at(chosen), -1));
};

/// (x - mean) / sqrt(var + epsilon) along the last axis.
inline constexpr auto layer_norm = [](Operand x, double epsilon = 1e-5) -> Tensor {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  return at(y - mean(y, -1, keepdims)) * rsqrt(at(at(var(y, -1, keepdims)) + epsilon));
};

}  // namespace nn

}  // namespace autovec::inline v1
