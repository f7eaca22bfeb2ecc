// Affine maps: the coordinates of a value as functions of the coordinates of a kernel's domain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "autovec/base/hash.hpp"
#include "autovec/ir/array.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Row r is the coordinate along axis r: offset[r] + sum over c of at(r, c) * point[c].
class AffineMap {
 public:
  AffineMap() = default;
  AffineMap(std::size_t rows, std::size_t columns)
      : columns_(columns), offset_(rows, 0), matrix_(rows * columns, 0) {}
  static AffineMap identity(std::size_t rank) {
    AffineMap m(rank, rank);
    for (std::size_t i = 0; i < rank; ++i) m.at(i, i) = 1;
    return m;
  }

  std::size_t rows() const noexcept { return offset_.size(); }
  std::size_t columns() const noexcept { return columns_; }
  std::int64_t& at(std::size_t r, std::size_t c) { return matrix_[r * columns_ + c]; }
  std::int64_t at(std::size_t r, std::size_t c) const { return matrix_[r * columns_ + c]; }
  std::int64_t& offset(std::size_t r) { return offset_[r]; }
  std::int64_t offset(std::size_t r) const { return offset_[r]; }

  /// A row that is the same everywhere.
  void add_constant_row(std::int64_t value) {
    offset_.push_back(value);
    matrix_.resize(matrix_.size() + columns_, 0);
  }
  /// Row r of `other`, which has as many columns.
  void add_row(const AffineMap& other, std::size_t r) {
    offset_.push_back(other.offset(r));
    for (std::size_t c = 0; c < columns_; ++c) matrix_.push_back(other.at(r, c));
  }
  /// An empty map with the columns of this one.
  AffineMap without_rows() const { return AffineMap(0, columns_); }

  friend bool operator==(const AffineMap& a, const AffineMap& b) noexcept {
    return a.columns_ == b.columns_ && a.offset_ == b.offset_ && a.matrix_ == b.matrix_;
  }
  void hash(Hasher& h) const {
    for (const std::int64_t x : offset_) h.add(static_cast<std::uint64_t>(x));
    for (const std::int64_t x : matrix_) h.add(static_cast<std::uint64_t>(x));
  }

 private:
  std::size_t columns_ = 0;
  Extents offset_;
  Extents matrix_;
};

/// outer after inner: the rows of `outer` at the coordinates that `inner` gives.
inline AffineMap compose(const AffineMap& outer, const AffineMap& inner) {
  AffineMap out(outer.rows(), inner.columns());
  for (std::size_t r = 0; r < outer.rows(); ++r) {
    out.offset(r) = outer.offset(r);
    for (std::size_t k = 0; k < outer.columns(); ++k) {
      const std::int64_t factor = outer.at(r, k);
      if (factor == 0) continue;
      out.offset(r) += factor * inner.offset(k);
      for (std::size_t c = 0; c < inner.columns(); ++c) out.at(r, c) += factor * inner.at(k, c);
    }
  }
  return out;
}

/// Offset and strides, by column, of the element that `map` names in an array laid out as `layout`.
inline Layout compose(const Layout& layout, const AffineMap& map) {
  Layout out{layout.offset, Extents(map.columns(), 0)};
  for (std::size_t r = 0; r < map.rows(); ++r) {
    out.offset += layout.strides[r] * map.offset(r);
    for (std::size_t c = 0; c < map.columns(); ++c) {
      out.strides[c] += layout.strides[r] * map.at(r, c);
    }
  }
  return out;
}

/// The operand's coordinates as functions of the result's, for a node of kind view; false where
/// they are not affine (a reshape that merges axes).
///
/// A layout is linear in the strides it starts from. So a block in which axis k alone has stride 1
/// shows coordinate k.
inline bool view_map(const Graph& graph, const Node& node, AffineMap& map) {
  const Type& from = graph.type(node.operands[0]);
  const Type& to = graph.type(node.result());
  map = AffineMap(from.rank(), to.rank());
  for (std::size_t k = 0; k < from.rank(); ++k) {
    Layout unit{0, Extents(from.rank(), 0)};
    unit.strides[k] = 1;
    Layout seen;
    if (!node.op->layout(from, unit, to, node.params, seen)) return false;
    map.offset(k) = seen.offset;
    for (std::size_t c = 0; c < to.rank(); ++c) map.at(k, c) = seen.strides[c];
  }
  return true;
}

}  // namespace plan
}  // namespace autovec::inline v1
