// Order: NaN, ties, and axes that are not the last.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("argmax: NaN and ties") {  // B158
  const auto both = [](const Tensor& x) { return std::pair(av::argmax(x), av::argmin(x)); };
  const auto run = [&](const Tensors& in) {
    const auto [most, least] = both(in[0]);
    return Tensors{most, least};
  };
  check(run, {real({not_a_number, not_a_number})}, {integers(0), integers(0)});
  check(run, {real({0, not_a_number, 1})}, {integers(1), integers(1)});
  check(run, {real({not_a_number, 0})}, {integers(0), integers(0)});
  check(run, {real({1, 3, 3, 1})}, {integers(1), integers(0)});
  check(
      [&](const Tensors& in) {
        const auto [most, least] = av::vmap(both)(in[0]);
        return Tensors{most, least};
      },
      {real({{not_a_number, not_a_number, 2},
             {0, not_a_number, 1},
             {not_a_number, 0, 5},
             {2, 2, 1}})},
      {integers({0, 1, 0, 0}), integers({0, 1, 0, 2})});
}

TEST_CASE("sort stability") {  // B160
  check(
      [](const Tensors& in) {
        return Tensors{av::argsort(in[0]), av::argsort(in[1])};
      },
      {real({0.0, -0.0}), integers({2, 1, 2, 1})}, {integers({0, 1}), integers({1, 3, 0, 2})});
  const Tensor mixed = real({-not_a_number, not_a_number, -infinity, infinity, -1, 1});
  const Tensor sorted = real({-infinity, -1, 1, infinity, not_a_number, not_a_number});
  check_one([](const Tensors& in) { return av::sort(in[0]); }, {mixed}, sorted);
  // Along the first axis of a lane whose elements run along columns.
  const auto first = [](const Tensor& x) { return av::sort(x, 0); };
  const Tensor columns = av::stack({mixed, mixed}, 1);
  check_one([&](const Tensors& in) { return first(in[0]); }, {columns},
            av::stack({sorted, sorted}, 1));
  check_one([&](const Tensors& in) { return av::vmap(first)(av::expand_dims(in[0], 0)); },
            {columns}, av::expand_dims(av::stack({sorted, sorted}, 1), 0));
}
