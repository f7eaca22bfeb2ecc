// One jitted function, plans, caches and the memory pool used from several threads at once.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "autovec/autovec.hpp"

namespace av = autovec;

namespace {

constexpr int threads = 4;
constexpr int rounds = 40;

/// Runs f(thread) on several threads and waits for them.
template <class F>
void together(F f) {
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) workers.emplace_back([&f, t] { f(t); });
  for (std::thread& worker : workers) worker.join();
}

bool equal(const av::Tensor& x, const std::vector<double>& want) {
  return x.to_vector<double>() == want;
}

}  // namespace

TEST_CASE("one jitted function called from several threads gives each its own results") {
  std::atomic<int> traces{0};
  const auto f = av::jit([&traces](av::Tensor x, av::Tensor y) {
    ++traces;
    return av::sum(x * x, 1) + y;
  });
  std::atomic<int> wrong{0};
  together([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      // Three signatures, so that threads meet at the first trace of each.
      const std::int64_t rows = 1 + i % 3;
      const av::Tensor x = av::full({rows, 5}, t + 1, av::f64);
      const av::Tensor y = av::full({rows}, i, av::f64);
      const std::vector<double> want(static_cast<std::size_t>(rows), 5.0 * (t + 1) * (t + 1) + i);
      if (!equal(f(x, y), want)) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(traces >= 3);
  CHECK(traces <= 3 * threads);
}

TEST_CASE("loops with their own trip counts, from several threads") {
  const auto halve = av::jit(av::vmap([](av::Tensor x) {
    return av::while_loop(
        x, [](av::Tensor s) { return s > 1.0; }, [](av::Tensor s) { return s * 0.5; });
  }));
  std::atomic<int> wrong{0};
  together([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      const double start = std::ldexp(1.0, t + i % 7);
      if (!equal(halve(av::tensor(std::vector<double>{start, 1.0, 2 * start, 0.25})),
                 {1, 1, 1, 0.25}))
        ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("ops at once and traces do not see those of other threads") {
  std::atomic<int> wrong{0};
  together([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      const av::Tensor x = av::arange(8) * static_cast<double>(t);
      const av::Tensor y = av::vmap([&](av::Tensor v) { return v + av::sum(x); })(x);
      const double total = 28.0 * t;
      for (int k = 0; k < 8; ++k) {
        if (y.to_vector<double>()[static_cast<std::size_t>(k)] != k * t + total) ++wrong;
      }
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("big work is shared between threads from several callers at once") {
  const auto f = av::jit([](av::Tensor x) { return av::exp(x) * 2 + av::sum(x); });
  const av::Tensor x = av::linspace(0, 1, 300000, av::f64);
  const std::vector<double> want = f(x).to_vector<double>();
  std::atomic<int> wrong{0};
  together([&](int) {
    for (int i = 0; i < 5; ++i) {
      if (!equal(f(x), want)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("call_into from several threads writes each one's own result") {
  const auto f = av::jit([](av::Tensor x) { return x * 3 + 1; });
  std::atomic<int> wrong{0};
  together([&](int t) {
    av::Tensor out = av::zeros({16}, av::f64);
    for (int i = 0; i < rounds; ++i) {
      f.call_into(out, av::full({16}, t + i, av::f64));
      if (!equal(out, std::vector<double>(16, 3.0 * (t + i) + 1))) ++wrong;
    }
  });
  CHECK(wrong == 0);
}
