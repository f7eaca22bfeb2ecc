// cond under vmap: each lane takes its own side, and a shared predicate stays a real branch.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "cases.hpp"

using namespace cases;

TEST_CASE("cond under vmap: value per lane") {  // B016
  const auto f = [](const Tensor& x) {
    return av::cond(
        x > 0, [](const Tensor& v) { return av::pow(v, 2); },
        [](const Tensor& v) { return av::pow(v, 3); }, x);
  };
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0]); }, {real({-1, -0.5, 0, 0.5, 1})},
            real({-1, -0.125, 0, 0.25, 1}));
}

TEST_CASE("cond with unbatched predicate stays a real branch") {  // B019
  const auto endless = [](const Tensor& x) {
    return av::fori_loop(0, std::int64_t{1'000'000'000'000}, x,
                         [](const Tensor&, const Tensor& y) { return y + 1; });
  };
  const auto f = [&](const Tensor& p, const Tensor& x) {
    return av::cond(
        p, [](const Tensor& y) { return y + 1; }, endless, x);
  };
  const auto run = [&](const Tensors& in) {
    return av::vmap(f, av::in(av::shared, 0))(truths(true), in[0]);
  };
  const auto start = std::chrono::steady_clock::now();
  check_one(run, {real({1, 2, 3})}, real({2, 3, 4}));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  // It is still one branch with two sides in the graph, on a predicate without lanes.
  const std::string graph = av::str(av::trace(
      [&](const Tensor& p, const Tensor& x) { return av::vmap(f, av::in(av::shared, 0))(p, x); },
      truths(true), real({1, 2, 3})));
  CHECK(graph.find("branch") != std::string::npos);
  CHECK(graph.find("loop") != std::string::npos);
  CHECK(graph.find("where") == std::string::npos);
}

TEST_CASE(
    "a predicate per lane that is false everywhere runs no loop of the side not taken") {  // B019
  const auto endless = [](const Tensor& x) {
    return av::while_loop(
        x, [](const Tensor& y) { return y == y; }, [](const Tensor& y) { return y + 1; });
  };
  const auto f = [&](const Tensor& p, const Tensor& x) {
    return av::cond(
        p, endless, [](const Tensor& y) { return y * 2; }, x);
  };
  check_one(
      [&](const Tensors& in) {
        return av::vmap(f, av::in(0, 0))(truths({false, false}), in[0]);
      },
      {real({1, 2})}, real({2, 4}));
}

TEST_CASE("cond under vmap: scalar predicate per lane, vector operands") {  // B020
  const auto f = [](const Tensor& p, const Tensor& x) {
    return av::cond(
        p, [](const Tensor& y) { return y; }, [](const Tensor& y) { return av::abs(y) - 1; }, x);
  };
  const auto ten = [&](const Tensor& p, const Tensor& x) {
    return av::fori_loop(0, 10, x, [&](const Tensor&, const Tensor& y) { return f(p, y); });
  };
  const Tensor p = truths({true, false, true});
  const Tensor x = av::ones({3, 4}, av::f64);
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0], in[1]); }, {p, x},
            real({{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}}));
  // |1| - 1 = 0, |0| - 1 = -1, |-1| - 1 = 0, ...: an even number of times ends at -1.
  check_one([&](const Tensors& in) { return av::vmap(ten)(in[0], in[1]); }, {p, x},
            real({{1, 1, 1, 1}, {-1, -1, -1, -1}, {1, 1, 1, 1}}));
}

TEST_CASE("branch NaN: value") {  // B023
  const auto f = [](const Tensor& x) {
    return av::cond(
        x > 0, [](const Tensor& y) { return av::sqrt(y); }, [](const Tensor&) { return Tensor(0); },
        x);
  };
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0]); }, {real({-1, 0, 1})},
            real({0, 0, 1}));
  check_one([&](const Tensors& in) { return f(in[0]); }, {real(-1)}, real(0));
}

TEST_CASE("branch with constant sides: value") {  // B025
  const auto f = [](const Tensor& x) {
    return av::cond(
        x > 0, [](const Tensor&) { return 1; }, [](const Tensor&) { return 0; }, x);
  };
  const auto g = [](const Tensor& x) {
    return av::cond(
        x > 10, [](const Tensor& y) { return y; }, [](const Tensor&) { return Tensor(0); }, x);
  };
  check(
      [&](const Tensors& in) {
        return Tensors{av::vmap(f)(in[0]), av::vmap(g)(in[0])};
      },
      {real({2, -3, 9, 11})}, {real({1, 0, 1, 1}), real({0, 0, 0, 11})});
}
