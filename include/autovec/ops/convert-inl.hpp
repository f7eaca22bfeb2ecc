// Conversion between dtypes, and the promotion of the operands of map ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autovec/base/list.hpp"
#include "autovec/ops/convert.hpp"
#include "autovec/ops/map_kind.hpp"

namespace autovec::inline v1 {

namespace ops {

/// Value conversion to `dtype`: floats to integers saturate and NaN gives 0, integers wrap, b8 is
/// `!= 0`. A strong result, unless `weak`.
struct Convert {
  static constexpr std::string_view name = "convert";
  static constexpr Kind kind = Kind::map;
  static constexpr int arity = 1;
  struct Params {
    DType dtype = DType::f32;
    bool weak = false;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("dtype", self.dtype);
      f("weak", self.weak);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 1, where);
    const auto& p = params.as<Params>();
    if (is_complex(x[0].dtype) || is_complex(p.dtype)) {
      fail<TypeError>(
          name, "no conversion from " + type_text(x[0]) + " to " + std::string(name_of(p.dtype)),
          where);
    }
    return {Type{p.dtype, p.weak, x[0].shape}};
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> operands,
                             LaneTypes types, const autovec::Params&) {
    if (types.operands[0] == types.result) return operands[0];
    return r.emit(lane::Op::convert, types.result, {operands[0]}, 0);
  }
  static void batch(BatchCall& call) { batch_map(call); }
  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    std::vector<Sample> out;
    for (const DType to : sample_dtypes) {
      const Params p{to, false};
      for (Sample& sample : for_dtypes(
               takes_real, {form(p, {{7}}), form(p, {{}}), form(p, {{0, 2}}), form(p, {{1}})})) {
        out.push_back(std::move(sample));
      }
    }
    return out;
  }
  static std::int32_t simplify(const Graph& g, const Node& node) {
    // convert(x, dtype of x) -> x
    return g.type(node.operands[0]) == g.type(node.result()) ? 0 : -1;
  }
};

/// The same bits read as `dtype` of the same size.
struct Bitcast {
  static constexpr std::string_view name = "bitcast";
  static constexpr Kind kind = Kind::map;
  static constexpr int arity = 1;
  struct Params {
    DType dtype = DType::f32;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("dtype", self.dtype);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 1, where);
    const DType to = params.as<Params>().dtype;
    const auto plain = [](DType t) { return is_int(t) || t == DType::f32 || t == DType::f64; };
    if (size_of(to) != size_of(x[0].dtype) || !plain(to) || !plain(x[0].dtype)) {
      fail<TypeError>(name, type_text(x[0]) + " can't be read as " + std::string(name_of(to)),
                      where);
    }
    return {x[0].with_dtype(to)};
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> operands,
                             LaneTypes types, const autovec::Params&) {
    if (types.operands[0] == types.result) return operands[0];
    return r.emit(lane::Op::bitcast, types.result, {operands[0]}, 0);
  }
  static void batch(BatchCall& call) { batch_map(call); }
  static std::vector<Sample> samples() {
    std::vector<Sample> out;
    constexpr DType pairs[][2] = {{DType::f32, DType::i32}, {DType::u32, DType::f32},
                                  {DType::i32, DType::u32}, {DType::f64, DType::i64},
                                  {DType::i64, DType::f64}, {DType::u8, DType::i8}};
    for (const auto& [from, to] : pairs) {
      for (const Extents& shape : {Extents{5}, Extents{}, Extents{0, 2}, Extents{1}}) {
        out.push_back({autovec::Params::of(Params{to}), {{Type{from, false, shape}}}});
      }
    }
    return out;
  }
};

using ConvertOps = List<Convert, Bitcast>;

}  // namespace ops

namespace detail {
/// `x` with this element; a C++ number is rounded once, here.
AUTOVEC_API Tensor with_element(const Tensor& x, Element element, Where where) {
  const Type& type = x.state().type;
  if (x.is_number()) {
    if (type.dtype == element.dtype && type.weak == element.weak) return x;
    return Tensor::from_number(
        element.weak ? x.state().number : rounded(x.state().number, element.dtype), element.dtype,
        element.weak);
  }
  if (element_of(type) == element) return x;
  return emit_one(row_of<ops::Convert>,
                  Params::of(ops::Convert::Params{element.dtype, element.weak}), std::span(&x, 1),
                  where);
}

/// The element in which `op` computes on these operands. Throws TypeError.
inline Element promote_operands(const OpInfo& op, std::span<const Tensor> operands, Where where) {
  Element element = element_of(operands[0].state().type);
  for (const Tensor& x : operands.subspan(1))
    element = promote(element, element_of(x.state().type));
  if (op.accept == Accept::floats && !is_complex(element.dtype)) element = to_inexact(element);
  if (op.accept == Accept::numbers && is_bool(element.dtype)) element = {DType::i32, true};
  if (!accepts(op.accept, element.dtype)) {
    std::vector<Type> types;
    for (const Tensor& x : operands) types.push_back(x.type());
    ops::detail::refuse_dtype(op.name, op.accept, types, where);
  }
  return element;
}
}  // namespace detail

AUTOVEC_API Tensor CastFunction::operator()(Operand x, DType dtype) const {
  return detail::with_element(x, {dtype, false}, x.where());
}

AUTOVEC_API Tensor BitcastFunction::operator()(Operand x, DType dtype) const {
  return emit_one(row_of<ops::Bitcast>, Params::of(ops::Bitcast::Params{dtype}),
                  std::span(&x.tensor(), 1), x.where());
}

}  // namespace autovec::inline v1
