// Axes of vmap: ranks, places of results, errors that speak of one lane.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "golden.hpp"
#include "thrown.hpp"

using namespace cases;

TEST_CASE("operands of different rank under vmap") {  // B109
  const auto add = [](const Tensor& a, const Tensor& b) { return a + b; };
  check_one([&](const Tensors& in) { return av::vmap(add)(in[0], in[1]); },
            {real({{1}, {2}}), real({{{{10, 20, 30}}}, {{{40, 50, 60}}}})},
            real({{{{11, 21, 31}}}, {{{42, 52, 62}}}}));
}

TEST_CASE("several outputs, each with its own axis") {  // B110
  const auto halves = [](const Tensor& x) { return av::split(x, 2); };
  const auto pair = [](const Tensor& x) {
    const Tensors parts = av::split(x, 2);
    return std::pair(parts[0], parts[1]);
  };
  const Tensor x = real({{1, 2, 3, 4}, {5, 6, 7, 8}});
  check([&](const Tensors& in) { return av::vmap(halves, av::in(1), av::out(1))(in[0]); }, {x},
        {real({{1, 2, 3, 4}}), real({{5, 6, 7, 8}})});
  const auto placed = [&](const auto& out, const Tensor& from) {
    const auto [a, b] = av::vmap(pair, av::in(1), out)(from);
    return Tensors{a, b};
  };
  check([&](const Tensors& in) { return placed(av::out(1, 1), in[0]); }, {x},
        {real({{1, 2, 3, 4}}), real({{5, 6, 7, 8}})});
  check([&](const Tensors& in) { return placed(av::out(0, 1), in[0]); }, {x},
        {real({{1}, {2}, {3}, {4}}), real({{5, 6, 7, 8}})});
}

TEST_CASE("squeeze under vmap") {  // B113
  check(
      [](const Tensors& in) {
        return Tensors{av::vmap([](const Tensor& x) { return av::sum(x); })(in[0]),
                       av::vmap([](const Tensor& x) { return av::squeeze(x); })(in[1])};
      },
      {real({10}), counting({1, 1, 3})}, {real({10}), real({{0, 1, 2}})});
  on_each_executor([] {
    const auto squeeze_first = [](const Tensor& x) { return av::squeeze(x, 0); };
    const std::string text = thrown<av::ShapeError>([&] {
      av::vmap(squeeze_first)(real({1, 2, 3}));
    });
    CHECK_TEXT(text, R"(
      squeeze: axis 0 is out of range for rank 0
        at axes.cpp:-1
    )");
  });
}

TEST_CASE("reshape with -1 under vmap") {  // B115
  const auto flat = [](const Tensor& x) { return av::reshape(x, {-1}); };
  const auto column = [](const Tensor& x) { return av::reshape(x, {-1, 1}); };
  const Tensor last = real({{{0, 1}}, {{2, 3}}, {{4, 5}}, {{6, 7}}, {{8, 9}}, {{10, 11}}});
  check(
      [&](const Tensors& in) {
        return Tensors{av::vmap(flat, av::in(1))(in[0]),
                       av::vmap(column, av::in(2), av::out(-1))(in[0])};
      },
      {counting({2, 3, 2})}, {real({{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5, 10, 11}}), last});
  check_one([&](const Tensors& in) { return av::vmap(flat)(in[0]); },
            {av::zeros({4, 0, 2}, av::f64)}, av::zeros({4, 0}, av::f64));
}

TEST_CASE("errors must be those of one lane") {  // B118
  const auto trace = [](const Tensor& x) { return av::sum(av::diag(x)); };
  const auto triu = [](const Tensor& x) { return av::triu(x); };
  const auto matmul = [](const Tensor& a, const Tensor& b) { return av::matmul(a, b); };
  std::string text = thrown<av::ShapeError>([&] { av::vmap(trace)(av::ones({4, 2, 2, 2})); });
  CHECK_TEXT(text, R"(
    diag: expected rank 1 or 2, got f32[2,2,2]
      at axes.cpp:-3
  )");
  text = thrown<av::ShapeError>([&] { av::vmap(triu)(av::ones({4, 3})); });
  CHECK_TEXT(text, R"(
    triu: expected rank 2 or more, got f32[3]
      at axes.cpp:-7
  )");
  text = thrown<av::ShapeError>([&] { av::vmap(matmul)(av::ones({4, 3}), av::ones({4, 2, 2})); });
  CHECK_TEXT(text, R"(
    matmul: inner extents differ: f32[3] and f32[2,2]
      at axes.cpp:-11
  )");
}

TEST_CASE("literal plus mapped scalar") {  // B119
  check(
      [](const Tensors& in) {
        return Tensors{av::vmap([](const Tensor& x) { return 1 + x; })(in[0]),
                       av::vmap([](const Tensor& x, const Tensor& y) { return x + y; },
                                av::in(0, av::shared))(in[0], 5)};
      },
      {real({0, 1, 2})}, {real({1, 2, 3}), real({5, 6, 7})});
}

TEST_CASE("sizes of mapped axes differ") {  // B122
  const auto f = [](const Tensor& a, const Tensor& b) { return av::sum(a) + av::sum(b); };
  const std::string text = thrown<av::ShapeError>([&] {
    av::vmap(f, av::in(0, 1))(av::ones({10, 4}), av::ones({10, 2}));
  });
  CHECK_TEXT(text, R"(
      vmap: the mapped axes differ: argument 0 axis 0 has size 10, argument 1 axis 1 has size 2
        at axes.cpp:+1)");
}

TEST_CASE("vmap of a function that returns a vector of one: value") {  // B124
  const auto f = [](const Tensor& x) { return av::stack({av::norm(x)}); };
  check_one([&](const Tensors& in) { return av::vmap(f)(in[0]); }, {real({{3, 4}, {5, 12}})},
            real({{5}, {13}}));
}

TEST_CASE("a scan that multiplies by a shared factor, under vmap: value") {  // B127
  const auto f = [](const Tensor& x, const Tensor& c) {
    return av::scan(
               x, std::tuple<>(),
               [&](const Tensor& y, std::tuple<>) { return std::pair(y * c, std::tuple<>()); },
               av::ScanOptions{.length = 3})
        .first;
  };
  check_one([&](const Tensors& in) { return av::vmap(f, av::in(0, av::shared))(in[0], in[1]); },
            {real({{1, 2}, {3, 4}, {5, 6}}), real(2)}, real({{8, 16}, {24, 32}, {40, 48}}));
}

TEST_CASE("a vmap inside the body of a scan: value") {  // B128
  const auto f = [](const Tensor& start) {
    return av::scan(
        start, std::tuple<>(),
        [](const Tensor& x, std::tuple<>) {
          return std::pair(x, av::vmap([](const Tensor& row) { return av::sum(row); })(x));
        },
        av::ScanOptions{.length = 4});
  };
  check(
      [&](const Tensors& in) {
        const auto [last, ys] = f(in[0]);
        return Tensors{last, ys};
      },
      {av::ones({3, 2}, av::f64)}, {av::ones({3, 2}, av::f64), av::full({4, 3}, real(2))});
}
