// Random numbers: golden values of jax.random 0.10 (threefry, partitionable), and lanes.
// SPDX-License-Identifier: Apache-2.0
#include "../lanes.hpp"

namespace av = autovec;
using av::Tensor;
using lanes::check_batch;
using lanes::counting;
using lanes::is;
using lanes::near;
using lanes::shape;
using Shape = std::vector<std::int64_t>;

TEST_CASE("keys, split and fold_in are those of jax.random") {
  const Tensor key = av::random::key(42);
  CHECK(key.dtype() == av::u32);
  CHECK(is(key, {0, 42}));
  CHECK(is(av::random::key(-1), {4294967295.0, 4294967295.0}));
  CHECK(is(av::random::key((std::int64_t{1} << 40) + 7), {256, 7}));
  CHECK(is(av::random::key(av::tensor<std::int64_t>({(std::int64_t{1} << 40) + 7})[0]), {256, 7}));
  CHECK(is(av::random::key(av::tensor<int>({42})[0]), {0, 42}));
  CHECK(is(av::random::split(key), {1832780943, 270669613, 64467757, 2916123636}));
  CHECK(is(av::random::split(key, 3),
           {1832780943, 270669613, 64467757, 2916123636, 2465931498, 255383827}));
  CHECK(shape(av::random::split(key, 0)) == Shape{0, 2});
  CHECK(is(av::random::fold_in(key, 7), {2547012911, 1371500959}));
  CHECK(is(av::random::fold_in(key, -1), {2398536845, 3890976714}));
  CHECK_THROWS_AS(av::random::split(av::zeros({2})), av::TypeError);
  CHECK_THROWS_AS(av::random::bits(av::zeros({2, 2}, av::u32), {1}), av::TypeError);
  CHECK_THROWS_AS(av::random::key(1.5), av::TypeError);
  CHECK_THROWS_AS(av::random::bits(key, {-1}), av::ShapeError);
}

TEST_CASE("bits and uniform are those of jax.random") {
  const Tensor key = av::random::key(42);
  CHECK(is(av::random::bits(key, {2, 3}),
           {2098992034, 2919706841, 2646866425, 2409546199, 1935504149, 2516274904}));
  CHECK(is(av::random::bits(key, {}), {2098992034}));
  CHECK(shape(av::random::bits(key, {0, 3})) == Shape{0, 3});
  CHECK(is(av::random::uniform(key, {4}),
           {0.48870956897735596, 0.6797971725463867, 0.6162714958190918, 0.5610160827636719}));
  CHECK(is(av::random::uniform(key, {3}, av::f64),
           {0.4267275666499091, 0.015010069515314584, 0.5741444178995352}));
  CHECK(near(av::random::uniform(key, {4}, av::f32, -2.0, 5.0),
             {1.4209669828414917, 2.758580207824707, 2.3139004707336426, 1.9271125793457031},
             2e-7));
  CHECK(is(av::cast(av::random::uniform(key, {4}, av::f16), av::f32),
           {0.076171875, 0.1904296875, 0.9755859375, 0.7568359375}));
  CHECK(is(av::cast(av::random::uniform(key, {4}, av::bf16), av::f32),
           {0.6328125, 0.84375, 0.96875, 0.8359375}));
  CHECK_THROWS_AS(av::random::uniform(key, {3}, av::i32), av::TypeError);
}

TEST_CASE("normal is that of jax.random within 4 ulp") {
  const Tensor key = av::random::key(42);
  const Tensor x = av::random::normal(key, {6});
  CHECK(near(x,
             {-0.02830461598932743, 0.4671318531036377, 0.2957029640674591, 0.15354591608047485,
              -0.12403281778097153, 0.21692314743995667},
             4.8e-7));
  CHECK(near(av::random::normal(key, {4}, av::f64),
             {-0.18471174528191162, -2.169824560397754, 0.18693555179382582, 0.6122653570510959},
             8.9e-16));
  // The extremes of a million.
  const std::vector<double> many = av::random::normal(key, {1000000}).to_vector<double>();
  CHECK(many[989131] == doctest::Approx(-0x1.40d1aep+2).epsilon(4e-7));
  CHECK(many[724483] == doctest::Approx(0x1.28d63cp+2).epsilon(4e-7));
  double sum = 0;
  for (const double v : many) sum += v;
  CHECK(sum == doctest::Approx(44.38987836782326).epsilon(1e-3));
}

TEST_CASE("bernoulli and randint are those of jax.random") {
  const Tensor key = av::random::key(42);
  CHECK(is(av::random::bernoulli(key, 0.3, {10}), {0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  CHECK(is(av::random::bernoulli(key, av::tensor<double>({0.3})[0], {10}),
           {0, 1, 0, 0, 0, 0, 0, 0, 1, 1}));
  CHECK(is(av::random::randint(key, {6}, -5, 100), {94, 49, 76, -1, 84, 19}));
  CHECK(is(av::random::randint(key, {4}, -5, std::int64_t{1000000000000}, av::i64),
           {463982253477, 604929009943, 848939357151, 550033836784}));
  CHECK(is(av::random::randint(key, {6}, 0, 256, av::u8), {196, 18, 183, 193, 141, 107}));
  CHECK(is(av::random::randint(key, {6}, -300, 300, av::i8), {68, -110, 55, 65, 13, -21}));
  CHECK(is(av::random::randint(key, {3}, std::int64_t{-2147483648}, std::int64_t{2147483648}),
           {977810628, 1236381714, -1367112521}));
  CHECK(is(av::random::randint(key, {3}, 0, std::int64_t{4294967296}, av::u32),
           {3125294276, 3383865362, 780371127}));
  CHECK(is(av::random::randint(key, {2}, 5, 5), {5, 5}));
  CHECK(shape(av::random::randint(key, {2, 3}, av::zeros({3}, av::i32), 9)) == Shape{2, 3});
  CHECK_THROWS_AS(av::random::randint(key, {2}, 0, 5, av::f32), av::TypeError);
  CHECK_THROWS_AS(av::random::randint(key, {2}, av::zeros({3}, av::i32), 5), av::ShapeError);
}

TEST_CASE("random numbers under vmap are those of the loop") {
  const Tensor keys = av::random::split(av::random::key(1), 4);
  check_batch([](const std::vector<Tensor>& a) { return av::random::uniform(a[0], {3}); }, {keys});
  check_batch(
      [](const std::vector<Tensor>& a) {
        return av::random::normal(a[0], {2, 2}, av::f64);
      },
      {keys});
  check_batch([](const std::vector<Tensor>& a) { return av::random::randint(a[0], {3}, 0, a[1]); },
              {keys, av::tensor<int>({3, 10, 100, 1000})});
  check_batch([](const std::vector<Tensor>& a) { return av::random::split(a[0], 3); }, {keys});
  check_batch([](const std::vector<Tensor>& a) { return av::random::fold_in(a[0], a[1]); },
              {keys, av::tensor<int>({3, 10, 100, 1000})});
  // Rows differ where the key is mapped, and are equal where it is shared.
  const std::vector<float> u =
      av::vmap([](Tensor k) { return av::random::uniform(k, {3}); })(keys).to_vector<float>();
  CHECK(u[0] != u[3]);
  const Tensor key = av::random::key(3);
  const Tensor same =
      av::vmap([&](Tensor x) { return x * 0 + av::random::uniform(key, {3}); })(av::ones({2, 1}));
  CHECK(lanes::same_bits(same[0], same[1]));
  // Numbers by lane: fold_in of the lane's number.
  const auto noisy = [](Tensor k, Tensor x, Tensor i) {
    return x + av::random::uniform(av::random::fold_in(k, i), {});
  };
  const Tensor xs = counting({4});
  const Tensor y = av::vmap(noisy, av::in(av::shared, 0, 0))(key, xs, av::iota(4));
  for (std::int64_t i = 0; i < 4; ++i)
    CHECK(lanes::same_bits(y[i], noisy(key, xs[i], av::iota(4)[i])));
}

TEST_CASE("erfinv inverts erf") {
  const Tensor x = av::linspace(-0.999, 0.999, 1001, av::f64);
  const std::vector<double> want = x.to_vector<double>();
  CHECK(near(av::erf(av::erfinv(x)), want, 1e-14));
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(is(av::erfinv(av::tensor<double>({-1, 0, 1, 1.5})), {-inf, 0, inf, std::nan("")}));
}
