// Tensors from nothing: from C++ data, constants, ranges. And `iota`, the op behind ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/ops/create.hpp"
#include "autovec/ops/map-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

/// 0, 1, ..., size - 1.
struct Iota {
  static constexpr std::string_view name = "iota";
  static constexpr Kind kind = Kind::source;
  static constexpr int arity = 0;
  struct Params {
    std::int64_t size = 0;
    DType dtype = DType::i32;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("size", self.size);
      f("dtype", self.dtype);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 0, where);
    const auto& p = params.as<Params>();
    if (p.size < 0) fail<ShapeError>(name, "a negative size", where);
    if (is_bool(p.dtype) || is_complex(p.dtype)) {
      fail<TypeError>(name, "no range of " + std::string(name_of(p.dtype)), where);
    }
    return {Type{p.dtype, false, {p.size}}};
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> at, LaneTypes types,
                             const autovec::Params&) {
    const std::int32_t i = at[0];
    return types.result == DType::i64 ? i : r.emit(lane::Op::convert, types.result, {i}, 0);
  }
  // No operand, so no operand is mapped; the walk never gets here.
  static void batch(BatchCall& call) {
    fail<InternalError>(name, "batched without operand", call.where);
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> out;
    for (const DType dtype : autovec::detail::sample_dtypes) {
      if (is_bool(dtype)) continue;
      for (const std::int64_t size : {5, 0, 1})
        out.push_back({autovec::Params::of(Params{size, dtype}), {}});
    }
    return out;
  }
};

using SourceOps = List<Iota>;

}  // namespace ops

namespace detail {
/// What zeros, ones and full have in common.
inline Tensor filled(std::string_view op, Extents shape, const Operand& value, DType dtype) {
  const Where where = value.where();
  check_size(op, Type{dtype, false, shape}, where);
  const Tensor x = with_element(value, {dtype, false}, where);
  bool fits = true;
  if (!(broadcast_shapes(x.shape(), shape, fits) == shape) || !fits) {
    fail<ShapeError>(op, type_text(x.type()) + " does not broadcast to " + shape_text(shape),
                     where);
  }
  return broadcast_to(Operand(x, where), std::move(shape));
}
}  // namespace detail

AUTOVEC_API Tensor FullFunction::operator()(Extents shape, Operand value) const {
  return (*this)(std::move(shape), value, value.type().dtype);
}

AUTOVEC_API Tensor FullFunction::operator()(Extents shape, Operand value, DType dtype) const {
  return detail::filled("full", std::move(shape), value, dtype);
}

AUTOVEC_API Tensor ZerosFunction::operator()(Extents shape, DType dtype, Where where) const {
  return detail::filled("zeros", std::move(shape), Operand(0, where), dtype);
}

AUTOVEC_API Tensor OnesFunction::operator()(Extents shape, DType dtype, Where where) const {
  return detail::filled("ones", std::move(shape), Operand(1, where), dtype);
}

AUTOVEC_API Tensor ZerosLikeFunction::operator()(Operand x) const {
  return zeros(x.type().shape, x.type().dtype, x.where());
}

AUTOVEC_API Tensor OnesLikeFunction::operator()(Operand x) const {
  return ones(x.type().shape, x.type().dtype, x.where());
}

AUTOVEC_API Tensor IotaFunction::operator()(std::int64_t size, DType dtype, Where where) const {
  return emit_one(row_of<ops::Iota>, Params::of(ops::Iota::Params{size, dtype}), {}, where);
}

AUTOVEC_API Tensor ArangeFunction::range(Number start, Number stop, Number step, bool real,
                                         Where where) {
  if (step.real() == 0) fail<ShapeError>("arange", "the step is 0", where);
  const double count = std::ceil((stop.real() - start.real()) / step.real());
  const auto n = count > 0 ? static_cast<std::int64_t>(count) : 0;
  if (!real) {
    if (start.as<std::int64_t>() == 0 && step.as<std::int64_t>() == 1)
      return iota(n, DType::i32, where);
    return emit_map<ops::Add>(Operand(emit_map<ops::Mul>(Operand(iota(n, DType::i32, where), where),
                                                         Operand(step.as<std::int32_t>(), where)),
                                      where),
                              Operand(start.as<std::int32_t>(), where));
  }
  const Tensor i = iota(n, DType::f64, where);
  const Tensor x = emit_map<ops::Fma>(Operand(i, where), Operand(step.real(), where),
                                      Operand(start.real(), where));
  return cast(Operand(x, where), default_float());
}

AUTOVEC_API Tensor LinspaceFunction::operator()(double start, double stop, std::int64_t count,
                                                DType dtype, Where where) const {
  if (count < 0) fail<ShapeError>("linspace", "a negative count", where);
  const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
  const Operand i(iota(count, DType::f64, where), where);
  const Tensor x = emit_map<ops::Fma>(i, Operand(step, where), Operand(start, where));
  const Operand last(emit_map<ops::Equal>(i, Operand(count - 1, where)), where);
  const Tensor ends = count > 1 ? detail::emit_select(last, Tensor(stop), x) : x;
  return cast(Operand(ends, where), dtype);
}

AUTOVEC_API Tensor EyeFunction::operator()(std::int64_t n, std::int64_t columns, DType dtype,
                                           Where where) const {
  if (n < 0 || columns < -1)
    fail<ShapeError>("eye", "a negative extent in " + shape_text({n, columns == -1 ? n : columns}),
                     where);
  if (columns < 0) columns = n;
  const Tensor i = broadcast_in(iota(n, DType::i32, where), {n, columns}, {0}, where);
  const Tensor j = broadcast_in(iota(columns, DType::i32, where), {n, columns}, {1}, where);
  return cast(Operand(emit_map<ops::Equal>(Operand(i, where), Operand(j, where)), where), dtype);
}

}  // namespace autovec::inline v1
