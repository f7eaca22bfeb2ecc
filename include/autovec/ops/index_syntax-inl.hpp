// Indexing as in NumPy: x.slice({all, range(1, -1, 2), 3}) and x.at(i, j).set(v).
//
// Whole axes and ranges are views. Tensor indices read at computed places: they broadcast against
// each other, and numbers beside them count as such; their shape stands where they stand if they
// are neighbours, else in front.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ops/index-inl.hpp"
#include "autovec/ops/index_syntax.hpp"
#include "autovec/ops/reduce-inl.hpp"

namespace autovec::inline v1 {

AUTOVEC_API Range RangeFunction::operator()(std::optional<std::int64_t> start,
                                            std::optional<std::int64_t> stop,
                                            std::int64_t step) const {
  return Range{start, stop, step};
}

namespace detail {

/// The part of x that an index list names: along each axis a strided slice or places.
struct Selection {
  Extents starts, extents, steps;  // one an axis; along axes with places all of them
  bool sliced = false;             // whether any of them is not the whole axis
  Extents axes;                    // those with places, ascending
  std::vector<Tensor> places;      // integer tensors of shape places_shape
  Extents places_shape;
  std::int64_t before = 0;  // axes without places that the places' axes stand behind
  Extents shape;            // of the part
  bool outside = false;     // a known place is out of range: there is nothing to write

  bool has_places(std::size_t axis) const {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
  }
  /// Whether the places index several neighbouring axes, which then count as one.
  bool joins() const {
    return axes.size() > 1 && axes.back() - axes[0] + 1 == static_cast<std::int64_t>(axes.size());
  }
};

/// Positions that `range` names on an axis of n elements: the first, how many, and the step.
inline void resolve_range(const Range& range, std::int64_t n, std::string_view op, Where where,
                          std::int64_t& start, std::int64_t& count) {
  if (range.step == 0) fail<ShapeError>(op, "the step of a range is 0", where);
  // Ends are clamped to where a walk can be: a falling one ends in front of the first element.
  const bool rises = range.step > 0;
  const std::int64_t low = rises ? 0 : -1;
  const std::int64_t high = rises ? n : n - 1;
  const auto end = [&](const std::optional<std::int64_t>& given, std::int64_t open) {
    if (!given) return open;
    return std::max(low, std::min(*given < 0 ? *given + n : *given, high));
  };
  start = end(range.start, rises ? 0 : n - 1);
  const std::int64_t stop = end(range.stop, rises ? n : -1);
  const std::int64_t span = rises ? stop - start : start - stop;
  // In unsigned arithmetic the negation of the least step is right, too.
  const std::uint64_t stride =
      rises ? static_cast<std::uint64_t>(range.step) : 0 - static_cast<std::uint64_t>(range.step);
  count =
      span <= 0 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(span - 1) / stride) + 1;
  if (count == 0) start = 0;
}

[[noreturn]] inline void fail_index(std::string_view op, std::string_view fault, const Type& x,
                                    Where where) {
  std::string what(fault);
  what += " of ";
  what += type_text(x);
  fail<ShapeError>(op, what, where);
}

/// Reads an index list. `reads`: exact numbers out of range are refused, others clamped; else they
/// mark the selection as outside. Throws ShapeError or TypeError.
inline Selection select_part(std::string_view op, const Type& x, std::span<const Index> indices,
                             bool reads, Where where) {
  std::size_t used = 0;
  std::size_t ellipses = 0;
  bool computed = false;
  for (const Index& index : indices) {
    used += index.kind() == Index::Kind::place || index.kind() == Index::Kind::range;
    ellipses += index.kind() == Index::Kind::ellipsis;
    computed = computed || (index.kind() == Index::Kind::place && !index.is_known());
  }
  if (used > x.rank()) fail_index(op, "more indices than axes", x, where);
  if (ellipses > 1) fail_index(op, "more than one ellipsis", x, where);
  Selection out;
  const auto push = [&](std::int64_t start, std::int64_t extent, std::int64_t step) {
    out.sliced = out.sliced || extent != x.shape[out.starts.size()] || step != 1;
    out.starts.push_back(start);
    out.extents.push_back(extent);
    out.steps.push_back(step);
  };
  const auto push_whole = [&](std::size_t count) {
    for (; count > 0; --count) {
      out.shape.push_back(x.shape[out.starts.size()]);
      push(0, x.shape[out.starts.size()], 1);
    }
  };
  std::size_t first_place = 0;  // position in the shape, in the list and among the axes
  std::size_t first_item = 0;
  std::size_t last_item = 0;
  for (std::size_t item = 0; item < indices.size(); ++item) {
    const Index& index = indices[item];
    const std::size_t axis = out.starts.size();
    const std::int64_t n = axis < x.rank() ? x.shape[axis] : 0;
    if (index.kind() == Index::Kind::place) {
      check_index(op, index.place(), where);
      std::int64_t start = 0;
      if (index.is_known()) {
        start = index.place().state().number.as<std::int64_t>();
        if (start < 0) start += n;
        const bool inside = start >= 0 && start < n;
        if (reads && index.exact() && !inside) {
          fail_index(op,
                     "index " + number_text(start < 0 ? start - n : start) +
                         " is out of range for axis " + number_text(axis),
                     x, where);
        }
        out.outside = out.outside || !inside;
        start = known_start(start, n, 1);
      }
      if (!computed) {
        if (n == 0 && reads) check_readable(op, x, static_cast<std::int64_t>(axis), where);
        push(start, std::min<std::int64_t>(1, n), 1);
        continue;
      }
      if (out.axes.empty()) {
        first_place = out.shape.size();
        first_item = item;
        out.before = static_cast<std::int64_t>(axis);
      }
      last_item = item;
      bool fits = true;
      out.places_shape = broadcast_shapes(out.places_shape, index.place().shape(), fits);
      if (!fits) fail_index(op, "index tensors of shapes that do not broadcast", x, where);
      out.axes.push_back(static_cast<std::int64_t>(axis));
      out.places.push_back(index.is_known() ? Tensor::from_number(Number(start), DType::i32, true)
                                            : index.place());
      push(0, n, 1);
    } else if (index.kind() == Index::Kind::range) {
      std::int64_t start = 0;
      std::int64_t count = 0;
      resolve_range(index.range(), n, op, where, start, count);
      out.shape.push_back(count);
      push(start, count, count > 1 ? index.range().step : 1);
    } else if (index.kind() == Index::Kind::new_axis) {
      out.shape.push_back(1);
    } else {
      push_whole(x.rank() - used);
    }
  }
  push_whole(x.rank() - out.starts.size());
  if (out.axes.empty()) return out;
  if (last_item - first_item + 1 != out.axes.size()) first_place = 0, out.before = 0;
  for (std::size_t i = out.places_shape.size(); i-- > 0;)
    out.shape.insert(first_place, out.places_shape[i]);
  for (Tensor& place : out.places) {
    const DType dtype =
        size_of(place.dtype()) < 8 && place.dtype() != DType::u32 ? DType::i32 : DType::i64;
    place =
        broadcast_to(Operand(with_element(place, {dtype, false}, where), where), out.places_shape);
  }
  return out;
}

/// The shape in which axes [first, first + count) are one.
inline Extents joined_shape(const Extents& shape, std::size_t first, std::size_t count) {
  Extents out(shape.begin(), shape.begin() + first);
  out.push_back(extent_product(shape, first, first + count));
  out.append(shape.begin() + first + count, shape.end());
  return out;
}

inline Tensor read_part(const Tensor& x, std::span<const Index> indices, Where where) {
  const At at(where);
  const Selection s = select_part("slice", x.type(), indices, true, where);
  if (reads_nothing(x, s.shape)) return zeros(s.shape, x.dtype(), where);
  Tensor y = s.sliced ? strided_slice(x, s.starts, s.extents, s.steps, where) : x;
  if (!s.axes.empty()) {
    if (extent_product(s.shape, 0, s.shape.size()) != 0) {
      for (const std::int64_t axis : s.axes) check_readable("slice", y.type(), axis, where);
    }
    if (s.joins()) {
      Extents extents;
      for (const std::int64_t axis : s.axes) extents.push_back(x.extent(axis));
      const Tensor place = linear_index(s.places, extents, false, where);
      y = reshape(at(y),
                  joined_shape(y.shape(), static_cast<std::size_t>(s.axes[0]), s.axes.size()));
      y = gather_at(y, expand_dims(at(place), -1), {s.axes[0]}, where);
    } else {
      y = gather_at(y, join_indices(s.places, where), s.axes, where);
    }
    y = move_index_axes(y, static_cast<std::int64_t>(s.places_shape.size()), s.before, where);
  }
  return reshape(at(y), s.shape);
}

/// x with the part of `s` set to or combined with `values`, which have its axes: those of the
/// places behind `before` others.
inline Tensor write_part(const Tensor& x, const Selection& s, const Tensor& values,
                         std::string mode, Where where) {
  const At at(where);
  const std::size_t places_rank = s.places_shape.size();
  ScatterParams p;
  p.mode = std::move(mode);
  // Index axes of the scatter: those of the places, then one for each axis with steps.
  Extents index_shape = s.places_shape;
  Extents order;  // of the axes of `values`: index axes, then window axes
  Extents windows;
  for (std::size_t i = 0; i < places_rank; ++i)
    order.push_back(s.before + static_cast<std::int64_t>(i));
  std::int64_t value_axis = 0;
  for (std::size_t axis = 0; axis < s.extents.size(); ++axis) {
    const auto a = static_cast<std::int64_t>(axis);
    const bool placed = s.has_places(axis);
    const bool stepped = s.steps[axis] != 1;
    if (value_axis == s.before) value_axis += static_cast<std::int64_t>(places_rank);
    if (placed || stepped) p.collapsed.push_back(a);
    if (placed || stepped || s.extents[axis] != x.extent(a)) p.axes.push_back(a);
    if (stepped) index_shape.push_back(s.extents[axis]);
    if (!placed) (stepped ? order : windows).push_back(value_axis++);
    p.sizes.push_back(placed || stepped ? 1 : s.extents[axis]);
  }
  order.append(windows.begin(), windows.end());
  std::vector<Tensor> starts;
  auto index_axis = static_cast<std::int64_t>(places_rank);
  std::size_t place = 0;
  for (const std::int64_t axis : p.axes) {
    const auto a = static_cast<std::size_t>(axis);
    if (s.has_places(a)) {
      Extents axes;
      for (std::size_t i = 0; i < places_rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
      starts.push_back(broadcast_in(s.places[place++], index_shape, axes, where));
    } else if (s.steps[a] != 1) {
      const Tensor walk = at(iota(s.extents[a], DType::i64, where)) * s.steps[a];
      starts.push_back(broadcast_in(at(walk) + s.starts[a], index_shape, {index_axis++}, where));
    } else {
      const Tensor start = with_element(Tensor(s.starts[a]), {DType::i64, false}, where);
      starts.push_back(broadcast_in(start, index_shape, {}, where));
    }
  }
  const Tensor updates = permute(at(values), order);
  if (!s.sliced && s.joins()) {
    const auto first = static_cast<std::size_t>(s.axes[0]);
    Extents extents;
    for (const std::int64_t axis : s.axes) extents.push_back(x.extent(axis));
    const Tensor position = linear_index(starts, extents, true, where);
    p.axes = p.collapsed = {s.axes[0]};
    p.sizes = joined_shape(x.shape(), first, s.axes.size());
    p.sizes[first] = 1;
    const Tensor joined = reshape(at(x), joined_shape(x.shape(), first, s.axes.size()));
    const Tensor operands[3] = {joined, expand_dims(at(position), -1), updates};
    return reshape(at(emit_one(row_of<ops::Scatter>, Params::of(std::move(p)), operands, where)),
                   x.shape());
  }
  const Tensor operands[3] = {x, join_indices(starts, where), updates};
  return emit_one(row_of<ops::Scatter>, Params::of(std::move(p)), operands, where);
}

/// x combined with values of its own shape.
inline Tensor write_whole(const Tensor& x, const Tensor& values, std::string_view mode,
                          Where where) {
  const At at(where);
  if (mode == "set") return values;
  if (mode == "add") return at(x) + values;
  if (mode == "mul") return at(x) * values;
  return mode == "min" ? minimum(at(x), values) : maximum(at(x), values);
}

}  // namespace detail

AUTOVEC_API Tensor IndexedUpdate::get(Where where) const {
  return detail::read_part(x_, indices_, where_.known() ? where_ : where);
}

AUTOVEC_API Tensor IndexedUpdate::apply(std::string mode, const Operand& given) const {
  const Where where = where_.known() ? where_ : given.where();
  const detail::At at(where);
  const detail::Selection s = detail::select_part("at", x_.type(), indices_, false, where);
  if (mode != "set" && is_bool(x_.dtype())) fail<TypeError>("at", "no " + mode + " of b8", where);
  bool fits = true;
  if (!(broadcast_shapes(s.shape, given.type().shape, fits) == s.shape) || !fits) {
    std::string what("values ");
    what += type_text(given.type());
    what += " do not broadcast to the part ";
    what += shape_text(s.shape);
    what += " of ";
    what += type_text(x_.type());
    fail<ShapeError>("at", what, where);
  }
  if (s.outside || extent_product(s.shape, 0, s.shape.size()) == 0) return x_;
  const Tensor typed = detail::with_element(given, {x_.dtype(), false}, where);
  // The shape of the part without new axes and with numbers as extent 1.
  Extents shape;
  for (std::size_t axis = 0; axis < s.extents.size(); ++axis) {
    if (!s.has_places(axis)) shape.push_back(s.extents[axis]);
  }
  for (std::size_t i = s.places_shape.size(); i-- > 0;) {
    shape.insert(static_cast<std::size_t>(s.before), s.places_shape[i]);
  }
  const Tensor values = reshape(at(broadcast_to(at(typed), s.shape)), shape);
  if (!s.sliced && s.axes.empty()) return detail::write_whole(x_, values, mode, where);
  return detail::write_part(x_, s, values, std::move(mode), where);
}

AUTOVEC_API Tensor Tensor::slice(std::initializer_list<Index> indices, Where where) const {
  return detail::read_part(*this, std::span<const Index>(indices.begin(), indices.size()), where);
}

AUTOVEC_API IndexedUpdate Tensor::at(std::initializer_list<Index> indices, Where where) const {
  return IndexedUpdate(*this, std::vector<Index>(indices), where);
}

}  // namespace autovec::inline v1
