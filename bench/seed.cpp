// How much faster is a vectorized graph than the loop of one example, and how far from code by
// hand?
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "autovec/autovec.hpp"
#include "contest.hpp"

namespace av = autovec;
using contest::compare;
using contest::keep;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

av::Tensor random(std::uint64_t seed, av::Extents shape) {
  return av::random::uniform(av::random::key(seed), shape) - 0.5;
}
Eigen::Map<const Matrix> map(const av::Tensor& x) {
  return {x.data<float>(), x.extent(0), x.extent(1)};
}
/// The rows of x, each a tensor of its own.
std::vector<av::Tensor> rows(const av::Tensor& x) {
  std::vector<av::Tensor> out;
  for (std::int64_t i = 0; i < x.extent(0); ++i) out.push_back(av::take(x, i));
  return out;
}

void add_and_map() {
  const av::Tensor x = random(1, {256, 1000});
  const av::Tensor y = random(2, {256, 1000});
  const auto xs = rows(x), ys = rows(y);
  const auto plus = [](av::Tensor a, av::Tensor b) { return a + b; };
  const auto one = av::jit(plus);
  const auto all = av::jit(av::vmap(plus));
  av::Tensor out = av::zeros({256, 1000});
  av::Tensor row = av::zeros({1000});
  Matrix by_hand(256, 1000);
  std::vector<float> plain(256000);
  const float* px = x.data<float>();
  const float* py = y.data<float>();
  compare("B1 add: 256 lanes of 1000 floats",
          {{'a', "loop of jit(f)",
            [&] {
              for (std::size_t i = 0; i < 256; ++i) one.call_into(row, xs[i], ys[i]);
            }},
           {'b', "jit(vmap(f))", [&] { all.call_into(out, x, y); }},
           {'c', "Eigen, one expression",
            [&] {
              by_hand = map(x) + map(y);
              keep(by_hand);
            }},
           {'d', "plain loop", [&] {
              for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = px[i] + py[i];
              keep(plain);
            }}});
  const auto square = [](av::Tensor a) { return a * a; };
  const auto one_square = av::jit(square);
  const auto all_squares = av::jit(av::vmap(square));
  compare("B3 map: 256 lanes of 1000 floats, x*x",
          {{'a', "loop of jit(f)",
            [&] {
              for (std::size_t i = 0; i < 256; ++i) one_square.call_into(row, xs[i]);
            }},
           {'b', "jit(vmap(f))", [&] { all_squares.call_into(out, x); }},
           {'c', "Eigen, one expression",
            [&] {
              by_hand = map(x).array().square();
              keep(by_hand);
            }},
           {'d', "plain loop", [&] {
              for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = px[i] * px[i];
              keep(plain);
            }}});
}

void matrix_product() {
  const av::Tensor x = random(3, {1024, 1000});
  const av::Tensor w = random(4, {1000, 1000});
  const auto xs = rows(x);
  const auto f = [](av::Tensor v, av::Tensor m) { return av::matmul(v, m); };
  const auto one = av::jit(f);
  const auto all = av::jit(av::vmap(f, av::in(0, av::shared)));
  av::Tensor out = av::zeros({1024, 1000});
  av::Tensor row = av::zeros({1000});
  Matrix by_hand(1024, 1000);
  compare("B2 matmul: 1024 rows times a shared 1000x1000",
          {{'a', "loop of jit(f)",
            [&] {
              for (const av::Tensor& v : xs) one.call_into(row, v, w);
            }},
           {'b', "jit(vmap(f))", [&] { all.call_into(out, x, w); }},
           {'c', "Eigen, one product",
            [&] {
              by_hand.noalias() = map(x) * map(w);
              keep(by_hand);
            }}},
          5);
}

void counting_loop() {
  const auto f = [](av::Tensor n) {
    return av::while_loop(
               std::pair(av::Tensor(0), av::Tensor(0)),
               [n](const std::pair<av::Tensor, av::Tensor>& s) { return s.first < n; },
               [](std::pair<av::Tensor, av::Tensor> s) {
                 return std::pair(s.first + 1, s.second + s.first);
               })
        .second;
  };
  const av::Tensor trips = av::arange(50);
  const auto ns = rows(trips);
  const auto one = av::jit(f);
  const auto all = av::jit(av::vmap(f));
  av::Tensor out = all(trips);
  av::Tensor scalar = one(ns[3]);
  std::vector<std::int32_t> plain(50);
  compare("B4 while: 50 lanes, lane i runs i trips",
          {{'a', "loop of jit(f)",
            [&] {
              for (const av::Tensor& n : ns) one.call_into(scalar, n);
            }},
           {'b', "jit(vmap(f))", [&] { all.call_into(out, trips); }},
           {'d', "plain loop", [&] {
              for (std::int32_t lane = 0; lane < 50; ++lane) {
                std::int32_t sum = 0;
                for (std::int32_t i = 0; i < lane; ++i) {
                  sum += i;
                  keep(i);  // or the compiler writes the sum down
                }
                plain[static_cast<std::size_t>(lane)] = sum;
              }
              keep(plain);
            }}});
}

void recurrent() {
  const std::int64_t batch = 128, size = 512, steps = 16;
  const av::Tensor x = random(5, {batch, steps, size});
  const av::Tensor w = random(6, {size, size}) * 0.1, u = random(7, {size, size}) * 0.1;
  const av::Tensor lengths = av::random::randint(av::random::key(8), {batch}, 1, steps + 1);
  const auto f = [&](av::Tensor xs, av::Tensor n, av::Tensor wx, av::Tensor wh) {
    return av::fori_loop(0, n, av::zeros({size}), [&](av::Tensor t, av::Tensor h) {
      return av::tanh(av::matmul(wx, av::take(xs, t)) + av::matmul(wh, h));
    });
  };
  const auto one = av::jit(f);
  const auto all = av::jit(av::vmap(f, av::in(0, 0, av::shared, av::shared)));
  av::Tensor out = all(x, lengths, w, u);
  const auto xs = rows(x), ns = rows(lengths);
  av::Tensor row = av::zeros({size});
  const std::vector<std::int32_t> n = lengths.to_vector<std::int32_t>();
  std::vector<Matrix> by_step(static_cast<std::size_t>(steps), Matrix(batch, size));
  for (std::int64_t t = 0; t < steps; ++t) {
    by_step[static_cast<std::size_t>(t)] = map(x.slice({av::all, t}));
  }
  Matrix h(batch, size), next(batch, size);
  compare("B5 dynamic RNN: batch 128, state 512, up to 16 steps",
          {{'a', "loop of jit(f)",
            [&] {
              for (std::size_t i = 0; i < xs.size(); ++i) one.call_into(row, xs[i], ns[i], w, u);
            }},
           {'b', "jit(vmap(f))", [&] { all.call_into(out, x, lengths, w, u); }},
           {'c', "Eigen, two products a step, rows frozen",
            [&] {
              h.setZero();
              for (std::int64_t t = 0; t < steps; ++t) {
                next.noalias() = by_step[static_cast<std::size_t>(t)] * map(w).transpose();
                next.noalias() += h * map(u).transpose();
                next = next.array().tanh();
                for (std::int64_t i = 0; i < batch; ++i) {
                  if (t < n[static_cast<std::size_t>(i)]) h.row(i) = next.row(i);
                }
              }
              keep(h);
            }}},
          5);
}

void across_lanes() {
  const av::Tensor x = random(9, {1024, 1024}), w = random(10, {1024, 1024});
  const auto talk = [](av::Tensor row, av::Tensor m) {
    return av::matmul(row, m) - av::pmean(row, "lanes");
  };
  const auto with = av::jit(
      av::vmap(talk, av::in(0, av::shared), av::out(0), av::VmapOptions{.axis_name = "lanes"}));
  const auto without = av::jit(
      [](av::Tensor rows, av::Tensor m) { return av::matmul(rows, m) - av::mean(rows, 0); });
  av::Tensor out = with(x, w), other = without(x, w);
  compare("B6 cross-lane reduction: 1024 lanes, 1024x1024 product",
          {{'b', "jit(vmap(f)) with pmean", [&] { with.call_into(out, x, w); }},
           {'c', "the batch written out, jit", [&] { without.call_into(other, x, w); }}},
          5);
}

void calls_and_traces() {
  const auto f = [](av::Tensor x) { return (x + 1) * x - 2; };
  const auto fast = av::jit(f);
  const av::Tensor x = av::zeros({});
  av::Tensor out = fast(x);
  double plain = 0;
  compare("calls: a 3-op scalar function",
          {{'b', "jit(f).call_into", [&] { fast.call_into(out, x); }},
           {'b', "jit(f), fresh result", [&] { keep(fast(x)); }},
           {'a', "ops at once", [&] { keep(f(x)); }},
           {'d', "plain C++", [&] {
              plain = (plain + 1) * plain - 2;
              keep(plain);
            }}});
  const auto long_chain = [](av::Tensor v) {
    for (int i = 0; i < 5000; ++i) v = v * 0.5 + 1;
    return v;
  };
  compare("trace: 10,000 ops",
          {{'b', "av::trace", [&] { keep(av::trace(long_chain, av::ones({4}))); }}}, 5);
}

}  // namespace

int main() {
  add_and_map();
  matrix_product();
  counting_loop();
  recurrent();
  across_lanes();
  calls_and_traces();
}
