// Ops that rearrange without computing: each says how the result lies in its operand's block.
// Long because it is a table: one struct an op, with the functions that emit them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "autovec/base/list.hpp"
#include "autovec/ops/derive.hpp"
#include "autovec/ops/view.hpp"

namespace autovec::inline v1 {

namespace ops {

/// What views share: one operand, one result.
struct View {
  static constexpr Kind kind = Kind::view;
  static constexpr int arity = 1;
};

/// Result axis `axes[i]` runs along operand axis i (extents equal, or 1 in the operand); all other
/// result axes repeat.
struct Broadcast : View {
  static constexpr std::string_view name = "broadcast";
  struct Params {
    Extents shape;
    Extents axes;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("shape", self.shape);
      f("axes", self.axes);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    bool fits = p.axes.size() == x[0].rank();
    for (std::size_t i = 0; fits && i < p.axes.size(); ++i) {
      fits = p.axes[i] >= 0 && p.axes[i] < static_cast<std::int64_t>(p.shape.size()) &&
             (i == 0 || p.axes[i - 1] < p.axes[i]);
      if (!fits) break;
      const std::int64_t to = p.shape[static_cast<std::size_t>(p.axes[i])];
      fits = x[0].shape[i] == to || x[0].shape[i] == 1;
    }
    if (!fits) {
      fail<ShapeError>(name, type_text(x[0]) + " does not broadcast to " + shape_text(p.shape),
                       where);
    }
    return {x[0].with_shape(p.shape)};
  }
  static bool layout(const Type& operand, const Layout& from, const Type& result,
                     const autovec::Params& params, Layout& to) {
    const auto& p = params.as<Params>();
    to.offset = from.offset;
    to.strides = Extents(result.rank(), 0);
    for (std::size_t i = 0; i < p.axes.size(); ++i) {
      if (operand.shape[i] != 1) to.strides[static_cast<std::size_t>(p.axes[i])] = from.strides[i];
    }
    return true;
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    p.shape.insert(0, call.lanes());
    for (std::int64_t& axis : p.axes) ++axis;
    p.axes.insert(0, 0);
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::int32_t simplify(const Graph& g, const Node& node) {
    // broadcast(x, its own shape) -> x
    return g.type(node.operands[0]) == g.type(node.result()) ? 0 : -1;
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        takes_real, {form(Params{{2, 3}, {1}}, {{3}}), form(Params{{4}, {}}, {{}}),
                     form(Params{{3, 0, 2}, {0, 2}}, {{1, 2}}),
                     form(Params{{2, 1, 2}, {0, 1}}, {{2, 1}}), form(Params{{2, 0}, {1}}, {{0}})});
  }
};

/// The same elements in row-major order under another shape.
struct Reshape : View {
  static constexpr std::string_view name = "reshape";
  struct Params {
    Extents shape;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("shape", self.shape);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    const Type result = x[0].with_shape(p.shape);
    bool fits = result.size() == x[0].size();
    for (const std::int64_t extent : p.shape) fits = fits && extent >= 0;
    if (!fits) {
      fail<ShapeError>(
          name, type_text(x[0]) + " does not have the size of shape " + shape_text(p.shape), where);
    }
    return {result};
  }
  /// Groups of axes with equal products correspond; a group that is split or merged must be
  /// contiguous in itself.
  static bool layout(const Type& operand, const Layout& from, const Type& result,
                     const autovec::Params&, Layout& to) {
    to.offset = from.offset;
    to.strides = row_major(result.shape);
    if (result.size() == 0) return true;
    Extents shape, strides;  // of the operand without axes of extent 1
    for (std::size_t i = 0; i < operand.rank(); ++i) {
      if (operand.shape[i] == 1) continue;
      shape.push_back(operand.shape[i]);
      strides.push_back(from.strides[i]);
    }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < shape.size()) {
      const std::size_t first_j = j;
      std::int64_t a = shape[i];
      std::int64_t b = 1;
      std::size_t last_i = i;
      while (b != a || j == first_j) {
        if (b < a || j == first_j) {
          b *= result.shape[j++];
        } else {
          ++last_i;
          if (strides[last_i - 1] != strides[last_i] * shape[last_i]) return false;
          a *= shape[last_i];
        }
      }
      std::int64_t run = strides[last_i];
      for (std::size_t k = j; k-- > first_j;) {
        to.strides[k] = run;
        run *= result.shape[k];
      }
      i = last_i + 1;
    }
    return true;
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    p.shape.insert(0, call.lanes());
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::int32_t simplify(const Graph& g, const Node& node) {
    // reshape(x, its own shape) -> x
    return g.type(node.operands[0]) == g.type(node.result()) ? 0 : -1;
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(takes_real, {form(Params{{6}}, {{2, 3}}), form(Params{{3, 2, 1}}, {{2, 3}}),
                                   form(Params{{1, 1}}, {{}}), form(Params{{0}}, {{4, 0}}),
                                   form(Params{{}}, {{1}})});
  }
};

/// Result axis i is operand axis `axes[i]`.
struct Transpose : View {
  static constexpr std::string_view name = "transpose";
  struct Params {
    Extents axes;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("axes", self.axes);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    Extents shape;
    std::vector<bool> seen(x[0].rank(), false);
    bool fits = p.axes.size() == x[0].rank();
    for (const std::int64_t axis : p.axes) {
      fits = fits && axis >= 0 && axis < static_cast<std::int64_t>(x[0].rank()) &&
             !seen[static_cast<std::size_t>(axis)];
      if (!fits) break;
      seen[static_cast<std::size_t>(axis)] = true;
      shape.push_back(x[0].shape[static_cast<std::size_t>(axis)]);
    }
    if (!fits) {
      fail<ShapeError>(name, shape_text(p.axes) + " is no order of the axes of " + type_text(x[0]),
                       where);
    }
    return {x[0].with_shape(shape)};
  }
  static bool layout(const Type&, const Layout& from, const Type&, const autovec::Params& params,
                     Layout& to) {
    const auto& p = params.as<Params>();
    to.offset = from.offset;
    to.strides.clear();
    for (const std::int64_t axis : p.axes) {
      to.strides.push_back(from.strides[static_cast<std::size_t>(axis)]);
    }
    return true;
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    for (std::int64_t& axis : p.axes) ++axis;
    p.axes.insert(0, 0);
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::int32_t simplify(const Graph&, const Node& node) {
    // transpose(x, identity) -> x
    const Extents& axes = node.params.as<Params>().axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] != static_cast<std::int64_t>(i)) return -1;
    }
    return 0;
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(takes_real,
                      {form(Params{{1, 0}}, {{2, 3}}), form(Params{{2, 0, 1}}, {{2, 1, 3}}),
                       form(Params{{1, 0}}, {{0, 2}}), form(Params{{}}, {{}})});
  }
};

/// Along each axis `extents[i]` elements from `starts[i]` in steps of `steps[i]`, which may be
/// negative.
struct Slice : View {
  static constexpr std::string_view name = "slice";
  struct Params {
    Extents starts;
    Extents extents;
    Extents steps;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("starts", self.starts);
      f("extents", self.extents);
      f("steps", self.steps);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    const std::size_t rank = x[0].rank();
    bool fits = p.starts.size() == rank && p.extents.size() == rank && p.steps.size() == rank;
    for (std::size_t i = 0; fits && i < rank; ++i) {
      fits = p.extents[i] >= 0;
      if (p.extents[i] == 0) continue;
      std::int64_t reach = 0;
      std::int64_t last = 0;
      fits = fits && p.starts[i] >= 0 && p.starts[i] < x[0].shape[i] &&
             !__builtin_mul_overflow(p.extents[i] - 1, p.steps[i], &reach) &&
             !__builtin_add_overflow(p.starts[i], reach, &last) && last >= 0 &&
             last < x[0].shape[i];
    }
    if (!fits) {
      std::string what("slice from ");
      what += shape_text(p.starts);
      what += " of ";
      what += shape_text(p.extents);
      what += " elements leaves ";
      what += type_text(x[0]);
      fail<ShapeError>(name, what, where);
    }
    return {x[0].with_shape(p.extents)};
  }
  static bool layout(const Type&, const Layout& from, const Type& result,
                     const autovec::Params& params, Layout& to) {
    const auto& p = params.as<Params>();
    to.offset = from.offset;
    to.strides.clear();
    for (std::size_t i = 0; i < result.rank(); ++i) {
      if (result.shape[i] != 0) to.offset += p.starts[i] * from.strides[i];
      to.strides.push_back(from.strides[i] * p.steps[i]);
    }
    return true;
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    p.starts.insert(0, 0);
    p.extents.insert(0, call.lanes());
    p.steps.insert(0, 1);
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::int32_t simplify(const Graph& g, const Node& node) {
    // slice(x, everything) -> x
    const auto& p = node.params.as<Params>();
    if (!(g.type(node.operands[0]) == g.type(node.result()))) return -1;
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
      if (p.steps[i] != 1 && p.extents[i] > 1) return -1;
    }
    return 0;
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        takes_real,
        {form(Params{{1}, {2}, {2}}, {{5}}), form(Params{{3, 0}, {4, 3}, {-1, 1}}, {{4, 3}}),
         form(Params{{0, 1}, {0, 1}, {1, 1}}, {{0, 2}}), form(Params{{0}, {1}, {1}}, {{1}}),
         form(Params{{2}, {3}, {0}}, {{3}})});
  }
};

/// The diagonal of axes `first` < `second` (of equal extent), which the result has as its axis
/// `first`; `second` is gone.
struct Diagonal : View {
  static constexpr std::string_view name = "diagonal";
  struct Params {
    std::int64_t first = 0;
    std::int64_t second = 1;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("first", self.first);
      f("second", self.second);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    const auto rank = static_cast<std::int64_t>(x[0].rank());
    if (p.first < 0 || p.first >= p.second || p.second >= rank ||
        x[0].shape[static_cast<std::size_t>(p.first)] !=
            x[0].shape[static_cast<std::size_t>(p.second)]) {
      fail<ShapeError>(name, type_text(x[0]) + " has no such diagonal of two equal axes", where);
    }
    Extents shape = x[0].shape;
    shape.erase(static_cast<std::size_t>(p.second));
    return {x[0].with_shape(shape)};
  }
  static bool layout(const Type&, const Layout& from, const Type&, const autovec::Params& params,
                     Layout& to) {
    const auto& p = params.as<Params>();
    to = from;
    to.strides[static_cast<std::size_t>(p.first)] +=
        from.strides[static_cast<std::size_t>(p.second)];
    to.strides.erase(static_cast<std::size_t>(p.second));
    return true;
  }
  static void batch(BatchCall& call) {
    Params p = call.params.as<Params>();
    ++p.first;
    ++p.second;
    call.give(emit_one(call.op, autovec::Params::of(p), std::span(&call.operands[0].value, 1),
                       call.where));
  }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(takes_real, {form(Params{0, 1}, {{3, 3}}), form(Params{0, 2}, {{2, 4, 2}}),
                                   form(Params{0, 1}, {{0, 0}}), form(Params{1, 2}, {{2, 1, 1}})});
  }
};

using ViewOps = List<Broadcast, Reshape, Transpose, Slice, Diagonal>;

}  // namespace ops

/// Result axis `axes[i]` runs along axis i of x; all other axes of `shape` repeat it.
inline Tensor broadcast_in(const Tensor& x, Extents shape, Extents axes, Where where) {
  if (shape == x.shape()) return x;
  return emit_one(row_of<ops::Broadcast>,
                  Params::of(ops::Broadcast::Params{std::move(shape), std::move(axes)}),
                  std::span(&x, 1), where);
}

AUTOVEC_API Tensor BroadcastToFunction::operator()(Operand x, Extents shape) const {
  check_size("broadcast_to", x.type().with_shape(shape), x.where());
  const std::size_t rank = x.rank();
  bool fits = true;
  if (!(broadcast_shapes(x.type().shape, shape, fits) == shape) || !fits) {
    fail<ShapeError>("broadcast_to",
                     type_text(x.type()) + " does not broadcast to " + shape_text(shape),
                     x.where());
  }
  Extents axes;
  for (std::size_t i = 0; i < rank; ++i) {
    axes.push_back(static_cast<std::int64_t>(shape.size() - rank + i));
  }
  return broadcast_in(x, std::move(shape), std::move(axes), x.where());
}

AUTOVEC_API Tensor ReshapeFunction::operator()(Operand x, Extents shape) const {
  std::int64_t known = 1;
  std::int64_t open = -1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != -1) {
      known *= shape[i];
    } else if (open < 0) {
      open = static_cast<std::int64_t>(i);
    } else {
      fail<ShapeError>("reshape", "more than one extent is -1 in " + shape_text(shape), x.where());
    }
  }
  if (open >= 0) {
    const std::int64_t size = x.type().size();
    // With no elements any extent would do where the others are 0: then 0 it is.
    if (known == 0 ? size != 0 : size % known != 0) {
      fail<ShapeError>("reshape", type_text(x.type()) + " does not fit shape " + shape_text(shape),
                       x.where());
    }
    shape[static_cast<std::size_t>(open)] = known == 0 ? 0 : size / known;
  }
  if (shape == x.type().shape) return x;
  return emit_one(row_of<ops::Reshape>, Params::of(ops::Reshape::Params{std::move(shape)}),
                  std::span(&x.tensor(), 1), x.where());
}

AUTOVEC_API Tensor PermuteFunction::operator()(Operand x, Extents axes) const {
  bool identity = axes.size() == x.rank();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = wrap_axis(axes[i], x.rank(), "transpose", x.where());
    identity = identity && axes[i] == static_cast<std::int64_t>(i);
  }
  if (identity) return x;
  return emit_one(row_of<ops::Transpose>, Params::of(ops::Transpose::Params{std::move(axes)}),
                  std::span(&x.tensor(), 1), x.where());
}

AUTOVEC_API Tensor TransposeFunction::operator()(Operand x) const {
  Extents axes;
  for (std::size_t i = x.rank(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  return permute(x, std::move(axes));
}

AUTOVEC_API Tensor TransposeFunction::operator()(Operand x, Extents axes) const {
  return permute(x, std::move(axes));
}

AUTOVEC_API Tensor MoveaxisFunction::operator()(Operand x, std::int64_t from,
                                                std::int64_t to) const {
  from = wrap_axis(from, x.rank(), "moveaxis", x.where());
  to = wrap_axis(to, x.rank(), "moveaxis", x.where());
  Extents axes;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (static_cast<std::int64_t>(i) != from) axes.push_back(static_cast<std::int64_t>(i));
  }
  axes.insert(static_cast<std::size_t>(to), from);
  return permute(x, std::move(axes));
}

AUTOVEC_API Tensor SwapaxesFunction::operator()(Operand x, std::int64_t a, std::int64_t b) const {
  a = wrap_axis(a, x.rank(), "swapaxes", x.where());
  b = wrap_axis(b, x.rank(), "swapaxes", x.where());
  Extents axes;
  for (std::size_t i = 0; i < x.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  std::swap(axes[static_cast<std::size_t>(a)], axes[static_cast<std::size_t>(b)]);
  return permute(x, std::move(axes));
}

AUTOVEC_API Tensor ExpandDimsFunction::operator()(Operand x, std::int64_t axis) const {
  Extents shape = x.type().shape;
  axis = wrap_axis(axis, x.rank() + 1, "expand_dims", x.where());
  shape.insert(static_cast<std::size_t>(axis), 1);
  return reshape(x, std::move(shape));
}

AUTOVEC_API Tensor SqueezeFunction::operator()(Operand x) const {
  Extents shape;
  for (const std::int64_t extent : x.type().shape) {
    if (extent != 1) shape.push_back(extent);
  }
  return reshape(x, std::move(shape));
}

AUTOVEC_API Tensor SqueezeFunction::operator()(Operand x, std::int64_t axis) const {
  axis = wrap_axis(axis, x.rank(), "squeeze", x.where());
  Extents shape = x.type().shape;
  if (shape[static_cast<std::size_t>(axis)] != 1) {
    std::string what("axis ");
    what += number_text(axis);
    what += " of ";
    what += type_text(x.type());
    what += " has not extent 1";
    fail<ShapeError>("squeeze", what, x.where());
  }
  shape.erase(static_cast<std::size_t>(axis));
  return reshape(x, std::move(shape));
}

/// `extents[i]` elements along axis i from `starts[i]` in steps of `steps[i]`.
inline Tensor strided_slice(const Tensor& x, Extents starts, Extents extents, Extents steps,
                            Where where) {
  return emit_one(
      row_of<ops::Slice>,
      Params::of(ops::Slice::Params{std::move(starts), std::move(extents), std::move(steps)}),
      std::span(&x, 1), where);
}

/// Elements [start, start + extent) of one axis, in range already.
inline Tensor slice_axis(const Tensor& x, std::int64_t axis, std::int64_t start,
                         std::int64_t extent, Where where) {
  Extents starts(x.rank(), 0);
  Extents extents = x.shape();
  if (start == 0 && extent == extents[static_cast<std::size_t>(axis)]) return x;
  starts[static_cast<std::size_t>(axis)] = start;
  extents[static_cast<std::size_t>(axis)] = extent;
  return strided_slice(x, std::move(starts), std::move(extents), Extents(x.rank(), 1), where);
}

AUTOVEC_API Tensor FlipFunction::operator()(Operand x, std::int64_t axis) const {
  axis = wrap_axis(axis, x.rank(), "flip", x.where());
  const auto a = static_cast<std::size_t>(axis);
  Extents starts(x.rank(), 0);
  Extents extents = x.type().shape;
  Extents steps(x.rank(), 1);
  starts[a] = extents[a] == 0 ? 0 : extents[a] - 1;
  steps[a] = -1;
  return strided_slice(x, std::move(starts), std::move(extents), std::move(steps), x.where());
}

AUTOVEC_API Tensor DiagonalFunction::operator()(Operand x, std::int64_t first,
                                                std::int64_t second) const {
  first = wrap_axis(first, x.rank(), "diagonal", x.where());
  second = wrap_axis(second, x.rank(), "diagonal", x.where());
  if (first > second) std::swap(first, second);
  const std::int64_t n = std::min(x.type().shape[static_cast<std::size_t>(first)],
                                  x.type().shape[static_cast<std::size_t>(second)]);
  Tensor square = slice_axis(x, first, 0, n, x.where());
  square = slice_axis(square, second, 0, n, x.where());
  const Tensor d = emit_one(row_of<ops::Diagonal>, Params::of(ops::Diagonal::Params{first, second}),
                            std::span(&square, 1), x.where());
  return moveaxis(Operand(d, x.where()), first, -1);
}

}  // namespace autovec::inline v1
