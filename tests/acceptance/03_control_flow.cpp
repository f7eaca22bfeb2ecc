// Loops and branches whose trip counts and choices differ from lane to lane.
// SPDX-License-Identifier: Apache-2.0
#include <autovec/autovec.hpp>

#include "check.hpp"

namespace av = autovec;

struct Newton {
  av::Tensor x, trips;
};

// Square root by Newton's method, until the step is small: one example.
static Newton newton_sqrt(av::Tensor a) {
  return av::while_loop(
      Newton{a, 0}, [a](const Newton& s) { return av::abs(s.x * s.x - a) > 1e-9 * a; },
      [a](Newton s) {
        s.x = 0.5 * (s.x + a / s.x);
        s.trips = s.trips + 1;
        return s;
      });
}

int main() {
  // Each lane runs its own number of trips.
  const av::Tensor as = av::tensor<double>({1, 4, 1e6, 2});
  Newton r = av::jit(av::vmap(newton_sqrt))(as);
  CHECK(near(r.x, {1, 2, 1000, std::sqrt(2.0)}, 1e-9));
  const std::vector<double> trips = r.trips.to_vector<double>();
  for (int i = 0; i < 4; ++i) CHECK(near(newton_sqrt(av::take(as, i)).trips, {trips[i]}));
  CHECK(trips[0] == 0 && trips[2] > trips[1]);

  // Finished lanes are frozen, though the body would divide by zero on them.
  struct S {
    av::Tensor x, a;
  };
  auto harmonic = [](av::Tensor x) {
    return av::while_loop(
               S{x, av::zeros({}, av::f64)}, [](const S& s) { return s.x > 0; },
               [](S s) {
                 return S{s.x - 1, s.a + 1 / s.x};
               })
        .a;
  };
  CHECK(near(av::vmap(harmonic)(av::tensor<double>({0, 1, 3})), {0, 1, 1.8333333333333333}, 1e-12));

  // A loop in a branch that this lane does not take never runs.
  auto guarded = [](av::Tensor x) {
    return av::cond(
        x > 0,
        [](av::Tensor x) {
          return av::while_loop(
              x, [](av::Tensor s) { return s != 0; }, [](av::Tensor s) { return s - 1; });
        },
        [](av::Tensor x) { return x; }, x);
  };
  CHECK(near(av::vmap(guarded)(av::tensor<double>({3, -0.5, 2})), {0, -0.5, 0}, 1e-12));

  // Counted loops, scans, switches; the counter stays shared.
  const av::Tensor rows = av::tensor<double>({{1, 2, 3, 4}, {5, 6, 7, 8}});
  auto weighted = [](av::Tensor x) {
    return av::fori_loop(0, 4, av::zeros({}, av::f64),
                         [x](av::Tensor i, av::Tensor a) { return a + i * av::take(x, i); });
  };
  CHECK(near(av::vmap(weighted)(rows), {20, 44}, 1e-12));
  auto running = [](av::Tensor x) {
    return av::scan(av::zeros({}, av::f64), x,
                    [](av::Tensor c, av::Tensor x) { return std::pair(c + x, c * x); });
  };
  auto [last, products] = av::vmap(running)(rows);
  CHECK(near(last, {10, 26}, 1e-12) && near(products, {0, 2, 9, 24, 0, 30, 77, 144}, 1e-12));
  auto choose = [](av::Tensor i, av::Tensor x) {
    return av::switch_case(
        i,
        std::tuple([](av::Tensor x) { return x; }, [](av::Tensor x) { return x * x; },
                   [](av::Tensor x) { return -x; }),
        x);
  };
  CHECK(near(av::vmap(choose)(av::tensor<std::int32_t>({0, 1, 2, 7, -1}),
                              av::tensor<double>({3, 3, 3, 3, 3})),
             {3, 9, -3, -3, 3}, 1e-12));

  // Nested loops with counts from both levels, and nested vmap.
  auto nested = [](av::Tensor n, av::Tensor m) {
    return av::fori_loop(0, n, av::zeros({}, av::f64), [m](av::Tensor i, av::Tensor s) {
      return av::fori_loop(0, m + i, s, [](av::Tensor, av::Tensor t) { return t + 1; });
    });
  };
  auto grid = av::vmap(av::vmap(nested, av::in(av::shared, 0)), av::in(0, av::shared));
  CHECK(near(grid(av::tensor<std::int32_t>({0, 1, 3}), av::tensor<std::int32_t>({0, 2})),
             {0, 0, 0, 2, 3, 9}, 1e-12));

  // A shared predicate stays a real branch: the other side would never end.
  auto endless = [](av::Tensor x) {
    return av::while_loop(
        x, [](av::Tensor) { return av::Tensor(true); }, [](av::Tensor x) { return x + 1; });
  };
  auto real_branch = [&](av::Tensor flag, av::Tensor x) {
    return av::cond(
        flag, endless, [](av::Tensor x) { return x * 2; }, x);
  };
  CHECK(near(
      av::vmap(real_branch, av::in(av::shared, 0))(av::Tensor(false), av::tensor<double>({1, 2})),
      {2, 4}, 1e-12));

  std::printf("%d failures\n", failures);
  return failures != 0;
}
