// Ties: maxima and minima that several elements reach.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("max/min of equals: value") {  // B073
  check(
      [](const Tensors& in) {
        return Tensors{av::maximum(in[0], in[1]), av::minimum(in[0], in[1]), av::maximum(in[2], 0),
                       av::relu(in[2])};
      },
      {real(2), real(2), real(0)}, {real(2), real(2), real(0), real(0)});
}

TEST_CASE("max/min ties of a reduction: value") {  // B074
  const auto f = [](const Tensor& x) { return std::pair(av::max(x), av::min(-x)); };
  check(
      [&](const Tensors& in) {
        const auto [top, bottom] = f(in[0]);
        return Tensors{top, bottom};
      },
      {real({3, 1, 3})}, {real(3), real(-3)});
  check(
      [&](const Tensors& in) {
        const auto [top, bottom] = av::vmap(f)(in[0]);
        return Tensors{top, bottom};
      },
      {real({{3, 1, 3}, {2, 2, 2}})}, {real({3, 2}), real({-3, -2})});
}

TEST_CASE("overlapping max windows: value") {  // B077
  // A window a lane: the slices overlap.
  const auto windows = [](const Tensor& x) {
    return av::pfor(3, [&](const Tensor& i) { return av::max(av::dynamic_slice(x, {i}, {3})); });
  };
  check_one([&](const Tensors& in) { return windows(in[0]); }, {real({1, 5, 2, 4, 3})},
            real({5, 5, 4}));
}
