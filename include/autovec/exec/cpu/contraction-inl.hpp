// Contractions: batches of matrix products, cut by shape into pieces that run at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "autovec/base/dtype.hpp"
#include "autovec/exec/cpu/launch-inl.hpp"
#include "autovec/exec/cpu/matrix-inl.hpp"
#include "autovec/plan/kernel.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// A contraction and its cut: a piece is a range of batches, or a rectangle of one product.
struct PreparedContraction {
  Contraction c;
  std::int64_t batches = 1;
  std::int64_t pieces = 1;             // of the batches, if there are more than one
  std::int64_t rows = 1, columns = 1;  // rectangles down and across, if there is one
};

inline PreparedKernel prepare_contraction(const Contraction& c) {
  auto p = std::make_shared<PreparedContraction>();
  p->c = c;
  for (const std::int64_t extent : c.batch) p->batches *= extent;
  const double element = static_cast<double>(c.k) * (is_inexact(c.dtype) ? 0.02 : 0.3);
  const double one = element * static_cast<double>(c.m) * static_cast<double>(c.n);
  if (p->batches > 1) {
    p->pieces = piece_count(p->batches, one);
  } else {
    // Rectangles about square, at least 48 by 128.
    const std::int64_t most = piece_count(c.m * c.n, element);
    const std::int64_t down = std::max<std::int64_t>(c.m / 48, 1),
                       across = std::max<std::int64_t>(c.n / 128, 1);
    while (p->rows * p->columns * 2 <= most) {
      const bool tall = c.m / p->rows >= c.n / p->columns;
      if ((tall || 2 * p->columns > across) && 2 * p->rows <= down) p->rows *= 2;
      else if (2 * p->columns <= across) p->columns *= 2;
      else break;
    }
  }
  return p;
}

/// Rows [i0, i1) and columns [j0, j1) of one product.
template <class T>
inline void contract_rectangle(const Contraction& c, const T* a, const T* b, T* to, std::int64_t i0,
                               std::int64_t i1, std::int64_t j0, std::int64_t j1) {
  const Matrix<const T> left = Matrix<const T>{a, c.a_row, c.a_column}.from(i0, 0);
  const Matrix<const T> right = Matrix<const T>{b, c.b_row, c.b_column}.from(0, j0);
  const Matrix<T> result = Matrix<T>{to, c.c_row, c.c_column}.from(i0, j0);
  if constexpr (!Batched<T>) {
    plain_product(i1 - i0, j1 - j0, c.k, left, right, result);
  } else if (c.n == 1) {
    column_product(i1 - i0, c.k, left, right, result);
  } else {
    auto* scratch = reinterpret_cast<T*>(
        Scratch::take(static_cast<std::size_t>(product_scratch<T>()) * sizeof(T)));
    product(i1 - i0, j1 - j0, c.k, left, right, result, scratch);
  }
}

template <class T>
inline void contract(const PreparedContraction& p, const T* a, const T* b, T* to) {
  const Contraction& c = p.c;
  if (p.batches == 1) {
    in_pieces(p.rows * p.columns, p.rows * p.columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at < end; ++at) {
        const std::int64_t i = at / p.columns, j = at % p.columns;
        contract_rectangle(c, a, b, to, c.m * i / p.rows, c.m * (i + 1) / p.rows,
                           c.n * j / p.columns, c.n * (j + 1) / p.columns);
      }
    });
    return;
  }
  in_pieces(p.batches, p.pieces, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t at = i, oa = 0, ob = 0, oc = 0;
      for (std::size_t axis = c.batch.size(); axis-- > 0;) {
        const std::int64_t x = at % c.batch[axis];
        at /= c.batch[axis];
        oa += x * c.a_batch[axis];
        ob += x * c.b_batch[axis];
        oc += x * c.c_batch[axis];
      }
      contract_rectangle(c, a + oa, b + ob, to + oc, std::int64_t(0), c.m, std::int64_t(0), c.n);
    }
  });
}

inline void launch_contraction(const void* kernel, const std::byte* a, const std::byte* b,
                               std::byte* to) {
  const auto& p = *static_cast<const PreparedContraction*>(kernel);
  if (p.batches == 0 || p.c.m == 0 || p.c.n == 0) return;
  dispatch(
      p.c.dtype,
      [&]<class T>() {
        // Sums of integers wrap, so the sign does not matter.
        using U = detail::Served<Add, T>;
        using V = std::conditional_t<std::is_same_v<T, bool>, bool, U>;
        contract(p, reinterpret_cast<const V*>(a), reinterpret_cast<const V*>(b),
                 reinterpret_cast<V*>(to));
      },
      [] {});
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
