// Arrays without elements: no lanes, no trips, no examples.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("zero-size batch: value") {  // B100
  const auto f = [](const Tensors& in) {
    const Tensor joined = av::concatenate({in[1], in[2]}, 1);
    return in[0] * joined * joined;
  };
  check_one(f, {real(1), av::zeros({0, 4}, av::f64), av::zeros({0, 3}, av::f64)},
            av::zeros({0, 7}, av::f64));
  // The loss of one example, over no examples.
  const auto loss = [](const Tensor& w, const Tensor& x) {
    return av::sum((w * x - 1) * (w * x - 1));
  };
  check_one([&](const Tensors& in) { return av::vmap(loss, av::in(av::shared, 0))(in[0], in[1]); },
            {real(2), av::zeros({0, 3}, av::f64)}, av::zeros({0}, av::f64));
}

TEST_CASE("scan: zero length") {  // B101
  const auto f = [](const Tensor& start, const Tensor& xs) {
    return av::scan(start, xs,
                    [](const Tensor& c, const Tensor& x) { return std::pair(c + x, c * x); });
  };
  check(
      [&](const Tensors& in) {
        const auto [carry, ys] = f(in[0], in[1]);
        return Tensors{carry, ys};
      },
      {real(5), av::zeros({0}, av::f64)}, {real(5), av::zeros({0}, av::f64)});
}

TEST_CASE("the product of nothing: value") {  // B104
  const Tensor none = av::cast(av::zeros({0}), av::i32);
  check_one([&](const Tensors& in) { return av::prod(av::take(in[0], none)); },
            {av::ones({6}, av::f64)}, real(1));
}

TEST_CASE("histogram/bin edges of nothing") {  // B106
  const auto digitize = [](const Tensor& x, const Tensor& edges) {
    return av::searchsorted(edges, x, av::Side::right);
  };
  check_one([&](const Tensors& in) { return digitize(in[0], in[1]); },
            {real({0, 1, 2, 3}), av::zeros({0}, av::f64)}, integers({0, 0, 0, 0}));
  const auto count = [](const Tensor& x, std::int64_t bins) {
    return av::zeros({bins}, av::i32).at(x).add(1);
  };
  check_one([&](const Tensors& in) { return count(in[0], 0); }, {av::zeros({0}, av::i32)},
            av::zeros({0}, av::i32));
  check_one([&](const Tensors& in) { return count(in[0], 3); }, {av::zeros({0}, av::i32)},
            integers({0, 0, 0}));
}

TEST_CASE("no lanes: nothing runs, shapes are those of one lane") {
  const auto newton = [](const Tensor& a) {
    return av::while_loop(
        a, [&](const Tensor& x) { return av::abs(x * x - a) > 1e-9 * a; },
        [&](const Tensor& x) { return 0.5 * (x + a / x); });
  };
  const auto f = [&](const Tensor& x) {
    return std::pair(newton(av::sum(x)), av::cond(
                                             av::sum(x) > 0, [](const Tensor& y) { return y; },
                                             [](const Tensor& y) { return -y; }, x));
  };
  check(
      [&](const Tensors& in) {
        const auto [root, signed_] = av::vmap(f)(in[0]);
        return Tensors{root, signed_};
      },
      {av::zeros({0, 3}, av::f64)}, {av::zeros({0}, av::f64), av::zeros({0, 3}, av::f64)});
}
