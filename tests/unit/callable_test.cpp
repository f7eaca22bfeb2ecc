// What a callable receives: bare numbers as tensors, or static where it asks for numbers.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/callable.hpp"
#include "autovec/trace/tree.hpp"

namespace av = autovec;
namespace tree = autovec::tree;
using av::Tensor;

namespace {

struct Step {
  Tensor x;
  double rate = 0.5;
};

template <class F, class... Args>
using Received = decltype(tree::arguments<F>(std::declval<Args>()...));

template <class T, class U>
constexpr bool same = std::is_same_v<T, U>;

static_assert(same<tree::map_type<double>, Tensor> && same<tree::map_type<const bool&>, Tensor>);
static_assert(same<tree::map_type<Step&>, Step> && same<tree::map_type<std::string>, std::string>);
static_assert(same<tree::map_type<std::pair<int, std::tuple<float, Step>>>,
                   std::pair<Tensor, std::tuple<Tensor, Step>>>);
static_assert(same<tree::map_type<std::array<double, 3>>, std::array<Tensor, 3>>);
static_assert(same<tree::map_type<std::vector<int>>, std::vector<Tensor>>);
static_assert(same<tree::map_type<std::optional<int>>, std::optional<Tensor>>);

}  // namespace

TEST_CASE("bare numbers become weak tensors, numbers in structs stay static") {
  const Tensor x = tree::as_argument(2.5);
  CHECK(x.rank() == 0);
  CHECK(x.type().weak);
  CHECK(x.item<double>() == 2.5);
  CHECK(tree::as_argument(true).dtype() == av::b8);
  CHECK(tree::as_argument(Step{1, 0.25}).rate == 0.25);

  const auto [a, b] = tree::as_argument(std::pair(1, std::tuple(2.0, Step{3, 0.75})));
  CHECK(a.item<int>() == 1);
  CHECK(std::get<0>(b).item<int>() == 2);
  CHECK(std::get<1>(b).rate == 0.75);
  CHECK(tree::as_argument(std::array{1, 2})[1].item<int>() == 2);
  CHECK(tree::as_argument(std::vector{1, 2, 3})[2].item<int>() == 3);
  CHECK(tree::as_argument(std::vector<bool>{false, true})[1].item<bool>());
  CHECK(tree::as_argument(std::optional(4))->item<int>() == 4);
  CHECK_FALSE(tree::as_argument(std::optional<int>()).has_value());
  CHECK(tree::leaf_count(tree::as_argument(std::tuple(1, 2.0, std::string("x"), Step{}))) == 3);
}

TEST_CASE("values move through") {
  std::vector<Tensor> xs(3);
  const Tensor* data = xs.data();
  CHECK(tree::as_argument(std::move(xs)).data() == data);
}

TEST_CASE("a number stays static where the callable takes a number and no Tensor") {
  const auto power = [](Tensor, int) {};
  CHECK(same<Received<decltype(power), Tensor&, int>, std::tuple<Tensor, int>>);
  CHECK(same<Received<decltype(power), double, int>, std::tuple<Tensor, int>>);
  const auto both = [](Tensor, Tensor) {};
  CHECK(same<Received<decltype(both), double, int>, std::tuple<Tensor, Tensor>>);
  const auto generic = [](auto x, const auto&) { return x; };
  CHECK(same<Received<decltype(generic), int, bool>, std::tuple<Tensor, Tensor>>);
  const auto last = [](int, Tensor, double, Tensor) {};
  CHECK(same<Received<decltype(last), int, int, int, int>, std::tuple<int, Tensor, int, Tensor>>);
  const auto half_generic = [](auto, int n) { return n; };
  CHECK(same<Received<decltype(half_generic), int, int>, std::tuple<Tensor, int>>);
  const auto container = [](const std::vector<double>&, Step) {};
  CHECK(same<Received<decltype(container), std::vector<double>, Step>,
             std::tuple<std::vector<double>, Step>>);
  const auto reference = [](const Tensor&, std::string) {};
  CHECK(same<Received<decltype(reference), float, const std::string&>,
             std::tuple<Tensor, std::string>>);

  const auto [x, n] = tree::arguments<decltype(power)>(1.5, 7);
  CHECK(x.item<double>() == 1.5);
  CHECK(n == 7);
  tree::require_callable<decltype(power), double, int>();
}

TEST_CASE("no arguments") {
  const auto nothing = [] {};
  CHECK(std::tuple_size_v<Received<decltype(nothing)>> == 0);
}
