// Trees: what is one, flatten and rebuild, keys, paths.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autovec/trace/tree.hpp"
#include "autovec/trace/tree_key.hpp"

namespace av = autovec;
namespace tree = autovec::tree;
using av::Tensor;

// Not unnamed: Clang warns of friends that nothing calls there.
namespace tree_test {

enum class Mode { fast, exact };

struct Layer {
  Tensor w, b;
  int width = 0;
};

struct Net {
  std::vector<Layer> layers;
  std::optional<Tensor> bias;
  std::optional<Layer> head;
  std::string name;
  Mode mode = Mode::fast;
  double rate = 0;
  bool frozen = false;
  std::array<Tensor, 2> scales;
  std::pair<Tensor, int> counted;
  std::tuple<Tensor, Layer> mixed;
};

struct Wide {
  Tensor a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15, a16, a17,
      a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31;
};

struct Empty {};

struct Branch {
  Tensor value;
  std::vector<Branch> below;
};

struct NoDefault {
  explicit NoDefault(int n) : count(n) {}
  int count;
  Tensor hidden = 0;
  friend auto tree_fields(NoDefault& m) { return std::tie(m.count, m.hidden); }
  friend auto tree_fields(const NoDefault& m) { return std::tie(m.count, m.hidden); }
};

struct Holder {
  NoDefault inner;
  Tensor x;
};

class Model {
 public:
  Model(Tensor x, Tensor y) : x_(x), y_(y) {}
  const Tensor& x() const { return x_; }
  const Tensor& y() const { return y_; }
  friend auto tree_fields(Model& m) { return std::tie(m.x_, m.y_); }
  friend auto tree_fields(const Model& m) { return std::tie(m.x_, m.y_); }

 private:
  Tensor x_, y_;
};

class Derived : public Model {
 public:
  using Model::Model;
  Tensor forgotten;
};

struct WithBase : Empty {
  Tensor x;
};
struct WithTreeBase : NoDefault {
  Tensor x;
};
struct Plain {
  explicit Plain(int) {}
};
struct WithDefaultlessFields : Empty {
  Plain p, q;
};
struct WithReference {
  Tensor& x;
};
struct WithConstReference {
  Tensor x;
  const Tensor& y;
};
struct WithConst {
  Tensor x;
  const int n = 0;
};
struct WithArray {
  int n;
  Tensor x[3];
  Tensor y;
};
struct WithArrayOfOne {
  Tensor x[1];
};
struct WithPointer {
  Tensor x;
  const char* name;
};
struct WithMoveOnly {
  Tensor x;
  std::unique_ptr<int> p;
};
struct WithMap {
  Tensor x;
  std::map<int, Tensor> m;
};
struct TooWide {
  Wide a;
  Tensor a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15, a16, a17,
      a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31;
};
union Either {
  int i;
  float f;
};
class Half {
 public:
  Half(int) {}
  friend auto tree_fields(Half& m) { return std::tie(m.x); }
  Tensor x;
};
struct Untied {
  Tensor x;
  friend auto tree_fields(Untied& m) { return std::make_tuple(m.x); }
  friend auto tree_fields(const Untied& m) { return std::make_tuple(m.x); }
};

}  // namespace tree_test

namespace {

using namespace tree_test;
using tree::detail::Fault;
using tree::detail::fault;

static_assert(tree::Tree<Tensor> && tree::Tree<double> && tree::Tree<Mode>);
static_assert(tree::Tree<std::string> && tree::Tree<std::vector<bool>>);
static_assert(tree::Tree<Layer> && tree::Tree<Net> && tree::Tree<Wide> && tree::Tree<Empty>);
static_assert(tree::Tree<Branch> && tree::Tree<Holder> && tree::Tree<Model>);
static_assert(tree::Tree<std::tuple<>> && tree::Tree<std::tuple<Tensor, Net>>);
static_assert(tree::Tree<const Layer&> && tree::Tree<std::array<Layer, 0>>);
static_assert(tree::detail::field_count<Net> == 10 && tree::detail::field_count<Wide> == 32);
static_assert(tree::detail::field_count<Holder> == 2 && tree::detail::field_count<Empty> == 0);

static_assert(fault<WithBase> == Fault::base);
static_assert(fault<WithTreeBase> == Fault::inherited);
static_assert(fault<WithDefaultlessFields> == Fault::opaque);
static_assert(fault<WithReference> == Fault::fixed_field);
static_assert(fault<WithConstReference> == Fault::fixed_field);
static_assert(fault<WithConst> == Fault::fixed_field);
static_assert(fault<WithArray> == Fault::array);
static_assert(fault<WithArrayOfOne> == Fault::array);
static_assert(fault<WithPointer> == Fault::pointer);
static_assert(fault<WithMoveOnly> == Fault::move_only);
static_assert(fault<WithMap> == Fault::closed);
static_assert(fault<TooWide> == Fault::too_many);
static_assert(fault<Either> == Fault::unions);
static_assert(fault<Half> == Fault::half_opted);
static_assert(fault<Derived> == Fault::inherited);
static_assert(fault<Untied> == Fault::untied);
static_assert(fault<std::tuple<Tensor&>> == Fault::fixed_field);
static_assert(fault<std::pair<const Tensor, int>> == Fault::fixed_field);
static_assert(fault<std::vector<Branch*>> == Fault::pointer);
static_assert(fault<std::vector<std::unique_ptr<int>>> == Fault::move_only);

template <class T>
std::vector<int> numbers(const T& t) {
  std::vector<Tensor> leaves;
  tree::flatten(t, leaves);
  CHECK(leaves.size() == tree::leaf_count(t));
  std::vector<int> out;
  for (const Tensor& x : leaves) out.push_back(x.item<int>());
  return out;
}

std::vector<Tensor> counting(std::size_t n, int first) {
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(first + static_cast<int>(i));
  return out;
}

Net sample() {
  Net net;
  net.layers = {Layer{1, 2, 16}, Layer{3, 4, 32}};
  net.bias = Tensor(5);
  net.name = "digits";
  net.mode = Mode::exact;
  net.rate = 0.25;
  net.scales = {Tensor(6), Tensor(7)};
  net.counted = {Tensor(8), 9};
  net.mixed = {Tensor(10), Layer{11, 12, 64}};
  return net;
}

template <class T>
tree::Key key(const T& t) {
  tree::Key k;
  tree::append_key(t, k);
  return k;
}

struct Hidden {
  std::optional<Tensor> x;
  Mode mode;
};

}  // namespace

TEST_CASE("leaves come in the order of declaration, static fields are none") {
  CHECK(numbers(Tensor(3)) == std::vector{3});
  CHECK(numbers(sample()) == std::vector{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12});
  CHECK(numbers(Empty{}).empty());
  CHECK(numbers(std::tuple<int, std::string>(1, "x")).empty());
  CHECK(numbers(Branch{1, {Branch{2, {}}, Branch{3, {Branch{4, {}}}}}}) == std::vector{1, 2, 3, 4});
  CHECK(numbers(Model(1, 2)) == std::vector{1, 2});
}

TEST_CASE("a rebuilt tree has new leaves and the prototype's everything else") {
  const Net net = sample();
  const Net again = tree::rebuild(net, counting(11, 100));
  CHECK(numbers(again) == std::vector{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110});
  CHECK(again.layers[1].width == 32);
  CHECK(again.name == "digits");
  CHECK(again.mode == Mode::exact);
  CHECK(again.rate == 0.25);
  CHECK(again.counted.second == 9);
  CHECK(std::get<1>(again.mixed).width == 64);
  CHECK_FALSE(again.head.has_value());
  CHECK(numbers(net)[0] == 1);  // the prototype is not touched
}

TEST_CASE("rebuild needs no default constructor and moves on through a list of leaves") {
  const std::vector<Tensor> leaves = counting(4, 1);
  const Tensor* next = leaves.data();
  const Holder h = tree::rebuild(Holder{NoDefault(7), 0}, next);
  const Model m = tree::rebuild(Model(0, 0), next);
  CHECK(next == leaves.data() + 4);
  CHECK(h.inner.count == 7);
  CHECK(h.inner.hidden.item<int>() == 1);
  CHECK(h.x.item<int>() == 2);
  CHECK(m.x().item<int>() == 3);
  CHECK(m.y().item<int>() == 4);
  CHECK_THROWS_AS(tree::rebuild(m, leaves), av::InternalError);
}

TEST_CASE("32 fields") {
  const Wide wide = tree::rebuild(Wide{}, counting(32, 0));
  CHECK(wide.a00.item<int>() == 0);
  CHECK(wide.a31.item<int>() == 31);
  CHECK(tree::leaf_count(wide) == 32);
}

TEST_CASE("empty handles are leaves too") {
  std::vector<Tensor> leaves;
  tree::flatten(Layer{}, leaves);
  REQUIRE(leaves.size() == 2);
  CHECK(leaves[0].is_empty());
}

TEST_CASE("keys tell types, sizes, engaged optionals and static values apart, not leaves") {
  const Net net = sample();
  const auto changed = [&](auto change) {
    Net other = net;
    change(other);
    const bool equal = key(other) == key(net);
    CHECK(equal == (key(other).hash() == key(net).hash()));
    return !equal;
  };
  CHECK_FALSE(changed([](Net&) {}));
  CHECK_FALSE(changed([](Net& n) { n.layers[0].w = 1000; }));
  CHECK(changed([](Net& n) { n.layers.pop_back(); }));
  CHECK(changed([](Net& n) { n.bias.reset(); }));
  CHECK(changed([](Net& n) { n.head.emplace(); }));
  CHECK(changed([](Net& n) { n.name = "digitz"; }));
  CHECK(changed([](Net& n) { n.name += '\0'; }));
  CHECK(changed([](Net& n) { n.mode = Mode::fast; }));
  CHECK(changed([](Net& n) { n.rate = 0.5; }));
  CHECK(changed([](Net& n) { n.frozen = true; }));
  CHECK(changed([](Net& n) { n.layers[1].width = 33; }));
  CHECK(changed([](Net& n) { n.counted.second = 10; }));

  struct Other {
    Tensor w, b;
    int width = 0;
  };
  CHECK_FALSE(key(Layer{}) == key(Other{}));
  CHECK_FALSE(key(1) == key(1u));
  CHECK_FALSE(key(0.0) == key(-0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(key(nan) == key(nan));
  CHECK_FALSE(key(1.0L) == key(2.0L));
  CHECK_FALSE(key(std::vector<bool>{true}) == key(std::vector<bool>{true, false}));
  CHECK_FALSE(key(std::complex<float>(1, 2)) == key(std::complex<float>(1, 3)));
  using Lists = std::pair<std::vector<int>, std::vector<int>>;
  CHECK_FALSE(key(Lists{{1}, {}}) == key(Lists{{}, {1}}));
}

TEST_CASE("paths read as C++ reaches the leaf") {
  const Net net = sample();
  const char* names[] = {"layers[0].w", "layers[0].b", "layers[1].w", "layers[1].b",
                         "bias",        "scales[0]",   "scales[1]",   "counted[0]",
                         "mixed[0]",    "mixed[1].w",  "mixed[1].b"};
  for (std::size_t i = 0; i < std::size(names); ++i) CHECK(tree::path(net, i) == names[i]);
  CHECK(tree::path(Tensor(1), 0).empty());
  CHECK(tree::path(std::tuple(Tensor(1), sample()), 1) == "[1].layers[0].w");
  CHECK(tree::path(Model(1, 2), 1) == "field 1");
  CHECK(tree::path(std::vector{Model(1, 2)}, 1) == "[0].field 1");
  CHECK(tree::path(Wide{}, 31) == "a31");
  struct Local {
    Tensor first, second;
  };
  CHECK(tree::path(Local{}, 1) == "second");
  CHECK(tree::path(Hidden{Tensor(1), Mode::fast}, 0) == "x");
  CHECK_THROWS_AS(tree::path(Local{}, 2), av::InternalError);
}
