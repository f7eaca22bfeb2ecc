// Scans and running combinations.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("scan over a sequence: value") {  // B131
  const auto f = [](const Tensor& a, const Tensor& ns) {
    return av::scan(av::zeros({}, av::f64), ns, [&](const Tensor& x, const Tensor& n) {
      const Tensor next = x + a * n;
      return std::pair(next, next);
    });
  };
  check(
      [&](const Tensors& in) {
        const auto [last, ys] = f(in[0], in[1]);
        return Tensors{last, ys};
      },
      {real(1), real({0, 1, 2, 3, 4})}, {real(10), real({0, 1, 3, 6, 10})});
}

TEST_CASE("unused carry component: value") {  // B133
  struct Carry {
    Tensor a, b;
  };
  const auto f = [](const Tensor& p) {
    const Carry last = av::fori_loop(0, 2, Carry{p, 0}, [](const Tensor&, const Carry& c) {
      return Carry{c.a + c.a, c.b + c.a};
    });
    return last.a * p;
  };
  check_one([&](const Tensors& in) { return f(in[0]); }, {real(1.5)}, real(9));
}

TEST_CASE("cumsum reverse, odd length") {  // B136
  check_one([](const Tensors& in) { return av::cumsum(in[0], 1, {.reverse = true}); },
            {counting({2, 9})},
            real({{36, 36, 35, 33, 30, 26, 21, 15, 8}, {117, 108, 98, 87, 75, 62, 48, 33, 17}}));
}

TEST_CASE("a non-commutative recurrence, forward and reverse") {  // B137
  // x[i] = f[i] x[i - 1] + b[i], and the same from the last to the first.
  const auto run = [](const Tensor& f, const Tensor& b, bool reverse) {
    return av::scan(
               av::zeros({}, av::f64), std::pair(f, b),
               [](const Tensor& x, const std::pair<Tensor, Tensor>& step) {
                 const Tensor next = step.first * x + step.second;
                 return std::pair(next, next);
               },
               av::ScanOptions{.reverse = reverse})
        .second;
  };
  check(
      [&](const Tensors& in) {
        return Tensors{run(in[0], in[1], false), run(in[0], in[1], true),
                       av::flip(run(av::flip(in[0], 0), av::flip(in[1], 0), false), 0)};
      },
      {real({1, 1.5, 0.8, 2}), real({1, -1, 0.5, 2})},
      {real({1, 0.5, 0.9, 3.8}), real({3.15, 2.15, 2.1, 2}), real({3.15, 2.15, 2.1, 2})});
}
