// Concatenation, padding and the other arrangements: on data, and under vmap.
// SPDX-License-Identifier: Apache-2.0
#include "../lanes.hpp"

namespace av = autovec;
using av::Tensor;
using lanes::check_batch;
using lanes::counting;
using lanes::is;
using lanes::shape;
using Shape = std::vector<std::int64_t>;

TEST_CASE("concatenate and stack") {
  const Tensor x = counting({2, 3});
  CHECK(is(av::concatenate({x, x.slice({0, av::newaxis}).slice({av::all, av::all})}),
           {0, 1, 2, 3, 4, 5, 0, 1, 2}));
  CHECK(is(av::concatenate({x, av::zeros({2, 1}), x}, 1),
           {0, 1, 2, 0, 0, 1, 2, 3, 4, 5, 0, 3, 4, 5}));
  CHECK(is(av::concatenate({x, av::zeros({0, 3}), av::zeros({1, 3})}, -2),
           {0, 1, 2, 3, 4, 5, 0, 0, 0}));
  CHECK(av::concatenate({av::zeros({1}, av::i32), av::zeros({1}, av::f64)}).dtype() == av::f64);
  CHECK(is(av::concatenate({av::transpose(x), av::transpose(x)}),
           {0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5}));
  CHECK(is(av::stack({x[0], x[1]}, 1), {0, 3, 1, 4, 2, 5}));
  CHECK(shape(av::stack(std::vector<Tensor>{x, x, x}, -1)) == Shape{2, 3, 3});
  CHECK(is(av::stack({Tensor(1.0f), Tensor(2)}), {1, 2}));
  CHECK_THROWS_AS(av::concatenate({x, av::zeros({2, 4})}), av::ShapeError);
  CHECK_THROWS_AS(av::concatenate({Tensor(1.0), Tensor(2.0)}), av::ShapeError);
  CHECK_THROWS_AS(av::concatenate(std::vector<Tensor>{}), av::ShapeError);
  CHECK_THROWS_AS(av::stack({x, x[0]}), av::ShapeError);
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::concatenate({a[0], a[1], a[2]}, 1);
      },
      {counting({3, 2, 2}), counting({3, 2, 1}) + 50, counting({3, 2, 0})});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::stack({a[0], a[1]}, -1);
      },
      {counting({3, 2, 2}), counting({3, 2, 2}) + 50});
}

TEST_CASE("split") {
  const Tensor x = counting({2, 4});
  const std::vector<Tensor> halves = av::split(x, 2, 1);
  CHECK(halves.size() == 2);
  CHECK(is(halves[0], {0, 1, 4, 5}));
  CHECK(is(halves[1], {2, 3, 6, 7}));
  const std::vector<Tensor> parts = av::split(x, {1, 1, 3}, -1);
  CHECK(parts.size() == 4);
  CHECK(shape(parts[1]) == Shape{2, 0});
  CHECK(is(parts[3], {3, 7}));
  CHECK_THROWS_AS(av::split(x, 3, 1), av::ShapeError);
  CHECK_THROWS_AS(av::split(x, {3, 1}, 1), av::ShapeError);
  CHECK_THROWS_AS(av::split(x, {5}, 1), av::ShapeError);
  CHECK(av::split(av::zeros({0}), 3).size() == 3);
  // Several results, each with its own axis.
  const auto cut = [](Tensor row) {
    const std::vector<Tensor> p = av::split(row, 2);
    return std::pair(p[0], p[1]);
  };
  const Tensor y = av::tensor<float>({{1, 2, 3, 4}, {5, 6, 7, 8}});
  const auto both = av::vmap(cut, av::in(1), av::out(1, 1))(y);
  CHECK(is(both.first, {1, 2, 3, 4}));
  CHECK(is(both.second, {5, 6, 7, 8}));
  const auto mixed = av::vmap(cut, av::in(1), av::out(0, 1))(y);
  CHECK(shape(mixed.first) == Shape{4, 1});
  CHECK(shape(mixed.second) == Shape{1, 4});
}

TEST_CASE("pad with a constant") {
  const Tensor x = counting({2, 2});
  CHECK(is(av::pad(x, {{1, 0}, {0, 2}}), {0, 0, 0, 0, 0, 1, 0, 0, 2, 3, 0, 0}));
  CHECK(is(av::pad(x, {{0, 0}, {1, 0}}, -1.5), {-1.5, 0, 1, -1.5, 2, 3}));
  CHECK(is(av::pad(av::zeros({0, 2}), {{1, 1}, {0, 0}}, 4), {4, 4, 4, 4}));
  CHECK(is(av::pad(av::zeros({2, 0}), {{0, 0}, {1, 0}}, 4), {4, 4}));
  CHECK(is(av::pad(Tensor(3.0f), std::vector<av::PadWidth>{}), {3}));
  CHECK(is(av::pad(counting({2}, av::i32), 1, 7.9), {7, 0, 1, 7}));
  CHECK(is(av::pad(counting({2, 2, 2}), 1).slice({1, 1}), {0, 0, 1, 0}));
  CHECK_THROWS_AS(av::pad(x, {{-1, 0}, {0, 0}}), av::ShapeError);
  CHECK_THROWS_AS(av::pad(x, {{1, 0}}), av::ShapeError);
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::pad(a[0], {{1, 0}, {0, 2}}, a[1]);
      },
      {counting({3, 2, 2}), av::tensor<float>({7, 8, 9})});
}

TEST_CASE("pad from the edge, the mirror, the other end") {
  const Tensor x = av::tensor<float>({1, 2, 3});
  CHECK(is(av::pad(x, {{2, 3}}, av::PadMode::edge), {1, 1, 1, 2, 3, 3, 3, 3}));
  CHECK(is(av::pad(x, {{5, 3}}, av::PadMode::reflect), {2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}));
  CHECK(is(av::pad(x, {{4, 2}}, av::PadMode::wrap), {3, 1, 2, 3, 1, 2, 3, 1, 2}));
  CHECK(is(av::pad(x.slice({av::range(0, 1)}), {{1, 2}}, av::PadMode::reflect), {1, 1, 1, 1}));
  CHECK_THROWS_AS(av::pad(av::zeros({0}), {{1, 0}}, av::PadMode::edge), av::ShapeError);
  for (const av::PadMode mode : {av::PadMode::edge, av::PadMode::reflect, av::PadMode::wrap}) {
    check_batch(
        [mode](const std::vector<Tensor>& a) {
          return av::pad(a[0], {{0, 0}, {2, 3}}, mode);
        },
        {counting({3, 2, 3})});
  }
}

TEST_CASE("tile, repeat, roll, flip") {
  const Tensor x = counting({2, 2});
  CHECK(is(av::tile(x, {1, 2}), {0, 1, 0, 1, 2, 3, 2, 3}));
  CHECK(shape(av::tile(x, {3, 1, 2})) == Shape{3, 2, 4});
  CHECK(shape(av::tile(x, {0})) == Shape{2, 0});
  CHECK(is(av::repeat(x, 2), {0, 0, 1, 1, 2, 2, 3, 3}));
  CHECK(is(av::repeat(x, 2, 0), {0, 1, 0, 1, 2, 3, 2, 3}));
  CHECK(is(av::roll(x, 1), {3, 0, 1, 2}));
  CHECK(is(av::roll(counting({2, 3}), -1, 1), {1, 2, 0, 4, 5, 3}));
  CHECK(is(av::roll(counting({3}), 302, 0), {1, 2, 0}));
  CHECK(is(av::roll(counting({3}), av::tensor<int>({-4})[0], 0), {1, 2, 0}));
  CHECK(shape(av::roll(av::zeros({0}), 1)) == Shape{0});
  CHECK(is(av::flip(x, 0), {2, 3, 0, 1}));
  check_batch([](const std::vector<Tensor>& a) { return av::roll(a[0], a[1], -1); },
              {counting({3, 2, 3}), av::tensor<int>({1, -1, 4})});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::tile(av::repeat(a[0], 2, 0), {2, 2});
      },
      {counting({3, 2, 3})});
}

TEST_CASE("triangles and diagonals") {
  const Tensor x = counting({2, 3}) + 1;
  CHECK(is(av::tril(x), {1, 0, 0, 4, 5, 0}));
  CHECK(is(av::tril(x, 1), {1, 2, 0, 4, 5, 6}));
  CHECK(is(av::triu(x), {1, 2, 3, 0, 5, 6}));
  CHECK(is(av::triu(x, -1), {1, 2, 3, 4, 5, 6}));
  CHECK(av::tril(av::ones({2, 2}, av::b8)).dtype() == av::b8);
  const Tensor v = av::tensor<float>({1, 2});
  CHECK(is(av::diag(v), {1, 0, 0, 2}));
  CHECK(is(av::diag(v, 1), {0, 1, 0, 0, 0, 2, 0, 0, 0}));
  CHECK(is(av::diag(v, -1), {0, 0, 0, 1, 0, 0, 0, 2, 0}));
  CHECK(is(av::diag(x), {1, 5}));
  CHECK(is(av::diag(x, 1), {2, 6}));
  CHECK(is(av::diag(x, -1), {4}));
  CHECK(shape(av::diag(x, 9)) == Shape{0});
  CHECK_THROWS_AS(av::diag(av::zeros({1, 1, 1})), av::ShapeError);
  // The error of one lane names its shape.
  try {
    av::vmap([](Tensor r) { return av::triu(r); })(av::zeros({4, 3}));
    FAIL("no error");
  } catch (const av::ShapeError& e) {
    CHECK(std::string(e.what()).find("f32[3]") != std::string::npos);
  }
  check_batch([](const std::vector<Tensor>& a) { return av::tril(a[0]) + av::triu(a[0], 1) * 2; },
              {counting({3, 3, 2})});
  check_batch([](const std::vector<Tensor>& a) { return av::diag(a[0], -1); }, {counting({3, 3})});
  check_batch([](const std::vector<Tensor>& a) { return av::diag(a[0], 1); },
              {counting({3, 3, 3})});
}

TEST_CASE("squeeze under vmap keeps the lanes") {
  CHECK(shape(av::vmap([](Tensor x) { return av::squeeze(x); })(av::zeros({1, 1, 3}))) ==
        Shape{1, 3});
  CHECK_THROWS_AS(av::vmap([](Tensor x) { return av::squeeze(x, 0); })(av::zeros({3})),
                  av::ShapeError);
}

TEST_CASE("reshape with -1 under vmap") {
  const Tensor x = counting({2, 3, 2});
  CHECK(is(av::vmap([](Tensor r) { return av::reshape(r, {-1}); }, av::in(1))(x),
           {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
  const Tensor y = av::vmap(
      [](Tensor r) {
        return av::reshape(r, {-1, 1});
      },
      av::in(2), av::out(-1))(x);
  CHECK(shape(y) == Shape{6, 1, 2});
  CHECK(is(y, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  CHECK(shape(av::vmap([](Tensor r) { return av::reshape(r, {-1}); })(av::zeros({5, 0, 2}))) ==
        Shape{5, 0});
}
