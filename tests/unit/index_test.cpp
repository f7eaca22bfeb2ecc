// Gathers, scatters, slices and indexed updates: on data, and under vmap.
// SPDX-License-Identifier: Apache-2.0
#include "../lanes.hpp"

namespace av = autovec;
using av::Tensor;
using lanes::check_batch;
using lanes::counting;
using lanes::is;
using lanes::shape;
using Shape = std::vector<std::int64_t>;

TEST_CASE("take reads along an axis; negative places wrap, the rest clamp") {
  const Tensor x = counting({3, 4});
  CHECK(is(av::take(x, 1), {4, 5, 6, 7}));
  CHECK(is(av::take(x, -1, 1), {3, 7, 11}));
  CHECK(is(av::take(x, 99), {8, 9, 10, 11}));
  CHECK(is(av::take(x, -99), {0, 1, 2, 3}));
  const Tensor i = av::tensor<int>({-6, -5, -4, -1, 0, 3, 4, 5});
  CHECK(is(av::take(x, i, 1)[0], {0, 0, 0, 3, 0, 3, 3, 3}));
  CHECK(
      is(av::take(av::tensor<float>({10, 20, 30, 40}), av::tensor<int>({-6, -5, -4, -1, 3, 4, 5})),
         {10, 10, 10, 40, 40, 40, 40}));
  CHECK(shape(av::take(counting({2, 3, 4}), av::zeros({5, 6}, av::i32), 1)) == Shape{2, 5, 6, 4});
  for (const av::DType t : {av::i8, av::i16, av::i64, av::u8, av::u16, av::u32, av::u64}) {
    CHECK(is(av::take(x, av::cast(av::tensor<int>({2, 0}), t)), {8, 9, 10, 11, 0, 1, 2, 3}));
  }
  CHECK(is(av::take(counting({200}), av::cast(av::tensor<int>({-1, 100, -128}), av::i8)),
           {199, 100, 72}));
}

TEST_CASE("reading along an axis of extent 0 is an error unless nothing is read") {
  CHECK_THROWS_AS(av::take(av::zeros({0, 3}), 0), av::ShapeError);
  CHECK_THROWS_AS(av::take(av::zeros({0, 3}), av::tensor<int>({0})), av::ShapeError);
  CHECK(shape(av::take(av::zeros({0, 3}), av::zeros({0}, av::i32))) == Shape{0, 3});
  CHECK(shape(av::take(av::zeros({0, 0}), 0)) == Shape{0});
  CHECK(shape(av::take(av::zeros({3, 0}), av::tensor<int>({0, 1}))) == Shape{2, 0});
  CHECK_THROWS_AS(av::take(av::zeros({3}), av::tensor<float>({0})), av::TypeError);
  CHECK_THROWS_AS(av::take(av::zeros({3}), 0, 1), av::ShapeError);
}

TEST_CASE("x[i] reads along axis 0") {
  const Tensor x = counting({2, 3});
  CHECK(is(x[1], {3, 4, 5}));
  CHECK(is(x[-1][0], {3}));
  CHECK(is(x[av::tensor<int>({1, 1})], {3, 4, 5, 3, 4, 5}));
}

TEST_CASE("indexing under two vmaps") {
  const auto pick = [](Tensor r, Tensor i) { return r[i]; };
  const Tensor x = counting({2, 3, 4});
  const Tensor y = av::tensor<int>({2, 0});
  CHECK(is(av::vmap(av::vmap(pick, av::in(0, av::shared)))(x, y), {2, 6, 10, 12, 16, 20}));
}

TEST_CASE("take under vmap, every mix of mapped arguments") {
  const Tensor i = av::tensor<int>({{0, -1}, {5, 1}, {-9, 2}});
  for (const std::int64_t axis : {0, 1, 2}) {
    check_batch([axis](const std::vector<Tensor>& a) { return av::take(a[0], a[1], axis); },
                {counting({3, 3, 4, 2}), i});
    check_batch([axis](const std::vector<Tensor>& a) { return av::take(a[0], a[1], axis); },
                {counting({3, 3, 4, 2}), av::take(i, 0, 1)});
  }
  // Two levels: the inner one leaves batch axes behind.
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::vmap([](Tensor x, Tensor j) { return av::take(x, j, 1); })(a[0], a[1]);
      },
      {counting({2, 3, 2, 4}), av::tensor<int>({{0, 1, 2}, {3, -1, 7}})});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::vmap([](Tensor x, Tensor j) { return av::take(x, j, 1); },
                        av::in(av::shared, 0))(a[0], a[1]);
      },
      {counting({2, 2, 4}), av::tensor<int>({{0, 1, 2}, {3, -1, 7}})});
}

TEST_CASE("take of the lane number is the array itself") {
  const auto nodes = [](auto f) { return av::str(f); };
  const Tensor xs = counting({4, 3});
  const av::Graph g = av::trace(
      [](Tensor x) { return av::pfor(4, [&](Tensor i) { return av::take(x, i) * 2; }); }, xs);
  CHECK(nodes(g).find("gather") == std::string::npos);
  const av::Graph columns = av::trace(
      [](Tensor x) { return av::pfor(3, [&](Tensor i) {
                       return x.slice({av::all, i});
                     }); }, xs);
  CHECK(nodes(columns).find("gather") == std::string::npos);
  CHECK(is(av::pfor(3, [&](Tensor i) { return av::sum(av::take(xs, i, 1)); }), {18, 22, 26}));
  CHECK(is(av::pfor(2, [&](Tensor i) { return av::take(xs, i); }), {0, 1, 2, 3, 4, 5}));
  // More lanes than slices: clamped as ever.
  CHECK(is(av::pfor(5, [&](Tensor i) { return av::take(xs, i)[0]; }), {0, 3, 6, 9, 9}));
}

TEST_CASE("take_along_axis") {
  const Tensor a = counting({2, 3});
  CHECK(is(av::take_along_axis(a, av::tensor<int>({{0, 1, 0}}), 0), {0, 4, 2}));
  CHECK(is(av::take_along_axis(a, av::tensor<int>({{2, -1, 0, 9}, {1, 1, 0, -9}}), 1),
           {2, 2, 0, 2, 4, 4, 3, 3}));
  CHECK(is(av::take_along_axis(a, av::tensor<int>({{2}}), -1), {2, 5}));
  CHECK_THROWS_AS(av::take_along_axis(a, av::tensor<int>({0}), 0), av::ShapeError);
  const auto along = [](Tensor x, Tensor i) { return av::take_along_axis(x, i, 0); };
  CHECK(is(av::vmap(along, av::in(av::shared, 0))(a, av::tensor<int>({{{0, 1, 0}}, {{1, 1, 0}}})),
           {0, 4, 2, 3, 4, 2}));
  check_batch([](const std::vector<Tensor>& t) { return av::take_along_axis(t[0], t[1], 1); },
              {counting({2, 2, 3}), av::tensor<int>({{{2, 0}, {1, 1}}, {{0, -1}, {5, 0}}})});
}

TEST_CASE("gather and scatter index the first axes") {
  const Tensor x = counting({2, 3});
  const Tensor i = av::tensor<int>({{1, 2}, {0, -1}});
  CHECK(is(av::gather(x, i), {5, 2}));
  CHECK(is(av::gather(x, av::tensor<int>({{1}})), {3, 4, 5}));
  CHECK(is(av::scatter(x, i, 9), {0, 1, 9, 3, 4, 9}));
  CHECK(is(av::scatter(x, i, av::tensor<float>({10, 20}), "add"), {0, 1, 22, 3, 4, 15}));
  CHECK(is(av::scatter(x, av::tensor<int>({{1}}), av::tensor<float>({9, 0, 9}), "max"),
           {0, 1, 2, 9, 4, 9}));
  CHECK(is(av::scatter(x, av::tensor<int>({{2, 0}, {0, 3}, {-3, 0}}), 9), {0, 1, 2, 3, 4, 5}));
  CHECK_THROWS_AS(av::scatter(x, i, 9, "put"), av::TypeError);
  CHECK_THROWS_AS(av::gather(x, av::tensor<int>({{0, 0, 0}})), av::ShapeError);
}

TEST_CASE("scatter with duplicate indices: the last write wins, add adds all") {
  const Tensor z = av::zeros({5});
  const Tensor i = av::tensor<int>({4, 4, 0});
  const auto put = [&](Tensor v) { return z.at(i).set(v); };
  CHECK(is(put(av::tensor<float>({1, 2, 3})), {3, 0, 0, 0, 2}));
  CHECK(
      is(av::vmap(put)(av::tensor<float>({{1, 2, 3}, {6, 5, 4}})), {3, 0, 0, 0, 2, 4, 0, 0, 0, 5}));
  CHECK(is(z.at(i).add(av::tensor<float>({1, 2, 3})), {3, 0, 0, 0, 3}));
  CHECK(is(av::ones({3}).at(av::tensor<int>({0, 0, 2})).mul(av::tensor<float>({2, 3, 4})),
           {6, 1, 4}));
  CHECK(is(z.at(i).min(av::tensor<float>({-1, -2, 3})), {0, 0, 0, 0, -2}));
}

TEST_CASE("scatter under vmap, every mix of mapped arguments") {
  const Tensor x = counting({3, 4, 2});
  const Tensor i = av::tensor<int>({{3, 3}, {0, -1}, {9, 1}});
  const Tensor v = counting({3, 2, 2}) + 100;
  for (const char* mode : {"set", "add", "mul", "min", "max"}) {
    check_batch(
        [mode](const std::vector<Tensor>& a) {
          return av::scatter(a[0], av::expand_dims(a[1], -1), a[2], mode);
        },
        {x, i, v});
  }
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::vmap([](Tensor y, Tensor j, Tensor u) { return y.at(j).set(u); })(a[0], a[1],
                                                                                     a[2]);
      },
      {counting({2, 3, 4}), av::tensor<int>({{1, 2, 3}, {0, -1, 4}}), counting({2, 3}) + 50});
}

TEST_CASE("dynamic slices: the window is moved inside, step by step and as one graph") {
  const Tensor buffer = counting({10});
  const auto nested = [](Tensor b, Tensor i, Tensor j) {
    return av::dynamic_slice(av::dynamic_slice(b, {i}, {4}), {j}, {1});
  };
  const int places[3][2] = {{9, 0}, {3, 5}, {6, 0}};
  for (const auto& p : places) {
    const Tensor i = av::tensor<int>({p[0]})[0];
    const Tensor j = av::tensor<int>({p[1]})[0];
    CHECK(is(nested(buffer, i, j), {6}));
    CHECK(is(av::jit(nested)(buffer, i, j), {6}));
  }
  const Tensor x = counting({3, 4});
  const Tensor one = av::tensor<int>({1})[0];
  CHECK(is(av::dynamic_slice(x, {one, 2}, {2, 2}), {6, 7, 10, 11}));
  CHECK(is(av::dynamic_slice(x, {-1, -2}, {1, 2}), {10, 11}));
  CHECK(is(av::dynamic_slice(x, av::tensor<int>({1, 9}), {1, 2}), {6, 7}));
  CHECK(is(av::dynamic_slice(x, {one, one}, {3, 4}), x.to_vector<double>()));
  CHECK_THROWS_AS(av::dynamic_slice(x, {0, 0}, {4, 1}), av::ShapeError);
  CHECK_THROWS_AS(av::dynamic_slice(x, {0}, {1}), av::ShapeError);
  CHECK(is(av::dynamic_update_slice(x, av::zeros({2, 2}), {one, 9}),
           {0, 1, 2, 3, 4, 5, 0, 0, 8, 9, 0, 0}));
  CHECK(is(av::dynamic_update_slice(x, av::zeros({1, 4}), {one, one}),
           {0, 1, 2, 3, 0, 0, 0, 0, 8, 9, 10, 11}));
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::dynamic_slice(a[0], {a[1], a[2]}, {2, 3});
      },
      {counting({3, 3, 4}), av::tensor<int>({0, 5, -1}), av::tensor<int>({1, 0, -9})});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::dynamic_update_slice(a[0], a[1], {a[2], 1});
      },
      {counting({3, 3, 4}), counting({3, 2, 2}) + 50, av::tensor<int>({0, 5, -1})});
}

TEST_CASE("one_hot") {
  CHECK(is(av::one_hot(av::tensor<int>({1, -1, 3}), 3), {0, 1, 0, 0, 0, 0, 0, 0, 0}));
  CHECK(av::one_hot(2, 3).dtype() == av::f32);
  CHECK(is(av::one_hot(2, 3, av::i32), {0, 0, 1}));
  CHECK(shape(av::one_hot(av::zeros({2, 0}, av::i32), 4)) == Shape{2, 0, 4});
}

TEST_CASE("slice as in NumPy") {
  const Tensor x = counting({3, 4});
  CHECK(is(x.slice({1}), {4, 5, 6, 7}));
  CHECK(is(x.slice({av::all, 3}), {3, 7, 11}));
  CHECK(is(x.slice({-1, av::range(1, -1)}), {9, 10}));
  CHECK(is(x.slice({0, av::range(1, {})}), {1, 2, 3}));
  CHECK(is(x.slice({0, av::range({}, {}, -1)}), {3, 2, 1, 0}));
  CHECK(is(x.slice({0, av::range({}, {}, 3)}), {0, 3}));
  CHECK(is(x.slice({0, av::range(-2, -99, -2)}), {2, 0}));
  CHECK(is(x.slice({0, av::range(99, 1, -1)}), {3, 2}));
  CHECK(shape(x.slice({0, av::range(3, 1)})) == Shape{0});
  CHECK(shape(x.slice({av::newaxis, av::ellipsis, 0})) == Shape{1, 3});
  CHECK(shape(x.slice({av::ellipsis, av::newaxis})) == Shape{3, 4, 1});
  CHECK_THROWS_AS(x.slice({3}), av::ShapeError);
  CHECK_THROWS_AS(x.slice({0, 0, 0}), av::ShapeError);
  CHECK_THROWS_AS(x.slice({av::range(0, 2, 0)}), av::ShapeError);
  CHECK_THROWS_AS(x.slice({av::ellipsis, av::ellipsis}), av::ShapeError);
}

TEST_CASE("slice with computed places") {
  const Tensor x = counting({2, 3, 4});
  const Tensor i = av::tensor<int>({1, 0});
  const Tensor j = av::tensor<int>({2, -1});
  CHECK(is(x.slice({i, j, 0}), {20, 8}));
  CHECK(is(x.slice({1, j, 3}), {23, 23}));
  CHECK(is(x.slice({i, 1, av::range(1, 3)}), {17, 18, 5, 6}));
  CHECK(is(x.slice({av::all, j, 0}), {8, 8, 20, 20}));
  // Places that are not neighbours: their axes stand in front.
  CHECK(shape(x.slice({i, av::all, j})) == Shape{2, 3});
  CHECK(is(x.slice({i, av::all, j}), {14, 18, 22, 3, 7, 11}));
  CHECK(shape(x.slice({0, av::all, j})) == Shape{2, 3});
  CHECK(is(x.slice({av::newaxis, av::tensor<int>({{1}, {0}}), j, 1}), {21, 21, 9, 9}));
  check_batch(
      [](const std::vector<Tensor>& a) {
        return a[0].slice({a[1], av::all, a[2]});
      },
      {counting({2, 3, 2, 4}), av::tensor<int>({2, -3}), av::tensor<int>({0, 9})});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return a[0].slice({a[1], av::range({}, {}, -1), 2});
      },
      {counting({2, 3, 2, 4}), av::tensor<int>({2, -3})});
}

TEST_CASE("indexed updates give a new tensor") {
  const Tensor x = counting({2, 3});
  CHECK(is(x.at(1, 2).set(9), {0, 1, 2, 3, 4, 9}));
  CHECK(is(x.at(-1).add(1), {0, 1, 2, 4, 5, 6}));
  CHECK(is(x.at({av::all, 1}).mul(10), {0, 10, 2, 3, 40, 5}));
  CHECK(
      is(x.at({av::all, av::range({}, {}, 2)}).set(av::tensor<float>({7, 8})), {7, 1, 8, 7, 4, 8}));
  CHECK(is(x.at({av::all, av::range({}, {}, -1)}).set(av::tensor<float>({7, 8, 9})),
           {9, 8, 7, 9, 8, 7}));
  CHECK(is(x.at({av::ellipsis}).min(2), {0, 1, 2, 2, 2, 2}));
  CHECK(is(x.at({av::all}).max(av::tensor<float>({{1}, {4}})), {1, 1, 2, 4, 4, 5}));
  CHECK(is(x, {0, 1, 2, 3, 4, 5}));
  const Tensor i = av::tensor<int>({1})[0];
  CHECK(is(x.at(i, 2).set(9), {0, 1, 2, 3, 4, 9}));
  CHECK(is(x.at({av::all, i}).set(av::tensor<float>({7, 8})), {0, 7, 2, 3, 8, 5}));
  CHECK(is(x.at({i, av::range(1, 3)}).add(10), {0, 1, 2, 3, 14, 15}));
  CHECK(is(x.at({av::range({}, {}, -1), i}).set(av::tensor<float>({7, 8})), {0, 8, 2, 3, 7, 5}));
  CHECK(is(x.at({av::tensor<int>({1, 0}), av::all}).set(av::tensor<float>({{1, 2, 3}, {4, 5, 6}})),
           {4, 5, 6, 1, 2, 3}));
  CHECK(is(counting({2, 2, 2}).at({i, av::all, i}).set(av::tensor<float>({8, 9})),
           {0, 1, 2, 3, 4, 8, 6, 9}));
  CHECK(is(x.at(i, 2).get(), {5}));
}

TEST_CASE("updates out of range are dropped, each index on its own") {
  const Tensor x = counting({2, 3});
  const Tensor i = av::tensor<int>({2, 0, -3});
  const Tensor j = av::tensor<int>({0, 3, 0});
  CHECK(is(x.at(i, j).set(9), {0, 1, 2, 3, 4, 5}));
  CHECK(is(x.at(i, 1).set(9), {0, 9, 2, 3, 4, 5}));
  CHECK(is(x.at(7).set(9), {0, 1, 2, 3, 4, 5}));
  CHECK(is(x.at(-3).set(9), {0, 1, 2, 3, 4, 5}));
  CHECK(is(av::zeros({0}).at(0).set(1), {}));
  CHECK(is(av::zeros({0}).at(av::tensor<int>({0, 5})).set(1), {}));
}

TEST_CASE("values are converted and must fit the part") {
  CHECK(av::zeros({2}, av::i32).at(0).set(1.75).dtype() == av::i32);
  CHECK(is(av::zeros({2}, av::i32).at(0).set(1.75), {1, 0}));
  CHECK(is(av::zeros({2}, av::b8).at(1).set(3), {0, 1}));
  CHECK_THROWS_AS(av::zeros({2, 3}).at(0).set(av::ones({2})), av::ShapeError);
  CHECK_THROWS_AS(av::zeros({2}, av::b8).at(0).add(true), av::TypeError);
  CHECK_THROWS_AS(av::zeros({2}).at(av::ones({1})).set(0), av::TypeError);
}

TEST_CASE("indexed updates under vmap, every mix of mapped arguments") {
  check_batch([](const std::vector<Tensor>& a) { return a[0].at(a[1], 2).set(a[2]); },
              {counting({3, 2, 3}), av::tensor<int>({0, 1, -5}), av::tensor<float>({10, 20, 30})});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return a[0].at({av::range(0, 2), a[1]}).add(a[2]);
      },
      {counting({3, 3, 3}), av::tensor<int>({0, 1, -5}), counting({3, 2}) + 10});
  check_batch(
      [](const std::vector<Tensor>& a) { return a[0].at({av::range({}, {}, -2)}).mul(a[1]); },
      {counting({3, 5}), counting({3, 3}) + 2});
  check_batch([](const std::vector<Tensor>& a) { return a[0].at(a[1], a[2]).max(a[3]); },
              {counting({2, 2, 3}), av::tensor<int>({{0, 1}, {1, 1}}),
               av::tensor<int>({{0, -1}, {2, 2}}), counting({2, 2}) + 3});
}

TEST_CASE("errors name the function, the types and the line") {
  try {
    av::take(av::zeros({0, 3}), 0);
    FAIL("no error");
  } catch (const av::ShapeError& e) {
    const std::string text = e.what();
    CHECK(text.find("take: nothing to read along axis 0 of f32[0,3]") == 0);
    CHECK(text.find("index_test.cpp:") != std::string::npos);
  }
}
