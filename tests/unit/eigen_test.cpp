// Eigen in and out.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <unsupported/Eigen/CXX11/Tensor>

#include "autovec/eigen.hpp"

namespace av = autovec;
using av::Tensor;

namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using List = std::vector<double>;
using Shape = std::vector<std::int64_t>;

Shape shape(const Tensor& x) { return x.shape(); }
const void* address(const Tensor& x) { return x.state().array.data; }
Tensor counting(av::Extents shape) {
  av::Array a = av::Array::allocate(av::Type{av::f64, false, shape});
  for (std::int64_t i = 0; i < a.type.size(); ++i) a.as<double>()[i] = static_cast<double>(i);
  return Tensor(a);
}

}  // namespace

TEST_CASE("matrices are [rows, cols] in any layout, and are not copied") {
  Eigen::MatrixXf m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  const RowMatrix r = m;
  for (const Tensor& x : {av::from_eigen(m), av::from_eigen(r)}) {
    CHECK(shape(x) == Shape{2, 3});
    CHECK(x.dtype() == av::f32);
    CHECK(x.to_vector<double>() == List{1, 2, 3, 4, 5, 6});
  }
  CHECK(address(av::from_eigen(m)) == m.data());
  CHECK(address(av::from_eigen(r)) == r.data());
  CHECK_FALSE(av::from_eigen(m).state().array.storage.unique());  // nobody may write there
  CHECK(counting({2}).state().array.storage.unique());
}

TEST_CASE("vectors have one axis") {
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(3, 1, 3);
  const Eigen::RowVector3i r(4, 5, 6);
  CHECK(shape(av::from_eigen(v)) == Shape{3});
  CHECK(av::from_eigen(v).dtype() == av::f64);
  CHECK(av::from_eigen(r).to_vector<double>() == List{4, 5, 6});
  CHECK(av::from_eigen(r).dtype() == av::i32);
}

TEST_CASE("named blocks, transposes and maps are views; temporaries are copied") {
  Eigen::MatrixXd m(3, 4);
  for (int i = 0; i < 12; ++i) m(i / 4, i % 4) = i;
  const auto block = m.block(1, 1, 2, 2);
  CHECK(av::from_eigen(block).to_vector<double>() == List{5, 6, 9, 10});
  CHECK(address(av::from_eigen(block)) == &m(1, 1));
  const auto row = m.row(2);
  CHECK(shape(av::from_eigen(row)) == Shape{4});
  CHECK(av::from_eigen(row).to_vector<double>() == List{8, 9, 10, 11});
  const auto turned = m.transpose();
  CHECK(shape(av::from_eigen(turned)) == Shape{4, 3});
  CHECK(av::from_eigen(turned).to_vector<double>()[1] == 4);

  double raw[6] = {0, 1, 2, 3, 4, 5};
  const Tensor map = av::from_eigen(
      Eigen::Map<Eigen::Matrix2d, 0, Eigen::OuterStride<>>(raw, Eigen::OuterStride<>(3)));
  CHECK(address(map) == raw);
  CHECK(map.to_vector<double>() == List{0, 3, 1, 4});

  const Tensor copy = av::from_eigen(m.row(0));
  m.setZero();
  CHECK(copy.to_vector<double>() == List{0, 1, 2, 3});
  CHECK(av::from_eigen((m.array() + 1).matrix().topRows(1)).to_vector<double>() ==
        List{1, 1, 1, 1});
  CHECK(av::from_eigen(m.array() + 2).to_vector<double>()[3] == 2);
}

TEST_CASE("scalar types") {
  CHECK(av::from_eigen(Eigen::Matrix<bool, 2, 1>(true, false)).dtype() == av::b8);
  CHECK(av::from_eigen(Eigen::VectorXcf::Zero(2)).dtype() == av::c64);
  CHECK(av::from_eigen(Eigen::Matrix<Eigen::half, 2, 1>::Zero()).dtype() == av::f16);
  CHECK(av::from_eigen(Eigen::ArrayXXi::Zero(2, 2)).dtype() == av::i32);
}

TEST_CASE("lists of fixed-size matrices get an axis in front") {
  std::vector<Eigen::Vector3f> points = {{1, 2, 3}, {4, 5, 6}};
  CHECK(shape(av::from_eigen(points)) == Shape{2, 3});
  CHECK(address(av::from_eigen(points)) == points.data());
  CHECK(av::from_eigen(points).to_vector<double>() == List{1, 2, 3, 4, 5, 6});
  std::array<Eigen::Matrix<double, 2, 3>, 2> ms;
  ms[0] << 0, 1, 2, 3, 4, 5;
  ms[1] = ms[0] * 10;
  const Tensor x = av::from_eigen(ms);
  CHECK(shape(x) == Shape{2, 2, 3});
  CHECK(x.to_vector<double>() == List{0, 1, 2, 3, 4, 5, 0, 10, 20, 30, 40, 50});
  std::vector<Eigen::Matrix<float, 2, 2, Eigen::RowMajor>> rows(3);
  for (auto& m : rows) m << 1, 2, 3, 4;
  CHECK(av::from_eigen(rows).to_vector<double>()[5] == 2);
  CHECK(shape(av::from_eigen(std::vector<Eigen::Vector2d>())) == Shape{0, 2});

  const auto back = av::to_eigen<std::vector<Eigen::Vector3f>>(av::from_eigen(points));
  CHECK(back == points);
  CHECK(av::to_eigen<std::array<Eigen::Matrix<double, 2, 3>, 2>>(x) == ms);
  CHECK_THROWS_AS((av::to_eigen<std::array<Eigen::Matrix<double, 2, 3>, 3>>(x)), av::ShapeError);
  CHECK_THROWS_AS(av::to_eigen<std::vector<Eigen::Vector3f>>(x), av::ShapeError);
}

TEST_CASE("Eigen tensors of both layouts") {
  Eigen::Tensor<double, 3> t(2, 3, 4);
  Eigen::Tensor<double, 3, Eigen::RowMajor> r(2, 3, 4);
  for (int i = 0; i < 24; ++i) {
    t(i / 12, i / 4 % 3, i % 4) = i;
    r(i / 12, i / 4 % 3, i % 4) = i;
  }
  const List all = counting({24}).to_vector<double>();
  CHECK(shape(av::from_eigen(t)) == Shape{2, 3, 4});
  CHECK(av::from_eigen(t).to_vector<double>() == all);
  CHECK(av::from_eigen(r).to_vector<double>() == all);
  CHECK(address(av::from_eigen(t)) == t.data());
  Eigen::TensorMap<Eigen::Tensor<double, 2>> map(t.data(), 6, 4);
  CHECK(av::from_eigen(map).to_vector<double>()[0] == 0);

  const auto back = av::to_eigen<Eigen::Tensor<float, 3>>(counting({2, 3, 4}));
  CHECK(back(1, 2, 1) == 21.0f);
  const auto row = av::to_eigen<Eigen::Tensor<double, 3, Eigen::RowMajor>>(av::from_eigen(t));
  CHECK(row(1, 0, 3) == 15.0);
  using Fixed = Eigen::TensorFixedSize<double, Eigen::Sizes<2, 3>>;
  CHECK(av::to_eigen<Fixed>(counting({2, 3}))(1, 0) == 3.0);
  CHECK_THROWS_AS(av::to_eigen<Fixed>(counting({3, 2})), av::ShapeError);
  CHECK_THROWS_AS((av::to_eigen<Eigen::Tensor<double, 2>>(counting({2, 3, 4}))), av::ShapeError);
}

TEST_CASE("to_eigen checks the shape and converts the elements") {
  const Tensor x = counting({2, 3});
  const auto m = av::to_eigen<Eigen::MatrixXf>(x);
  CHECK(m.rows() == 2);
  CHECK(m(1, 0) == 3.0f);
  CHECK(av::to_eigen<RowMatrix>(x)(0, 2) == 2.0f);
  CHECK(av::to_eigen<Eigen::Matrix<int, 2, 3>>(x)(1, 2) == 5);
  CHECK(av::to_eigen<Eigen::Array<bool, 2, 3>>(x)(0, 0) == false);
  CHECK(av::to_eigen<Eigen::Array<bool, 2, 3>>(x)(0, 1) == true);
  CHECK(av::to_eigen<Eigen::ArrayXXd>(x)(1, 1) == 4.0);
  CHECK(av::to_eigen<Eigen::VectorXd>(counting({4}))(3) == 3.0);
  CHECK(av::to_eigen<Eigen::RowVector4d>(counting({4}))(3) == 3.0);
  CHECK(av::to_eigen<Eigen::MatrixXd>(counting({0, 3})).cols() == 3);
  CHECK_THROWS_AS(av::to_eigen<Eigen::MatrixXd>(counting({4})), av::ShapeError);
  CHECK_THROWS_AS(av::to_eigen<Eigen::VectorXd>(x), av::ShapeError);
  CHECK_THROWS_AS(av::to_eigen<Eigen::Matrix3d>(x), av::ShapeError);
  CHECK_THROWS_AS(av::to_eigen<Eigen::VectorXcd>(counting({2})), av::TypeError);
  CHECK_THROWS_WITH_AS(av::to_eigen<Eigen::Matrix3d>(x, av::Where::unknown()),
                       "to_eigen: the tensor is f64[2,3], the Eigen type takes [3,3]",
                       av::ShapeError);
}

TEST_CASE("a round trip keeps every layout") {
  Eigen::MatrixXf m = Eigen::MatrixXf::Random(5, 7);
  CHECK(av::to_eigen<Eigen::MatrixXf>(av::from_eigen(m)) == m);
  CHECK(av::to_eigen<RowMatrix>(av::from_eigen(m.transpose())) == m.transpose());
}

TEST_CASE("eigen_view shows the elements in place") {
  const Tensor x = counting({2, 3});
  const auto view = av::eigen_view<Eigen::MatrixXd>(x);
  CHECK(view(1, 2) == 5.0);
  CHECK(view.data() == address(x));
  Eigen::MatrixXf m = Eigen::MatrixXf::Random(3, 2);
  const Tensor y = av::from_eigen(m);
  CHECK(av::eigen_view<RowMatrix>(y) == m);
  CHECK_THROWS_AS(av::eigen_view<Eigen::MatrixXd>(y), av::TypeError);
  CHECK_THROWS_AS(av::eigen_view<Eigen::VectorXf>(y), av::ShapeError);
}

TEST_CASE("a map of a null pointer is refused, unless it is empty") {
  CHECK_THROWS_AS(av::from_eigen(Eigen::Map<Eigen::VectorXd>(nullptr, 3)), av::TypeError);
  CHECK(av::from_eigen(Eigen::Map<Eigen::VectorXd>(nullptr, 0)).size() == 0);
}

TEST_CASE("Eigen values are arguments, copied") {
  namespace tree = av::tree;
  Eigen::MatrixXd m = Eigen::MatrixXd::Ones(2, 2);
  const Tensor x = tree::as_argument(m);
  m.setZero();
  CHECK(x.to_vector<double>() == List{1, 1, 1, 1});
  static_assert(std::is_same_v<tree::map_type<std::vector<Eigen::Vector3f>>, Tensor>);
  static_assert(std::is_same_v<tree::map_type<std::pair<Eigen::MatrixXf, double>>,
                               std::pair<Tensor, Tensor>>);
  const auto f = [](const Tensor&, int) {};
  static_assert(std::is_same_v<tree::argument_types<decltype(f), Eigen::VectorXf, int>,
                               std::tuple<Tensor, int>>);
}
