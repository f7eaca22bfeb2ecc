// where and masks: values next to NaN and infinity that nobody asked for.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("NaN through where: rows of zeros, value") {  // B028
  const auto squares = [](const Tensor& r) { return av::sum(r * r, 1); };
  const auto safe = [&](const Tensor& r) {
    const Tensor q = squares(r);
    return av::sum(av::sqrt(av::where(q > 0.5, q, 1)));
  };
  const auto naive = [&](const Tensor& r) {
    const Tensor root = av::sqrt(squares(r));
    return av::sum(av::where(root > 0.5, root, 1));
  };
  check(
      [&](const Tensors& in) {
        return Tensors{safe(in[0]), naive(in[0])};
      },
      {real({{1, 2}, {3, 4}, {0, 0}})}, {real(8.236067977499790), real(8.236067977499790)});
}

TEST_CASE("NaN through where: square root beside a line, value") {  // B029
  const auto naive = [](const Tensor& x) { return av::where(x < 1, x, av::sqrt(x)); };
  const auto safe = [](const Tensor& x) {
    const Tensor y = av::where(x < 1, 1, x);
    return av::where(x < 1, x, av::sqrt(y));
  };
  check(
      [&](const Tensors& in) {
        return Tensors{naive(in[0]), safe(in[0])};
      },
      {real({-3, 0, 1e-9, 1, 9})}, {real({-3, 0, 1e-9, 1, 3}), real({-3, 0, 1e-9, 1, 3})});
}

TEST_CASE("NaN through where: square root of the other sign, value") {  // B032
  check_one([](const Tensors& in) { return av::where(in[0] >= 0, in[0], av::sqrt(-in[0])); },
            {real({1, -4, 0})}, real({1, 2, 0}));
}

TEST_CASE("pairwise energy behind a mask: value") {  // B034
  const auto energy = [](const Tensor& x, const Tensor& q) {
    const Tensor apart = av::iota(2).slice({av::all, av::newaxis}) != av::iota(2);
    const Tensor distance = av::abs(x.slice({av::all, av::newaxis}) - x);
    const Tensor charge = q.slice({av::all, av::newaxis}) * q;
    return av::sum(av::where(apart, charge / av::where(apart, distance, 1), 0));
  };
  check_one([&](const Tensors& in) { return energy(in[0], in[1]); }, {real({0, 2}), real({1.5, 2})},
            real(3));
}

TEST_CASE("entropy with zero probabilities: value") {  // B037
  const auto entropy = [](const Tensor& x, const Tensor& mask) {
    const Tensor e = av::where(mask, av::exp(x - av::max(av::where(mask, x, -infinity))), 0);
    const Tensor p = e / av::sum(e);
    return -av::sum(av::where(mask, p * av::log2(av::where(mask, p, 1)), 0));
  };
  check_one(
      [&](const Tensors& in) {
        return entropy(in[0], truths({true, true, false}));
      },
      {real({1, 2, 3})}, real(0.839941538), 1e-8);
}

TEST_CASE("additive -inf mask: value") {  // B038
  const Tensor quarter = real({0.25, 0, 0.25, 0.25, 0.25});
  check(
      [](const Tensors& in) {
        return Tensors{av::nn::softmax(in[0] + real({0, -infinity, 0, 0, 0})),
                       av::nn::softmax(in[0] * real({4, -infinity, 4, 4, 4}))};
      },
      {av::ones({5}, av::f64)}, {quarter, quarter});
}
