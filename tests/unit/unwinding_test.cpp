// Exceptions of the user's functions: they pass through every transform and leave nothing behind.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"

namespace av = autovec;
using av::Tensor;

namespace {

struct Stop : std::runtime_error {
  Stop() : std::runtime_error("stop") {}
};

using Function = std::function<Tensor(const Tensor&)>;

const Function same = [](const Tensor& x) { return x; };

/// Computes something, then stops.
const Function stops = [](const Tensor& x) -> Tensor {
  const Tensor y = av::exp(x) + av::ones({3});
  throw Stop();
};

/// `stops` inside each kind of trace there is.
std::vector<Function> nested() {
  const Function in_condition = [](const Tensor& x) {
    return av::while_loop(
        x, [](const Tensor& y) { return av::all(stops(y) > 0); }, same);
  };
  const Function in_loop = [](const Tensor& x) {
    return av::while_loop(
        x, [](const Tensor&) { return true; }, stops);
  };
  return {
      stops,
      [](const Tensor& x) { return av::cond(true, stops, same, x); },
      [](const Tensor& x) { return av::cond(true, same, stops, x); },
      [](const Tensor& x) { return av::switch_case(0, std::tuple(same, same, stops), x); },
      in_condition,
      in_loop,
      [](const Tensor& x) {
        return av::fori_loop(0, 3, x, [](const Tensor&, const Tensor& y) { return stops(y); });
      },
      [](const Tensor& x) {
        return av::scan(x, av::iota(3),
                        [](const Tensor& c, const Tensor&) { return std::pair(c, stops(c)); })
            .second;
      },
      [](const Tensor& x) { return av::map(stops, x); },
      [](const Tensor& x) { return av::pfor(3, [&](const Tensor& i) { return stops(x + i); }); },
      [](const Tensor& x) { return av::vmap(stops)(x); },
      [](const Tensor& x) { return av::jit(stops)(x); },
      [=](const Tensor& x) {
        const Function row = [=](const Tensor& r) {
          return av::cond(r[0] > 0, in_loop, in_condition, r);
        };
        return av::vmap([=](const Tensor& r) {
          return av::fori_loop(0, 2, r, [=](const Tensor&, const Tensor& y) { return row(y); });
        })(x);
      },
  };
}

bool still_works() {
  const auto f = [](const Tensor& r) {
    return av::cond(
        r[0] > 0, [](const Tensor& x) { return av::sum(x); }, [](const Tensor& x) { return x[0]; },
        r);
  };
  return av::vmap(f)(av::tensor<float>({{1, 2, 3}, {-1, 2, 3}})).to_vector<float>() ==
         std::vector<float>{6, -1};
}

}  // namespace

TEST_CASE(
    "what a traced function throws passes through every transform and leaves nothing behind") {
  const Tensor rows = av::ones({2, 3});
  const Tensor batch = av::ones({2, 2, 3});
  for (const av::Executor executor : {av::Executor::reference, av::Executor::simd}) {
    av::set_executor(executor);
    for (const Function& f : nested()) {
      const auto attempt = [&] {
        CHECK_THROWS_AS(f(rows), Stop);
        CHECK_THROWS_AS(av::vmap(f)(batch), Stop);
        CHECK_THROWS_AS(av::jit(f)(rows), Stop);
        CHECK_THROWS_AS(av::jit(av::vmap(f))(batch), Stop);
        CHECK_THROWS_AS(av::trace(f, rows), Stop);
        CHECK(av::Trace::current() == nullptr);
        CHECK(still_works());
      };
      attempt();  // what runs before the throw is planned once, and the plan is kept
      const std::size_t before = av::MemoryPool::instance().live_bytes();
      attempt();
      CHECK(av::MemoryPool::instance().live_bytes() == before);
    }
  }
  av::set_executor(av::Executor::automatic);
}

TEST_CASE("a function that stops on its first calls works on the next") {
  int calls = 0;
  const auto f = av::jit([&](const Tensor& x) {
    if (++calls < 3) throw std::runtime_error("not yet");
    return x + 1;
  });
  const Tensor a = av::ones({3});
  CHECK_THROWS_AS(f(a), std::runtime_error);
  CHECK_THROWS_AS(f(a), std::runtime_error);
  CHECK(f(a).to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(f(a).to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(calls == 3);
}
