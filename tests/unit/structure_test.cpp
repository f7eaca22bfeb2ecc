// How things run, not what they give: one contraction, shared counters, no allocation in warm
// calls.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "autovec/autovec.hpp"
#include "autovec/base/memory.hpp"

namespace av = autovec;

namespace {
std::atomic<long> allocations{0};
}  // namespace

// Counts what this program takes from the heap. Aligned forms fall back on these or are the pool's.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

std::string plan_of(const av::Graph& graph) { return av::Eager<>::compile(graph)->text(); }

}  // namespace

TEST_CASE("many row vectors times a shared matrix are one matrix product") {
  const auto f =
      av::vmap([](av::Tensor x, av::Tensor w) { return av::matmul(x, w); }, av::in(0, av::shared));
  const av::Graph g = av::trace(f, av::ones({64, 10}), av::ones({10, 20}));
  CHECK(g->nodes.size() == 1);
  CHECK(count(av::str(g), "contract") == 1);
  const std::string plan = plan_of(g);
  CHECK(count(plan, "matrix product 64x10x20") == 1);
  CHECK(count(plan, "launch") == 0);
  CHECK(count(plan, "copy") == 0);
}

TEST_CASE("the counter of a counted loop stays shared under vmap") {
  const auto f = av::vmap([](av::Tensor x) {
    return av::fori_loop(0, 5, x, [](av::Tensor i, av::Tensor s) { return s * 0.5 + i; });
  });
  const std::string text = av::str(av::trace(f, av::ones({16, 3})));
  CHECK(count(text, "i32[16]") == 0);
  CHECK(count(text, "i32[]") > 0);
  CHECK(count(text, "b8[16]") == 0);
}

TEST_CASE("take with the index of pfor is the array itself") {
  const av::Tensor xs = av::ones({7, 3});
  const av::Graph g = av::trace(
      [](av::Tensor xs) { return av::pfor(7, [&](av::Tensor i) { return av::take(xs, i) * 2; }); },
      xs);
  CHECK(count(av::str(g), "gather") == 0);
}

TEST_CASE("a warm call of a jitted function traces nothing, a warm call_into allocates nothing") {
  int traces = 0;
  const auto f = av::jit([&traces](av::Tensor x, av::Tensor w) {
    ++traces;
    return av::tanh(av::matmul(w, x)) + av::sum(x);
  });
  const av::Tensor x = av::ones({8});
  const av::Tensor w = av::ones({4, 8});
  av::Tensor out = av::zeros({4});
  for (int i = 0; i < 3; ++i) f.call_into(out, x, w);
  const float* memory = out.data<float>();
  const long before = allocations;
  const auto system = av::MemoryPool::instance().system_allocations();
  for (int i = 0; i < 10; ++i) f.call_into(out, x, w);
  CHECK(allocations == before);
  CHECK(av::MemoryPool::instance().system_allocations() == system);
  CHECK(out.data<float>() == memory);
  CHECK(traces == 1);
}

TEST_CASE("shared predicates stay real branches and loops") {
  const auto f = [](av::Tensor flag, av::Tensor x) {
    return av::cond(
        flag, [](av::Tensor x) { return av::exp(x); }, [](av::Tensor x) { return x; }, x);
  };
  const std::string shared =
      av::str(av::trace(av::vmap(f, av::in(av::shared, 0)), av::Tensor(true), av::ones({3})));
  CHECK(count(shared, "present=[0,0]") == 1);
  const std::string mapped =
      av::str(av::trace(av::vmap(f), av::tensor<bool>({true, false, true}), av::ones({3})));
  CHECK(count(mapped, "present=[1,1]") == 1);
}

TEST_CASE("data of a view and of a number is row-major") {
  const av::Tensor x = av::tensor<float>({{1, 2, 3}, {4, 5, 6}});
  const av::Tensor y = av::transpose(x);
  const float* p = y.data<float>();
  CHECK(p == y.data<float>());
  CHECK(std::vector<float>(p, p + 6) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(*av::Tensor(2.5f).data<float>() == 2.5f);
}
