// Runs a case with known answers everywhere: on each executor, jitted, and inside one more vmap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"

namespace cases {

namespace av = autovec;
using av::Tensor;
using Tensors = std::vector<Tensor>;

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A case as a function of its mapped arguments; what it captures is shared by all lanes.
using Function = std::function<Tensors(const Tensors&)>;

/// f64 data from nested braces.
inline Tensor real(av::detail::Nested<double> values) {
  return av::tensor<double>(std::move(values));
}
/// i32 data from nested braces.
inline Tensor integers(av::detail::Nested<std::int32_t> values) {
  return av::tensor<std::int32_t>(std::move(values));
}
/// b8 data from nested braces.
inline Tensor truths(av::detail::Nested<bool> values) {
  return av::tensor<bool>(std::move(values));
}
/// 0, 1, 2, ... in f64.
inline Tensor counting(av::Extents shape) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  return av::reshape(av::cast(av::iota(size), av::f64), std::move(shape));
}

inline std::string text(const Tensor& x) {
  std::string out = av::type_text(x.type());
  for (const double v : x.to_vector<double>()) out += " " + av::number_text(v);
  return out;
}

/// Whether shapes are equal and elements close: equal, both NaN, or within the relative tolerance.
inline bool close(const Tensor& got, const Tensor& want, double tolerance) {
  bool same = got.shape() == want.shape();
  const std::vector<double> g = got.to_vector<double>();
  const std::vector<double> w = want.to_vector<double>();
  for (std::size_t i = 0; same && i < w.size(); ++i) {
    same = std::isnan(w[i]) ? std::isnan(g[i])
                            : g[i] == w[i] || (std::isfinite(w[i]) &&
                                               std::abs(g[i] - w[i]) <= tolerance * std::abs(w[i]));
  }
  return same;
}

inline void check_close(const Tensors& got, const Tensors& want, double tolerance,
                        const std::string& how) {
  INFO("how: ", how);
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    INFO("result ", i, " is   ", text(got[i]));
    INFO("expected ", text(want[i]));
    CHECK(close(got[i], want[i], tolerance));
  }
}

/// Calls `body` once for each executor and restores the one in force.
template <class F>
void on_each_executor(F&& body) {
  struct Restore {
    av::Executor before = av::executor();
    ~Restore() { av::set_executor(before); }
  } restore;
  for (const av::Executor executor : {av::Executor::reference, av::Executor::simd}) {
    const std::string name = executor == av::Executor::reference ? "reference" : "simd";
    CAPTURE(name);
    av::set_executor(executor);
    body();
  }
}

/// The same elements in reverse order: another lane's data of the same type.
inline Tensor reversed(const Tensor& x) {
  return av::reshape(av::flip(av::reshape(x, {-1}), 0), x.shape());
}

inline Tensors lane(const Tensors& batched, std::int64_t i) {
  Tensors out;
  for (const Tensor& x : batched) out.push_back(av::take(x, i));
  return out;
}

/// Checks that `f(arguments)` gives `want`: at once, jitted, under vmap with one lane and with
/// three, for every choice of mapped arguments; the lane between holds other data and equals `f` on
/// them.
inline void check(const Function& f, const Tensors& arguments, const Tensors& want,
                  double tolerance = 1e-9) {
  on_each_executor([&] {
    check_close(f(arguments), want, tolerance, "at once");
    check_close(av::jit(f)(arguments), want, tolerance, "jit");
    Tensors others;
    for (const Tensor& x : arguments) others.push_back(reversed(x));
    for (std::size_t mask = 1; mask < (std::size_t{1} << arguments.size()); ++mask) {
      const auto mapped = [&](std::size_t i) { return (mask >> i & 1) != 0; };
      const Function some = [&](const Tensors& given) {
        Tensors all;
        std::size_t next = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i)
          all.push_back(mapped(i) ? given[next++] : arguments[i]);
        return f(all);
      };
      Tensors one, three, between;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!mapped(i)) continue;
        one.push_back(av::expand_dims(arguments[i], 0));
        three.push_back(av::stack({arguments[i], others[i], arguments[i]}));
        between.push_back(others[i]);
      }
      const std::string which = " with mask " + std::to_string(mask);
      check_close(lane(av::vmap(some)(one), 0), want, tolerance, "one lane" + which);
      const Tensors lanes = av::jit(av::vmap(some))(three);
      check_close(lane(lanes, 0), want, tolerance, "lane 0 of 3" + which);
      check_close(lane(lanes, 1), some(between), 1e-13, "lane 1 of 3" + which);
      check_close(lane(lanes, 2), want, tolerance, "lane 2 of 3" + which);
    }
  });
}

/// As above for a case of one result.
inline void check_one(const std::function<Tensor(const Tensors&)>& f, const Tensors& arguments,
                      const Tensor& want, double tolerance = 1e-9) {
  check([&f](const Tensors& x) { return Tensors{f(x)}; }, arguments, {want}, tolerance);
}

}  // namespace cases
