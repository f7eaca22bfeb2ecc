// Views of the caller's memory: read in place, never written.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "autovec/autovec.hpp"

namespace av = autovec;
using av::Tensor;

TEST_CASE("a view reads the caller's memory and copies nothing") {
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  const Tensor x = av::view(memory.data(), {2, 3});
  CHECK(x.data<float>() == memory.data());
  CHECK(x.shape() == av::Extents{2, 3});
  memory[0] = 7;
  CHECK(x.to_vector<float>() == memory);
  CHECK(av::sum(x).item<float>() == 27);
}

TEST_CASE("views that overlap are different tensors") {
  const std::vector<float> memory{1, 2, 3, 4};
  const Tensor front = av::view(memory.data(), {3});
  const Tensor back = av::view(memory.data() + 1, {3});
  const std::vector<float> want{3, 5, 7};
  CHECK((front + back).to_vector<float>() == want);
  const auto add = [](const Tensor& x, const Tensor& y) { return x + y; };
  CHECK(av::jit(add)(front, back).to_vector<float>() == want);
  CHECK(av::vmap(add)(front, back).to_vector<float>() == want);
  // An update is a new tensor; the memory it came from stays as it is.
  CHECK(front.at(0).set(back[2]).to_vector<float>() == std::vector<float>{4, 2, 3});
  CHECK(memory == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("call_into writes no memory that somebody else sees") {
  const auto f = av::jit([](const Tensor& x) { return x + av::flip(x, 0); });
  std::vector<float> memory{1, 2, 3};
  // The caller's memory.
  Tensor into = av::view(memory.data(), {3});
  f.call_into(into, av::tensor<float>({1, 1, 1}));
  CHECK(into.to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(memory == std::vector<float>{1, 2, 3});
  // The argument itself.
  Tensor x = av::tensor<float>({1, 2, 4});
  f.call_into(x, x);
  CHECK(x.to_vector<float>() == std::vector<float>{5, 4, 5});
  // Another handle of it, and a view of it.
  Tensor y = av::tensor<float>({1, 2, 4});
  const Tensor other = y;
  f.call_into(y, av::ones({3}));
  CHECK(other.to_vector<float>() == std::vector<float>{1, 2, 4});
  Tensor z = av::tensor<float>({1, 2, 4});
  const Tensor turned = av::flip(z, 0);
  f.call_into(z, turned);
  CHECK(z.to_vector<float>() == std::vector<float>{5, 4, 5});
  CHECK(turned.to_vector<float>() == std::vector<float>{4, 2, 1});
}
