// Collectives in control flow: a predicate that lanes agree on is shared.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "autovec/autovec.hpp"

namespace av = autovec;
using av::Tensor;

namespace {

template <class F>
auto over_lanes(F f) {
  return av::vmap(f, av::in(0), av::out(0), av::VmapOptions{.axis_name = "i"});
}

/// Until the greatest of the lanes is no more above 0, every lane goes down.
const auto together = over_lanes([](const Tensor& x) {
  return av::while_loop(
      x, [](const Tensor& y) { return av::pmax(y, "i") > 0; },
      [](const Tensor& y) { return y - 1; });
});

}  // namespace

TEST_CASE("all lanes run a loop whose predicate is a collective") {
  const Tensor x = av::tensor<double>({1, 2.5, -1});
  CHECK(together(x).to_vector<double>() == std::vector<double>{-2, -0.5, -4});
  CHECK(av::jit(together)(x).to_vector<double>() == std::vector<double>{-2, -0.5, -4});
  // It stays one loop on a predicate without lanes.
  const std::string text = av::str(av::trace(together, x));
  CHECK(text.find("present=[0]") != std::string::npos);
}

TEST_CASE("under one more vmap each group of lanes runs its own number of trips") {
  const Tensor x = av::tensor<double>({{1, 2.5, -1}, {-4, 1, 1}, {-1, -2, -3}});
  CHECK(av::vmap(together)(x).to_vector<double>() ==
        std::vector<double>{-2, -0.5, -4, -5, 0, 0, -1, -2, -3});
}

TEST_CASE("a branch that lanes agree on may hold collectives") {
  const auto centred = over_lanes([](const Tensor& x) {
    return av::cond(
        av::psum(x, "i") > 0, [](const Tensor& y) { return y - av::pmean(y, "i"); },
        [](const Tensor& y) { return y; }, x);
  });
  CHECK(centred(av::tensor<double>({1, 2, 3})).to_vector<double>() ==
        std::vector<double>{-1, 0, 1});
  CHECK(centred(av::tensor<double>({-1, -2, -3})).to_vector<double>() ==
        std::vector<double>{-1, -2, -3});
}

TEST_CASE("what a collective gives in a loop is the same for all lanes") {
  const auto total = [](const Tensor& x) {
    return av::fori_loop(0, 2, av::zeros({}, av::f64),
                         [&](const Tensor&, const Tensor& s) { return s + av::psum(x, "i"); });
  };
  const auto shared =
      av::vmap(total, av::in(0), av::out(av::shared), av::VmapOptions{.axis_name = "i"});
  CHECK(shared(av::tensor<double>({1, 2, 3})).item<double>() == 12);
}
