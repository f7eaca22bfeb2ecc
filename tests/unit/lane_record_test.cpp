// Recording: handles, value numbering, dead code, regions, memory, and what they evaluate to.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autovec/base/error.hpp"
#include "autovec/lane/evaluate.hpp"
#include "autovec/lane/parse.hpp"
#include "autovec/lane/record.hpp"
#include "autovec/lane/text.hpp"
#include "autovec/lane/verify.hpp"

using namespace autovec;
using lane::Lane;
using lane::Op;
using lane::Recorder;
using lane::ValueId;
using lane::ValueIds;

namespace {

/// A program of buffers `in` (read) and `out` (written), one element a point.
template <class In, class Out>
struct Elementwise {
  explicit Elementwise(std::int64_t count) : recorder({count}) {
    in = recorder.add_buffer(dtype_of<In>, false);
    out = recorder.add_buffer(dtype_of<Out>, true);
    x = recorder.load({in, 0, {1}});
  }
  std::vector<Out> run(ValueId result, std::vector<In> input) {
    recorder.store({out, 0, {1}}, result);
    program = recorder.finish();
    lane::verify(program);
    std::vector<Out> output(input.size());
    void* const buffers[] = {input.data(), output.data()};
    lane::run(program, buffers, 0, static_cast<std::int64_t>(input.size()));
    return output;
  }

  Recorder recorder;
  std::int32_t in, out;
  ValueId x;
  lane::Program program;
};

struct Body {
  static constexpr std::string_view name = "body";
  template <class V>
  static V body(V x, V y) {
    using namespace lane;
    using I = int_t<V>;
    const V r = max(min(x, y), floor(abs(y))) + sqrt(abs(x)) / V(3);
    const I bits = (to_bits(x) & I(0xff)) | shl(I(5), I(3));
    const V s = from_bits<V>(bits ^ to_bits(r));
    const V t = fma(x, y, -ceil(s)) - trunc(y) + round_even(x);
    const auto in_range = (x > y) & invert(x != x);
    return select(in_range, t, convert<element_t<V>>(shr(bits, I(1))));
  }
};

struct Guarded {
  static constexpr std::string_view name = "guarded";
  template <class V>
  static V body(V x) {
    return lane::when_any(
        x > V(1), [&] { return lane::sqrt(x); }, x);
  }
};

struct Contracted {
  static constexpr std::string_view name = "contracted";
  template <class V>
  static V body(V x, V y) {
    return x * y + x;
  }
};

struct Subtracted {
  static constexpr std::string_view name = "subtracted";
  template <class V>
  static V body(V x, V y) {
    return x - x * y;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a generic body has the same bits on numbers and when recorded", T, float,
                   double) {
  const std::vector<T> samples = {T(0), T(-0.0), T(1.5), T(-2.5), T(1e9), T(-3.25), T(NAN), T(0.1)};
  Elementwise<T, T> e(static_cast<std::int64_t>(samples.size()));
  const Lane<T> x(e.recorder, e.x);
  const Lane<T> y = lane::apply<Body>(x, Lane<T>(T(2)));
  const Lane<T> z = lane::apply<Guarded>(y);
  const std::vector<T> got = e.run(z.id_in(e.recorder), samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    CAPTURE(samples[i]);
    const T want = Guarded::body(Body::body(samples[i], T(2)));
    CHECK(lane::to_bits(got[i]) == lane::to_bits(want));
    // Literals alone are computed.
    const Lane<T> literal =
        lane::apply<Guarded>(lane::apply<Body>(Lane<T>(samples[i]), Lane<T>(T(2))));
    CHECK(literal.recorder() == nullptr);
    CHECK(lane::to_bits(literal.literal()) == lane::to_bits(want));
  }
  lane::verify(*lane::function_of<Body, T, T>());
  lane::verify(*lane::function_of<Guarded, T>());
  CHECK(lane::function_of<Body, T, T>() == lane::function_of<Body, T, T>());
}

TEST_CASE("handles of integers and masks") {
  Elementwise<std::int32_t, std::int32_t> e(3);
  const Lane<std::int32_t> x(e.recorder, e.x);
  Lane<std::int32_t> y = x * 3 - 1;
  y += x / 0;
  const Lane<bool> odd = (y & 1) == 1;
  const auto r = lane::select(invert(odd) | (x < 0), ~y, -y);
  CHECK(e.run(r.id_in(e.recorder), {2, 5, -7}) == std::vector<std::int32_t>{-5, -15, 21});
}

TEST_CASE("a multiply that feeds an add or a subtract is refused in a function") {
  CHECK_THROWS_WITH_AS(
      (lane::function_of<Contracted, float, float>()),
      doctest::Contains("a mul feeds an add (write fma) in the function contracted"),
      InternalError);
  CHECK_THROWS_WITH_AS((lane::function_of<Subtracted, double, double>()),
                       doctest::Contains("a mul feeds a sub"), InternalError);
  // Integers round nothing.
  CHECK(lane::function_of<Contracted, std::int32_t, std::int32_t>()->arity() == 2);
  Recorder graph({}, lane::Rounding::free);
  const ValueId x = graph.constant(2.0f);
  CHECK_NOTHROW(graph.emit(Op::add, {graph.emit(Op::mul, {x, x}), x}));
}

TEST_CASE("what does not fit is refused when recorded") {
  Recorder r({4}), other({4});
  const ValueId x = r.constant(1.0f);
  CHECK_THROWS_AS(r.emit(Op::add, {x, 77}), InternalError);
  CHECK_THROWS_AS(r.index(1), InternalError);
  CHECK_THROWS_AS(r.load({0, 0, {1}}), InternalError);
  CHECK_THROWS_AS(Lane<double>(r, x), InternalError);
  CHECK_THROWS_AS(Lane<float>(r, x) + Lane<float>(other, other.constant(1.0f)), InternalError);
  r.begin_if(r.constant(true));
  CHECK_THROWS_AS(r.end_loop({}), InternalError);
  CHECK_THROWS_AS(r.finish(), InternalError);
}

TEST_CASE("an equal pure instruction is recorded once, also from inside a region") {
  Recorder r({4});
  const std::int32_t in = r.add_buffer(f32, false), out = r.add_buffer(f32, true);
  const ValueId x = r.load({in, 0, {1}});
  CHECK(r.load({in, 0, {1}}) == x);
  CHECK(r.load({in, 1, {1}}) != x);
  const ValueId y = r.emit(Op::sqrt, {x});
  CHECK(r.emit(Op::sqrt, {x}) == y);
  CHECK(r.constant(0.0f) != r.constant(-0.0f));
  const ValueId mask = r.emit(Op::lt, {x, y});
  r.begin_if(mask);
  CHECK(r.emit(Op::sqrt, {x}) == y);
  const ValueId inner = r.emit(Op::floor, {x});
  r.begin_else({inner});
  // The other side does not see it.
  const ValueId again = r.emit(Op::floor, {x});
  CHECK(again != inner);
  r.end_if({again});
  CHECK(r.emit(Op::floor, {x}) != again);
  // A written buffer may have changed, and a local array too.
  const ValueId before = r.load({out, 0, {1}});
  CHECK(r.load({out, 0, {1}}) != before);
  const ValueId array = r.array_new(f32, 2), zero = r.constant(std::int64_t{0});
  CHECK(r.array_new(f32, 2) != array);
  CHECK(r.array_get(array, zero) != r.array_get(array, zero));
}

TEST_CASE("what no store needs is dropped: instructions, carries, arrays, results") {
  Recorder r({4});
  const std::int32_t in = r.add_buffer(f32, false), out = r.add_buffer(f32, true);
  const ValueId x = r.load({in, 0, {1}});
  r.emit(Op::sqrt, {x});
  const ValueId unread = r.array_new(f32, 3), read = r.array_new(f32, 3);
  const auto loop = r.begin_loop(3, {x, x, x});
  const ValueId got = r.array_get(read, loop.index);  // before the write: kept all the same
  r.array_set(read, loop.index, r.emit(Op::add, {got, loop.carries[2]}));
  r.array_set(unread, loop.index, loop.carries[0]);
  const ValueId dead = r.emit(Op::neg, {loop.carries[1]});
  const ValueIds last = r.end_loop(
      {r.emit(Op::add, {loop.carries[0], got}), dead, r.emit(Op::abs, {loop.carries[2]})});
  r.begin_if(r.emit(Op::lt, {last[0], x}));
  r.begin_else({x, last[1]});
  const ValueIds side = r.end_if({last[0], x});
  r.store({out, 0, {1}}, side[0]);
  const lane::Program p = r.finish();
  lane::verify(p);
  CHECK(to_text(p) == R"(program [4] {
  buffer 0: f32
  buffer 1: f32 written
  %0: f32 = load 0 [1] + 0
  %1: f32 = array_new 3
  %2: f32, %3: f32 = loop 3 (%4: i64, %5: f32 = %0, %6: f32 = %0) {
    %7: f32 = array_get %1, %4
    %8: f32 = add %7, %6
    array_set %1, %4, %8
    %9: f32 = add %5, %7
    %10: f32 = abs %6
    yield %9, %10
  }
  %11: b8 = lt %2, %0
  %12: f32 = if %11 {
    yield %0
  } else {
    yield %2
  }
  store 1 [1] + 0, %12
}
)");
  CHECK(lane::parse_program(to_text(p)) == p);
}

TEST_CASE("a while that nobody needs is dropped, even one that would not end") {
  Recorder r({1});
  const std::int32_t out = r.add_buffer(i32, true);
  const ValueId one = r.constant(std::int32_t{1});
  r.begin_while({one});
  const ValueIds body = r.begin_body(r.constant(true));
  r.end_while(body);
  r.store({out, 0, {1}}, one);
  CHECK(r.finish().body.instructions.size() == 2);
}

TEST_CASE("each point runs its own number of trips and its own side") {
  // Collatz steps, counted in a while with an if inside and swapped carries.
  Elementwise<std::int64_t, std::int64_t> e(6);
  Recorder& r = e.recorder;
  const auto number = [&](std::int64_t v) { return r.constant(v); };
  const ValueId zero = number(0), one = number(1), two = number(2), three = number(3);
  const ValueIds seen = r.begin_while({zero, e.x});
  const ValueIds now = r.begin_body(r.emit(Op::gt, {seen[1], one}));
  r.begin_if(r.emit(Op::eq, {r.emit(Op::and_, {now[1], one}), zero}));
  r.begin_else({r.emit(Op::div, {now[1], two})});
  const ValueId next = r.end_if({r.emit(Op::add, {r.emit(Op::mul, {now[1], three}), one})})[0];
  const ValueIds last = r.end_while({r.emit(Op::add, {now[0], one}), next});
  const auto steps = e.run(last[0], {1, 2, 3, 27, 0, -5});
  CHECK(steps == std::vector<std::int64_t>{0, 1, 7, 111, 0, 0});
}

TEST_CASE("carries may swap") {
  Elementwise<std::int64_t, std::int64_t> e(1);
  Recorder& r = e.recorder;
  const auto loop =
      r.begin_loop(5, {e.x, r.constant(std::int64_t{1}), r.constant(std::int64_t{7})});
  const ValueIds c = loop.carries;
  const ValueIds last = r.end_loop({c[1], c[2], r.emit(Op::add, {c[0], loop.index})});
  std::int64_t a = 100, b = 1, d = 7;
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t old = a;
    a = b, b = d, d = old + i;
  }
  const ValueId ten = r.constant(std::int64_t{1000});
  const auto mix = [&](ValueId x, ValueId y) {
    return r.emit(Op::add, {r.emit(Op::mul, {x, ten}), y});
  };
  CHECK(e.run(mix(mix(last[0], last[1]), last[2]), {100})[0] == (a * 1000 + b) * 1000 + d);
}

TEST_CASE("a loop of no trips gives its initial values") {
  Elementwise<float, float> e(2);
  const auto loop = e.recorder.begin_loop(0, {e.x});
  const ValueIds last =
      e.recorder.end_loop({e.recorder.emit(Op::add, {loop.carries[0], loop.carries[0]})});
  CHECK(e.run(last[0], {3, 4}) == std::vector<float>{3, 4});
}

TEST_CASE("local arrays: zeros each time, indices clamped, an insertion sort of each point") {
  // Sorts the four rows x[i, p] of column p.
  constexpr std::int64_t n = 4, points = 3;
  Recorder r({points});
  const std::int32_t in = r.add_buffer(f32, false), out = r.add_buffer(f32, true);
  const ValueId array = r.array_new(f32, n);
  const ValueId one = r.constant(std::int64_t{1}), zero = r.constant(std::int64_t{0});
  const auto outer = r.begin_loop(n, {});
  const ValueId x = r.load({in, 0, {1, points}});
  // Moves greater ones up, from i - 1 down.
  const ValueIds seen = r.begin_while({r.emit(Op::sub, {outer.index, one})});
  const ValueId left = r.array_get(array, seen[0]);  // clamped at -1
  const ValueId go = r.emit(Op::and_, {r.emit(Op::ge, {seen[0], zero}), r.emit(Op::gt, {left, x})});
  const ValueIds at = r.begin_body(go);
  const ValueId up = r.emit(Op::add, {at[0], one});
  r.array_set(array, up, r.array_get(array, at[0]));
  const ValueIds stop = r.end_while({r.emit(Op::sub, {at[0], one})});
  r.array_set(array, r.emit(Op::add, {stop[0], one}), x);
  r.end_loop({});
  const auto write = r.begin_loop(n, {});
  r.store({out, 0, {1, points}}, r.array_get(array, write.index));
  r.end_loop({});
  const lane::Program p = r.finish();
  lane::verify(p);
  CHECK(lane::parse_program(to_text(p)) == p);
  std::vector<float> input = {3, 1, 9, 1, 2, 8, 2, 0, 7, 0, 1, 6}, output(12);
  void* const buffers[] = {input.data(), output.data()};
  lane::run(p, buffers, 0, points);
  CHECK(output == std::vector<float>{0, 0, 6, 1, 1, 7, 2, 1, 8, 3, 2, 9});
}

TEST_CASE("accesses: strides for axes and loops, gathers, masked scatters, part of the domain") {
  // out[i, j] = sum over k of a[i, k] * b[k, j] for i32; then a histogram by scatter.
  constexpr std::int64_t m = 2, n = 3, k = 4;
  Recorder r({m, n});
  const std::int32_t a = r.add_buffer(i32, false), b = r.add_buffer(i32, false),
                     c = r.add_buffer(i32, true), d = r.add_buffer(i64, true);
  const auto loop = r.begin_loop(k, {r.constant(std::int32_t{0})});
  const ValueId product = r.emit(Op::mul, {r.load({a, 0, {k, 0, 1}}), r.load({b, 0, {0, 1, n}})});
  const ValueIds sum = r.end_loop({r.emit(Op::add, {loop.carries[0], product})});
  r.store({c, 0, {n, 1}}, sum[0]);
  const ValueId j = r.index(1), one = r.constant(std::int64_t{1});
  const ValueId first = r.gather({a, 1, {}}, j);  // a[1 + j]
  const ValueId wild = r.constant(std::int64_t{1} << 60);
  const ValueId mask = r.emit(Op::lt, {j, one});
  r.scatter({d, 0, {1}}, r.emit(Op::select, {mask, j, wild}), r.convert(first, i64), mask);
  const lane::Program p = r.finish();
  lane::verify(p);
  std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6, 7, 8}, y(12), z(6, -1);
  for (int i = 0; i < 12; ++i) y[static_cast<std::size_t>(i)] = i;
  std::vector<std::int64_t> w(2, -1);
  void* const buffers[] = {x.data(), y.data(), z.data(), w.data()};
  lane::run(p, buffers, 1, 4);
  CHECK(z == std::vector<std::int32_t>{-1, 70, 80, 132, -1, -1});
  CHECK(w == std::vector<std::int64_t>{-1, 2});
  lane::run(p, buffers, 0, 6);
  CHECK(z == std::vector<std::int32_t>{60, 70, 80, 132, 158, 184});
  CHECK(w == std::vector<std::int64_t>{2, 2});
}

TEST_CASE("a program may yield its points' values") {
  Recorder r({2, 2});
  const ValueId i = r.index(0), j = r.index(1);
  const lane::Program p = r.finish(lane::Operands{r.emit(Op::sub, {i, j}), i});
  lane::verify(p);
  CHECK(lane::parse_program(to_text(p)) == p);
  std::vector<std::int64_t> seen;
  lane::Evaluator(p).run({}, 1, 4, [&](std::int64_t point, std::span<const std::uint64_t> bits) {
    for (const std::int64_t v : {point, std::int64_t(bits[0]), std::int64_t(bits[1])})
      seen.push_back(v);
  });
  CHECK(seen == std::vector<std::int64_t>{1, -1, 0, 2, 1, 1, 3, 0, 1});
}

TEST_CASE("a domain without points and one without axes") {
  float x = 1;
  void* const buffers[] = {&x};
  const auto program = [](Extents domain) {
    Recorder r(std::move(domain));
    const std::int32_t b = r.add_buffer(f32, true);
    const ValueId v = r.load({b, 0, {}});
    r.store({b, 0, {}}, r.emit(Op::add, {v, v}));
    return r.finish();
  };
  lane::run(program({3, 0}), buffers, 0, 0);
  CHECK(x == 1);
  lane::run(program({}), buffers, 0, 1);
  CHECK(x == 2);
}

TEST_CASE("inlining copies a function's instructions, regions and arrays") {
  const lane::Function f = lane::parse_function(R"(function f(%0: i64, %1: i64) -> i64 {
    %2: i64 = array_new 2
    %3: i64, %4: i64 = loop 3 (%5: i64, %6: i64 = %0, %7: i64 = %1) {
      array_set %2, %5, %6
      %8: i64 = add %6, %7
      yield %7, %8
    }
    %9: i64 = while (%10: i64 = %4) {
      %11: b8 = gt %10, %1
      yield %11
    } do (%12: i64) {
      %13: b8 = lt %12, %3
      %14: i64 = if %13 {
        %15: i64 = neg %12
        yield %15
      } else {
        %16: i64 = sub %12, %0
        yield %16
      }
      yield %14
    }
    %17: i64 = array_get %2, %0
    %18: i64 = mul %17, %9
    yield %18
  })");
  const auto plain = [](std::int64_t a, std::int64_t b) {
    std::int64_t array[2] = {0, 0}, x = a, y = b;
    for (int i = 0; i < 3; ++i) {
      array[std::min(i, 1)] = x;
      const std::int64_t sum = x + y;
      x = y, y = sum;
    }
    while (y > b) y = y < x ? -y : y - a;
    return array[std::clamp<std::int64_t>(a, 0, 1)] * y;
  };
  const auto shared = std::make_shared<const lane::Function>(f);
  const auto run = [&](bool inlined) {
    Elementwise<std::int64_t, std::int64_t> e(3);
    const ValueId two = e.recorder.constant(std::int64_t{2});
    const ValueId once =
        inlined ? e.recorder.inline_function(f, {e.x, two}) : e.recorder.call(shared, {e.x, two});
    const ValueId twice =
        inlined ? e.recorder.inline_function(f, {e.x, once}) : e.recorder.call(shared, {e.x, once});
    return e.run(twice, {1, 2, 3});
  };
  CHECK(run(true) == run(false));
  std::vector<std::int64_t> want;
  for (const std::int64_t x : {1, 2, 3}) want.push_back(plain(x, plain(x, 2)));
  CHECK(run(true) == want);
}
