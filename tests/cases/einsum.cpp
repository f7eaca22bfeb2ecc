// Contractions with labels that stand twice in one operand.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("einsum: repeated index") {  // B173
  const Tensor x = counting({2, 2, 2});
  check(
      [](const Tensors& in) {
        return Tensors{av::einsum("iij->ij", in[0]), av::einsum("iij->i", in[0]),
                       av::einsum("iji->ij", in[0]), av::einsum("iij,j->ij", in[0], in[1])};
      },
      {x, real({1, 10})},
      {real({{0, 1}, {6, 7}}), real({1, 13}), real({{0, 2}, {5, 7}}), real({{0, 10}, {6, 70}})});
}
