// Compares tensors with numbers, and vmap with the loop over lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "autovec/autovec.hpp"

namespace lanes {

using autovec::Tensor;

/// Whether t has exactly these elements in row-major order; NaN equals NaN, -0 equals 0.
inline bool is(const Tensor& t, const std::vector<double>& want) {
  const std::vector<double> got = t.to_vector<double>();
  bool same = got.size() == want.size();
  for (std::size_t i = 0; same && i < want.size(); ++i) {
    same = std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i];
  }
  if (!same) {
    std::string text;
    for (const double x : got) text += autovec::number_text(x) + " ";
    MESSAGE("got ", autovec::type_text(t.type()), ": ", text);
  }
  return same;
}

/// Whether t has these elements within a relative tolerance.
inline bool near(const Tensor& t, const std::vector<double>& want, double tolerance) {
  const std::vector<double> got = t.to_vector<double>();
  bool same = got.size() == want.size();
  for (std::size_t i = 0; same && i < want.size(); ++i) {
    same = std::isnan(want[i])
               ? std::isnan(got[i])
               : got[i] == want[i] || std::abs(got[i] - want[i]) <= tolerance * std::abs(want[i]);
  }
  if (!same) {
    std::string text;
    for (const double x : got) text += autovec::number_text(x) + " ";
    MESSAGE("got ", autovec::type_text(t.type()), ": ", text);
  }
  return same;
}

inline std::vector<std::int64_t> shape(const Tensor& t) { return t.shape(); }

/// 0, 1, 2, ... of this shape and dtype.
inline Tensor counting(autovec::Extents shape, autovec::DType dtype = autovec::f32) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  return autovec::reshape(autovec::cast(autovec::iota(size), dtype), shape);
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (!(a.type() == b.type())) return false;
  const autovec::Array x = autovec::to_contiguous(a.array("test", autovec::Where::here()));
  const autovec::Array y = autovec::to_contiguous(b.array("test", autovec::Where::here()));
  return x.type.bytes() == 0 || std::memcmp(x.data, y.data, x.type.bytes()) == 0;
}

/// Checks that vmap of `f` gives the loop's bits for every choice of mapped arguments. `f` takes a
/// vector of tensors; every given argument has the lanes along axis 0, a shared one stands as its
/// first lane.
template <class F>
void check_batch(F f, const std::vector<Tensor>& arguments) {
  const std::int64_t lanes = arguments[0].extent(0);
  for (std::size_t mask = 1; mask < (std::size_t{1} << arguments.size()); ++mask) {
    std::vector<Tensor> mapped;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if ((mask >> i & 1) != 0) mapped.push_back(arguments[i]);
    }
    const auto assemble = [&](const std::vector<Tensor>& given) {
      std::vector<Tensor> all;
      std::size_t next = 0;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        all.push_back((mask >> i & 1) != 0 ? given[next++] : autovec::take(arguments[i], 0));
      }
      return all;
    };
    const Tensor batched = autovec::vmap(
        [&](const std::vector<Tensor>& given) -> Tensor { return f(assemble(given)); })(mapped);
    std::vector<Tensor> single;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      std::vector<Tensor> given;
      for (const Tensor& x : mapped) given.push_back(autovec::take(x, lane));
      single.push_back(f(assemble(given)));
    }
    const Tensor looped = autovec::stack(single);
    CAPTURE(mask);
    CHECK(same_bits(batched, looped));
  }
}

}  // namespace lanes
