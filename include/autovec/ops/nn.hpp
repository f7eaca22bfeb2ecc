// Composites of neural networks: softmax and its kin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ops/index.hpp"

namespace autovec::inline v1 {

namespace nn {

using autovec::one_hot;

/// exp(x) / sum(exp(x)) along `axis`, without overflow; nothing of nothing.
struct SoftmaxFunction {
  Tensor operator()(Operand x, std::int64_t axis = -1) const;
};
inline constexpr SoftmaxFunction softmax;

/// x - log(sum(exp(x))) along `axis`, without overflow.
struct LogSoftmaxFunction {
  Tensor operator()(Operand x, std::int64_t axis = -1) const;
};
inline constexpr LogSoftmaxFunction log_softmax;

/// -log softmax(logits)[label] along the last axis; labels are integers of the other axes' shape.
struct CrossEntropyFunction {
  Tensor operator()(Operand logits, Operand labels) const;
};
inline constexpr CrossEntropyFunction cross_entropy;

/// (x - mean) / sqrt(var + epsilon) along the last axis.
struct LayerNormFunction {
  Tensor operator()(Operand x, double epsilon = 1e-5) const;
};
inline constexpr LayerNormFunction layer_norm;

}  // namespace nn

}  // namespace autovec::inline v1
