// Reads and writes at computed places: starts out of range, indices per lane, several writers.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("dynamic slice: start clamped") {  // B086
  const Tensor buffer = counting({10});
  const auto f = [&](const Tensor& i, const Tensor& j) {
    return av::dynamic_slice(av::dynamic_slice(buffer, {i}, {4}), {j}, {1});
  };
  const Tensor i = integers({9, 3, 6});
  const Tensor j = integers({0, 5, 0});
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0], in[1]); }, {i, j},
            real({{6}, {6}, {6}}));
  // As one graph and step by step.
  for (std::int64_t k = 0; k < 3; ++k) {
    check_one([&](const Tensors& in) { return f(in[0], in[1]); }, {av::take(i, k), av::take(j, k)},
              real({6}));
  }
  // A negative start counts from the end first.
  check_one([&](const Tensors& in) { return f(in[0], in[1]); }, {integers(-3), integers(-20)},
            real({6}));
}

TEST_CASE("gather out of bounds") {  // B088
  const Tensor p = integers({10, 20, 30, 40});
  const auto filled = [&](const Tensor& i) {
    const Tensor wrapped = av::where(i < 0, i + 4, i);
    return av::where(wrapped >= 0 && wrapped < 4, av::take(p, wrapped), -1);
  };
  const Tensor i = av::iota(12) - 6;
  check(
      [&](const Tensors& in) {
        return Tensors{filled(in[0]), av::take(p, in[0]),
                       av::gather(p, av::expand_dims(in[0], -1))};
      },
      {i},
      {integers({-1, -1, 10, 20, 30, 40, 10, 20, 30, 40, -1, -1}),
       // Without a fill, what is out of range after wrapping is clamped.
       integers({10, 10, 10, 20, 30, 40, 10, 20, 30, 40, 40, 40}),
       integers({10, 10, 10, 20, 30, 40, 10, 20, 30, 40, 40, 40})});
}

TEST_CASE("take_along_axis under vmap: source not mapped, indices mapped") {  // B091
  const auto f = [](const Tensor& a, const Tensor& i) { return av::take_along_axis(a, i, 0); };
  check_one([&](const Tensors& in) { return av::vmap(f, av::in(av::shared, 0))(in[0], in[1]); },
            {real({{0, 1, 2}, {3, 4, 5}}), integers({{{0, 1, 0}}, {{1, 1, 0}}})},
            real({{{0, 4, 2}}, {{3, 4, 2}}}));
}

TEST_CASE("indexing under two vmaps") {  // B092
  const auto f = [](const Tensor& r, const Tensor& i) { return r[i]; };
  const auto g = av::vmap(av::vmap(f, av::in(0, av::shared)), av::in(0, 0));
  check_one([&](const Tensors& in) { return g(in[0], in[1]); },
            {counting({2, 3, 4}), integers({2, 0})}, real({{2, 6, 10}, {12, 16, 20}}));
}

TEST_CASE("scatter-set with duplicate indices") {  // B095
  const Tensor places = integers({4, 4, 0});
  const auto f = [&](const Tensor& updates) {
    return av::zeros({5}, av::f64).at(places).set(updates);
  };
  check_one([&](const Tensors& in) { return f(in[0]); }, {real({1, 2, 3})}, real({3, 0, 0, 0, 2}));
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0]); }, {real({{1, 2, 3}, {6, 5, 4}})},
            real({{3, 0, 0, 0, 2}, {4, 0, 0, 0, 5}}));
  // The last writer wins also where the places are what varies.
  check_one(
      [](const Tensors& in) {
        return av::scatter(av::zeros({5}, av::f64), av::expand_dims(in[0], -1), in[1]);
      },
      {integers({4, 4, 0}), real({1, 2, 3})}, real({3, 0, 0, 0, 2}));
}

TEST_CASE("writes out of range are dropped, reads are clamped") {
  check(
      [](const Tensors& in) {
        return Tensors{in[0].at(in[1]).set(9), in[0].at(in[1]).add(1), av::take(in[0], in[1])};
      },
      {real({1, 2, 3}), integers({3, -4, -1})},
      {real({1, 2, 9}), real({1, 2, 4}), real({3, 1, 3})});
}

TEST_CASE("searchsorted under vmap") {  // B097
  const Tensor sorted = real({{1, 4, 5, 7, 9}, {1, 2, 5, 7, 9}});
  const auto left = [](const Tensor& s, const Tensor& q) { return av::searchsorted(s, q); };
  const auto right = [](const Tensor& s, const Tensor& q) {
    return av::searchsorted(s, q, av::Side::right);
  };
  check(
      [&](const Tensors& in) {
        return Tensors{av::vmap(left, av::in(0, av::shared))(sorted, in[0]),
                       av::vmap(right, av::in(0, av::shared))(sorted, in[1])};
      },
      {real(3), real(5)}, {integers({1, 2}), integers({3, 3})});
}
