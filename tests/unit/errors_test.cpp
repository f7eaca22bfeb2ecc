// Bad input: one clear error of the right class that names the op, the types and the user's line.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"
#include "golden.hpp"
#include "thrown.hpp"

namespace av = autovec;
using av::Tensor;

namespace {

using Tensors = std::vector<Tensor>;

/// Messages one under the other.
class Messages {
 public:
  template <class Kind, class F>
  void add(const F& f, av::Where where = av::Where::here()) {
    text_ += thrown<Kind>(f, where);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using Shape = av::ShapeError;
using Type = av::TypeError;
using Misuse = av::TraceError;

struct State {
  Tensor x, n;
};

struct Settings {
  Tensor x;
  int width = 0;
};

const auto same = [](const Tensor& x) { return x; };
const auto plus = [](const Tensor& x, const Tensor& y) { return x + y; };

Tensor vector3() { return av::ones({3}); }
Tensor vector4() { return av::ones({4}); }
Tensor matrix() { return av::ones({2, 3}); }

/// A value of a trace that has ended.
Tensor kept_value() {
  Tensor kept;
  av::trace([&](const Tensor& x) { return kept = x * 2; }, vector3());
  return kept;
}

}  // namespace

TEST_CASE("shapes that do not fit") {
  const Tensor a = vector3(), b = vector4(), m = matrix(), i = av::iota(2);
  Messages e;
  e.add<Shape>([&] { a + b; });
  e.add<Shape>([&] { av::where(a > 0, a, b); });
  e.add<Shape>([&] { av::fma(a, a, b); });
  e.add<Shape>([&] { av::matmul(m, b); });
  e.add<Shape>([&] { av::matmul(m, 2.0); });
  e.add<Shape>([&] { av::dot(m, b); });
  e.add<Shape>([&] { av::tensordot(m, m, 1); });
  e.add<Shape>([&] { av::tensordot(m, m, 3); });
  e.add<Shape>([&] { av::einsum("ij,jk", m, m); });
  e.add<Shape>([&] { av::einsum("ij,j->ik", m, a); });
  e.add<Shape>([&] { av::einsum("ij", m, a); });
  e.add<Shape>([&] { av::concatenate({m, a}); });
  e.add<Shape>([&] { av::stack({a, b}); });
  e.add<Shape>([&] { av::split(a, 2); });
  e.add<Shape>([&] { av::reshape(m, {4}); });
  e.add<Shape>([&] { av::reshape(m, {-1, -1}); });
  e.add<Shape>([&] { av::broadcast_to(m, {3, 2}); });
  e.add<Shape>([&] { av::squeeze(m, 0); });
  e.add<Shape>([&] { av::pad(a, {{1, -1}}); });
  e.add<Shape>([&] { av::tril(a); });
  e.add<Shape>([&] { av::take_along_axis(m, i, 0); });
  e.add<Shape>([&] { av::gather(m, av::iota(4)); });
  e.add<Shape>([&] { av::scatter(m, av::expand_dims(i, -1), b); });
  e.add<Shape>([&] { av::dynamic_slice(m, {0, 0}, {3, 1}); });
  e.add<Shape>([&] { m.at(0).set(b); });
  e.add<Shape>([&] { m.slice({0, 0, 0}); });
  e.add<Shape>([&] { m.slice({5}); });
  e.add<Shape>([&] { av::top_k(a, 4); });
  e.add<Shape>([&] { a.item<float>(); });
  CHECK_TEXT(e.text(), R"(
      add: shapes differ: f32[3] and f32[4]
        at errors_test.cpp:+0
      where: shapes differ: b8[3], f32[3] and f32[4]
        at errors_test.cpp:+0
      fma: shapes differ: f32[3], f32[3] and f32[4]
        at errors_test.cpp:+0
      matmul: inner extents differ: f32[2,3] and f32[4]
        at errors_test.cpp:+0
      matmul: operands need at least one axis: f32[2,3] and f32~[]
        at errors_test.cpp:+0
      dot: inner extents differ: f32[2,3] and f32[4]
        at errors_test.cpp:+0
      tensordot: inner extents differ: f32[2,3] and f32[2,3]
        at errors_test.cpp:+0
      tensordot: no 3 axes to sum over in f32[2,3] and f32[2,3]
        at errors_test.cpp:+0
      einsum: 'ij,jk' gives label 'j' different extents in f32[2,3] and f32[2,3]
        at errors_test.cpp:+0
      einsum: 'ij,j->ik' asks for a label that no operand has
        at errors_test.cpp:+0
      einsum: 'ij' names 1 operands, got 2
        at errors_test.cpp:+0
      concatenate: shapes do not fit along axis 0: f32[2,3] and f32[3]
        at errors_test.cpp:+0
      stack: shapes differ: f32[3] and f32[4]
        at errors_test.cpp:+0
      split: axis 0 of f32[3] does not split into 2 equal parts
        at errors_test.cpp:+0
      reshape: f32[2,3] does not have the size of shape [4]
        at errors_test.cpp:+0
      reshape: more than one extent is -1 in [-1,-1]
        at errors_test.cpp:+0
      broadcast_to: f32[2,3] does not broadcast to [3,2]
        at errors_test.cpp:+0
      squeeze: axis 0 of f32[2,3] has not extent 1
        at errors_test.cpp:+0
      pad: widths [1:-1] do not fit f32[3]
        at errors_test.cpp:+0
        hint: one {before, after} an axis, none negative; slice makes a tensor smaller
      tril: expected rank 2 or more, got f32[3]
        at errors_test.cpp:+0
      take_along_axis: shapes do not correspond: f32[2,3] and i32[2]
        at errors_test.cpp:+0
      gather: indices i32[4] do not fit f32[2,3]
        at errors_test.cpp:+0
        hint: the last axis of the indices holds one index for each axis of x, from the first on
      scatter: updates are f32[4], expected [2,3]
        at errors_test.cpp:+0
      dynamic_slice: a window of [3,1] at 2 starts does not fit f32[2,3]
        at errors_test.cpp:+0
      at: values f32[4] do not broadcast to the part [3] of f32[2,3]
        at errors_test.cpp:+0
      slice: more indices than axes of f32[2,3]
        at errors_test.cpp:+0
      slice: index 5 is out of range for axis 0 of f32[2,3]
        at errors_test.cpp:+0
      top_k: no 4 elements along axis 0 of f32[3]
        at errors_test.cpp:+0
      item: expected one element, got type f32[3]
        at errors_test.cpp:+0)");
}

TEST_CASE("axes out of range or named twice") {
  const Tensor a = vector3(), m = matrix();
  Messages e;
  e.add<Shape>([&] { av::sum(a, 1); });
  e.add<Shape>([&] { av::sum(m, {0, -2}); });
  e.add<Shape>([&] { av::argmax(m, 2); });
  e.add<Shape>([&] { av::nn::softmax(a, 1); });
  e.add<Shape>([&] { av::cumsum(m); });
  e.add<Shape>([&] { av::permute(m, {0, 0}); });
  e.add<Shape>([&] { av::moveaxis(m, 0, 5); });
  e.add<Shape>([&] { av::expand_dims(m, 4); });
  e.add<Shape>([&] { av::flip(m, -3); });
  e.add<Shape>([&] { av::take(m, 0, 2); });
  e.add<Shape>([&] { av::sort(a, 1); });
  e.add<Shape>([&] { av::roll(m, 1, 3); });
  e.add<Shape>([&] { a.extent(1); });
  CHECK_TEXT(e.text(), R"(
      sum: axis 1 is out of range for rank 1
        at errors_test.cpp:+0
      sum: an axis is named twice in [0,-2]
        at errors_test.cpp:+0
      argmax: axis 2 is out of range for rank 2
        at errors_test.cpp:+0
      softmax: axis 1 is out of range for rank 1
        at errors_test.cpp:+0
      cumsum: the axis can be left out for rank 1 only, got f32[2,3]
        at errors_test.cpp:+0
      transpose: [0,0] is no order of the axes of f32[2,3]
        at errors_test.cpp:+0
      moveaxis: axis 5 is out of range for rank 2
        at errors_test.cpp:+0
      expand_dims: axis 4 is out of range for rank 3
        at errors_test.cpp:+0
      flip: axis -3 is out of range for rank 2
        at errors_test.cpp:+0
      take: axis 2 is out of range for rank 2
        at errors_test.cpp:+0
      sort: axis 1 is out of range for rank 1
        at errors_test.cpp:+0
      roll: axis 3 is out of range for rank 2
        at errors_test.cpp:+0
      extent: axis 1 is out of range for rank 1
        at errors_test.cpp:+0)");
}

TEST_CASE("dtypes that do not fit") {
  const Tensor a = vector3(), m = matrix(), t = a > 0;
  Messages e;
  e.add<Type>([&] { a& a; });
  e.add<Type>([&] { a << 1; });
  e.add<Type>([&] { av::take(m, 1.5); });
  e.add<Type>([&] { m[a]; });
  e.add<Type>([&] { m.at(a).set(1); });
  e.add<Type>([&] { av::one_hot(a, 3); });
  e.add<Type>([&] { t.at(0).add(true); });
  e.add<Type>([&] { av::scatter(m, av::iota(1), 1, "divide"); });
  e.add<Type>([&] { av::bitcast(a, av::f64); });
  e.add<Type>([&] { a.data<double>(); });
  e.add<Type>([&] { av::random::uniform(a, {3}); });
  e.add<Type>([&] { av::random::uniform(av::random::key(1), {3}, av::i32); });
  e.add<Type>([&] { av::random::key(1.5); });
  e.add<Type>([&] { av::set_default_float(av::i32); });
  CHECK_TEXT(e.text(), R"(
      bitwise_and: expected integers or b8, got f32[3] and f32[3]
        at errors_test.cpp:+0
      shift_left: expected integers or b8, got f32[3] and i32~[]
        at errors_test.cpp:+0
      take: indices are not integers: f32~[]
        at errors_test.cpp:+0
        hint: cast them: cast(i, i32)
      take: indices are not integers: f32[3]
        at errors_test.cpp:+0
        hint: cast them: cast(i, i32)
      at: indices are not integers: f32[3]
        at errors_test.cpp:+0
        hint: cast them: cast(i, i32)
      one_hot: indices are not integers: f32[3]
        at errors_test.cpp:+0
        hint: cast them: cast(i, i32)
      at: no add of b8
        at errors_test.cpp:+0
      scatter: unknown mode "divide"
        at errors_test.cpp:+0
        hint: set, add, mul, min or max
      bitcast: f32[3] can't be read as f64
        at errors_test.cpp:+0
      data: elements are f32, asked for f64
        at errors_test.cpp:+0
        hint: cast the tensor, or use to_vector, which converts
      uniform: expected a key u32[2], got f32[3]
        at errors_test.cpp:+0
        hint: make one with random::key(seed)
      uniform: expected a float dtype, got i32
        at errors_test.cpp:+0
      key: a seed is an integer, got f32~[]
        at errors_test.cpp:+0
      set_default_float: expected f32 or f64
        at errors_test.cpp:+0)");
}

TEST_CASE("nothing to reduce, to read or to fill from") {
  const Tensor none = av::zeros({2, 0});
  Messages e;
  e.add<Shape>([&] { av::max(none); });
  e.add<Shape>([&] { av::argmin(none, 1); });
  e.add<Shape>([&] { av::median(none, 1); });
  e.add<Shape>([&] { av::take(none, 0, 1); });
  e.add<Shape>([&] { av::pad(none, 1, av::PadMode::edge); });
  e.add<Shape>([&] { av::concatenate(Tensors{}); });
  CHECK_TEXT(e.text(), R"(
      max: nothing to reduce along an axis of extent 0 of f32[2,0]
        at errors_test.cpp:+0
      argmin: nothing to reduce along an axis of extent 0 of f32[2,0]
        at errors_test.cpp:+0
      quantile: no elements along an axis of f32[2,0]
        at errors_test.cpp:+0
      take: nothing to read along axis 1 of f32[2,0]
        at errors_test.cpp:+0
      pad: nothing to fill from along axis 1 of f32[2,0]
        at errors_test.cpp:+0
      concatenate: no tensors given
        at errors_test.cpp:+0)");
}

TEST_CASE("data that can't be made") {
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  const float* nowhere = nullptr;
  Messages e;
  e.add<Shape>([&] { av::tensor<float>({{1, 2}, {3}}); });
  e.add<Shape>([&] { av::tensor(std::vector<float>{1, 2, 3}, {2, 2}); });
  e.add<Shape>([&] { av::tensor(std::vector<float>{1, 2, 3}, {-1, -3}); });
  e.add<Type>([&] { av::view(nowhere, {3}); });
  e.add<Shape>([&] { av::view(nowhere, {-1}); });
  e.add<Shape>([&] { av::zeros({2, -1}); });
  e.add<Shape>([&] { av::full({2}, vector3()); });
  e.add<Shape>([&] { av::iota(-1); });
  e.add<Shape>([&] { av::eye(-1); });
  e.add<Shape>([&] { av::arange(0, 1, 0); });
  e.add<Shape>([&] { av::linspace(0, 1, -1); });
  e.add<Shape>([&] { av::zeros({huge, huge}); });
  e.add<Shape>([&] { av::zeros({0, huge, huge}); });
  e.add<Shape>([&] { av::tile(vector3(), {huge * 1000}); });
  CHECK_TEXT(e.text(), R"(
      tensor: nested braces of different lengths
        at errors_test.cpp:+0
      tensor: 3 values do not fill shape [2,2]
        at errors_test.cpp:+0
      tensor: a negative extent in [-1,-3]
        at errors_test.cpp:+0
      view: null pointer
        at errors_test.cpp:+0
      view: a negative extent in [-1]
        at errors_test.cpp:+0
      zeros: a negative extent in [2,-1]
        at errors_test.cpp:+0
      full: f32[3] does not broadcast to [2]
        at errors_test.cpp:+0
      iota: a negative size
        at errors_test.cpp:+0
      eye: a negative extent in [-1,-1]
        at errors_test.cpp:+0
      arange: the step is 0
        at errors_test.cpp:+0
      linspace: a negative count
        at errors_test.cpp:+0
      zeros: f32[1099511627776,1099511627776] is too large
        at errors_test.cpp:+0
      zeros: f32[0,1099511627776,1099511627776] is too large
        at errors_test.cpp:+0
      broadcast_to: f32[1099511627776000,3] is too large
        at errors_test.cpp:+0)");
  CHECK(av::view(nowhere, {0, 3}).size() == 0);
}

TEST_CASE("memory that is not there") {
  const std::size_t before = av::MemoryPool::instance().live_bytes();
  Messages e;
  e.add<av::DeviceError>([&] { av::zeros({std::int64_t{1} << 46}) + 1; });
  CHECK_TEXT(e.text(), R"(
      allocate: no memory for 351843720888320 bytes)");
  CHECK(av::MemoryPool::instance().live_bytes() <= before + 4096);
}

TEST_CASE("mapped axes that do not fit") {
  const Tensor a = vector3(), b = vector4(), m = matrix();
  const auto first = [](const State& s) { return s.x; };
  const auto chunked = av::VmapOptions{.axis_name = "i", .chunk = 2};
  Messages e;
  e.add<Shape>([&] { av::vmap(plus)(a, b); });
  e.add<Shape>([&] { av::vmap(plus, av::in(0, 1))(a, av::ones({3, 2})); });
  e.add<Shape>([&] { av::vmap(plus, av::in(-1, -2))(a, m); });
  e.add<Shape>([&] { av::vmap(first)(State{a, b}); });
  e.add<Shape>([&] { av::vmap(same)(1.0); });
  e.add<Shape>([&] { av::vmap(same, av::in(-2))(a); });
  e.add<Shape>([&] { av::vmap(same, av::in(0), av::out(1))(a); });
  e.add<Shape>([&] { av::vmap(same, av::in(0), av::out(av::shared))(a); });
  e.add<Shape>([&] { av::vmap(same, av::in(av::shared))(a); });
  e.add<Shape>([&] { av::vmap(same, av::in(0), av::out(0), av::VmapOptions{.axis_size = 4})(a); });
  e.add<Shape>([&] { av::vmap(same, av::in(0), av::out(0), av::VmapOptions{.axis_size = -4})(a); });
  e.add<Shape>([&] { av::vmap(same, av::in(0), av::out(0), av::VmapOptions{.chunk = -4})(a); });
  e.add<av::Unsupported>([&] { av::vmap(same, av::in(0), av::out(0), chunked)(a); });
  e.add<Shape>([&] { av::pfor(-1, same); });
  e.add<Shape>([&] { av::vectorized_map(same, 1.0); });
  CHECK_TEXT(e.text(), R"(
      vmap: the mapped axes differ: argument 0 axis 0 has size 3, argument 1 axis 0 has size 4
        at errors_test.cpp:+0
      vmap: the mapped axes differ: argument 0 axis 0 has size 3, argument 1 axis 1 has size 2
        at errors_test.cpp:+0
      vmap: the mapped axes differ: argument 0 axis -1 has size 3, argument 1 axis -2 has size 2
        at errors_test.cpp:+0
      vmap: the mapped axes differ: argument 0 x axis 0 has size 3, argument 0 n axis 0 has size 4
        at errors_test.cpp:+0
      vmap: argument 0 axis 0 is out of range for f32~[]
        at errors_test.cpp:+0
        hint: give av::shared for what all lanes see whole
      vmap: argument 0 axis -2 is out of range for f32[3]
        at errors_test.cpp:+0
      vmap: result 0 axis 1 is out of range for rank 1
        at errors_test.cpp:+0
      vmap: result 0 differs from lane to lane, but its out axis is shared
        at errors_test.cpp:+0
      vmap: no argument is mapped and no axis_size is given
        at errors_test.cpp:+0
        hint: VmapOptions{.axis_size = n}
      vmap: the mapped axes differ: axis_size is 4, argument 0 axis 0 has size 3
        at errors_test.cpp:+0
      vmap: a negative axis_size
        at errors_test.cpp:+0
      vmap: a negative chunk
        at errors_test.cpp:+0
      vmap: lanes that are computed in chunks can't talk: axis_name with chunk
        at errors_test.cpp:+0
      pfor: a negative number of trips
        at errors_test.cpp:+0
      vmap: argument 0 axis 0 is out of range for f32~[]
        at errors_test.cpp:+0
        hint: give av::shared for what all lanes see whole)");
}

TEST_CASE("a loop body that changes its state names the field") {
  const Tensor a = vector3(), i = av::iota(3);
  const auto once = [](const State& s) { return av::all(s.n < 1); };
  const auto longer = [](const State& s) { return State{av::concatenate({s.x, s.x}), s.n + 1}; };
  const auto real = [](const State& s) { return State{s.x, s.n * 0.5}; };
  const auto wide = [](const State& s) { return State{s.x, s.n + s.x}; };
  const auto sums = [](const Tensor&, const std::tuple<Tensor, Tensor>& s) {
    return std::tuple(std::get<0>(s), av::sum(std::get<0>(s)));
  };
  const auto reads = [](const Tensor&, const Tensor& x) { return x[0]; };
  const auto slice = [](const Tensor&, const Tensor& x) { return std::pair(x, x); };
  const auto static_field = [](const Settings& s) { return Settings{s.x + 1, s.width + 1}; };
  const auto fewer = [](const Tensors& s) { return Tensors{s[0]}; };
  Messages e;
  e.add<Shape>([&] { av::while_loop(State{a, 0}, once, longer); });
  e.add<Type>([&] { av::while_loop(State{a, i}, once, real); });
  e.add<Shape>([&] { av::while_loop(State{a, 0}, once, wide); });
  e.add<Shape>([&] { av::fori_loop(0, 3, std::tuple(a, i), sums); });
  e.add<Shape>([&] { av::fori_loop(0, 3, a, reads); });
  e.add<Shape>([&] { av::scan(a, a, slice); });
  e.add<Type>([&] {
    av::while_loop(
        Settings{a}, [](const Settings& s) { return s.x[0] < 3; }, static_field);
  });
  e.add<Type>([&] {
    av::while_loop(
        Tensors{a, a}, [](const Tensors& s) { return s[0][0] < 3; }, fewer);
  });
  CHECK_TEXT(e.text(), R"(
      while_loop: the state x changes from f32[3] to f32[6]
        at errors_test.cpp:+0
        hint: the body must return what it was given
      while_loop: the state n changes from i32[3] to f32~[3]
        at errors_test.cpp:+0
        hint: cast the start value, or the result of the body
      while_loop: the state n changes from i32~[] to f32[3]
        at errors_test.cpp:+0
        hint: the body must return what it was given
      fori_loop: the state [1] changes from i32[3] to f32[]
        at errors_test.cpp:+0
        hint: the body must return what it was given
      fori_loop: the state changes from f32[3] to f32[]
        at errors_test.cpp:+0
        hint: the body must return what it was given
      scan: the state changes from f32[3] to f32[]
        at errors_test.cpp:+0
        hint: the body must return what it was given
      while_loop: the body changes the state's static values (numbers in a struct) or sizes (of vectors, optionals)
        at errors_test.cpp:+1
        hint: make a Tensor of what changes
      while_loop: the body changes the state's static values (numbers in a struct) or sizes (of vectors, optionals)
        at errors_test.cpp:+1
        hint: make a Tensor of what changes)");
}

TEST_CASE("predicates, bounds and sequences that are none") {
  const Tensor a = vector3(), b = vector4(), i = av::iota(3);
  const auto keep = [](const Tensor&, const Tensor& x) { return x; };
  const auto both = [](const Tensor& c, const auto&) { return std::pair(c, c); };
  Messages e;
  e.add<Shape>([&] {
    av::while_loop(
        a, [](const Tensor& x) { return x > 0; }, same);
  });
  e.add<Shape>([&] { av::cond(a, same, same, a); });
  e.add<Type>([&] { av::switch_case(1.5, std::tuple(same, same), a); });
  e.add<Type>([&] { av::switch_case(i, std::tuple(same, same), a); });
  e.add<Type>([&] { av::fori_loop(0.0, 3, a, keep); });
  e.add<Type>([&] { av::fori_loop(0, i, a, keep); });
  e.add<Shape>([&] { av::scan(a, 1.0, both); });
  e.add<Shape>([&] { av::scan(a, std::tuple(a, b), both); });
  e.add<Shape>([&] { av::scan(a, std::tuple<>(), both); });
  e.add<Shape>([&] { av::scan(a, a, both, av::ScanOptions{.length = 4}); });
  CHECK_TEXT(e.text(), R"(
      while_loop: the condition has type b8[3], expected a scalar
        at errors_test.cpp:+1
        hint: use any(...) or all(...)
      cond: the predicate has type f32[3], expected a scalar
        at errors_test.cpp:+0
        hint: use where(...) to choose element by element, or vmap
      switch_case: the index has type f32~[], expected a scalar integer
        at errors_test.cpp:+0
      switch_case: the index has type i32[3], expected a scalar integer
        at errors_test.cpp:+0
      fori_loop: the bounds are no scalar integers: f32~[] and i32~[]
        at errors_test.cpp:+0
      fori_loop: the bounds are no scalar integers: i32~[] and i32[3]
        at errors_test.cpp:+0
      scan: the sequence 0 has rank 0, nothing to run along
        at errors_test.cpp:+0
      scan: the sequence 1 has 4 slices, expected 3
        at errors_test.cpp:+0
      scan: no sequence and no length
        at errors_test.cpp:+0
        hint: give ScanOptions{.length = n}
      scan: the sequence 0 has 3 slices, expected 4
        at errors_test.cpp:+0)");
}

TEST_CASE("sides of a branch that differ name the field") {
  const Tensor a = vector3();
  const auto whole = [](const Tensor& x) { return State{x, x}; };
  const auto summed = [](const Tensor& x) { return State{x, av::sum(x)}; };
  const auto total = [](const Tensor& x) { return av::sum(x); };
  const auto one = [](const Tensor& x) { return Tensors{x}; };
  const auto two = [](const Tensor& x) { return Tensors{x, x}; };
  const auto narrow = [](const Tensor& x) { return Settings{x, 1}; };
  const auto broad = [](const Tensor& x) { return Settings{x, 2}; };
  Messages e;
  e.add<Shape>([&] { av::cond(true, same, total, a); });
  e.add<Shape>([&] { av::cond(true, whole, summed, a); });
  e.add<Shape>([&] { av::switch_case(0, std::tuple(whole, summed), a); });
  e.add<Type>([&] { av::cond(true, one, two, a); });
  e.add<Type>([&] { av::cond(true, narrow, broad, a); });
  CHECK_TEXT(e.text(), R"(
      cond: the results of the sides differ: f32[3] and f32[]
        at errors_test.cpp:+0
      cond: the results n of the sides differ: f32[3] and f32[]
        at errors_test.cpp:+0
      switch_case: the results n of the sides differ: f32[3] and f32[]
        at errors_test.cpp:+0
      cond: the sides return different static values (numbers in a struct) or sizes (of vectors, optionals)
        at errors_test.cpp:+0
        hint: make a Tensor of what changes
      cond: the sides return different static values (numbers in a struct) or sizes (of vectors, optionals)
        at errors_test.cpp:+0
        hint: make a Tensor of what changes)");
}

TEST_CASE("collectives without their axis, or where not all lanes run") {
  const Tensor a = vector3();
  const auto named = av::VmapOptions{.axis_name = "i"};
  const auto other = [](const Tensor& x) { return av::psum(x, "j"); };
  const auto sum = [](const Tensor& x) { return av::psum(x, "i"); };
  const auto branch = [&](const Tensor& x) { return av::cond(x > 0, sum, same, x); };
  const auto loop = [&](const Tensor& x) {
    return av::while_loop(
        x, [](const Tensor& y) { return y > 0; }, sum);
  };
  Messages e;
  e.add<Misuse>([&] { av::psum(a, "i"); });
  e.add<Misuse>([&] { av::axis_index("i"); });
  e.add<Misuse>([&] { av::vmap(other, av::in(0), av::out(0), named)(a); });
  e.add<av::Unsupported>([&] { av::vmap(branch, av::in(0), av::out(0), named)(a); });
  e.add<av::Unsupported>([&] { av::vmap(loop, av::in(0), av::out(0), named)(a); });
  CHECK_TEXT(e.text(), R"(
      psum: no enclosing vmap has the axis 'i'
        at errors_test.cpp:+0
        hint: name it: VmapOptions{.axis_name = "..."}
      axis_index: no enclosing vmap has the axis 'i'
        at errors_test.cpp:+0
        hint: name it: VmapOptions{.axis_name = "..."}
      psum: no enclosing vmap has the axis 'j'
        at errors_test.cpp:-10
        hint: name it: VmapOptions{.axis_name = "..."}
      psum: not all lanes of axis 'i' run here
        at errors_test.cpp:-10
        hint: take it out of the branch or loop
      psum: not all lanes of axis 'i' run here
        at errors_test.cpp:-11
        hint: take it out of the branch or loop)");
}

TEST_CASE("a traced value has no truth value and no data") {
  const Tensor a = vector3();
  Messages e;
  const auto branches = [](const Tensor& x) { return bool(av::sum(x) > 0) ? x : -x; };
  e.add<Misuse>([&] { av::vmap(branches)(matrix()); });
  const auto ends = [](Tensor x) {
    while (bool(x > 0)) x = x - 1;
    return x;
  };
  e.add<Misuse>([&] { av::jit(ends)(2.0); });
  e.add<Misuse>([&] { av::jit([](const Tensor& x) { return x * x[0].item<float>(); })(a); });
  e.add<Misuse>([&] { av::jit([](const Tensor& x) { return x * x.to_vector<float>()[0]; })(a); });
  e.add<Misuse>([&] { av::jit([](const Tensor& x) { return x * *x.data<float>(); })(a); });
  CHECK_TEXT(e.text(), R"(
      bool: a traced value has no truth value while the function is traced
        at errors_test.cpp:-1
        hint: use cond, where or while_loop, which are traced
      bool: a traced value has no truth value while the function is traced
        at errors_test.cpp:-3
        hint: use cond, where or while_loop, which are traced
      item: the value is being traced and has no data
        at errors_test.cpp:+0
        hint: compute with it inside the trace, or return it and read the result
      to_vector: the value is being traced and has no data
        at errors_test.cpp:+0
        hint: compute with it inside the trace, or return it and read the result
      data: the value is being traced and has no data
        at errors_test.cpp:+0
        hint: compute with it inside the trace, or return it and read the result)");
  CHECK_THROWS_AS((void)static_cast<bool>(a), av::ShapeError);  // data, but not one number
}

TEST_CASE("a value of a trace that has ended") {
  const Tensor a = vector3(), kept = kept_value();
  Messages e;
  e.add<Misuse>([&] { kept + 1; });
  e.add<Misuse>([&] { 1 + kept; });
  e.add<Misuse>([&] { av::sum(kept); });
  e.add<Misuse>([&] { kept.to_vector<float>(); });
  e.add<Misuse>([&] { av::vmap(same)(kept); });
  e.add<Misuse>([&] { av::jit(same)(kept); });
  e.add<Misuse>(
      [&] { av::fori_loop(0, 3, kept, [](const Tensor&, const Tensor& x) { return x; }); });
  e.add<Misuse>([&] { av::cond(true, same, same, kept); });
  e.add<Misuse>([&] { av::evaluate(av::trace(same, a), {kept}); });
  e.add<Misuse>([&] { av::vmap([&](const Tensor& x) { return x + kept; })(a); });
  e.add<Misuse>([&] { av::jit([&](const Tensor&) { return kept; })(a); });
  // A body that writes to what lies outside keeps a handle of the inner trace.
  Tensor leaked;
  const auto body = [&](const Tensor&, const Tensor& y) { return leaked = y + 1; };
  const auto leaks = [&](const Tensor& x) { return av::fori_loop(0, 3, x, body), leaked * 2; };
  e.add<Misuse>([&] { av::jit(leaks)(a); });
  CHECK_TEXT(e.text(), R"(
      add: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      add: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      sum: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      to_vector: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      vmap: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      jit: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      fori_loop: a value of a trace that has ended is used
        at errors_test.cpp:+1
        hint: return it from the traced function instead of keeping the handle
      cond: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      evaluate: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      add: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      return: a value of a trace that has ended is used
        at errors_test.cpp:+0
        hint: return it from the traced function instead of keeping the handle
      mul: a value of a trace that has ended is used
        at errors_test.cpp:-1
        hint: return it from the traced function instead of keeping the handle)");
}

TEST_CASE("an empty handle") {
  const Tensor a = vector3(), empty;
  const auto nothing = [](const Tensor&) { return Tensor(); };
  Messages e;
  e.add<Misuse>([&] { empty + 1; });
  e.add<Misuse>([&] { av::sum(empty); });
  e.add<Misuse>([&] { av::vmap(same)(empty); });
  e.add<Misuse>([&] { av::jit(same)(empty); });
  e.add<Misuse>([&] { av::jit(nothing)(a); });
  e.add<Misuse>([&] { av::vmap(nothing)(a); });
  e.add<Misuse>([&] { av::cond(true, same, nothing, a); });
  e.add<Misuse>([&] { av::while_loop(a, nothing, same); });
  e.add<Misuse>([&] {
    av::while_loop(
        a, [](const Tensor&) { return true; }, nothing);
  });
  e.add<Misuse>([&] { av::evaluate(av::trace(same, a), {empty}); });
  CHECK_TEXT(e.text(), R"(
      tensor: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      tensor: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      vmap: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      jit: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      return: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      return: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      return: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      while_loop: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0
      while_loop: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+1
      evaluate: an empty handle was used (a Tensor that was never assigned)
        at errors_test.cpp:+0)");
  CHECK_THROWS_AS(empty.shape(), av::TraceError);
}

TEST_CASE("graphs with the wrong inputs, texts that do not parse") {
  const Tensor a = vector3();
  const av::Graph g = av::trace(plus, a, a);
  Messages e;
  e.add<Type>([&] { av::evaluate(g, {a}); });
  e.add<Type>([&] { av::evaluate(g, {a, vector4()}); });
  e.add<Type>([&] { av::evaluate(g, {a, av::iota(3)}); });
  e.add<av::ParseError>([&] { av::parse(""); });
  e.add<av::ParseError>([&] { av::parse("(x: f32[3]) { y = foo x; return y }"); });
  e.add<av::ParseError>([&] { av::parse("(x: f32[3]) { y = add x; return y }"); });
  e.add<av::ParseError>([&] { av::parse("(x: f32[3]) {\n  return y\n}"); });
  e.add<av::ParseError>([&] { av::parse("(x: f33[3]) { return x }"); });
  e.add<av::ParseError>([&] { av::parse("(x: f32[3], y: f32[4]) { z = add x y; return z }"); });
  e.add<av::ParseError>([&] { av::parse("(x: f32[3]) { return x"); });
  CHECK_TEXT(e.text(), R"(
      evaluate: the graph has 2 inputs, got 1
        at errors_test.cpp:+0
      evaluate: input 1 is f32[4], expected f32[3]
        at errors_test.cpp:+0
      evaluate: input 1 is i32[3], expected f32[3]
        at errors_test.cpp:+0
      parse: line 1, column 1: expected '('
      parse: line 1, column 19: there is no op of this name
      parse: line 1, column 19: the op takes 2 operands, given are 1
      parse: line 2, column 10: there is no value of this name
      parse: line 1, column 5: expected a dtype
      parse: line 1, column 30: add: shapes differ: f32[3] and f32[4]
      parse: line 1, column 23: expected '}')");
}

TEST_CASE("an error in a nested trace names the line of the op") {
  const Tensor b = vector4();
  const auto adds = [&](const Tensor& z) { return z + b; };
  const auto row = [&](const Tensor& x) {
    return av::fori_loop(
        0, 2, x, [&](const Tensor&, const Tensor& y) { return av::cond(y[0] > 0, adds, same, y); });
  };
  Messages e;
  e.add<Shape>([&] { av::jit(av::vmap(row))(matrix()); });
  e.add<Shape>([&] {
    av::jit([](const Tensor& x) { return av::jit(av::vmap(plus))(x, vector4()); })(vector3());
  });
  e.add<Misuse>([&] {
    av::jit([](const Tensor& x) { return av::jit(same).call_into(const_cast<Tensor&>(x), x), x; })(
        b);
  });
  CHECK_TEXT(e.text(), R"(
      add: shapes differ: f32[3] and f32[4]
        at errors_test.cpp:-6
      vmap: the mapped axes differ: argument 0 axis 0 has size 3, argument 1 axis 0 has size 4
        at errors_test.cpp:+1
      call_into: there is no memory to write while a function is traced
        at errors_test.cpp:+1
        hint: call the function and use its result)");
}
