// The fixed choices: what ops do at the corners where libraries differ, eagerly, under jit and
// under vmap, on both executors.
// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace {

using namespace laws;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float a_nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();

template <class T>
Tensor vec(std::initializer_list<T> values) {
  return tensor(std::vector<T>(values), Extents{static_cast<std::int64_t>(values.size())});
}
Tensor truths(std::initializer_list<bool> values) { return tensor(std::vector<bool>(values)); }
template <class T>
Tensor scalar(T value) {
  return tensor(std::vector<T>{value}, Extents{});
}
Tensor of_shape(Extents shape, DType dtype = DType::f32) { return zeros(std::move(shape), dtype); }

/// `f(x...)` is `want`, however it is run.
template <class F, class... T>
void gives(const Tensor& want, F f, const T&... x) {
  for (const Executor e : {Executor::reference, Executor::simd}) {
    const WithExecutor scope(e);
    CHECK(difference(Tensor(f(x...)), want) == "");
    CHECK(difference(Tensor(jit(f)(x...)), want) == "");
    const Tensor lanes = vmap(f)(Stack(x.type(), 3, 0).join({x, x, x})...);
    const Stack results(want.type(), 3, 0);
    REQUIRE(lanes.type() == results.whole_type());
    for (std::int64_t lane = 0; lane < 3; ++lane)
      CHECK(difference(results.slice(lanes, lane), want) == "");
  }
}

}  // namespace

TEST_CASE("reads: negative indices wrap, then are clamped") {
  const Tensor x = vec<float>({10, 20, 30});
  gives(
      vec<float>({30, 10, 30, 10, 20}), [](Tensor a, Tensor i) { return take(a, i); }, x,
      vec<std::int32_t>({-1, -3, 3, -4, 1}));
  gives(
      vec<float>({30, 10}), [](Tensor a, Tensor i) { return take(a, i); }, x,
      vec<std::int32_t>({most, least}));
  gives(
      scalar(30.0f), [](Tensor a, Tensor i) { return a[i]; }, x, scalar<std::int64_t>(1LL << 40));
  gives(
      scalar(30.0f), [](Tensor a, Tensor i) { return a[i]; }, x,
      scalar<std::uint32_t>(4294967295u));
  gives(
      vec<float>({30, 10}), [](Tensor a, Tensor i) { return take_along_axis(a, i, 0); }, x,
      vec<std::int32_t>({7, -7}));
  gives(
      vec<float>({30}), [](Tensor a, Tensor i) { return gather(a, i); }, x,
      tensor<std::int32_t>({{9}}));
}

TEST_CASE(
    "writes: negative indices wrap, what is out of range then is dropped; the last writer wins") {
  const Tensor x = vec<float>({1, 2, 3});
  const auto set = [](Tensor a, Tensor i, Tensor u) { return scatter(a, i, u); };
  const Tensor i = tensor<std::int32_t>({{-1}, {3}, {-4}});
  gives(vec<float>({1, 2, 10}), set, x, i, vec<float>({10, 20, 30}));
  const Tensor twice = tensor<std::int32_t>({{1}, {1}});
  gives(vec<float>({1, 20, 3}), set, x, twice, vec<float>({10, 20}));
  gives(
      vec<float>({1, 32, 3}), [](Tensor a, Tensor k, Tensor u) { return scatter(a, k, u, "add"); },
      x, twice, vec<float>({10, 20}));
  gives(
      vec<float>({1, 2, 3}), [](Tensor a, Tensor k) { return a.at(k).set(7); }, x,
      scalar<std::int32_t>(5));
  gives(
      vec<float>({1, 2, 7}), [](Tensor a, Tensor k) { return a.at(k).set(7); }, x,
      scalar<std::int32_t>(-1));
}

TEST_CASE("windows: negative starts wrap, then the window is moved inside") {
  const Tensor x = vec<float>({0, 1, 2, 3, 4});
  const auto window = [](Tensor a, Tensor i) { return dynamic_slice(a, {i}, {2}); };
  gives(vec<float>({3, 4}), window, x, scalar<std::int32_t>(-1));
  gives(vec<float>({2, 3}), window, x, scalar<std::int32_t>(-3));
  gives(vec<float>({3, 4}), window, x, scalar<std::int32_t>(9));
  gives(vec<float>({0, 1}), window, x, scalar<std::int32_t>(-9));
  const auto update = [](Tensor a, Tensor u, Tensor i) { return dynamic_update_slice(a, u, {i}); };
  gives(vec<float>({0, 1, 2, 8, 9}), update, x, vec<float>({8, 9}), scalar<std::int32_t>(4));
}

TEST_CASE("reading along an axis of extent 0 is an error unless nothing is read") {
  const auto read = [](Tensor a, Tensor i) { return take(a, i); };
  CHECK_THROWS_AS(read(of_shape({0}), vec<std::int32_t>({0})), ShapeError);
  CHECK_THROWS_AS(read(of_shape({0, 3}), scalar<std::int32_t>(0)), ShapeError);
  CHECK(read(of_shape({0}), of_shape({0}, DType::i32)).shape() == Extents{0});
  CHECK(vmap(read)(of_shape({0, 0}), of_shape({0, 2}, DType::i32)).shape() == Extents{0, 2});
  CHECK(vmap(read, in(shared, 0))(of_shape({0}), of_shape({0, 2}, DType::i32)).shape() ==
        Extents{0, 2});
}

TEST_CASE("a lane that never runs may read what is not there") {
  const Tensor none = of_shape({0, 3});
  CHECK(pfor(0, [&](Tensor i) { return take(none, i); }).shape() == Extents{0, 3});
  CHECK(pfor(0, [&](Tensor i) { return none[i]; }).shape() == Extents{0, 3});
  CHECK(pfor(0, [&](Tensor) { return none[0]; }).shape() == Extents{0, 3});
  CHECK(pfor(0, [&](Tensor i) { return none.slice({i, 2}); }).shape() == Extents{0});
  CHECK(pfor(0, [&](Tensor i) {
          return take_along_axis(none, broadcast_to(i, {2, 3}), 0);
        }).shape() == Extents{0, 2, 3});
  CHECK_THROWS_AS(pfor(1, [&](Tensor i) { return take(none, i); }), ShapeError);
}

TEST_CASE("sorting is stable, NaN comes last, zeros are equal") {
  const Tensor x = vec<float>({2, a_nan, 0.0f, -1, -0.0f, 2, inf});
  gives(
      vec<float>({-1, 0.0f, -0.0f, 2, 2, inf, a_nan}), [](Tensor a) { return sort(a); }, x);
  gives(
      vec<std::int32_t>({3, 2, 4, 0, 5, 6, 1}), [](Tensor a) { return argsort(a); }, x);
  gives(
      vec<std::int32_t>({1, 6, 0}), [](Tensor a) { return top_k(a, 3).second; }, x);
}

TEST_CASE("argmax takes the first, and NaN counts as largest") {
  gives(
      scalar<std::int32_t>(1), [](Tensor a) { return argmax(a); }, vec<float>({1, 3, 3, 2}));
  gives(
      scalar<std::int32_t>(2), [](Tensor a) { return argmax(a); },
      vec<float>({1, inf, a_nan, a_nan}));
  gives(
      scalar<std::int32_t>(0), [](Tensor a) { return argmin(a); }, vec<float>({1, 3, 1}));
  gives(
      scalar<std::int32_t>(1), [](Tensor a) { return argmax(a); }, truths({false, true, true}));
  CHECK_THROWS_AS(argmax(of_shape({0})), ShapeError);
}

TEST_CASE("an empty reduction gives the identity, or is an error where there is none") {
  const Tensor none = of_shape({0});
  CHECK(difference(sum(none), scalar(0.0f)) == "");
  CHECK(difference(prod(none), scalar(1.0f)) == "");
  CHECK(difference(any(none), scalar(false)) == "");
  CHECK(difference(autovec::all(none), scalar(true)) == "");
  CHECK(difference(mean(none), scalar(a_nan)) == "");
  CHECK(difference(logsumexp(none), scalar(-inf)) == "");
  CHECK_THROWS_AS(autovec::max(none), ShapeError);
  CHECK_THROWS_AS(autovec::min(none), ShapeError);
  CHECK(autovec::max(of_shape({0, 3}), 1).shape() == Extents{0});
  CHECK(sum(of_shape({2, 0}), 1).to_vector<float>() == std::vector<float>{0, 0});
}

TEST_CASE("max, min, maximum and minimum give NaN where there is one") {
  gives(
      scalar(a_nan), [](Tensor a) { return autovec::max(a); }, vec<float>({1, a_nan, inf}));
  gives(
      scalar(a_nan), [](Tensor a) { return autovec::min(a); }, vec<float>({a_nan, -inf}));
  gives(
      vec<float>({a_nan, a_nan, 2}), [](Tensor a, Tensor b) { return maximum(a, b); },
      vec<float>({a_nan, 1, 2}), vec<float>({1, a_nan, -1}));
  gives(
      vec<float>({a_nan, a_nan, -1}), [](Tensor a, Tensor b) { return minimum(a, b); },
      vec<float>({a_nan, 1, 2}), vec<float>({1, a_nan, -1}));
}

TEST_CASE("round is half to even") {
  gives(
      vec<float>({0, 2, 2, -0.0f, -2, 4}), [](Tensor a) { return autovec::round(a); },
      vec<float>({0.5, 1.5, 2.5, -0.5, -1.5, 3.5000002f}));
}

TEST_CASE("floor division and remainder: signs, zeros, the least number") {
  const Tensor a = vec<std::int32_t>({7, -7, 7, -7, 5, 0, least, least, -6});
  const Tensor b = vec<std::int32_t>({3, 3, -3, -3, 0, 0, -1, 1, -3});
  gives(
      vec<std::int32_t>({2, -3, -3, 2, 0, 0, least, least, 2}),
      [](Tensor x, Tensor y) { return floor_divide(x, y); }, a, b);
  gives(
      vec<std::int32_t>({1, 2, -2, -1, 0, 0, 0, 0, 0}), [](Tensor x, Tensor y) { return x % y; }, a,
      b);
  const Tensor x = vec<float>({7, -7, 7, -7, 6, 6, -6, 1, 0});
  const Tensor y = vec<float>({3, 3, -3, -3, 3, -3, 3, 0, -2});
  gives(
      vec<float>({1, 2, -2, -1, 0, -0.0f, 0, a_nan, -0.0f}),
      [](Tensor p, Tensor q) { return p % q; }, x, y);
  gives(
      vec<float>({2, -3, -3, 2}), [](Tensor p, Tensor q) { return floor_divide(p, q); },
      vec<float>({7, -7, 7, -7}), vec<float>({3, 3, -3, -3}));
  gives(
      vec<std::uint32_t>({0, 2}), [](Tensor p, Tensor q) { return floor_divide(p, q); },
      vec<std::uint32_t>({9, 4294967295u}), vec<std::uint32_t>({0, 2147483647u}));
}

TEST_CASE("the quotient of integers is a float") {
  gives(
      vec<float>({3.5, -0.5}), [](Tensor x, Tensor y) { return x / y; }, vec<std::int32_t>({7, -1}),
      vec<std::int32_t>({2, 2}));
}

TEST_CASE("shifts by the width or more, or by less than 0, leave 0 or the sign") {
  const Tensor x = vec<std::int32_t>({-8, 8, -8, 8});
  const Tensor by = vec<std::int32_t>({32, 40, -1, 1});
  gives(
      vec<std::int32_t>({0, 0, 0, 16}), [](Tensor a, Tensor b) { return a << b; }, x, by);
  gives(
      vec<std::int32_t>({-1, 0, -1, 4}), [](Tensor a, Tensor b) { return a >> b; }, x, by);
  gives(
      vec<std::uint32_t>({0, 0x7FFFFFFF}), [](Tensor a, Tensor b) { return a >> b; },
      vec<std::uint32_t>({~0u, ~0u}), vec<std::uint32_t>({32, 1}));
}

TEST_CASE("floats saturate on their way to integers, NaN gives 0") {
  const Tensor x = vec<float>({1e20f, -1e20f, a_nan, inf, -inf, 2.9f, -2.9f});
  gives(
      vec<std::int32_t>({most, least, 0, most, least, 2, -2}),
      [](Tensor a) { return cast(a, i32); }, x);
  gives(
      vec<std::uint32_t>({~0u, 0, 0, ~0u, 0, 2, 0}), [](Tensor a) { return cast(a, u32); }, x);
  gives(
      truths({true, true, true, true, true, false, false}), [](Tensor a) { return cast(a, b8); },
      vec<float>({1, -1, a_nan, inf, 1e-45f, 0, -0.0f}));
}

TEST_CASE("b8 and small integers are summed as i32 or u32") {
  gives(
      scalar<std::int32_t>(2), [](Tensor a) { return sum(a); }, truths({true, false, true}));
  gives(
      scalar<std::int32_t>(254), [](Tensor a) { return sum(a); }, vec<std::int8_t>({127, 127}));
  gives(
      scalar<std::uint32_t>(510), [](Tensor a) { return sum(a); }, vec<std::uint8_t>({255, 255}));
  gives(
      vec<std::int32_t>({1, 2}), [](Tensor a) { return cumsum(a); }, truths({true, true}));
  gives(
      scalar<std::int32_t>(2), [](Tensor a) { return count_nonzero(a); },
      vec<float>({a_nan, 0, 1}));
}

TEST_CASE("integer powers wrap; negative exponents truncate") {
  gives(
      vec<std::int32_t>({0, 1, -1, 1, 0, 1, 0}),
      [](Tensor a, Tensor b) { return autovec::pow(a, b); },
      vec<std::int32_t>({2, 1, -1, -1, 3, 0, 0}), vec<std::int32_t>({32, -3, -3, -2, -1, 0, -1}));
  gives(
      vec<std::int32_t>({-1294967275}), [](Tensor a) { return a * 3; },
      vec<std::int32_t>({1000000007}));
}

TEST_CASE("var and stddev have no degree of freedom taken off") {
  gives(
      scalar(1.25f), [](Tensor a) { return var(a); }, vec<float>({1, 2, 3, 4}));
  gives(
      scalar(2.0f), [](Tensor a) { return stddev(a); }, vec<float>({1, 5, 1, 5}));
}

TEST_CASE("cumulative ops leave the axis out for rank 1 only; reverse and exclusive") {
  const Tensor x = vec<std::int32_t>({1, 2, 3});
  gives(
      vec<std::int32_t>({1, 3, 6}), [](Tensor a) { return cumsum(a); }, x);
  gives(
      vec<std::int32_t>({6, 5, 3}), [](Tensor a) { return cumsum(a, CumOptions{.reverse = true}); },
      x);
  gives(
      vec<std::int32_t>({0, 1, 3}),
      [](Tensor a) { return cumsum(a, CumOptions{.exclusive = true}); }, x);
  gives(
      vec<std::int32_t>({5, 3, 0}),
      [](Tensor a) { return cumsum(a, {.reverse = true, .exclusive = true}); }, x);
  CHECK_THROWS_AS(cumsum(of_shape({2, 2})), ShapeError);
}

TEST_CASE("einsum knows the ellipsis") {
  const Tensor x = tensor<float>({{{1, 2}}, {{3, 4}}});
  const auto trace = [](Tensor a) { return einsum("...ij->...j", a); };
  gives(tensor<float>({{1, 2}, {3, 4}}), trace, x);
}

TEST_CASE("the results of a branch meet at their promoted type") {
  const auto f = [](Tensor p) {
    return cond(
        p, [] { return Tensor(1); }, [] { return Tensor(2.5); });
  };
  CHECK(f(scalar(true)).dtype() == DType::f32);
  const auto g = [](Tensor p, Tensor i, Tensor x) {
    return cond(
        p, [&] { return i; }, [&] { return x; });
  };
  gives(scalar(3.0f), g, scalar(true), scalar<std::int32_t>(3), scalar(0.5f));
  gives(scalar(0.5f), g, scalar(false), scalar<std::int32_t>(3), scalar(0.5f));
}

TEST_CASE("the index of a switch is clamped") {
  const auto f = [](Tensor i) {
    return switch_case(i, std::tuple([] { return Tensor(10.0f); }, [] { return Tensor(20.0f); }));
  };
  const auto strong = [&](Tensor i) { return cast(f(i), f32); };
  gives(scalar(10.0f), strong, scalar<std::int32_t>(-5));
  gives(scalar(20.0f), strong, scalar<std::int32_t>(7));
  gives(scalar(20.0f), strong, scalar<std::int64_t>(1LL << 32));
}

TEST_CASE("weak numbers never widen; typed tensors meet in the lattice") {
  const auto element = [](const Tensor& x) { return x.dtype(); };
  CHECK(element(vec<float>({1}) * 2.0) == DType::f32);
  CHECK(element(vec<std::int32_t>({1}) * 2.0) == DType::f32);
  CHECK(element(vec<std::int8_t>({1}) + 100) == DType::i8);
  CHECK(element(vec<std::int32_t>({1}) + vec<float>({1})) == DType::f32);
  CHECK(element(vec<float>({1}) + vec<double>({1})) == DType::f64);
  CHECK(element(vec<std::int64_t>({1}) + vec<float>({1})) == DType::f32);
  CHECK(element(vec<std::uint32_t>({1}) + vec<std::int32_t>({1})) == DType::i64);
  CHECK(element(truths({true}) + truths({true})) == DType::i32);
}

TEST_CASE("axes of reductions: all, none, some, kept") {
  const Tensor x = tensor<float>({{1, 2}, {3, 4}});
  gives(
      scalar(10.0f), [](Tensor a) { return sum(a); }, x);
  gives(
      x, [](Tensor a) { return sum(a, Axes{}); }, x);
  gives(
      tensor<float>({{3}, {7}}), [](Tensor a) { return sum(a, 1, keepdims); }, x);
  gives(
      scalar(10.0f),
      [](Tensor a) {
        return sum(a, {0, -1});
      },
      x);
  CHECK_THROWS_AS(sum(x, 2), ShapeError);
  CHECK_THROWS_AS(sum(x, {0, -2}), ShapeError);
  CHECK(zeros({}).rank() == 0);
  CHECK(full({2}, 7).dtype() == DType::i32);
}

TEST_CASE("both sides of where are evaluated, only one side of cond") {
  const auto by_where = [](Tensor p, Tensor x) { return where(p, x, x * 0); };
  gives(scalar(a_nan), by_where, scalar(false), scalar(inf));
  const auto by_cond = [](Tensor p, Tensor x) {
    return cond(
        p, [&] { return x; }, [&] { return x * 0; });
  };
  gives(scalar(inf), by_cond, scalar(true), scalar(inf));
}

TEST_CASE("collectives over lanes: mapped operands, shared ones, b8 and integers") {
  const VmapOptions named{.axis_name = "i"};
  const Tensor x = vec<float>({1, 2, 4});
  const auto over = [&](auto f, const Tensor& y) { return vmap(f, in(0), out(0), named)(y); };
  CHECK(difference(over([](Tensor a) { return psum(a, "i"); }, x), vec<float>({7, 7, 7})) == "");
  CHECK(difference(over([](Tensor a) { return a - pmean(a, "i") * 3; }, x),
                   vec<float>({-6, -5, -3})) == "");
  CHECK(difference(over([](Tensor a) { return pmax(a, "i") - pmin(a, "i"); }, x),
                   vec<float>({3, 3, 3})) == "");
  CHECK(difference(over([](Tensor a) { return all_gather(a, "i")[axis_index("i")]; }, x), x) == "");
  CHECK(difference(over([](Tensor a) { return psum(Tensor(2), "i") + cast(a * 0, i32); }, x),
                   vec<std::int32_t>({6, 6, 6})) == "");
  CHECK(difference(over([](Tensor a) { return psum(a > 1, "i"); }, x),
                   vec<std::int32_t>({2, 2, 2})) == "");
  CHECK(difference(over([](Tensor a) { return pmean(cast(a, i32), "i"); }, vec<float>({1, 2, 3})),
                   vec<float>({2, 2, 2})) == "");
  CHECK_THROWS_AS(over([](Tensor a) { return psum(a, "j"); }, x), TraceError);
  const auto talk_inside = [](Tensor a) {
    return cond(
        a > 1, [&] { return psum(a, "i"); }, [&] { return a; });
  };
  CHECK_THROWS_AS(over(talk_inside, x), Unsupported);
}
