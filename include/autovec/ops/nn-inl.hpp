// Composites of neural networks: softmax and its kin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ops/composite-inl.hpp"
#include "autovec/ops/index-inl.hpp"
#include "autovec/ops/nn.hpp"
#include "autovec/ops/reduce-inl.hpp"

namespace autovec::inline v1 {

namespace nn {

AUTOVEC_API Tensor SoftmaxFunction::operator()(Operand x, std::int64_t axis) const {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  axis = wrap_axis(axis, x.rank(), "softmax", x.where());
  if (y.tensor().extent(axis) == 0) return y;
  const Operand e = at(exp(at(y - max(y, axis, keepdims))));
  return e / sum(e, axis, keepdims);
}

AUTOVEC_API Tensor LogSoftmaxFunction::operator()(Operand x, std::int64_t axis) const {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  axis = wrap_axis(axis, x.rank(), "log_softmax", x.where());
  if (y.tensor().extent(axis) == 0) return y;
  const Operand shifted = at(y - max(y, axis, keepdims));
  return shifted - log(at(sum(at(exp(shifted)), axis, keepdims)));
}

AUTOVEC_API Tensor CrossEntropyFunction::operator()(Operand logits, Operand labels) const {
  const detail::At at(logits.where());
  const Tensor chosen =
      take_along_axis(at(log_softmax(logits, -1)), at(expand_dims(labels, -1)), -1);
  return -at(squeeze(at(chosen), -1));
}

AUTOVEC_API Tensor LayerNormFunction::operator()(Operand x, double epsilon) const {
  const detail::At at(x.where());
  const Operand y = at(detail::as_float(x));
  return at(y - mean(y, -1, keepdims)) * rsqrt(at(at(var(y, -1, keepdims)) + epsilon));
}

}  // namespace nn

}  // namespace autovec::inline v1
