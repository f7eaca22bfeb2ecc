// Sorting, searching and cumulative ops: on data, and under vmap.
// SPDX-License-Identifier: Apache-2.0
#include "../lanes.hpp"

namespace av = autovec;
using av::Tensor;
using lanes::check_batch;
using lanes::counting;
using lanes::is;
using lanes::shape;
using Shape = std::vector<std::int64_t>;

namespace {
const float inf = std::numeric_limits<float>::infinity();
const float not_a_number = std::numeric_limits<float>::quiet_NaN();
}  // namespace

TEST_CASE("sort is stable, NaN last, zeros equal") {
  CHECK(is(av::argsort(av::tensor<float>({0.0f, -0.0f})), {0, 1}));
  CHECK(is(av::argsort(av::tensor<float>({2, 1, 2, 1})), {1, 3, 0, 2}));
  CHECK(is(av::sort(av::tensor<float>({-not_a_number, not_a_number, -inf, inf, -1, 1})),
           {-inf, -1, 1, inf, not_a_number, not_a_number}));
  CHECK(std::signbit(av::sort(av::tensor<float>({1, 0.0f, -0.0f})).to_vector<float>()[1]));
  CHECK(is(av::sort(av::tensor<float>({{3, 1}, {2, 5}, {1, 3}}), 0), {1, 1, 2, 3, 3, 5}));
  CHECK(is(av::argsort(av::tensor<float>({{3, 1}, {2, 5}, {1, 3}}), 0), {2, 0, 1, 2, 0, 1}));
  CHECK(is(av::sort(av::transpose(av::tensor<float>({{3, 1}, {2, 5}}))), {2, 3, 1, 5}));
  CHECK(is(av::sort(av::tensor<bool>({true, false, true})), {0, 1, 1}));
  CHECK(is(av::sort(av::tensor<std::uint8_t>({255, 0, 3})), {0, 3, 255}));
  CHECK(is(
      av::cast(av::sort(av::cast(av::tensor<float>({2, not_a_number, -3, inf}), av::f16)), av::f32),
      {-3, 2, inf, not_a_number}));
  CHECK(is(av::argsort(av::cast(av::tensor<float>({2, not_a_number, -3, inf}), av::bf16)),
           {2, 0, 3, 1}));
  CHECK(av::argsort(av::zeros({2})).dtype() == av::i32);
  CHECK(shape(av::sort(av::zeros({0, 3}), 0)) == Shape{0, 3});
  CHECK(shape(av::sort(av::zeros({3, 0}), 0)) == Shape{3, 0});
  CHECK_THROWS_AS(av::sort(Tensor(1.0)), av::ShapeError);
  CHECK_THROWS_AS(av::sort(av::zeros({2}), 1), av::ShapeError);
}

TEST_CASE("sort along any axis under vmap") {
  const Tensor x = av::tensor<float>(
      {{{not_a_number, 1}, {-inf, inf}, {2, 1}}, {{0, -0.0f}, {-0.0f, 0}, {3, -1}}});
  for (const std::int64_t axis : {0, 1}) {
    check_batch([axis](const std::vector<Tensor>& a) { return av::sort(a[0], axis); }, {x});
    check_batch([axis](const std::vector<Tensor>& a) { return av::argsort(a[0], axis); }, {x});
  }
}

TEST_CASE("top_k: greatest first, the first of equals first") {
  const Tensor x = av::tensor<float>({3, not_a_number, 1, 3, 5});
  const auto [values, places] = av::top_k(x, 4);
  CHECK(is(values, {not_a_number, 5, 3, 3}));
  CHECK(is(places, {1, 4, 0, 3}));
  CHECK(shape(av::top_k(x, 0).first) == Shape{0});
  CHECK(is(av::top_k(counting({2, 3}), 1, 0).second, {1, 1, 1}));
  CHECK_THROWS_AS(av::top_k(x, 6), av::ShapeError);
  check_batch([](const std::vector<Tensor>& a) { return av::top_k(a[0], 2).first; },
              {av::tensor<float>({{1, 2, 2}, {3, 1, 2}})});
}

TEST_CASE("searchsorted, either side mapped") {
  const Tensor rows = av::tensor<float>({{1, 4, 5, 7, 9}, {1, 2, 5, 7, 9}});
  CHECK(is(av::vmap([](Tensor r) { return av::searchsorted(r, 3); })(rows), {1, 2}));
  CHECK(
      is(av::vmap([](Tensor r) { return av::searchsorted(r, 5, av::Side::right); })(rows), {3, 3}));
  const Tensor sorted = av::tensor<float>({1, 2, 2, 4});
  const Tensor queries = av::tensor<float>({-1, 1, 2, 3, 4, 9, inf, not_a_number});
  CHECK(is(av::searchsorted(sorted, queries), {0, 0, 1, 3, 3, 4, 4, 4}));
  CHECK(is(av::searchsorted(sorted, queries, av::Side::right), {0, 1, 3, 3, 4, 4, 4, 4}));
  CHECK(is(av::searchsorted(av::tensor<float>({1, not_a_number, not_a_number}),
                            av::tensor<float>({2, not_a_number})),
           {1, 1}));
  CHECK(is(av::searchsorted(av::tensor<float>({1, not_a_number, not_a_number}),
                            av::tensor<float>({2, not_a_number}), av::Side::right),
           {1, 3}));
  CHECK(is(av::searchsorted(av::zeros({0}), av::tensor<float>({0, 1, 2, 3})), {0, 0, 0, 0}));
  CHECK(is(av::searchsorted(av::tensor<int>({1, 3}), 2), {1}));
  CHECK_THROWS_AS(av::searchsorted(rows, 1), av::ShapeError);
  check_batch([](const std::vector<Tensor>& a) { return av::searchsorted(a[0], a[1]); },
              {rows, av::tensor<float>({{0, 5}, {7, 8}})});
  for (std::int64_t n = 1; n < 20; ++n) {
    // Every query against a plain count.
    const Tensor all = counting({n}) * 2;
    std::vector<double> want;
    for (std::int64_t q = -1; q < 2 * n + 1; ++q)
      want.push_back(static_cast<double>(std::min(n, (q + 1) / 2)));
    CHECK(is(av::searchsorted(all, counting({2 * n + 2}) - 1), want));
  }
}

TEST_CASE("median and quantile") {
  CHECK(is(av::median(av::tensor<float>({3, 1, 2})), {2}));
  CHECK(is(av::median(av::tensor<float>({{4, 1}, {2, 3}}), 1), {2.5, 2.5}));
  CHECK(is(av::quantile(av::tensor<double>({0, 10, 20}), 0.25), {5}));
  CHECK(is(av::quantile(av::tensor<double>({1, inf, inf}), 0.75), {inf}));
  CHECK(is(av::median(av::tensor<float>({3, not_a_number, 2})), {not_a_number}));
  CHECK(is(av::median(av::tensor<int>({1, 2})), {1.5}));
  CHECK_THROWS_AS(av::median(av::zeros({0})), av::ShapeError);
}

TEST_CASE("cumulative ops") {
  const Tensor x = av::tensor<float>({{1, 2, 3}, {4, 5, 6}});
  CHECK(is(av::cumsum(x, 1), {1, 3, 6, 4, 9, 15}));
  CHECK(is(av::cumsum(x, 0), {1, 2, 3, 5, 7, 9}));
  CHECK(is(av::cumsum(x, -1, {.reverse = true}), {6, 5, 3, 15, 11, 6}));
  CHECK(is(av::cumsum(x, 1, {.exclusive = true}), {0, 1, 3, 0, 4, 9}));
  CHECK(is(av::cumsum(x, 1, {.reverse = true, .exclusive = true}), {5, 3, 0, 11, 6, 0}));
  CHECK(is(av::cumprod(x[1]), {4, 20, 120}));
  CHECK(is(av::cumprod(x[1], {.exclusive = true}), {1, 4, 20}));
  CHECK(is(av::cummax(av::tensor<float>({1, 3, 2, not_a_number, 9})),
           {1, 3, 3, not_a_number, not_a_number}));
  CHECK(is(av::cummin(av::tensor<float>({1, 3, -2, 9}), {.exclusive = true}), {inf, 1, 1, -2}));
  CHECK(is(av::cummax(av::tensor<int>({2, 1}), {.exclusive = true}), {-2147483648.0, 2}));
  CHECK(av::cumsum(av::ones({3}, av::b8)).dtype() == av::i32);
  CHECK(is(av::cumsum(av::tensor<std::int8_t>({100, 100, 100})), {100, 200, 300}));
  CHECK(av::cumsum(av::ones({3}, av::f16)).dtype() == av::f16);
  CHECK(is(av::cumsum(av::tensor<int>({2147483647, 1})), {2147483647.0, -2147483648.0}));
  CHECK(shape(av::cumsum(av::zeros({0}))) == Shape{0});
  CHECK(shape(av::cumsum(av::zeros({2, 0, 3}), 0)) == Shape{2, 0, 3});
  CHECK_THROWS_AS(av::cumsum(x), av::ShapeError);
  check_batch([](const std::vector<Tensor>& a) { return av::cumsum(a[0], 0); },
              {counting({3, 4, 2}) * 0.1});
  check_batch([](const std::vector<Tensor>& a) { return av::cummin(a[0], 1, {.reverse = true}); },
              {counting({3, 4, 2})});
}

TEST_CASE("argmax and argmin: NaN counts, the first of equals") {
  const Tensor x = av::tensor<float>(
      {{not_a_number, not_a_number, not_a_number}, {0, not_a_number, 1}, {not_a_number, 0, 0}});
  CHECK(is(av::argmax(x, 1), {0, 1, 0}));
  CHECK(is(av::argmin(x, 1), {0, 1, 0}));
  CHECK(is(av::vmap([](Tensor r) { return av::argmax(r); })(x), {0, 1, 0}));
  CHECK(is(av::vmap([](Tensor r) { return av::argmin(r); })(x), {0, 1, 0}));
}
