// Contractions: matrix products whose every element is one chain of fma in order of k.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/exec/cpu/launch-inl.hpp"
#include "autovec/plan/kernel.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

struct PreparedContraction {
  Contraction c;
};

template <class T>
inline T multiply_add(T a, T b, T sum) noexcept {
  if constexpr (std::is_same_v<T, bool>) return sum || (a && b);
  else if constexpr (std::is_floating_point_v<T>) return lane::fma(a, b, sum);
  else return lane::arithmetic::add(lane::arithmetic::mul(a, b), sum);
}

template <class T>
inline void contract_plain(const Contraction& c, const T* a, const T* b, T* to) noexcept {
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      T sum = T(0);
      for (std::int64_t k = 0; k < c.k; ++k) {
        sum = multiply_add(a[i * c.a_row + k * c.a_column], b[k * c.b_row + j * c.b_column], sum);
      }
      to[i * c.c_row + j * c.c_column] = sum;
    }
  }
}

inline PreparedKernel prepare_contraction(const Contraction& c) {
  auto p = std::make_shared<PreparedContraction>();
  p->c = c;
  return p;
}

inline void launch_contraction(const void* kernel, const std::byte* a, const std::byte* b,
                               std::byte* to) {
  const Contraction& c = static_cast<const PreparedContraction*>(kernel)->c;
  std::int64_t batches = 1;
  for (const std::int64_t extent : c.batch) batches *= extent;
  dispatch(
      c.dtype,
      [&]<class T>() {
        for (std::int64_t i = 0; i < batches; ++i) {
          std::int64_t at = i, oa = 0, ob = 0, oc = 0;
          for (std::size_t axis = c.batch.size(); axis-- > 0;) {
            const std::int64_t x = at % c.batch[axis];
            at /= c.batch[axis];
            oa += x * c.a_batch[axis];
            ob += x * c.b_batch[axis];
            oc += x * c.c_batch[axis];
          }
          contract_plain(c, reinterpret_cast<const T*>(a) + oa, reinterpret_cast<const T*>(b) + ob,
                         reinterpret_cast<T*>(to) + oc);
        }
      },
      [] {});
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
