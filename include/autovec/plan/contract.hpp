// Brings an einsum of two operands into the form of a batched matrix product.
//
// A label in both operands and the result is a batch axis; in the left one and the result a row,
// in the right one and the result a column; in both but not in the result it is summed over. The
// operand that has the result's first label that is not a batch axis becomes the left one: lanes
// that vmap put in front fold into rows, and a shared right operand makes ONE matrix product.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "autovec/ir/kinds.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Labels of one operand, with extents and strides looked up by label.
struct LabeledPort {
  std::string labels;
  Port port;

  bool has(char label) const { return labels.find(label) != std::string::npos; }
  std::int64_t extent(char label) const { return port.type.shape[labels.find(label)]; }
  std::int64_t stride(char label) const {
    return extent(label) == 1 ? 0 : port.place.layout.strides[labels.find(label)];
  }
  /// Whether the axes of `group`, in this order, are as good as one axis; then its stride.
  bool collapses(const std::string& group, std::int64_t& stride_out) const {
    std::int64_t run = 0;
    stride_out = 0;
    for (std::size_t i = group.size(); i-- > 0;) {
      const std::int64_t n = extent(group[i]);
      if (n == 1) continue;
      if (run == 0) {
        stride_out = stride(group[i]);
        run = stride_out * n;
        if (stride_out == 0) return all_zero(group, i);
      } else {
        if (stride(group[i]) != run) return false;
        run *= n;
      }
    }
    return true;
  }

 private:
  bool all_zero(const std::string& group, std::size_t upto) const {
    for (std::size_t i = 0; i <= upto; ++i) {
      if (stride(group[i]) != 0) return false;
    }
    return true;
  }
};

/// The labels of an einsum by their part in the matrix product.
struct LabelGroups {
  std::string batch, rows, columns, inner;

  /// Throws nothing: `a`, `b` and `out` are as ContractParams has them, each label at least in two.
  static LabelGroups of(const std::string& a, const std::string& b, const std::string& out) {
    const auto in = [](const std::string& s, char c) { return s.find(c) != std::string::npos; };
    LabelGroups g;
    for (const char c : out) {
      if (in(a, c) && in(b, c)) g.batch += c;
      else if (in(a, c)) g.rows += c;
      else g.columns += c;
    }
    for (const char c : a) {
      if (in(b, c) && !in(out, c)) g.inner += c;
    }
    return g;
  }
};

/// The contraction on these operands. `reordered(operand, labels)` copies an operand so that its
/// axes lie contiguously in the order of `labels`; it is called where strides can't say the group.
template <class Reordered>
Contraction lower_contraction(LabeledPort& a, LabeledPort& b, const LabeledPort& c,
                              Reordered&& reordered) {
  for (const char label : c.labels) {
    if (a.has(label) && b.has(label)) continue;
    if (b.has(label)) std::swap(a, b);
    break;
  }
  LabelGroups g = LabelGroups::of(a.labels, b.labels, c.labels);
  // Row labels between which the result has others can't be one axis of it: all but the last run
  // become batch axes along which the right operand repeats; columns likewise.
  Contraction out;
  out.dtype = c.port.type.dtype;
  const auto keep_last_run = [&](std::string& group) {
    std::int64_t unused = 0;
    while (group.size() > 1 && !c.collapses(group, unused)) {
      g.batch += group.front();
      group.erase(0, 1);
    }
  };
  keep_last_run(g.rows);
  keep_last_run(g.columns);
  std::int64_t row = 0;
  std::int64_t column = 0;
  if (!a.collapses(g.rows, row) || !a.collapses(g.inner, column)) {
    std::string order;
    for (const char l : a.labels) {
      if (g.rows.find(l) == std::string::npos && g.inner.find(l) == std::string::npos) order += l;
    }
    order += g.rows;
    order += g.inner;
    a = reordered(a, order);
  }
  if (!b.collapses(g.inner, row) || !b.collapses(g.columns, column)) {
    std::string order;
    for (const char l : b.labels) {
      if (g.columns.find(l) == std::string::npos && g.inner.find(l) == std::string::npos)
        order += l;
    }
    order += g.inner;
    order += g.columns;
    b = reordered(b, order);
  }
  const auto product = [](const LabeledPort& x, const std::string& group) {
    std::int64_t n = 1;
    for (const char l : group) n *= x.extent(l);
    return n;
  };
  out.m = product(a, g.rows);
  out.n = product(b, g.columns);
  out.k = product(a, g.inner);
  a.collapses(g.rows, out.a_row);
  a.collapses(g.inner, out.a_column);
  b.collapses(g.inner, out.b_row);
  b.collapses(g.columns, out.b_column);
  c.collapses(g.rows, out.c_row);
  c.collapses(g.columns, out.c_column);
  for (const char l : g.batch) {
    out.batch.push_back(c.extent(l));
    out.a_batch.push_back(a.has(l) ? a.stride(l) : 0);
    out.b_batch.push_back(b.has(l) ? b.stride(l) : 0);
    out.c_batch.push_back(c.stride(l));
  }
  return out;
}

}  // namespace plan
}  // namespace autovec::inline v1
