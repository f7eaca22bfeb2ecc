// Eigen in and out: from_eigen, to_eigen, eigen_view, and Eigen values as arguments of transforms.
// SPDX-License-Identifier: Apache-2.0
//
// A matrix is [rows, cols], a compile-time vector [n], an Eigen::Tensor has its own rank, and a
// std::vector or std::array of fixed-size matrices gets one axis more, in front. The layout in
// memory does not show: `x[i, j]` is element (i, j) for column-major and row-major alike.
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/callable.hpp"
#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace detail {

template <class T>
concept EigenDense = std::is_base_of_v<Eigen::DenseBase<T>, T>;

template <class T>
concept EigenStrided = EigenDense<T> &&(int{T::Flags} & int{Eigen::DirectAccessBit}) != 0;

// Eigen::Tensor and its relatives by their shape, so that the module need not be included here.
template <class T>
concept EigenTensor = !EigenDense<T> && requires(const T& x) {
  typename T::Scalar;
  { T::NumIndices + 0 } -> std::convertible_to<int>;
  { T::Layout + 0 } -> std::convertible_to<int>;
  x.dimensions()[0];
  x.data();
};

template <class T>
concept FixedEigen = EigenDense<T> && T::SizeAtCompileTime !=
                     Eigen::Dynamic&& std::is_base_of_v<Eigen::PlainObjectBase<T>, T>;

template <class T>
inline constexpr bool is_fixed_list = false;
template <FixedEigen T, class A>
inline constexpr bool is_fixed_list<std::vector<T, A>> = true;
template <FixedEigen T, std::size_t n>
inline constexpr bool is_fixed_list<std::array<T, n>> = true;

template <class T>
concept EigenList = is_fixed_list<T>;

template <class T>
concept EigenValue = EigenDense<T> || EigenTensor<T> || EigenList<T>;

// A temporary of these types still names memory that somebody else owns.
template <class T>
inline constexpr bool is_eigen_map = false;
template <class M, int options, class Stride>
inline constexpr bool is_eigen_map<Eigen::Map<M, options, Stride>> = true;

template <class T>
using EigenScalar = std::remove_const_t<typename T::Scalar>;

template <class S>
constexpr DType eigen_dtype() {
  if constexpr (std::is_same_v<S, Eigen::half>) return DType::f16;
  else if constexpr (std::is_same_v<S, Eigen::bfloat16>) return DType::bf16;
  else return autovec::dtype_of<S>;
}

/// [rows, cols], or the one of them that a compile-time vector has; for extents and for strides.
template <class T>
Extents dense_axes(std::int64_t rows, std::int64_t cols) {
  if constexpr (T::IsVectorAtCompileTime) {
    return Extents{T::ColsAtCompileTime == 1 ? rows : cols};
  } else {
    return Extents{rows, cols};
  }
}

template <class S>
Tensor borrowed(const S* data, Extents shape, Extents strides, Where where) {
  Type type{eigen_dtype<S>(), false, std::move(shape)};
  if (data == nullptr && type.size() != 0) fail<TypeError>("from_eigen", "null pointer", where);
  // Borrowed memory is never written.
  Storage storage = Storage::borrow(const_cast<S*>(data));
  std::byte* first = storage.data();
  return Tensor(Array{std::move(type), std::move(storage), first, std::move(strides)});
}

template <EigenStrided T>
Tensor borrow(const T& x, Where where) {
  return borrowed(x.data(), dense_axes<T>(x.rows(), x.cols()),
                  dense_axes<T>(x.rowStride(), x.colStride()), where);
}

template <EigenTensor T>
Tensor borrow(const T& x, Where where) {
  Extents shape;
  for (int i = 0; i < static_cast<int>(T::NumIndices); ++i) shape.push_back(x.dimensions()[i]);
  Extents strides = row_major(shape);
  if constexpr (int{T::Layout} == int{Eigen::ColMajor}) {
    std::int64_t run = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      strides[i] = run;
      run *= shape[i];
    }
  }
  return borrowed(x.data(), std::move(shape), std::move(strides), where);
}

template <EigenList T>
Tensor borrow(const T& x, Where where) {
  using Matrix = typename T::value_type;
  using S = EigenScalar<Matrix>;
  static_assert(sizeof(Matrix) % sizeof(S) == 0);
  Extents shape = dense_axes<Matrix>(Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime);
  Extents strides = Matrix::IsRowMajor ? dense_axes<Matrix>(Matrix::ColsAtCompileTime, 1)
                                       : dense_axes<Matrix>(1, Matrix::RowsAtCompileTime);
  if (Matrix::IsVectorAtCompileTime) strides = Extents{1};
  shape.insert(0, static_cast<std::int64_t>(x.size()));
  strides.insert(0, sizeof(Matrix) / sizeof(S));
  return borrowed(x.empty() ? nullptr : x[0].data(), std::move(shape), std::move(strides), where);
}

template <class T, class S>
using MatrixLike =
    std::conditional_t<std::is_base_of_v<Eigen::ArrayBase<T>, T>,
                       Eigen::Array<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
                       Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// An own row-major copy; evaluates expressions.
template <EigenValue T>
Tensor copied(const T& x, Where where) {
  if constexpr (EigenDense<T>) {
    using S = EigenScalar<T>;
    Array out = Array::allocate(Type{eigen_dtype<S>(), false, dense_axes<T>(x.rows(), x.cols())});
    Eigen::Map<MatrixLike<T, S>>(out.as<S>(), x.rows(), x.cols()) = x;
    return Tensor(std::move(out));
  } else {
    const Array from = borrow(x, where).array("from_eigen", where);
    Array out = Array::allocate(from.type);
    copy_elements(from, out.data);
    return Tensor(std::move(out));
  }
}

}  // namespace detail

/// The elements of a matrix, vector, array, map, block, Eigen::Tensor, or std::vector or std::array
/// of fixed-size matrices. What has a name and lies in memory is not copied, whatever its strides:
/// keep it alive and unchanged while tensors made of it are in use. Temporaries and expressions are
/// evaluated into memory of the tensor's own. Throws TypeError for a map of a null pointer.
template <class T>
  requires detail::EigenValue<std::remove_cvref_t<T>> Tensor
  from_eigen(T&& x, Where where = Where::here()) {
    using Value = std::remove_cvref_t<T>;
    constexpr bool named = std::is_lvalue_reference_v<T> || detail::is_eigen_map<Value>;
    if constexpr (named && (detail::EigenStrided<Value> || !detail::EigenDense<Value>)) {
      return detail::borrow(x, where);
    } else {
      return detail::copied<Value>(x, where);
    }
  }

namespace detail {

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

/// The elements as S, in place where they are of that type.
template <class S>
Array elements_as(const Tensor& x, std::string_view op, Where where) {
  if (x.dtype() == eigen_dtype<S>()) return x.array(op, where);
  if constexpr (std::is_arithmetic_v<S>) {
    Array out = Array::allocate(Type{eigen_dtype<S>(), false, x.shape()});
    const std::vector<S> values = x.to_vector<S>(where);
    for (std::size_t i = 0; i < values.size(); ++i) out.as<S>()[i] = values[i];
    return out;
  } else {
    std::string what("elements are ");
    what += name_of(x.dtype());
    what += ", asked for ";
    what += name_of(eigen_dtype<S>());
    fail<TypeError>(op, what, where, "cast the tensor first");
  }
}

[[noreturn]] inline void fail_eigen_shape(std::string_view op, const Type& type,
                                          std::string_view wanted, Where where) {
  std::string what("the tensor is ");
  what += type_text(type);
  what += ", the Eigen type takes ";
  what += wanted;
  fail<ShapeError>(op, what, where);
}

inline std::string extent_text(std::int64_t fixed) {
  return fixed == Eigen::Dynamic ? std::string("n") : number_text(fixed);
}

/// Rows, columns and their strides of the array behind its first `lead` axes, as M lays them out.
struct DenseShape {
  std::int64_t rows, cols, row_stride, col_stride;
};

template <class M>
DenseShape dense_shape(const Array& a, std::size_t lead, std::string_view op, Where where) {
  constexpr std::int64_t fixed_rows = M::RowsAtCompileTime;
  constexpr std::int64_t fixed_cols = M::ColsAtCompileTime;
  const Extents& shape = a.type.shape;
  DenseShape d{1, 1, 1, 1};
  bool fits = false;
  if constexpr (M::IsVectorAtCompileTime) {
    if (shape.size() == lead + 1) {
      fits = true;
      (fixed_cols == 1 ? d.rows : d.cols) = shape[lead];
      (fixed_cols == 1 ? d.row_stride : d.col_stride) = a.strides[lead];
    }
  } else if (shape.size() == lead + 2) {
    fits = true;
    d = {shape[lead], shape[lead + 1], a.strides[lead], a.strides[lead + 1]};
  }
  fits = fits && (fixed_rows == Eigen::Dynamic || fixed_rows == d.rows) &&
         (fixed_cols == Eigen::Dynamic || fixed_cols == d.cols) &&
         (M::MaxRowsAtCompileTime == Eigen::Dynamic || M::MaxRowsAtCompileTime >= d.rows) &&
         (M::MaxColsAtCompileTime == Eigen::Dynamic || M::MaxColsAtCompileTime >= d.cols);
  if (!fits) {
    std::string wanted(lead == 0 ? "[" : "[n,");
    if constexpr (!M::IsVectorAtCompileTime) {
      wanted += extent_text(fixed_rows);
      wanted += ',';
    }
    wanted += extent_text(M::IsVectorAtCompileTime && fixed_cols == 1 ? fixed_rows : fixed_cols);
    wanted += ']';
    fail_eigen_shape(op, a.type, wanted, where);
  }
  return d;
}

using EigenStrides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

template <class M>
Eigen::Map<const M, Eigen::Unaligned, EigenStrides> dense_map(const EigenScalar<M>* data,
                                                              const DenseShape& d) {
  const EigenStrides strides = M::IsRowMajor ? EigenStrides(d.row_stride, d.col_stride)
                                             : EigenStrides(d.col_stride, d.row_stride);
  return {data, d.rows, d.cols, strides};
}

template <class M>
M to_eigen_tensor(const Array& a, Where where) {
  constexpr auto rank = static_cast<std::size_t>(M::NumIndices);
  if (a.type.rank() != rank) {
    std::string wanted("rank ");
    wanted += number_text(rank);
    fail_eigen_shape("to_eigen", a.type, wanted, where);
  }
  M out;
  if constexpr (requires { out.resize(typename M::Dimensions{}); }) {
    typename M::Dimensions extents;
    for (std::size_t i = 0; i < rank; ++i) extents[i] = a.type.shape[i];
    out.resize(extents);
  }
  Array target = borrow(out, where).array("to_eigen", where);
  if (!(target.type.shape == a.type.shape)) {
    fail_eigen_shape("to_eigen", a.type, shape_text(target.type.shape), where);
  }
  if constexpr (int{M::Layout} == int{Eigen::RowMajor}) {
    copy_elements(a, target.data);
  } else {
    // Both with their axes in reverse: column-major memory is then row-major.
    Array reversed = a;
    for (std::size_t i = 0; i < rank; ++i) {
      reversed.type.shape[i] = a.type.shape[rank - 1 - i];
      reversed.strides[i] = a.strides[rank - 1 - i];
    }
    copy_elements(reversed, target.data);
  }
  return out;
}

template <class M>
M to_eigen_list(const Array& a, Where where) {
  using Matrix = typename M::value_type;
  using S = EigenScalar<Matrix>;
  const DenseShape d = dense_shape<Matrix>(a, 1, "to_eigen", where);
  M out{};
  const auto n = static_cast<std::size_t>(a.type.shape[0]);
  if constexpr (requires { out.resize(n); }) out.resize(n);
  if (out.size() != n) {
    fail_eigen_shape("to_eigen", a.type, number_text(out.size()) + " of them", where);
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = dense_map<Matrix>(a.as<S>() + static_cast<std::int64_t>(i) * a.strides[0], d);
  }
  return out;
}

template <class M>
struct ScalarOf {
  using type = EigenScalar<M>;
};
template <EigenList M>
struct ScalarOf<M> {
  using type = EigenScalar<typename M::value_type>;
};

}  // namespace detail

/// The elements as a value of the Eigen type M (also Eigen::Tensor, and std::vector or std::array
/// of fixed-size matrices), converted to its scalar type. Throws ShapeError where the shape does
/// not fit M, TraceError for a traced value.
template <class M>
  requires detail::EigenValue<M> M to_eigen(const Tensor& x, Where where = Where::here()) {
    using S = typename detail::ScalarOf<M>::type;
    const Array a = detail::elements_as<S>(x, "to_eigen", where);
    if constexpr (detail::EigenDense<M>) {
      const detail::DenseShape d = detail::dense_shape<M>(a, 0, "to_eigen", where);
      return M(detail::dense_map<M>(a.as<S>(), d));
    } else if constexpr (detail::EigenTensor<M>) {
      return detail::to_eigen_tensor<M>(a, where);
    } else {
      return detail::to_eigen_list<M>(a, where);
    }
  }

/// The elements in place as a map of the matrix type M, valid while a handle to this tensor lives.
/// Throws TypeError where the elements are not of M's scalar type.
template <class M>
  requires detail::EigenDense<M> Eigen::Map<const M, Eigen::Unaligned, detail::EigenStrides>
  eigen_view(const Tensor& x, Where where = Where::here()) {
    using S = detail::EigenScalar<M>;
    if (x.dtype() != detail::eigen_dtype<S>() || x.is_number()) {
      std::string what("the tensor is ");
      what += type_text(x.type());
      what += ", a view takes elements of ";
      what += name_of(detail::eigen_dtype<S>());
      fail<TypeError>("eigen_view", what, where, "use to_eigen, which converts");
    }
    const Array a = x.array("eigen_view", where);
    return detail::dense_map<M>(a.as<S>(), detail::dense_shape<M>(a, 0, "eigen_view", where));
  }
/// A temporary tensor would leave the map without its memory.
template <class M>
void eigen_view(Tensor&&) = delete;

namespace tree {

/// Eigen values as arguments are copied once: what a call returns may outlive them. `from_eigen`
/// avoids the copy.
template <class T>
  requires autovec::detail::EigenValue<T>
struct ToTensor<T> {
  static constexpr bool exists = true;
  static Tensor convert(const T& x) { return autovec::detail::copied(x, Where::unknown()); }
};

}  // namespace tree

}  // namespace autovec::inline v1
