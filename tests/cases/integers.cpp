// Integers: widening sums, signs of remainders, edges that never trap.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

using namespace cases;

TEST_CASE("integer overflow / dtype promotion") {  // B154
  // Sums of small integers are i32; means are floating.
  const auto both = [](const Tensor& x) { return std::pair(av::sum(x), av::mean(x)); };
  const Tensor x = av::tensor<std::int8_t>({100, 100});
  check(
      [&](const Tensors& in) {
        const auto [total, mean] = both(in[0]);
        return Tensors{total, mean};
      },
      {x}, {integers(200), real(100)});
  check(
      [&](const Tensors& in) {
        const auto [total, mean] = av::vmap(both)(in[0]);
        return Tensors{total, mean};
      },
      {av::tensor<std::int8_t>({{100, 100}, {1, 2}})}, {integers({200, 3}), real({100, 1.5})});
  CHECK(av::sum(x).dtype() == av::i32);
  CHECK(av::vmap([](const Tensor& row) { return av::sum(row); })(av::stack({x, x})).dtype() ==
        av::i32);
  CHECK(av::mean(x).dtype() == av::f32);
}

TEST_CASE("integer division and remainder: signs") {  // B155
  const Tensor a = integers({-7, 7, -7, 7, -1, 1});
  const Tensor b = integers({2, 2, -2, -2, 3, -3});
  check(
      [](const Tensors& in) {
        const Tensor q = av::floor_divide(in[0], in[1]);
        const Tensor r = in[0] % in[1];
        return Tensors{q, r, av::remainder(in[0], in[1]), q * in[1] + r};
      },
      {a, b},
      {integers({-4, 3, 3, -4, -1, -1}), integers({1, 1, -1, -1, 2, -2}),
       integers({1, 1, -1, -1, 2, -2}), a});
  check_one([](const Tensors& in) { return av::floor_divide(in[0], in[1]); },
            {av::tensor<std::int8_t>({120}), av::tensor<std::int8_t>({-27})}, integers({-5}));
  const auto divide = [](const Tensor& x, const Tensor& y) {
    return std::pair(av::floor_divide(x, y), av::remainder(x, y));
  };
  check(
      [&](const Tensors& in) {
        const auto [q, r] = av::vmap(divide, av::in(0, av::shared))(in[0], 2);
        return Tensors{q, r};
      },
      {a}, {integers({-4, 3, -4, 3, -1, 0}), integers({1, 1, 1, 1, 1, 1})});
}

TEST_CASE("integer division by zero gives 0, and the least number by -1 wraps") {
  const Tensor least = integers({std::numeric_limits<std::int32_t>::min()});
  check(
      [](const Tensors& in) {
        return Tensors{av::floor_divide(in[0], 0), in[0] % 0, av::floor_divide(in[1], -1),
                       in[1] % -1};
      },
      {integers({7, -7, 0}), least},
      {integers({0, 0, 0}), integers({0, 0, 0}), least, integers({0})});
}
