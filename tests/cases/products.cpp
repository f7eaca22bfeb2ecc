// Products with zeros in them.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("prod with zeros: value") {  // B079
  const auto prod = [](const Tensors& in) { return av::prod(in[0]); };
  check_one(prod, {real({0, 2})}, real(0));
  check_one(prod, {real({4, 0})}, real(0));
  check_one(prod, {real({0, 0, 3})}, real(0));
  check_one(prod, {real({2, 3, 4})}, real(24));
}

TEST_CASE("products of segments: value") {  // B082
  const auto f = [](const Tensors& in) {
    return av::ones({2}, av::f64).at(integers({0, 0, 1, 1})).mul(in[0]);
  };
  check_one(f, {real({2, 3, 4, 5})}, real({6, 20}));
  check_one(f, {real({0, 3, 4, 5})}, real({0, 20}));
}

TEST_CASE("scatter_mul with repeated indices: value") {  // B083
  check_one(
      [](const Tensors& in) {
        return in[0].at(integers({0, 0, 2})).mul(in[1]);
      },
      {real({1, 1, 1}), real({2, 3, 4})}, real({6, 1, 4}));
}
