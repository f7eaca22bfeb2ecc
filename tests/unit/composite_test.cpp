// Element-wise composites: values, corners, no overflow on the way.
// SPDX-License-Identifier: Apache-2.0
#include "../lanes.hpp"

namespace av = autovec;
using av::Tensor;
using lanes::counting;
using lanes::is;
using lanes::near;
using lanes::shape;
using Shape = std::vector<std::int64_t>;

namespace {
const double inf = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const Tensor corners = av::tensor<double>({-inf, -1, 0, 1, inf, not_a_number});

/// Checks f against g element by element.
template <class F, class G>
void agrees(F f, G g, const std::vector<double>& xs, double tolerance) {
  std::vector<double> want;
  for (const double x : xs) want.push_back(g(x));
  CHECK(near(f(av::tensor(xs)), want, tolerance));
}
}  // namespace

TEST_CASE("tests of special values") {
  CHECK(is(av::isinf(corners), {1, 0, 0, 0, 1, 0}));
  CHECK(is(av::isfinite(corners), {0, 1, 1, 1, 0, 0}));
  CHECK(is(av::isnan(corners), {0, 0, 0, 0, 0, 1}));
  CHECK(is(av::isfinite(av::tensor<int>({1, 2})), {1, 1}));
  CHECK(is(av::isinf(av::ones({1}, av::b8)), {0}));
  CHECK(is(av::nan_to_num(
               av::tensor<float>({static_cast<float>(inf), static_cast<float>(not_a_number)})),
           {3.4028234663852886e38, 0}));
  CHECK(is(av::nan_to_num(corners, 7.0, 8.0, 9.0), {9, -1, 0, 1, 8, 7}));
  CHECK(av::nan_to_num(av::ones({1}, av::i32)).dtype() == av::i32);
}

TEST_CASE("clip, relu, heaviside, square, reciprocal, rsqrt") {
  CHECK(is(av::clip(corners, -0.5, 0.5), {-0.5, -0.5, 0, 0.5, 0.5, not_a_number}));
  CHECK(is(av::clip(corners, 2, 1), {1, 1, 1, 1, 1, not_a_number}));
  CHECK(is(av::relu(corners), {0, 0, 0, 1, inf, not_a_number}));
  CHECK(av::relu(av::tensor<int>({-1, 1})).dtype() == av::i32);
  CHECK(is(av::heaviside(corners, 0.5), {0, 0, 0.5, 1, 1, not_a_number}));
  CHECK(is(av::square(corners), {inf, 1, 0, 1, inf, not_a_number}));
  CHECK(is(av::reciprocal(corners), {-0.0, -1, inf, 1, 0, not_a_number}));
  CHECK(is(av::rsqrt(corners), {not_a_number, not_a_number, inf, 1, 0, not_a_number}));
}

TEST_CASE("sigmoid and its kin far out") {
  CHECK(is(av::sigmoid(corners).at(1).set(0).at(3).set(0), {0, 0, 0.5, 0, 1, not_a_number}));
  agrees(
      av::sigmoid,
      [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); },
      {-700, -200, -60, -1, 1, 60, 200}, 1e-15);
  CHECK(av::sigmoid(av::tensor<int>({0})).dtype() == av::f32);
  agrees(
      av::softplus, [](double x) { return x > 30 ? x + std::exp(-x) : std::log1p(std::exp(x)); },
      {-700, -30, -1, 0, 1, 30, 800}, 1e-15);
  CHECK(is(av::softplus(corners.slice({av::tensor<int>({0, 4, 5})})), {0, inf, not_a_number}));
  CHECK(is(av::silu(corners.slice({av::tensor<int>({0, 2, 4, 5})})), {0, 0, inf, not_a_number}));
  CHECK(is(av::gelu(corners.slice({av::tensor<int>({0, 2, 4, 5})})), {0, 0, inf, not_a_number}));
  CHECK(is(av::gelu(corners.slice({av::tensor<int>({0, 2, 4, 5})}), true),
           {0, 0, inf, not_a_number}));
  agrees([](Tensor x) { return av::gelu(x); },
         [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }, {-30, -6, -1, 0.5, 3},
         2e-13);  // the tail multiplies the argument's rounding by its square
  CHECK(near(av::gelu(av::tensor<double>({1}), true), {0.8411919906082768}, 1e-14));
}

TEST_CASE("logaddexp, xlogy, xlog1py, sinc") {
  const auto at = [](double x) { return av::tensor<double>({x}); };
  CHECK(near(av::logaddexp(at(1000), at(1000)), {1000 + std::log(2.0)}, 1e-15));
  CHECK(is(av::logaddexp(at(-inf), at(-inf)), {-inf}));
  CHECK(is(av::logaddexp(at(inf), at(-inf)), {inf}));
  CHECK(is(av::logaddexp(at(inf), at(inf)), {inf}));
  CHECK(is(av::logaddexp(at(not_a_number), at(1)), {not_a_number}));
  CHECK(av::logaddexp(av::ones({1}, av::i32), 1).dtype() == av::f32);
  CHECK(is(av::xlogy(at(0), at(0)), {0}));
  CHECK(is(av::xlogy(at(0), at(not_a_number)), {not_a_number}));
  CHECK(near(av::xlogy(at(2), at(3)), {2 * std::log(3.0)}, 1e-15));
  CHECK(is(av::xlog1py(at(0), at(-1)), {0}));
  CHECK(near(av::xlog1py(at(2), at(1e-20)), {2e-20}, 1e-15));
  CHECK(near(av::sinc(av::tensor<double>({0, 0.5})), {1, 2 / 3.14159265358979324}, 1e-15));
}

TEST_CASE("fmod has the sign of x") {
  CHECK(is(av::fmod(av::tensor<double>({-7, 7, -7, 7, 5.5}), av::tensor<double>({2, 2, -2, -2, 2})),
           {-1, 1, -1, 1, 1.5}));
  CHECK(is(av::fmod(av::tensor<int>({-7, 7, -7, 7, 3}), av::tensor<int>({2, 2, -2, -2, 0})),
           {-1, 1, -1, 1, 0}));
}

TEST_CASE("inverse hyperbolic functions") {
  const std::vector<double> wide = {-1e300, -1e9, -3, -1, -1e-3, -1e-9, 0,
                                    1e-9,   0.3,  1,  3,  1e8,   1e9,   1e300};
  agrees(
      av::asinh, [](double x) { return std::asinh(x); }, wide, 1e-15);
  CHECK(
      is(av::asinh(corners.slice({av::tensor<int>({0, 2, 4, 5})})), {-inf, 0, inf, not_a_number}));
  agrees(
      av::acosh, [](double x) { return std::acosh(x); }, {1, 1 + 1e-12, 1.5, 3, 1e8, 1e9, 1e300},
      1e-15);
  CHECK(is(av::acosh(corners.slice({av::tensor<int>({1, 3, 4})})), {not_a_number, 0, inf}));
  agrees(
      av::atanh, [](double x) { return std::atanh(x); },
      {-0.999, -0.5, -1e-9, 0, 1e-9, 0.1, 0.5, 0.999999}, 1e-15);
  CHECK(is(av::atanh(av::tensor<double>({-1, 1, 2})), {-inf, inf, not_a_number}));
  const std::vector<float> f =
      av::asinh(av::tensor<float>({1e-4f, 1, 8000, 9000, 3e38f})).to_vector<float>();
  for (std::size_t i = 0; i < 5; ++i) {
    const double x = std::vector<double>{1e-4f, 1, 8000, 9000, 3e38f}[i];
    CHECK(f[i] == doctest::Approx(std::asinh(x)).epsilon(3e-7));
  }
}

TEST_CASE("logic and differences") {
  const Tensor a = av::tensor<int>({0, 1, 2, 0});
  const Tensor b = av::tensor<float>({0, 0, 3, 4});
  CHECK(is(av::logical_and(a, b), {0, 0, 1, 0}));
  CHECK(is(av::logical_or(a, b), {0, 1, 1, 1}));
  CHECK(is(av::logical_xor(a, b), {0, 1, 0, 1}));
  CHECK(is(av::logical_not(a), {1, 0, 0, 1}));
  CHECK(is(av::diff(av::tensor<float>({1, 4, 9, 16})), {3, 5, 7}));
  CHECK(is(av::diff(av::tensor<float>({1, 4, 9, 16}), 2), {2, 2}));
  CHECK(is(av::diff(counting({2, 3}), 1, 0), {3, 3, 3}));
  CHECK(shape(av::diff(av::zeros({2}), 5)) == Shape{0});
  CHECK_THROWS_AS(av::diff(a, -1), av::ShapeError);
}

TEST_CASE("softmax, log_softmax, cross_entropy, layer_norm") {
  CHECK(is(av::nn::softmax(av::zeros({0})), {}));
  CHECK(shape(av::vmap([](Tensor x) { return av::nn::softmax(x); })(av::zeros({3, 0}))) ==
        Shape{3, 0});
  CHECK(is(av::vmap([](Tensor x) { return av::logsumexp(x); })(av::zeros({3, 0})),
           {-inf, -inf, -inf}));
  CHECK(is(av::nn::softmax(av::tensor<double>({0, -inf, 0, 0, 0})), {0.25, 0, 0.25, 0.25, 0.25}));
  CHECK(is(av::nn::softmax(av::tensor<double>({1000, 1000})), {0.5, 0.5}));
  CHECK(near(av::nn::log_softmax(av::tensor<double>({1000, 0})), {0, -1000}, 1e-15));
  CHECK(near(av::nn::cross_entropy(av::tensor<double>({{1, 1}, {0, 0}}), av::tensor<int>({0, 1})),
             {std::log(2.0), std::log(2.0)}, 1e-15));
  CHECK(near(av::nn::layer_norm(av::tensor<double>({1, 3}), 0.0), {-1, 1}, 1e-15));
  CHECK(is(av::nn::one_hot(1, 2), {0, 1}));
}
