// Singular points: values at 0, at nothing and far out.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

namespace {

Tensor single(const Tensor& x) { return av::cast(x, av::f32); }

}  // namespace

TEST_CASE("norm at 0: value") {  // B041
  check_one([](const Tensors& in) { return av::norm(in[0], 1); }, {real({{0, 0, 0}, {0, 3, 4}})},
            real({0, 5}));
}

TEST_CASE("distance at coincident points: value") {  // B043
  check_one(
      [](const Tensors& in) {
        const Tensor difference =
            in[0].slice({av::all, av::newaxis}) - in[1].slice({av::newaxis, av::all});
        return av::norm(difference, -1);
      },
      {real({{0, 0}, {3, 4}}), real({{0, 0}})}, real({{0}, {5}}));
}

TEST_CASE("std/var of one element: value") {  // B046
  check(
      [](const Tensors& in) {
        return Tensors{av::stddev(in[0]), av::var(in[0], av::Axes::every(), {}, 1),
                       av::stddev(in[0], 1, av::keepdims)};
      },
      {real({{7}})}, {real(0), real(not_a_number), real({{0}})});
}

TEST_CASE("abs around 0: value") {  // B047
  check_one([](const Tensors& in) { return av::abs(in[0]); }, {real({-2, 0, 3})}, real({2, 0, 3}));
}

TEST_CASE("sigmoid far out") {  // B050
  const auto written = [](const Tensor& x) { return 1 / (1 + av::exp(-x)); };
  const Tensor x = real({-800, -200, -60, 0, 60, 200, 800});
  const Tensor want = real({0, 1.383896526736737e-87, 8.756510762696520e-27, 0.5, 1, 1, 1});
  check(
      [&](const Tensors& in) {
        return Tensors{written(in[0]), av::sigmoid(in[0])};
      },
      {x}, {want, want});
  // In f32 exp(200) is infinite, and one over that is 0: never NaN.
  const Tensor flushed = real({0, 0, 8.756510762696520e-27, 0.5, 1, 1, 1});
  check(
      [&](const Tensors& in) {
        return Tensors{written(in[0]), av::sigmoid(in[0])};
      },
      {single(x)}, {flushed, flushed}, 1e-5);
  check_one([](const Tensors& in) { return av::sigmoid(in[0]); },
            {real({-infinity, infinity, not_a_number})}, real({0, 1, not_a_number}));
}

TEST_CASE("logsumexp and softmax of nothing") {  // B052
  const auto both = [](const Tensor& x) { return std::pair(av::logsumexp(x), av::nn::softmax(x)); };
  check(
      [&](const Tensors& in) {
        const auto [a, b] = both(in[0]);
        return Tensors{a, b};
      },
      {av::zeros({0}, av::f64)}, {real(-infinity), av::zeros({0}, av::f64)});
  check(
      [&](const Tensors& in) {
        const auto [a, b] = av::vmap(both)(in[0]);
        return Tensors{a, b};
      },
      {av::zeros({3, 0}, av::f64)},
      {real({-infinity, -infinity, -infinity}), av::zeros({3, 0}, av::f64)});
}

TEST_CASE("pow(0,0): value") {  // B055
  check_one([](const Tensors& in) { return av::pow(in[0], in[1]); },
            {real({0, 0, 2}), real({0, 2, 0})}, real({1, 0, 1}));
}

TEST_CASE("0^1 through a difference: value") {  // B056
  check_one([](const Tensors& in) { return av::pow(in[0] - in[1], in[1]); },
            {real({1, 1}), real({1, 1})}, real({0, 0}));
}

TEST_CASE("Rosenbrock with pow(.,2): value") {  // B059
  check_one(
      [](const Tensors& in) {
        const Tensor x = in[0][0];
        const Tensor y = in[0][1];
        return av::pow(1 - x, 2) + 100 * av::pow(y - av::pow(x, 2), 2);
      },
      {real({0, 0})}, real(1));
  check_one(
      [](const Tensors& in) {
        return av::pow(1 - in[0], 2) + 100 * av::pow(in[1] - av::pow(in[0], 2), 2);
      },
      {real({1, -1}), real({1, 2})}, real({0, 104}));
}

TEST_CASE("fractional power at 0: value") {  // B061
  check_one([](const Tensors& in) { return in[0] * (1 - av::pow(in[0], 1.1)); }, {real({0, 1})},
            real({0, 0}));
}

TEST_CASE("hypot: value") {  // B064
  check_one([](const Tensors& in) { return av::hypot(in[0], in[1]); },
            {real({1, 0, 3e200}), real({1, 0, 4e200})}, real({1.414213562373095, 0, 5e200}), 1e-15);
}

TEST_CASE("elementary functions of 2x: value") {  // B065
  check(
      [](const Tensors& in) {
        const Tensor g = 2 * in[0];
        return Tensors{av::atanh(g), av::asin(g),  av::acos(g),  av::atan(g), av::asinh(g),
                       av::erf(g),   av::log1p(g), av::expm1(g), av::tan(g),  av::acosh(2 + g)};
      },
      {real(0.1)},
      {real(0.20273255405408219), real(0.20135792079033080), real(1.3694384060045657),
       real(0.19739555984988078), real(0.19869011034924142), real(0.22270258921047846),
       real(0.18232155679395463), real(0.22140275816016985), real(0.20271003550867248),
       real(1.4254169430706127)},
      1e-14);
}

TEST_CASE("saturated tanh: value") {  // B068
  check_one([](const Tensors& in) { return av::tanh(in[0] / (2 * in[1])) + in[0]; },
            {real(1600), real(1)}, real(1601));
}

TEST_CASE("floor, round, sign: value") {  // B070
  check(
      [](const Tensors& in) {
        return Tensors{av::floor(in[0]), av::ceil(in[0]), av::round(in[0]), av::sign(in[0]),
                       av::trunc(in[0])};
      },
      {real({2.7, -0.2, 2.5, 3.5, 0})},
      {real({2, -1, 2, 3, 0}), real({3, 0, 3, 4, 0}), real({3, 0, 2, 4, 0}), real({1, -1, 1, 1, 0}),
       real({2, 0, 2, 3, 0})});
}
