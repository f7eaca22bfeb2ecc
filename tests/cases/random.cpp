// Random numbers under vmap: a lane's numbers are those of its key, whatever surrounds it.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_vector<double>();
  return a.type() == b.type() && x == b.to_vector<double>();
}

}  // namespace

TEST_CASE("random under vmap: a key per lane, a key captured") {  // B163
  const auto u = [](const Tensor& key) { return av::random::uniform(key, {3}); };
  Tensors by_executor;
  on_each_executor([&] {
    const Tensor key = av::random::key(7);
    const Tensor keys = av::random::split(key, 4);
    const Tensor rows = av::vmap(u)(keys);
    CHECK(rows.shape() == av::Extents{4, 3});
    for (std::int64_t i = 0; i < 4; ++i) {
      CHECK(same_bits(av::take(rows, i), u(av::take(keys, i))));
      for (std::int64_t j = 0; j < i; ++j) CHECK(!same_bits(av::take(rows, i), av::take(rows, j)));
    }
    // One key, captured: all lanes draw the same numbers.
    const Tensor shared = av::vmap([&](const Tensor& x) { return x + u(key); })(av::zeros({4}));
    for (std::int64_t i = 0; i < 4; ++i) CHECK(same_bits(av::take(shared, i), u(key)));
    by_executor.push_back(rows);
  });
  CHECK(same_bits(by_executor[0], by_executor[1]));
}

TEST_CASE("random under vmap: streams by lane number") {  // B164
  const auto f = [](const Tensor& key, const Tensor& i, const Tensor& x) {
    return x + av::random::uniform(av::random::fold_in(key, i), {}, av::f64);
  };
  const Tensor key = av::random::key(11);
  const Tensor x = real({1, 2, 3, 4});
  Tensors by_executor;
  on_each_executor([&] {
    const Tensor all = av::vmap(f, av::in(av::shared, 0, 0))(key, av::iota(4), x);
    Tensors single;
    for (std::int64_t i = 0; i < 4; ++i) single.push_back(f(key, Tensor(i), av::take(x, i)));
    CHECK(same_bits(all, av::stack(single)));
    // Neither the number of lanes nor their order matters.
    const Tensor many = av::vmap(f, av::in(av::shared, 0, av::shared))(key, av::iota(37), real(1));
    for (std::int64_t i = 0; i < 37; ++i)
      CHECK(same_bits(av::take(many, i), f(key, Tensor(i), real(1))));
    const Tensor back =
        av::vmap(f, av::in(av::shared, 0, 0))(key, av::flip(av::iota(4), 0), av::flip(x, 0));
    CHECK(same_bits(av::flip(back, 0), all));
    by_executor.push_back(all);
  });
  CHECK(same_bits(by_executor[0], by_executor[1]));
}
