// The cache of jit: what it is keyed on, and what a failed trace leaves.
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "cases.hpp"

using namespace cases;

TEST_CASE("trace-time shape baked in") {  // B167
  on_each_executor([] {
    Tensor s = real({1, 2, 3});
    const auto f = av::jit([&s] { return av::sum(s) / static_cast<double>(s.size()); });
    CHECK(close(f(), real(2), 1e-9));
    s = real({10, 20});
    CHECK(close(f(), real(15), 1e-9));
    s = real({4, 4, 4});
    CHECK(close(f(), real(4), 1e-9));
  });
}

TEST_CASE("jit cache keyed on static arg") {  // B169
  int traces = 0;
  const auto f = av::jit([&traces](const auto& settings) {
    ++traces;
    using T = std::decay_t<decltype(settings.k)>;
    return av::full({2}, settings.k, av::dtype_of<T>);
  });
  struct Int {
    int k;
  };
  struct Bool {
    bool k;
  };
  struct Double {
    double k;
  };
  struct Wide {
    std::int64_t k;
  };
  on_each_executor([&] {
    traces = 0;
    CHECK(f(Int{1}).dtype() == av::i32);
    CHECK(f(Bool{true}).dtype() == av::b8);
    CHECK(f(Double{1.0}).dtype() == av::f64);
    CHECK(f(Wide{1}).dtype() == av::i64);
    CHECK(traces == 4);
    CHECK(close(f(Int{2}), integers({2, 2}), 0));
    CHECK(traces == 5);
    CHECK(close(f(Int{1}), integers({1, 1}), 0));
    CHECK(traces == 5);
  });
}

TEST_CASE("jit cache keyed on dtype and weakness of an argument") {  // B169
  const auto f = av::jit([](const Tensor& k) { return k + av::zeros({2}, av::f32); });
  const auto same = av::jit([](const Tensor& k) { return k + k; });
  on_each_executor([&] {
    CHECK(f(1).dtype() == av::f32);
    CHECK(f(1.0).dtype() == av::f32);
    CHECK(f(real(1)).dtype() == av::f64);
    CHECK(f(true).dtype() == av::f32);
    CHECK(same(av::tensor<std::int32_t>(1)).dtype() == av::i32);
    CHECK(same(av::tensor<std::int64_t>(1)).dtype() == av::i64);
    CHECK(same(real(1)).dtype() == av::f64);
  });
}

TEST_CASE("failed trace must not poison the cache") {  // B172
  on_each_executor([] {
    const auto f = av::jit([](const Tensor& a, const Tensor& b) { return av::matmul(a, b); });
    const Tensor a = real({{1, 2}, {3, 4}});
    CHECK_THROWS_AS(f(a, av::ones({3}, av::f64)), av::ShapeError);
    CHECK(close(f(a, real({1, 1})), real({3, 7}), 1e-9));
    CHECK_THROWS_AS(f(a, av::ones({3}, av::f64)), av::ShapeError);
    CHECK(close(f(a, real({1, 2})), real({5, 11}), 1e-9));
  });
}
