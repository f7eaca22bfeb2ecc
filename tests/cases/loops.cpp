// Loops under vmap: every lane runs its own number of trips.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "autovec/exec/run.hpp"
#include "cases.hpp"

using namespace cases;

namespace {

struct Counted {
  Tensor x, trips;
};

}  // namespace

TEST_CASE("while under vmap: early-finished lanes keep their values") {  // B001
  const auto f = [](const Tensor& x) {
    return av::while_loop(
        x, [](const Tensor& s) { return s <= 0; }, [](const Tensor& s) { return s + 1; });
  };
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0]); }, {real({-2.5, -1, 0, 1, 2})},
            real({0.5, 1, 1, 1, 2}));
}

TEST_CASE("nested vmap over while: predicate and carry batched by different vmaps") {  // B002
  const auto f = [](const Tensor& s, const Tensor& n) {
    return av::while_loop(
               Counted{av::zeros({}, av::f64), 0}, [&](const Counted& c) { return c.trips < n; },
               [&](const Counted& c) {
                 return Counted{c.x + s, c.trips + 1};
               })
        .x;
  };
  const auto first = av::vmap(av::vmap(f, av::in(0, av::shared)), av::in(av::shared, 0));
  const auto second = av::vmap(av::vmap(f, av::in(av::shared, 0)), av::in(0, av::shared));
  const auto both = [&](const Tensors& in) {
    return Tensors{first(in[0], in[1]), second(in[0], in[1])};
  };
  const Tensor s = real({0.1, 0.55, 1});
  const Tensor grid =
      real({{0, 0, 0}, {0.1, 0.55, 1}, {0.2, 1.1, 2}, {0.3, 1.65, 3}, {0.4, 2.2, 4}});
  check(both, {s, integers({0, 1, 2, 3, 4})}, {grid, av::transpose(grid)});
  // Extents are equal here, so axes in the wrong place don't show as a wrong shape.
  check(both, {real({0.5, 1}), integers({1, 3})},
        {real({{0.5, 1}, {1.5, 3}}), real({{0.5, 1.5}, {1, 3}})});
}

TEST_CASE("while: zero trips") {  // B005
  const auto f = [](const Tensor& x) {
    return av::while_loop(
        Counted{x, 0}, [](const Counted& c) { return c.x < 0; },
        [](const Counted& c) {
          return Counted{c.x * not_a_number, c.trips + 1};
        });
  };
  const auto run = [&](const Tensors& in) {
    const Counted out = av::vmap(f)(in[0]);
    return Tensors{out.x, out.trips};
  };
  // The body counts its own evaluations: none where no lane enters.
  check(run, {real({1, 2})}, {real({1, 2}), integers({0, 0})});
  check(run, {real({-1, 2})}, {real({not_a_number, 2}), integers({1, 0})});
}

TEST_CASE("while: zero trips run no body") {  // B005, how it runs
  const auto f = [](const Tensor& x) {
    return av::while_loop(
        x, [](const Tensor& s) { return s < 0; }, [](const Tensor& s) { return s * not_a_number; });
  };
  const av::Graph graph = av::trace(av::vmap(f), real({1, 2}));
  for (const av::Backend* backend : {&av::reference_backend(), &av::simd_backend()}) {
    const av::Executable plan = av::Executable::make(graph, *backend);
    // A step that holds the whole loop counts no trips of its own, so the loop is kept a step.
    av::PlanOptions alone;
    alone.fuse = false;
    const av::Executable steps = av::Executable::make(graph, *backend, alone);
    for (const double first : {1.0, -1.0}) {
      const std::array<av::Array, 1> inputs{real({first, 2}).array("test", av::Where::here())};
      av::RunCounts counts;
      const Tensor y(steps.run(inputs, &counts)[0]);
      CHECK(counts.trips == (first < 0 ? 1 : 0));
      CHECK(close(y, real({first < 0 ? not_a_number : 1.0, 2}), 0));
      CHECK(close(Tensor(plan.run(inputs)[0]), y, 0));
    }
  }
}

TEST_CASE(
    "while: carry becomes batched only inside the body (fixed point of batchedness)") {  // B007
  const auto f = [](const Tensor& y) {
    return av::while_loop(
        Counted{1, 0}, [](const Counted& c) { return c.x < 5; },
        [&](const Counted& c) {
          return Counted{c.x + y, c.trips + 1};
        });
  };
  check(
      [&](const Tensors& in) {
        const Counted out = av::vmap(f)(in[0]);
        return Tensors{out.x, out.trips};
      },
      {integers({1, 2, 3})}, {integers({5, 5, 7}), integers({4, 2, 2})});
}

TEST_CASE("while and for with a loop-invariant factor: value") {  // B010
  const auto power = [](const Tensor& x, const Tensor& n) {
    return av::fori_loop(0, n, av::ones({}, av::f64),
                         [&](const Tensor&, const Tensor& a) { return a * x; });
  };
  const auto quotient = [](const Tensor& x, const Tensor& n) {
    return av::while_loop(
               Counted{1.0, 0}, [&](const Counted& c) { return c.trips < n; },
               [&](const Counted& c) {
                 return Counted{c.x / x, c.trips + 1};
               })
        .x;
  };
  check_one([&](const Tensors& in) { return power(in[0], in[1]); },
            {Tensor(real(0.5)), integers(2)}, real(0.25));
  check_one([&](const Tensors& in) { return power(in[0], in[1]); },
            {Tensor(real(0.5)), integers(3)}, real(0.125));
  check_one([&](const Tensors& in) { return quotient(in[0], in[1]); },
            {Tensor(real(0.5)), integers(3)}, real(8));
}

TEST_CASE("for with a run-time bound: value") {  // B011
  const auto f = [](const Tensor& x, const Tensor& y, const Tensor& n) {
    const Tensor g = x * x;
    return g * av::fori_loop(0, n, av::zeros({}, av::f64),
                             [&](const Tensor& k, const Tensor& s) { return s + k * y; });
  };
  check_one([&](const Tensors& in) { return f(in[0], in[1], in[2]); },
            {real(3), real(2), integers(4)}, real(108));
}

TEST_CASE("loop must not change a captured handle") {  // B014
  const auto f = [](const Tensor& a) {
    return av::fori_loop(0, 10, a, [](const Tensor& i, const Tensor& x) { return x + i; });
  };
  check(
      [&](const Tensors& in) {
        const Tensor a = in[0] * 1;
        const Tensor b = f(a);
        return Tensors{a + 0, b};
      },
      {av::zeros({10}, av::f64)}, {av::zeros({10}, av::f64), av::full({10}, real(45))});
  const Tensor a = av::zeros({10});
  const Tensor b = f(a);
  CHECK(close(a, av::zeros({10}), 0));
  CHECK(close(b, av::full({10}, 45), 0));
}
