// Reads and writes at computed places: gather, scatter, and the indexing functions made of them.
// Long because windows are read and written by the same rules, op and functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ir/kinds.hpp"
#include "autovec/ops/create-inl.hpp"
#include "autovec/ops/index.hpp"
#include "autovec/ops/place.hpp"

namespace autovec::inline v1 {

namespace ops {

/// A number below 0 counts from the end of an axis of `extent` elements; with `clamp` the result is
/// then brought into [0, extent - 1].
struct WrapIndex {
  static constexpr std::string_view name = "wrap_index";
  static constexpr Kind kind = Kind::map;
  static constexpr int arity = 1;
  static constexpr Accept accept = Accept::bits;
  static constexpr bool predicate = false;
  struct Params {
    std::int64_t extent = 0;
    bool clamp = false;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("extent", self.extent);
      f("clamp", self.clamp);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params&, Where where) {
    autovec::detail::check_arity(name, x.size(), 1, where);
    if (x[0].dtype != DType::i32 && x[0].dtype != DType::i64) {
      fail<TypeError>(name, "expected i32 or i64, got " + type_text(x[0]), where);
    }
    return {x[0]};
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> operands,
                             LaneTypes types, const autovec::Params& params) {
    const auto& p = params.as<Params>();
    return detail::record_as<1, WrapIndex>(r, operands, types.operands[0], [&]<class V>(V x) {
      using T = lane::element_t<V>;
      if constexpr (!std::is_same_v<T, bool>) {
        const V n(static_cast<T>(p.extent));
        const V wrapped = lane::select(x < V(T(0)), x + n, x);
        return p.clamp ? lane::max(V(T(0)), lane::min(wrapped, n - V(T(1)))) : wrapped;
      } else {
        return x;
      }
    });
  }
  static void batch(BatchCall& call) { batch_map(call); }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        [](DType t) { return t == DType::i32 || t == DType::i64; },
        {form(Params{4, true}, {{9}}), form(Params{4, false}, {{3, 3}}),
         form(Params{1, true}, {{}}), form(Params{3, false}, {{0}}), form(Params{5, true}, {{1}})});
  }
};

namespace detail {

inline bool ascending(const Extents& axes, std::int64_t low, std::int64_t high) {
  for (const std::int64_t axis : axes) {
    if (axis < low || axis >= high) return false;
    low = axis + 1;
  }
  return true;
}

inline bool has_axis(const Extents& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// What `gather(x, starts)` with the numbers of `p` (GatherParams or ScatterParams) gives. Throws
/// where they do not fit; `drops`: windows that leave x are no fault.
template <class P>
Type window_type(std::string_view op, const Type& x, const Type& starts, const P& p, bool drops,
                 Where where) {
  if (!is_int(starts.dtype)) {
    fail<TypeError>(op, "indices are not integers: " + type_text(starts), where,
                    "cast them: cast(i, i32)");
  }
  const auto rank = static_cast<std::int64_t>(x.rank());
  const auto starts_rank = static_cast<std::int64_t>(starts.rank());
  bool fits = p.batch >= 0 && p.batch <= rank && p.batch < starts_rank &&
              static_cast<std::int64_t>(p.sizes.size()) == rank - p.batch &&
              starts.shape.back() == static_cast<std::int64_t>(p.axes.size()) &&
              ascending(p.axes, p.batch, rank) && ascending(p.collapsed, p.batch, rank);
  for (std::int64_t i = 0; fits && i < p.batch; ++i) {
    fits = x.shape[static_cast<std::size_t>(i)] == starts.shape[static_cast<std::size_t>(i)];
  }
  Extents shape(starts.shape.begin(), starts.shape.end() - (starts_rank > 0 ? 1 : 0));
  bool beyond = false;
  for (std::int64_t axis = p.batch; fits && axis < rank; ++axis) {
    const std::int64_t extent = x.shape[static_cast<std::size_t>(axis)];
    const std::int64_t size = p.sizes[static_cast<std::size_t>(axis - p.batch)];
    fits = size >= 0 && (has_axis(p.axes, axis) ? size <= extent || extent == 0 : size == extent);
    beyond = beyond || size > extent;
    if (has_axis(p.collapsed, axis)) {
      fits = fits && size == 1;
    } else {
      shape.push_back(size);
    }
  }
  if (!fits) {
    std::string what("windows of ");
    what += shape_text(p.sizes);
    what += " at ";
    what += type_text(starts);
    what += " do not fit ";
    what += type_text(x);
    fail<ShapeError>(op, what, where);
  }
  const Type result = x.with_shape(shape);
  if (beyond && !drops && result.size() != 0) {
    fail<ShapeError>(op, "nothing to read along an axis of extent 0 of " + type_text(x), where);
  }
  return result;
}

/// The numbers of `p` for x with a new axis at position `axis`, which is not behind the batch axes.
template <class P>
void shift_axes(P& p) {
  for (std::int64_t& axis : p.axes) ++axis;
  for (std::int64_t& axis : p.collapsed) ++axis;
}

/// Whether the elements of x in row-major order are 0, 1, 2, ...: an `iota` in the current trace,
/// seen through what does not change the order.
inline bool is_iota(const Tensor& x) {
  const Trace* trace = Trace::current();
  if (trace == nullptr) return false;
  const Node* node = trace->producer(x);
  const std::int64_t n = x.size();
  while (node != nullptr && node->op->name != Iota::name) {
    const bool reorders = node->op->name != Reshape::name && node->op->name != Broadcast::name &&
                          node->op->name != Convert::name && node->op->name != WrapIndex::name;
    if (reorders || node->operands.size() != 1) return false;
    if (node->op->name == Convert::name) {
      const DType to = node->params.as<Convert::Params>().dtype;
      const Number last(n == 0 ? 0 : n - 1);
      if (!is_int(to) || rounded(last, to) != last) return false;
    }
    if (node->op->name == WrapIndex::name && node->params.as<WrapIndex::Params>().extent < n)
      return false;
    const Tensor operand = trace->handle(node->operands[0]);
    if (operand.size() != n) return false;
    node = trace->producer(operand);
  }
  return node != nullptr;
}

}  // namespace detail

namespace detail {
/// Parameters of a window, shapes of x and starts.
struct WindowForm {
  GatherParams params;
  Extents x, starts;
};
inline std::vector<WindowForm> window_forms() {
  return {{{0, {0}, {1, 3}, {0}}, {4, 3}, {5, 1}},           // rows
          {{0, {0}, {1}, {0}}, {4}, {1}},                    // one element
          {{0, {0, 1}, {2, 2}, {}}, {4, 5}, {3, 2}},         // windows
          {{1, {1}, {1}, {1}}, {3, 4}, {3, 2, 1}},           // along a batch axis
          {{0, {1}, {2, 1}, {1}}, {2, 5}, {2, 2, 1}},        // columns
          {{0, {0, 2}, {1, 2, 1}, {0}}, {2, 2, 3}, {2, 2}},  // with a whole axis between
          {{0, {0}, {1, 0}, {0}}, {3, 0}, {2, 1}},           // windows without elements
          {{0, {0}, {1}, {0}}, {4}, {0, 1}},                 // no windows
          {{0, {0}, {1}, {0}}, {0}, {0, 1}},                 // nothing read of nothing
          {{0, {0}, {1}, {}}, {1}, {2, 1}}};
}
/// The i-th kind of index that samples use: in range and around it, or anything.
inline SampleOperand sample_starts(std::size_t i, const Extents& shape) {
  constexpr DType dtypes[] = {DType::i32, DType::i64, DType::u32};
  return {Type{dtypes[i % 3], false, shape}, i % 4 == 3 ? Draw::any : Draw::between, -7, 7};
}
}  // namespace detail

/// Windows of x at `starts`; see GatherParams.
struct Gather {
  static constexpr std::string_view name = "gather";
  static constexpr Kind kind = Kind::gather;
  static constexpr int arity = 2;
  using Params = GatherParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 2, where);
    return {detail::window_type(name, x[0], x[1], params.as<Params>(), false, where)};
  }
  static void batch(BatchCall& call) {
    const Batched& x = call.operands[0];
    const Batched& starts = call.operands[1];
    Params p = call.params.as<Params>();
    if (!x.mapped && batch_identity(call, p)) return;
    const autovec::detail::At at(call.where);
    const std::int64_t index_rank = static_cast<std::int64_t>(starts.lane_rank()) - p.batch - 1;
    std::vector<Tensor> operands{x.value, starts.value};
    std::int64_t lane_axis = p.batch;
    if (x.mapped) detail::shift_axes(p);
    if (x.mapped && starts.mapped) {
      lane_axis = 0;
      ++p.batch;
    } else if (x.mapped) {
      // x[lanes, batch...] with shared starts: the lanes are a window axis that is read as a whole.
      operands[0] = moveaxis(at(x.value), 0, p.batch);
      p.sizes.insert(0, call.lanes());
      lane_axis += index_rank;
    } else {
      // Shared x: the lanes are one more index axis.
      operands[1] = moveaxis(at(starts.value), 0, p.batch);
    }
    const Tensor y = emit_one(call.op, autovec::Params::of(p), operands, call.where);
    call.give(moveaxis(at(y), lane_axis, 0));
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> out;
    for (const DType dtype : autovec::detail::sample_dtypes) {
      for (const detail::WindowForm& form : detail::window_forms()) {
        out.push_back(
            {autovec::Params::of(form.params),
             {{Type{dtype, false, form.x}}, detail::sample_starts(out.size(), form.starts)}});
      }
    }
    return out;
  }

 private:
  /// take(x, lane number) -> the first `lanes` slices of x, which are no copy.
  static bool batch_identity(BatchCall& call, const Params& p) {
    const Batched& x = call.operands[0];
    const Batched& starts = call.operands[1];
    if (p.batch != 0 || p.axes.size() != 1 || starts.lane_rank() != 1) return false;
    const std::int64_t axis = p.axes[0];
    if (p.sizes[static_cast<std::size_t>(axis)] != 1 || call.lanes() > x.value.extent(axis) ||
        !detail::is_iota(starts.value)) {
      return false;
    }
    const autovec::detail::At at(call.where);
    Tensor y = moveaxis(at(slice_axis(x.value, axis, 0, call.lanes(), call.where)), axis, 0);
    if (p.collapsed.empty()) y = expand_dims(at(y), axis + 1);
    call.give(std::move(y));
    return true;
  }
};

/// x with windows at `starts` replaced by or combined with updates; see ScatterParams.
struct Scatter {
  static constexpr std::string_view name = "scatter";
  static constexpr Kind kind = Kind::scatter;
  static constexpr int arity = -1;
  using Params = ScatterParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    const auto& p = params.as<Params>();
    autovec::detail::check_arity(name, x.size(), p.masked ? 4 : 3, where);
    const Type windows = detail::window_type(name, x[0], x[1], p, !p.clamp, where);
    if (p.mode != "set" && p.mode != "add" && p.mode != "mul" && p.mode != "min" &&
        p.mode != "max") {
      fail<TypeError>(name, "unknown mode " + quoted_text(p.mode), where,
                      "set, add, mul, min or max");
    }
    if (p.mode != "set" && is_bool(x[0].dtype)) {
      fail<TypeError>(name, "no " + p.mode + " of b8", where);
    }
    if (x[2].dtype != x[0].dtype || !(x[2].shape == windows.shape)) {
      fail<ShapeError>(name, "updates are " + type_text(x[2]) + ", expected " + type_text(windows),
                       where);
    }
    if (p.masked) {
      const Extents index(x[1].shape.begin(), x[1].shape.end() - 1);
      if (!is_bool(x[3].dtype) || !(x[3].shape == index)) {
        fail<ShapeError>(
            name, "the mask is " + type_text(x[3]) + ", expected b8" + shape_text(index), where);
      }
    }
    return {x[0]};
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    const autovec::detail::At at(call.where);
    const bool places_mapped = call.operands[1].mapped || (p.masked && call.operands[3].mapped);
    const std::int64_t index_rank =
        static_cast<std::int64_t>(call.operands[1].lane_rank()) - p.batch - 1;
    std::vector<Tensor> operands;
    // x is written, so each lane needs its own; what is only read repeats as a view.
    for (const Batched& x : call.operands) operands.push_back(along_lanes(x, call));
    detail::shift_axes(p);
    if (places_mapped || p.batch != 0) {
      ++p.batch;
    } else {
      // Shared places: the lanes are a window axis that is written as a whole.
      operands[1] = call.operands[1].value;
      if (p.masked) operands[3] = call.operands[3].value;
      operands[2] = moveaxis(at(operands[2]), 0, index_rank);
      p.sizes.insert(0, call.lanes());
    }
    call.give(emit_one(call.op, autovec::Params::of(p), operands, call.where));
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> out;
    std::vector<detail::WindowForm> forms = detail::window_forms();
    forms.push_back({{0, {0}, {1}, {0}}, {0}, {2, 1}});  // all windows are dropped
    constexpr std::string_view modes[] = {"set", "add", "mul", "min", "max"};
    for (const DType dtype : autovec::detail::sample_dtypes) {
      for (const detail::WindowForm& form : forms) {
        const std::size_t i = out.size();
        const GatherParams& g = form.params;
        Params p{g.batch,
                 g.axes,
                 g.sizes,
                 g.collapsed,
                 std::string(is_bool(dtype) ? "set" : modes[i % 5]),
                 i % 2 == 0 && form.x[0] != 0,
                 i % 3 == 0};
        const Type x{dtype, false, form.x};
        const SampleOperand starts = detail::sample_starts(i, form.starts);
        const Type windows = detail::window_type(name, x, starts.type, p, true, Where::unknown());
        const Extents index(form.starts.begin(), form.starts.end() - 1);
        Sample sample{autovec::Params::of(p), {{x}, starts, {windows}}};
        if (p.masked) sample.operands.push_back({Type{DType::b8, false, index}});
        out.push_back(std::move(sample));
      }
    }
    return out;
  }

 private:
  static Tensor along_lanes(const Batched& x, const BatchCall& call) {
    if (x.mapped) return x.value;
    Extents shape = x.value.shape();
    shape.insert(0, call.lanes());
    return broadcast_to(Operand(x.value, call.where), shape);
  }
};

using IndexOps = List<WrapIndex, Gather, Scatter>;

}  // namespace ops

namespace detail {

/// Throws TypeError unless `i` may be an index.
inline void check_index(std::string_view op, const Tensor& i, Where where) {
  if (is_int(i.dtype())) return;
  fail<TypeError>(op, "indices are not integers: " + type_text(i.type()), where,
                  "cast them: cast(i, i32)");
}

/// Throws ShapeError where an axis has no elements. A lane that never runs may read them.
inline void check_readable(std::string_view op, const Type& x, std::int64_t axis, Where where) {
  if (x.shape[static_cast<std::size_t>(axis)] != 0 || Trace::of_no_lanes()) return;
  std::string what("nothing to read along axis ");
  what += number_text(axis);
  what += " of ";
  what += type_text(x);
  fail<ShapeError>(op, what, where);
}

/// A start known while tracing: wrapped once, then clamped so that `size` elements fit.
inline std::int64_t known_start(std::int64_t start, std::int64_t extent, std::int64_t size) {
  if (start < 0) start += extent;
  return std::max<std::int64_t>(0, std::min(start, extent - size));
}

/// Integer tensors of one shape side by side along a new last axis, by selects, which fuse.
inline Tensor join_indices(std::span<const Tensor> parts, Where where) {
  const At at(where);
  Tensor out = expand_dims(at(parts.back()), -1);
  if (parts.size() == 1) return out;
  const Tensor column = iota(static_cast<std::int64_t>(parts.size()), DType::i32, where);
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    const Tensor hit =
        emit_map<ops::Equal>(at(column), Operand(static_cast<std::int32_t>(i), where));
    out = emit_select(at(hit), expand_dims(at(parts[i]), -1), out);
  }
  return out;
}

/// Positions in row-major order of `extents`, as i32 where that holds them: one index a part, each
/// wrapped, then clamped. With `drop` one that is out of range gives the size, which is out too.
inline Tensor linear_index(std::span<const Tensor> parts, const Extents& extents, bool drop,
                           Where where) {
  const At at(where);
  const std::int64_t total = extent_product(extents, 0, extents.size());
  bool wide = total > std::numeric_limits<std::int32_t>::max();
  for (const Tensor& part : parts) {
    wide = wide || part.dtype() == DType::i64 || part.dtype() == DType::u32 ||
           part.dtype() == DType::u64;
  }
  const DType dtype = wide ? DType::i64 : DType::i32;
  Tensor position;
  Tensor inside;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t extent = extents[i];
    Tensor part = with_element(parts[i], {dtype, false}, where);
    part = emit_one(row_of<ops::WrapIndex>, Params::of(ops::WrapIndex::Params{extent, !drop}),
                    std::span(&part, 1), where);
    if (drop) {
      const Tensor fits = at(at(part) >= 0) & (at(part) < extent);
      inside = i == 0 ? fits : at(inside) & fits;
    }
    position = i == 0 ? part : at(at(position) * extent) + part;
  }
  return drop ? emit_select(at(inside), position, Tensor(total)) : position;
}

/// What a lane that never runs reads of a tensor without elements: anything of the right type. True
/// where `shape`, elements of x, is read so.
inline bool reads_nothing(const Tensor& x, const Extents& shape) {
  return x.size() == 0 && extent_product(shape, 0, shape.size()) != 0 && Trace::of_no_lanes();
}

/// gather of windows of x at `starts`.
inline Tensor read_windows(const Tensor& x, const Tensor& starts, GatherParams p, Where where) {
  if (Trace::of_no_lanes()) {
    const Type type = ops::detail::window_type("gather", x.type(), starts.type(), p, true, where);
    if (reads_nothing(x, type.shape)) return zeros(type.shape, type.dtype, where);
  }
  const Tensor operands[2] = {x, starts};
  return emit_one(row_of<ops::Gather>, Params::of(std::move(p)), operands, where);
}

/// Elements (or slices) of x at `starts` [..., k], which index `axes`, k ascending ones.
inline Tensor gather_at(const Tensor& x, const Tensor& starts, Extents axes, Where where) {
  GatherParams p;
  p.sizes = x.shape();
  for (const std::int64_t axis : axes) p.sizes[static_cast<std::size_t>(axis)] = 1;
  p.collapsed = axes;
  p.axes = std::move(axes);
  return read_windows(x, starts, std::move(p), where);
}

/// Brings axes [0, count) behind the `before` axes that follow them.
inline Tensor move_index_axes(const Tensor& x, std::int64_t count, std::int64_t before,
                              Where where) {
  if (count == 0 || before == 0) return x;
  Extents axes;
  for (std::int64_t i = 0; i < before; ++i) axes.push_back(count + i);
  for (std::int64_t i = 0; i < count; ++i) axes.push_back(i);
  for (std::int64_t i = count + before; i < static_cast<std::int64_t>(x.rank()); ++i)
    axes.push_back(i);
  return permute(Operand(x, where), std::move(axes));
}

/// The slice of x at one place along `axis` that is known while tracing.
inline Tensor take_known(std::string_view op, const Tensor& x, std::int64_t i, std::int64_t axis,
                         Where where) {
  Extents shape = x.shape();
  shape.erase(static_cast<std::size_t>(axis));
  const std::int64_t extent = x.extent(axis);
  if (extent == 0 && extent_product(shape, 0, shape.size()) == 0)
    return reshape(Operand(x, where), shape);
  check_readable(op, x.type(), axis, where);
  if (reads_nothing(x, shape)) return zeros(shape, x.dtype(), where);
  const Tensor window = slice_axis(x, axis, known_start(i, extent, 1), 1, where);
  return reshape(Operand(window, where), std::move(shape));
}

}  // namespace detail

AUTOVEC_API Tensor TakeFunction::operator()(Operand x, Operand i, std::int64_t axis) const {
  const Where where = x.where();
  axis = wrap_axis(axis, x.rank(), "take", where);
  detail::check_index("take", i, where);
  if (i.tensor().is_number()) {
    return detail::take_known("take", x, i.tensor().state().number.as<std::int64_t>(), axis, where);
  }
  Extents shape = x.type().shape;
  shape[static_cast<std::size_t>(axis)] = i.type().size();
  if (extent_product(shape, 0, shape.size()) != 0)
    detail::check_readable("take", x.type(), axis, where);
  const Tensor starts = expand_dims(Operand(i, where), -1);
  const Tensor y = detail::gather_at(x, starts, {axis}, where);
  return detail::move_index_axes(y, static_cast<std::int64_t>(i.rank()), axis, where);
}

AUTOVEC_API Tensor Tensor::operator[](Operand index) const {
  return take(Operand(*this, index.where()), index, 0);
}

AUTOVEC_API Tensor TakeAlongAxisFunction::operator()(Operand x, Operand indices,
                                                     std::int64_t axis) const {
  const Where where = x.where();
  const detail::At at(where);
  axis = wrap_axis(axis, x.rank(), "take_along_axis", where);
  detail::check_index("take_along_axis", indices, where);
  bool fits = x.rank() == indices.rank();
  Extents lines = x.type().shape;
  Extents places = indices.type().shape;
  if (fits) {
    lines.erase(static_cast<std::size_t>(axis));
    places.erase(static_cast<std::size_t>(axis));
    lines = broadcast_shapes(lines, places, fits);
    places = lines;
  }
  if (!fits) {
    const Type types[2] = {x.type(), indices.type()};
    fail<ShapeError>("take_along_axis", "shapes do not correspond: " + detail::types_text(types),
                     where);
  }
  lines.push_back(x.type().shape[static_cast<std::size_t>(axis)]);
  places.push_back(indices.type().shape[static_cast<std::size_t>(axis)]);
  GatherParams p;
  p.batch = static_cast<std::int64_t>(lines.size()) - 1;
  p.axes = {p.batch};
  p.sizes = {1};
  p.collapsed = {p.batch};
  const Tensor starts = broadcast_to(at(moveaxis(indices, axis, -1)), places);
  const Tensor of_lines = broadcast_to(at(moveaxis(x, axis, -1)), lines);
  const Tensor y = detail::read_windows(of_lines, expand_dims(at(starts), -1), std::move(p), where);
  return moveaxis(at(y), -1, axis);
}

AUTOVEC_API Tensor GatherFunction::operator()(Operand x, Operand indices) const {
  detail::check_index("gather", indices, x.where());
  if (indices.rank() == 0 || indices.type().shape.back() > static_cast<std::int64_t>(x.rank())) {
    fail<ShapeError>(
        "gather", "indices " + type_text(indices.type()) + " do not fit " + type_text(x.type()),
        x.where(),
        "the last axis of the indices holds one index for each axis of x, from the first on");
  }
  Extents axes;
  for (std::int64_t i = 0; i < indices.type().shape.back(); ++i) axes.push_back(i);
  return detail::gather_at(x, indices, std::move(axes), x.where());
}

AUTOVEC_API Tensor ScatterFunction::operator()(Operand x, Operand indices, Operand updates,
                                               std::string_view mode) const {
  const Where where = x.where();
  detail::check_index("scatter", indices, where);
  const std::int64_t count = indices.rank() == 0 ? -1 : indices.type().shape.back();
  if (count < 0 || count > static_cast<std::int64_t>(x.rank())) {
    fail<ShapeError>(
        "scatter", "indices " + type_text(indices.type()) + " do not fit " + type_text(x.type()),
        where,
        "the last axis of the indices holds one index for each axis of x, from the first on");
  }
  ScatterParams p;
  p.sizes = x.type().shape;
  Extents shape = indices.type().shape;
  shape.pop_back();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i) {
    if (i < count) {
      p.axes.push_back(i);
      p.sizes[static_cast<std::size_t>(i)] = 1;
    } else {
      shape.push_back(p.sizes[static_cast<std::size_t>(i)]);
    }
  }
  p.collapsed = p.axes;
  p.mode = mode;
  bool fits = true;
  if (!(broadcast_shapes(updates.type().shape, shape, fits) == shape) || !fits) {
    fail<ShapeError>("scatter",
                     "updates are " + type_text(updates.type()) + ", expected " + shape_text(shape),
                     where);
  }
  const Tensor values = detail::with_element(updates, {x.type().dtype, false}, where);
  const Tensor operands[3] = {x, indices, broadcast_to(Operand(values, where), shape)};
  return emit_one(row_of<ops::Scatter>, Params::of(std::move(p)), operands, where);
}

namespace detail {

/// Where a window of `sizes` starts along the axes of x on which it can be anywhere else than at 0.
struct WindowStarts {
  Extents axes;
  Tensor starts;  // [number of axes]
};

inline WindowStarts window_starts(std::string_view op, const Type& x, const Extents& sizes,
                                  std::span<const Operand> starts, Where where) {
  bool fits = sizes.size() == x.rank() && starts.size() == x.rank();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i)
    fits = sizes[i] >= 0 && sizes[i] <= x.shape[i];
  if (!fits) {
    std::string what("a window of ");
    what += shape_text(sizes);
    what += " at ";
    what += number_text(starts.size());
    what += " starts does not fit ";
    what += type_text(x);
    fail<ShapeError>(op, what, where);
  }
  WindowStarts out;
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    check_index(op, starts[i], where);
    if (starts[i].rank() != 0) {
      fail<ShapeError>(op, "a start is no single number: " + type_text(starts[i].type()), where);
    }
    if (sizes[i] == x.shape[i]) continue;
    out.axes.push_back(static_cast<std::int64_t>(i));
    parts.push_back(starts[i]);
  }
  if (!parts.empty()) {
    for (Tensor& part : parts) part = with_element(part, {part.dtype(), false}, where);
    out.starts = join_indices(parts, where);
  }
  return out;
}

/// One start for each axis of x, taken from a tensor [rank].
inline WindowStarts window_starts(std::string_view op, const Type& x, const Extents& sizes,
                                  const Tensor& starts, Where where) {
  check_index(op, starts, where);
  if (starts.rank() != 1 || starts.extent(0) != static_cast<std::int64_t>(x.rank()) ||
      sizes.size() != x.rank()) {
    std::string what("a window of ");
    what += shape_text(sizes);
    what += " at ";
    what += type_text(starts.type());
    what += " does not fit ";
    what += type_text(x);
    fail<ShapeError>(op, what, where);
  }
  WindowStarts out;
  for (std::size_t i = 0; i < x.rank(); ++i) out.axes.push_back(static_cast<std::int64_t>(i));
  out.starts = starts;
  return out;
}

inline Tensor read_window(const Tensor& x, const WindowStarts& at, Extents sizes, Where where) {
  if (at.axes.empty()) return x;
  GatherParams p;
  p.axes = at.axes;
  p.sizes = std::move(sizes);
  const Tensor operands[2] = {x, at.starts};
  return emit_one(row_of<ops::Gather>, Params::of(std::move(p)), operands, where);
}

inline Tensor write_window(const Tensor& x, const WindowStarts& at, const Tensor& update,
                           Where where) {
  const Tensor values = with_element(update, {x.dtype(), false}, where);
  if (at.axes.empty()) return values;
  ScatterParams p;
  p.axes = at.axes;
  p.sizes = update.shape();
  p.clamp = true;
  const Tensor operands[3] = {x, at.starts, values};
  return emit_one(row_of<ops::Scatter>, Params::of(std::move(p)), operands, where);
}

}  // namespace detail

AUTOVEC_API Tensor DynamicSliceFunction::operator()(Operand x,
                                                    std::initializer_list<Operand> starts,
                                                    Extents sizes) const {
  const std::span<const Operand> places(starts.begin(), starts.size());
  detail::WindowStarts window =
      detail::window_starts("dynamic_slice", x.type(), sizes, places, x.where());
  return detail::read_window(x, window, std::move(sizes), x.where());
}

AUTOVEC_API Tensor DynamicSliceFunction::operator()(Operand x, Operand starts,
                                                    Extents sizes) const {
  detail::WindowStarts window =
      detail::window_starts("dynamic_slice", x.type(), sizes, starts.tensor(), x.where());
  return detail::read_window(x, window, std::move(sizes), x.where());
}

AUTOVEC_API Tensor DynamicUpdateSliceFunction::operator()(
    Operand x, Operand update, std::initializer_list<Operand> starts) const {
  const std::span<const Operand> places(starts.begin(), starts.size());
  const detail::WindowStarts window = detail::window_starts("dynamic_update_slice", x.type(),
                                                            update.type().shape, places, x.where());
  return detail::write_window(x, window, update, x.where());
}

AUTOVEC_API Tensor DynamicUpdateSliceFunction::operator()(Operand x, Operand update,
                                                          Operand starts) const {
  const detail::WindowStarts window = detail::window_starts(
      "dynamic_update_slice", x.type(), update.type().shape, starts.tensor(), x.where());
  return detail::write_window(x, window, update, x.where());
}

AUTOVEC_API Tensor OneHotFunction::operator()(Operand i, std::int64_t n, DType dtype) const {
  const Where where = i.where();
  const detail::At at(where);
  detail::check_index("one_hot", i, where);
  if (n < 0) fail<ShapeError>("one_hot", "a negative extent", where);
  // A weak number is compared in 64 bits, so that one beyond i32 does not wrap into the range.
  const Tensor place = detail::with_element(i, {i.type().dtype, false}, where);
  const Tensor column = iota(n, place.dtype(), where);
  return cast(at(emit_map<ops::Equal>(at(expand_dims(at(place), -1)), at(column))), dtype);
}

}  // namespace autovec::inline v1
