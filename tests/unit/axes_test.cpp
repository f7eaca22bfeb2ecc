// Axis specs: in, out and axes become one entry a leaf.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "autovec/trace/axes.hpp"

namespace av = autovec;
using av::Tensor;

namespace {

struct Layer {
  Tensor w, b;
  int width = 0;
};

struct Net {
  std::vector<Layer> layers;
  std::optional<Layer> head;
};

constexpr std::int64_t none = 99;

template <class In, class... Args>
std::vector<std::int64_t> in_axes(const In& in, const Args&... args) {
  av::LeafAxes axes;
  in.expand(std::tuple<Args...>(args...), axes);
  std::vector<std::int64_t> out;
  for (const auto& a : axes) out.push_back(a.value_or(none));
  return out;
}

template <class Out, class T>
std::vector<std::int64_t> out_axes(const Out& out, const T& result) {
  av::LeafAxes axes;
  out.expand(result, axes);
  std::vector<std::int64_t> list;
  for (const auto& a : axes) list.push_back(a.value_or(none));
  return list;
}

using List = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("one spec an argument; none means axis 0 of all") {
  const Tensor x;
  CHECK(in_axes(av::in(0, av::shared, -1), x, x, x) == List{0, none, -1});
  CHECK(in_axes(av::in(), x, Layer{}, 3) == List{0, 0, 0});
  CHECK(in_axes(av::in()).empty());
  CHECK(in_axes(av::in(2l), x) == List{2});
}

TEST_CASE("an axis or shared counts for all leaves below") {
  const Net net{{Layer{}, Layer{}}, Layer{}};
  CHECK(in_axes(av::in(1, av::shared), net, Layer{}) == List{1, 1, 1, 1, 1, 1, none, none});
  CHECK(in_axes(av::in(0), Net{}).empty());
}

TEST_CASE("axes has one spec for each field, at any depth") {
  const Tensor x;
  CHECK(in_axes(av::in(av::axes(0, av::shared, av::shared), 0), Layer{}, x) == List{0, none, 0});
  const Net net{{Layer{}}, Layer{}};
  CHECK(in_axes(av::in(av::axes(av::shared, av::axes(1, -2, av::shared))), net) ==
        List{none, none, 1, -2});
  CHECK(in_axes(av::in(av::axes(av::shared, av::axes(1, 2, av::shared))), Net{}).empty());
  CHECK(in_axes(av::in(av::axes(0, av::axes(1, av::shared))), std::pair(x, std::array{x, x})) ==
        List{0, 1, none});
}

TEST_CASE("one spec places the whole result, several place its fields") {
  const Tensor x;
  CHECK(out_axes(av::out(), Layer{}) == List{0, 0});
  CHECK(out_axes(av::out(1), std::pair(x, x)) == List{1, 1});
  CHECK(out_axes(av::out(1, -1), std::pair(x, x)) == List{1, -1});
  CHECK(out_axes(av::out(0, av::shared, av::shared), Layer{}) == List{0, none});
  CHECK(out_axes(av::out(av::axes(0, av::shared)), std::pair(x, x)) == List{0, none});
  CHECK(out_axes(av::out(av::axes(2)), std::tuple<Tensor>()) == List{2});
  CHECK(out_axes(av::out(av::shared), x) == List{none});
}

TEST_CASE("expand appends") {
  av::LeafAxes axes;
  av::in(0).expand(std::tuple<Tensor>(), axes);
  av::out(1).expand(Tensor(), axes);
  CHECK(axes.size() == 2);
}
