// Matrix products on registers, with one order of summation whatever the sizes and strides.
// SPDX-License-Identifier: Apache-2.0
//
// With more than one column each element is a single chain sum = a * b + sum in order of k, started
// at 0; a single column takes 32 such chains, k mod 32, and the tree of reductions. So an element's
// bits depend on its row, its column and k alone: not on how many rows there are, where a panel
// starts, or which thread runs it. Where the machine has fma, a * b + sum rounds once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "autovec/exec/cpu/batch-inl.hpp"
#include "autovec/exec/cpu/reduction-inl.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// A matrix in memory, any strides.
template <class T>
struct Matrix {
  T* data;
  std::int64_t row, column;

  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
  Matrix from(std::int64_t i, std::int64_t j) const { return {&(*this)(i, j), row, column}; }
  Matrix transposed() const { return {data, column, row}; }
};

template <class V>
inline V multiply_add(V a, V b, V sum) {
  if constexpr (std::is_same_v<V, bool>) {
    return sum || (a && b);
  } else if constexpr (has_fma && requires { fma(a, b, sum); }) {
    return fma(a, b, sum);
  } else if constexpr (lane::Scalar<V>) {
    return lane::arithmetic::add(lane::arithmetic::mul(a, b), sum);
  } else {
    return a * b + sum;
  }
}

/// f(0), ..., f(N - 1) with constants, so that arrays of registers stay registers.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, N>());
}

/// How a product is cut for this machine's registers and caches.
template <class T>
struct Blocks {
  static constexpr std::int64_t size = Batch<T>::size;
  // rows * batches sums, `batches` of b and one of a fill 32 or 16 registers.
  static constexpr int rows = size * sizeof(T) == 64 ? 8 : 4;
  static constexpr int batches = 3;
  static constexpr std::int64_t columns = batches * size;  // of a panel of b
  static constexpr std::int64_t depth = 1536 / sizeof(T);  // of panels
  static constexpr std::int64_t a_rows = 16 * rows;        // a block of a stays in L2
  static constexpr std::int64_t b_columns = 16 * columns;  // so does a block of b
  static constexpr std::int64_t a_length = a_rows * depth, b_length = b_columns * depth;
};

/// c[R, B batches] (+)= a[R, k] b[k, B batches]; rows of b and c contiguous; `fresh`: c starts at
/// 0.
template <int R, int B, class T>
inline void small_product(std::int64_t k, Matrix<const T> a, const T* b, std::int64_t b_row, T* c,
                          std::int64_t c_row, bool fresh) noexcept {
  using V = Batch<T>;
  constexpr std::int64_t size = V::size;
  V sum[R * B];
  unrolled<R * B>([&](auto at) __attribute__((always_inline)) {
    sum[at] = fresh ? V(T(0)) : V::load(c + at / B * c_row + at % B * size);
  });
  for (std::int64_t p = 0; p < k; ++p) {
    V right[B];
    unrolled<B>([&](auto j) __attribute__((always_inline)) {
      right[j] = V::load(b + p * b_row + j * size);
    });
    unrolled<R>([&](auto r) __attribute__((always_inline)) {
      const V left(a.data[r * a.row + p * a.column]);
      unrolled<B>([&](auto j) __attribute__((always_inline)) {
        sum[r * B + j] = multiply_add(left, right[j], sum[r * B + j]);
      });
    });
  }
  unrolled<R * B>([&](auto at) __attribute__((always_inline)) {
    sum[at].store(c + at / B * c_row + at % B * size);
  });
}

/// The same on the first `width` columns, c with any strides: through a tile if need be.
template <int R, int B, class T>
inline void edge_product(std::int64_t k, Matrix<const T> a, const T* b, std::int64_t b_row,
                         Matrix<T> c, std::int64_t width, bool fresh) noexcept {
  constexpr std::int64_t columns = B * Batch<T>::size;
  if (width == columns && c.column == 1) {
    // The rows below come next; fetching them now hides that they are far away.
    for (std::int64_t r = R; r < 2 * R; ++r) {
      for (std::int64_t j = 0; j < columns; j += Batch<T>::size) {
        __builtin_prefetch(c.data + r * c.row + j, 1);
      }
    }
    small_product<R, B>(k, a, b, b_row, c.data, c.row, fresh);
    return;
  }
  T tile[R * columns] = {};
  if (!fresh) {
    for (std::int64_t i = 0; i < R; ++i) {
      for (std::int64_t j = 0; j < width; ++j) tile[i * columns + j] = c(i, j);
    }
  }
  small_product<R, B>(k, a, b, b_row, tile, columns, fresh);
  for (std::int64_t i = 0; i < R; ++i) {
    for (std::int64_t j = 0; j < width; ++j) c(i, j) = tile[i * columns + j];
  }
}

/// Calls f(first row, constant height) on groups of rows that cover [0, m).
template <class T, class F>
inline void for_row_groups(std::int64_t m, F f) {
  constexpr int most = Blocks<T>::rows;
  std::int64_t i = 0;
  for (; i + most <= m; i += most) f(i, std::integral_constant<int, most>());
  if constexpr (most > 4)
    for (; i + 4 <= m; i += 4) f(i, std::integral_constant<int, 4>());
  for (; i + 2 <= m; i += 2) f(i, std::integral_constant<int, 2>());
  if (i < m) f(i, std::integral_constant<int, 1>());
}

/// Columns [0, width) of b, k rows of them, as rows of `columns` elements padded with zeros.
template <class T>
inline void pack_columns(std::int64_t k, std::int64_t width, std::int64_t columns,
                         Matrix<const T> b, T* to) noexcept {
  constexpr std::int64_t size = Batch<T>::size;
  if (b.column == 1 && width % size == 0 && width == columns) {
    for (std::int64_t p = 0; p < k; ++p, to += columns) {
      const T* from = &b(p, 0);
      for (std::int64_t j = 0; j < columns; j += size) Batch<T>::load(from + j).store(to + j);
    }
    return;
  }
  for (std::int64_t p = 0; p < k; ++p, to += columns) {
    for (std::int64_t j = 0; j < width; ++j) to[j] = b(p, j);
    for (std::int64_t j = width; j < columns; ++j) to[j] = T(0);
  }
}

/// Calls f(first column, width, constant batches) on panels that cover columns [0, n); the last
/// one, if narrow, is a single batch.
template <class T, class F>
inline void for_panels(std::int64_t n, F f) {
  constexpr std::int64_t columns = Blocks<T>::columns;
  for (std::int64_t j = 0; j < n; j += columns) {
    const std::int64_t width = std::min(columns, n - j);
    if (width <= Blocks<T>::size) f(j, width, std::integral_constant<int, 1>());
    else f(j, width, std::integral_constant<int, Blocks<T>::batches>());
  }
}

/// Scratch elements of `product`.
template <class T>
constexpr std::int64_t product_scratch() {
  return Blocks<T>::a_length + Blocks<T>::b_length;
}

/// c[m, n] = a[m, k] b[k, n] with few rows: b is read where it lies, but for a last, odd panel.
template <class T>
inline void flat_product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
                         Matrix<const T> b, Matrix<T> c, T* scratch) noexcept {
  constexpr std::int64_t depth = Blocks<T>::depth;
  for_panels<T>(n, [&](std::int64_t j, std::int64_t width, auto batches) {
    constexpr int B = decltype(batches)::value;
    constexpr std::int64_t columns = B * Blocks<T>::size;
    const bool whole = b.column == 1 && width == columns;
    for (std::int64_t p = 0; p < k; p += depth) {
      const std::int64_t deep = std::min(depth, k - p);
      if (!whole) pack_columns(deep, width, columns, b.from(p, j), scratch);
      for_row_groups<T>(m, [&](std::int64_t i, auto height) {
        edge_product<decltype(height)::value, B>(deep, a.from(i, p), whole ? &b(p, j) : scratch,
                                                 whole ? b.row : columns, c.from(i, j), width,
                                                 p == 0);
      });
    }
  });
}

/// c[m, n] = a[m, k] b[k, n] by blocks that are packed first.
template <class T>
inline void blocked_product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
                            Matrix<const T> b, Matrix<T> c, T* scratch) noexcept {
  using S = Blocks<T>;
  T* const left = scratch;
  T* const right = scratch + S::a_length;
  for (std::int64_t j0 = 0; j0 < n; j0 += S::b_columns) {
    const std::int64_t wide = std::min(S::b_columns, n - j0);
    for (std::int64_t p = 0; p < k; p += S::depth) {
      const std::int64_t deep = std::min(S::depth, k - p);
      for_panels<T>(wide, [&](std::int64_t j, std::int64_t width, auto batches) {
        pack_columns(deep, width, batches * S::size, b.from(p, j0 + j), right + j * deep);
      });
      for (std::int64_t i0 = 0; i0 < m; i0 += S::a_rows) {
        const std::int64_t high = std::min(S::a_rows, m - i0);
        for_row_groups<T>(high, [&](std::int64_t i, auto height) {
          constexpr std::int64_t R = decltype(height)::value;
          pack_columns(deep, R, R, a.from(i0 + i, p).transposed(), left + i * deep);
        });
        for_panels<T>(wide, [&](std::int64_t j, std::int64_t width, auto batches) {
          for_row_groups<T>(high, [&](std::int64_t i, auto height) {
            constexpr int R = decltype(height)::value;
            edge_product<R, decltype(batches)::value>(deep, Matrix<const T>{left + i * deep, 1, R},
                                                      right + j * deep, batches * S::size,
                                                      c.from(i0 + i, j0 + j), width, p == 0);
          });
        });
      }
    }
  }
}

/// c[m, n] = a[m, k] b[k, n], one element after the other.
template <class T>
inline void plain_product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
                          Matrix<const T> b, Matrix<T> c) noexcept {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      T sum = T(0);
      for (std::int64_t p = 0; p < k; ++p) sum = multiply_add(a(i, p), b(p, j), sum);
      c(i, j) = sum;
    }
  }
}

/// c[m, 1] = a[m, k] b[k, 1]: 32 chains for each row.
template <class T>
inline void column_product(std::int64_t m, std::int64_t k, Matrix<const T> a, Matrix<const T> b,
                           Matrix<T> c) noexcept {
  constexpr std::int64_t size = Batch<T>::size, ways = reduction_ways, batches = ways / size;
  for (std::int64_t i = 0; i < m; ++i) {
    Batch<T> sum[batches];
    for (std::int64_t v = 0; v < batches; ++v) sum[v] = Batch<T>(T(0));
    for (std::int64_t p = 0; p < k; p += ways) {
      T left[ways], right[ways];
      const T* x = &a(i, p);
      const T* y = &b(p, 0);
      const std::int64_t count = std::min(ways, k - p);
      if (a.column != 1 || count < ways) {
        for (std::int64_t j = 0; j < ways; ++j) left[j] = j < count ? x[j * a.column] : T(0);
        x = left;
      }
      if (b.row != 1 || count < ways) {
        for (std::int64_t j = 0; j < ways; ++j) right[j] = j < count ? y[j * b.row] : T(0);
        y = right;
      }
      for (std::int64_t v = 0; v < batches; ++v) {
        sum[v] = multiply_add(Batch<T>::load(x + v * size), Batch<T>::load(y + v * size), sum[v]);
      }
    }
    T chains[ways];
    for (std::int64_t v = 0; v < batches; ++v) sum[v].store(chains + v * size);
    tree<Add, T>(chains, ways);
    c(i, 0) = chains[0];
  }
}

/// c[m, n] = a[m, k] b[k, n], k > 0 or not. `scratch`: `product_scratch<T>()` elements.
template <class T>
inline void product(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
                    Matrix<const T> b, Matrix<T> c, T* scratch) noexcept {
  constexpr std::int64_t few = 2 * Blocks<T>::rows, tiny = 128;
  if (c.column != 1 && c.row == 1) {
    // The same chains: a product does not mind the order of its factors.
    product(n, m, k, b.transposed(), a.transposed(), c.transposed(), scratch);
  } else if (m * n * k <= tiny || k == 0) {
    plain_product(m, n, k, a, b, c);
  } else if (m <= few) {
    flat_product(m, n, k, a, b, c, scratch);
  } else {
    blocked_product(m, n, k, a, b, c, scratch);
  }
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
