// Putting tensors together and taking them apart: concatenate and pad, and what is made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ops/arrange.hpp"
#include "autovec/ops/index-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

/// Operands one after the other along `axis`.
struct Concatenate {
  static constexpr std::string_view name = "concatenate";
  static constexpr Kind kind = Kind::call;
  static constexpr int arity = -1;
  struct Params {
    std::int64_t axis = 0;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("axis", self.axis);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    const std::int64_t axis = params.as<Params>().axis;
    if (x.empty()) fail<ShapeError>(name, "no operands", where);
    bool fits = axis >= 0 && axis < static_cast<std::int64_t>(x[0].rank());
    bool weak = true;
    Extents shape = x[0].shape;
    for (std::size_t i = 0; fits && i < x.size(); ++i) {
      weak = weak && x[i].weak;
      fits = x[i].rank() == shape.size();
      for (std::size_t k = 0; fits && i > 0 && k < shape.size(); ++k) {
        if (static_cast<std::int64_t>(k) == axis) {
          shape[k] += x[i].shape[k];
        } else {
          fits = x[i].shape[k] == shape[k];
        }
      }
    }
    if (!fits) {
      std::string what("shapes do not fit along axis ");
      what += number_text(axis);
      what += ": ";
      what += autovec::detail::types_text(x);
      fail<ShapeError>(name, what, where);
    }
    for (const Type& type : x) {
      if (type.dtype != x[0].dtype) {
        fail<TypeError>(name, "dtypes differ: " + autovec::detail::types_text(x), where);
      }
    }
    return {Type{x[0].dtype, weak, shape}};
  }
  static void batch(BatchCall& call) {
    const std::int64_t axis = call.params.as<Params>().axis;
    std::vector<Tensor> operands;
    for (const Batched& x : call.operands) {
      Extents shape = x.value.shape();
      if (!x.mapped) shape.insert(0, call.lanes());
      operands.push_back(broadcast_to(Operand(x.value, call.where), shape));
    }
    call.give(emit_one(call.op, autovec::Params::of(Params{axis + 1}), operands, call.where));
  }
  static void kernel(std::span<const Array> x, std::span<Array> results,
                     const autovec::Params& params) {
    const auto axis = static_cast<std::size_t>(params.as<Params>().axis);
    const Extents& shape = results[0].type.shape;
    const std::size_t width = size_of(results[0].type.dtype);
    const std::int64_t outer = extent_product(shape, 0, axis);
    std::vector<std::size_t> runs;  // bytes that an operand gives at a time
    for (const Array& a : x) {
      runs.push_back(static_cast<std::size_t>(extent_product(a.type.shape, axis, shape.size())) *
                     width);
    }
    std::byte* to = results[0].data;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (runs[i] == 0) continue;
        std::memcpy(to, x[i].data + static_cast<std::size_t>(o) * runs[i], runs[i]);
        to += runs[i];
      }
    }
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(takes_real,
                      {form(Params{0}, {{2}, {3}}), form(Params{1}, {{2, 1}, {2, 0}, {2, 3}}),
                       form(Params{0}, {{0}, {0}}), form(Params{0}, {{1}})});
  }
};

/// pad(x, value): `before[i]` copies of `value` (rank 0) in front of axis i of x, `after[i]`
/// behind.
struct Pad {
  static constexpr std::string_view name = "pad";
  static constexpr Kind kind = Kind::call;
  static constexpr int arity = 2;
  struct Params {
    Extents before, after;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("before", self.before);
      f("after", self.after);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 2, where);
    const auto& p = params.as<Params>();
    bool fits = p.before.size() == x[0].rank() && p.after.size() == x[0].rank() && x[1].rank() == 0;
    Extents shape = x[0].shape;
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
      fits = p.before[i] >= 0 && p.after[i] >= 0;
      shape[i] += p.before[i] + p.after[i];
    }
    if (!fits) {
      std::string what("widths ");
      what += shape_text(p.before);
      what += " before and ";
      what += shape_text(p.after);
      what += " after do not fit ";
      what += type_text(x[0]);
      fail<ShapeError>(name, what, where);
    }
    if (x[0].dtype != x[1].dtype) {
      fail<TypeError>(name, "dtypes differ: " + autovec::detail::types_text(x), where);
    }
    return {x[0].with_shape(shape)};
  }
  static void batch(BatchCall& call) {
    const Batched& x = call.operands[0];
    const Batched& value = call.operands[1];
    const autovec::detail::At at(call.where);
    Params p = call.params.as<Params>();
    const Params inner = p;
    if (x.mapped) {
      p.before.insert(0, 0);
      p.after.insert(0, 0);
    }
    const auto padded = [&](const Tensor& y, const Tensor& fill, const Params& widths) {
      const Tensor operands[2] = {y, fill};
      return emit_one(call.op, autovec::Params::of(widths), operands, call.where);
    };
    if (!value.mapped) return call.give(padded(x.value, value.value, p));
    // Each lane has its own value: it goes where padding a mask of one lane shows that it belongs.
    const DType dtype = x.value.dtype();
    const Tensor zero = autovec::detail::with_element(Tensor(0), {dtype, false}, call.where);
    const Tensor body = padded(x.value, zero, p);
    const Tensor inside = full(x.lane_shape(), Operand(true, call.where));
    const Tensor outside =
        autovec::detail::with_element(Tensor(false), {DType::b8, false}, call.where);
    const Tensor mask = padded(inside, outside, inner);
    Extents shape = mask.shape();
    shape.insert(0, call.lanes());
    const Tensor fill = broadcast_in(value.value, shape, {0}, call.where);
    call.give(autovec::detail::emit_select(at(mask), broadcast_to(at(body), shape), fill));
  }
  static void kernel(std::span<const Array> x, std::span<Array> results,
                     const autovec::Params& params) {
    const auto& p = params.as<Params>();
    const Extents& shape = results[0].type.shape;
    const Extents& inner = x[0].type.shape;
    const std::size_t width = size_of(results[0].type.dtype);
    fill(results[0].data, results[0].type.size(), x[1].data, width);
    if (x[0].type.size() == 0) return;
    if (shape.empty()) {
      std::memcpy(results[0].data, x[0].data, width);
      return;
    }
    const Extents strides = row_major(shape);
    const std::size_t last = shape.size() - 1;
    std::int64_t offset = 0;
    for (std::size_t i = 0; i <= last; ++i) offset += p.before[i] * strides[i];
    const std::size_t run = static_cast<std::size_t>(inner[last]) * width;
    Extents index(last, 0);
    for (const std::byte* from = x[0].data;; from += run) {
      std::memcpy(results[0].data + static_cast<std::size_t>(offset) * width, from, run);
      std::size_t axis = last;
      while (axis > 0) {
        --axis;
        offset += strides[axis];
        if (++index[axis] < inner[axis]) break;
        offset -= strides[axis] * inner[axis];
        index[axis] = 0;
        if (axis == 0) return;
      }
      if (last == 0) return;
    }
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        takes_real, {form(Params{{1}, {2}}, {{2}, {}}), form(Params{{0, 1}, {1, 0}}, {{2, 3}, {}}),
                     form(Params{{1}, {1}}, {{0}, {}}), form(Params{{}, {}}, {{}, {}}),
                     form(Params{{0, 2}, {0, 0}}, {{1, 1}, {}})});
  }

 private:
  /// `count` copies of the `width` bytes at `value`, by copying what is there already.
  static void fill(std::byte* to, std::int64_t count, const std::byte* value, std::size_t width) {
    const std::size_t bytes = static_cast<std::size_t>(count) * width;
    if (bytes == 0) return;
    std::memcpy(to, value, width);
    for (std::size_t done = width; done < bytes;) {
      const std::size_t step = std::min(done, bytes - done);
      std::memcpy(to + done, to, step);
      done += step;
    }
  }
};

using ArrangeOps = List<Concatenate, Pad>;

}  // namespace ops

namespace detail {
/// Parts at their promoted dtype.
inline void promote_parts(std::string_view op, std::vector<Tensor>& parts, Where where) {
  if (parts.empty()) fail<ShapeError>(op, "no tensors given", where);
  Element element = element_of(parts[0].type());
  for (const Tensor& part : parts) element = promote(element, element_of(part.type()));
  for (Tensor& part : parts) part = with_element(part, element, where);
}
inline std::vector<Tensor> tensors_of(std::initializer_list<Operand> operands) {
  return std::vector<Tensor>(operands.begin(), operands.end());
}
inline Where where_of(std::initializer_list<Operand> operands) {
  return operands.size() == 0 ? Where::unknown() : operands.begin()->where();
}
}  // namespace detail

AUTOVEC_API Tensor ConcatenateFunction::operator()(std::initializer_list<Operand> parts,
                                                   std::int64_t axis) const {
  return (*this)(detail::tensors_of(parts), axis, detail::where_of(parts));
}

AUTOVEC_API Tensor ConcatenateFunction::operator()(std::vector<Tensor> parts, std::int64_t axis,
                                                   Where where) const {
  detail::promote_parts("concatenate", parts, where);
  axis = wrap_axis(axis, parts[0].rank(), "concatenate", where);
  return emit_one(row_of<ops::Concatenate>, Params::of(ops::Concatenate::Params{axis}), parts,
                  where);
}

AUTOVEC_API Tensor StackFunction::operator()(std::initializer_list<Operand> parts,
                                             std::int64_t axis) const {
  return (*this)(detail::tensors_of(parts), axis, detail::where_of(parts));
}

AUTOVEC_API Tensor StackFunction::operator()(std::vector<Tensor> parts, std::int64_t axis,
                                             Where where) const {
  detail::promote_parts("stack", parts, where);
  axis = wrap_axis(axis, parts[0].rank() + 1, "stack", where);
  for (Tensor& part : parts) {
    if (!(part.shape() == parts[0].shape())) {
      const Type types[2] = {parts[0].type(), part.type()};
      fail<ShapeError>("stack", "shapes differ: " + detail::types_text(types), where);
    }
  }
  for (Tensor& part : parts) part = expand_dims(Operand(part, where), axis);
  return emit_one(row_of<ops::Concatenate>, Params::of(ops::Concatenate::Params{axis}), parts,
                  where);
}

AUTOVEC_API std::vector<Tensor> SplitFunction::operator()(Operand x, std::int64_t parts,
                                                          std::int64_t axis) const {
  axis = wrap_axis(axis, x.rank(), "split", x.where());
  const std::int64_t extent = x.type().shape[static_cast<std::size_t>(axis)];
  if (parts <= 0 || extent % parts != 0) {
    std::string what("axis ");
    what += number_text(axis);
    what += " of ";
    what += type_text(x.type());
    what += " does not split into ";
    what += number_text(parts);
    what += " equal parts";
    fail<ShapeError>("split", what, x.where());
  }
  Extents places;
  for (std::int64_t i = 1; i < parts; ++i) places.push_back(i * (extent / parts));
  return at(x, places, axis);
}

AUTOVEC_API std::vector<Tensor> SplitFunction::operator()(
    Operand x, std::initializer_list<std::int64_t> places, std::int64_t axis) const {
  return at(x, Extents(places), wrap_axis(axis, x.rank(), "split", x.where()));
}

AUTOVEC_API std::vector<Tensor> SplitFunction::at(const Operand& x, const Extents& places,
                                                  std::int64_t axis) {
  const std::int64_t extent = x.type().shape[static_cast<std::size_t>(axis)];
  std::vector<Tensor> out;
  std::int64_t start = 0;
  for (std::size_t i = 0; i <= places.size(); ++i) {
    const std::int64_t stop = i < places.size() ? places[i] : extent;
    if (stop < start || stop > extent) {
      fail<ShapeError>(
          "split",
          "places " + shape_text(places) + " are not ascending positions in " + type_text(x.type()),
          x.where());
    }
    out.push_back(slice_axis(x, axis, start, stop - start, x.where()));
    start = stop;
  }
  return out;
}

namespace detail {
/// The place in an axis of n > 0 elements that position i (which may lie outside) shows.
inline Tensor padded_places(const Tensor& i, std::int64_t n, PadMode mode, Where where) {
  const At at(where);
  const Operand position = at(i);
  if (mode == PadMode::edge) return maximum(at(minimum(position, n - 1)), 0);
  if (mode == PadMode::wrap) return position % n;
  if (n == 1) return position * 0;
  // The image repeats after there and back.
  const std::int64_t period = 2 * (n - 1);
  const Tensor phase = position % period;
  return minimum(at(phase), at(period) - phase);
}
}  // namespace detail

AUTOVEC_API Tensor PadFunction::operator()(Operand x, std::vector<PadWidth> widths,
                                           Operand value) const {
  check(x, widths);
  ops::Pad::Params p;
  for (const PadWidth& width : widths) {
    p.before.push_back(width.before);
    p.after.push_back(width.after);
  }
  if (value.rank() != 0)
    fail<ShapeError>("pad", "the value has type " + type_text(value.type()), x.where());
  const Tensor operands[2] = {x, detail::with_element(value, {x.type().dtype, false}, x.where())};
  return emit_one(row_of<ops::Pad>, Params::of(std::move(p)), operands, x.where());
}

AUTOVEC_API Tensor PadFunction::operator()(Operand x, std::vector<PadWidth> widths,
                                           PadMode mode) const {
  check(x, widths);
  const detail::At at(x.where());
  Tensor y = x;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    const std::int64_t n = y.extent(axis);
    const std::int64_t total = widths[i].before + n + widths[i].after;
    if (total == n) continue;
    if (n == 0) {
      fail<ShapeError>(
          "pad",
          "nothing to fill from along axis " + number_text(axis) + " of " + type_text(x.type()),
          x.where());
    }
    const Tensor i0 = at(iota(total, DType::i32, x.where())) - widths[i].before;
    y = take(at(y), at(detail::padded_places(i0, n, mode, x.where())), axis);
  }
  return y;
}

AUTOVEC_API Tensor PadFunction::operator()(Operand x, std::int64_t width, Operand value) const {
  return (*this)(x, std::vector<PadWidth>(x.rank(), PadWidth{width, width}), value);
}

AUTOVEC_API Tensor PadFunction::operator()(Operand x, std::int64_t width, PadMode mode) const {
  return (*this)(x, std::vector<PadWidth>(x.rank(), PadWidth{width, width}), mode);
}

AUTOVEC_API void PadFunction::check(const Operand& x, const std::vector<PadWidth>& widths) {
  bool fits = widths.size() == x.rank();
  std::string text("[");
  for (const PadWidth& width : widths) {
    fits = fits && width.before >= 0 && width.after >= 0;
    if (text.size() > 1) text += ", ";
    text += number_text(width.before);
    text += ':';
    text += number_text(width.after);
  }
  if (fits) return;
  text += ']';
  fail<ShapeError>("pad", "widths " + text + " do not fit " + type_text(x.type()), x.where(),
                   "one {before, after} an axis, none negative; slice makes a tensor smaller");
}

AUTOVEC_API Tensor TileFunction::operator()(Operand x, Extents counts) const {
  const detail::At at(x.where());
  Extents shape = x.type().shape;
  while (counts.size() < shape.size()) counts.insert(0, 1);
  while (shape.size() < counts.size()) shape.insert(0, 1);
  Extents apart, repeated, result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (counts[i] < 0)
      fail<ShapeError>("tile", "a negative count in " + shape_text(counts), x.where());
    apart.push_back(1);
    apart.push_back(shape[i]);
    repeated.push_back(counts[i]);
    repeated.push_back(shape[i]);
    result.push_back(counts[i] * shape[i]);
  }
  return reshape(at(broadcast_to(at(reshape(x, apart)), repeated)), result);
}

AUTOVEC_API Tensor RepeatFunction::operator()(Operand x, std::int64_t count) const {
  return (*this)(Operand(reshape(x, {-1}), x.where()), count, 0);
}

AUTOVEC_API Tensor RepeatFunction::operator()(Operand x, std::int64_t count,
                                              std::int64_t axis) const {
  const detail::At at(x.where());
  axis = wrap_axis(axis, x.rank(), "repeat", x.where());
  if (count < 0) fail<ShapeError>("repeat", "a negative count", x.where());
  const auto a = static_cast<std::size_t>(axis);
  Extents result = x.type().shape;
  Extents repeated = result;
  result[a] *= count;
  repeated.insert(a + 1, count);
  return reshape(at(broadcast_to(at(expand_dims(x, axis + 1)), repeated)), result);
}

AUTOVEC_API Tensor RollFunction::operator()(Operand x, Operand shift) const {
  const Operand flat(reshape(x, {-1}), x.where());
  return reshape(Operand((*this)(flat, shift, 0), x.where()), x.type().shape);
}

AUTOVEC_API Tensor RollFunction::operator()(Operand x, Operand shift, std::int64_t axis) const {
  const Where where = x.where();
  const detail::At at(where);
  axis = wrap_axis(axis, x.rank(), "roll", where);
  detail::check_index("roll", shift, where);
  if (shift.rank() != 0)
    fail<ShapeError>("roll", "the shift has type " + type_text(shift.type()), where);
  const std::int64_t n = x.type().shape[static_cast<std::size_t>(axis)];
  if (n == 0) return x;
  if (shift.tensor().is_number()) {
    const std::int64_t by = shift.tensor().state().number.as<std::int64_t>() % n;
    const std::int64_t first = by < 0 ? by + n : by;
    if (first == 0) return x;
    return concatenate({at(slice_axis(x, axis, n - first, first, where)),
                        at(slice_axis(x, axis, 0, n - first, where))},
                       axis);
  }
  const Tensor by = at(cast(shift, DType::i64)) % n;
  return take(x, at(at(at(iota(n, DType::i64, where)) - by) % n), axis);
}

namespace detail {
/// Row number minus column number, at [rows, columns].
inline Tensor below_diagonal(std::int64_t rows, std::int64_t columns, Where where) {
  const Tensor i = broadcast_in(iota(rows, DType::i32, where), {rows, columns}, {0}, where);
  const Tensor j = broadcast_in(iota(columns, DType::i32, where), {rows, columns}, {1}, where);
  return At(where)(i) - j;
}
inline Tensor keep_triangle(std::string_view op, const Operand& x, std::int64_t k, bool lower) {
  const Where where = x.where();
  const At at(where);
  if (x.rank() < 2)
    fail<ShapeError>(op, "expected rank 2 or more, got " + type_text(x.type()), where);
  const Tensor below = below_diagonal(x.tensor().extent(-2), x.tensor().extent(-1), where);
  const Tensor keep = lower ? at(below) >= -k : at(below) <= -k;
  return emit_select(at(keep), x, with_element(Tensor(0), {x.type().dtype, x.type().weak}, where));
}
}  // namespace detail

AUTOVEC_API Tensor TrilFunction::operator()(Operand x, std::int64_t k) const {
  return detail::keep_triangle("tril", x, k, true);
}

AUTOVEC_API Tensor TriuFunction::operator()(Operand x, std::int64_t k) const {
  return detail::keep_triangle("triu", x, k, false);
}

AUTOVEC_API Tensor DiagFunction::operator()(Operand x, std::int64_t k) const {
  const Where where = x.where();
  const detail::At at(where);
  const std::int64_t shift = k < 0 ? -k : k;
  if (x.rank() == 2) {
    const std::int64_t axis = k < 0 ? 0 : 1;
    const std::int64_t extent = x.tensor().extent(axis);
    const std::int64_t start = std::min(shift, extent);
    return diagonal(at(slice_axis(x, axis, start, extent - start, where)));
  }
  if (x.rank() != 1)
    fail<ShapeError>("diag", "expected rank 1 or 2, got " + type_text(x.type()), where);
  const std::int64_t n = x.type().shape[0] + shift;
  // Row i shows element j of x beside its column, so x stands shifted along the columns.
  const Tensor row = k == 0 ? x.tensor() : pad(x, {{k > 0 ? k : 0, k < 0 ? -k : 0}});
  const Tensor hit = at(detail::below_diagonal(n, n, where)) == -k;
  return detail::emit_select(at(hit), broadcast_in(row, {n, n}, {1}, where),
                             detail::with_element(Tensor(0), {x.type().dtype, false}, where));
}

}  // namespace autovec::inline v1
