// The kind `map`: how element-wise ops are typed, promoted, batched and recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autovec/lane/record.hpp"
#include "autovec/ops/derive.hpp"
#include "autovec/ops/view-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

/// Base of map ops whose operands share one dtype. A derived struct has `name`, `arity`, and
/// `template <class V> static auto lane(V...)`: V for a value, mask_t<V> for a predicate.
struct MapOp {
  static constexpr Kind kind = Kind::map;
  using Params = NoParams;
  static constexpr Accept accept = Accept::numbers;
  static constexpr bool predicate = false;  // result is b8
};

namespace detail {

inline std::string_view accepted_text(Accept accept) {
  switch (accept) {
    case Accept::floats: return "floats";
    case Accept::numbers: return "numbers";
    case Accept::bits: return "integers or b8";
    default: return "real numbers or b8";
  }
}

[[noreturn]] inline void refuse_dtype(std::string_view op, Accept accept,
                                      std::span<const Type> operands, Where where) {
  std::string what("expected ");
  what += accepted_text(accept);
  what += ", got ";
  what += autovec::detail::types_text(operands);
  fail<TypeError>(op, what, where);
}

/// Operands have one dtype and one shape, or rank 0.
inline std::vector<Type> infer_map(std::string_view op, std::size_t arity, Accept accept,
                                   bool predicate, std::size_t first, std::span<const Type> x,
                                   Where where) {
  autovec::detail::check_arity(op, x.size(), arity, where);
  Extents shape;
  bool same = true;
  bool weak = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i >= first) {
      same = same && x[i].dtype == x[first].dtype;
      weak = weak && x[i].weak;
    }
    if (x[i].rank() == 0) continue;
    if (shape.empty()) shape = x[i].shape;
    if (!(shape == x[i].shape)) {
      fail<ShapeError>(op, "shapes differ: " + autovec::detail::types_text(x), where);
    }
  }
  if (!same || !accepts(accept, x[first].dtype)) refuse_dtype(op, accept, x, where);
  if (predicate) return {Type{DType::b8, false, shape}};
  return {Type{x[first].dtype, weak, shape}};
}
template <class Op>
std::vector<Type> infer_map(std::span<const Type> x, std::size_t first, Where where) {
  return infer_map(Op::name, static_cast<std::size_t>(Op::arity), Op::accept, Op::predicate, first,
                   x, where);
}

/// Records `f(operands as Lane<T>...)` for the C++ type behind `dtype`; f16 and bf16 compute in
/// f32.
template <std::size_t N, class Op, class F>
std::int32_t record_as(lane::Recorder& r, std::span<const std::int32_t> operands, DType dtype,
                       F&& f) {
  const auto run = [&]<class T>(std::span<const std::int32_t> ids) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return f(lane::Lane<T>(r, ids[I])...).id_in(r);
    }
    (std::make_index_sequence<N>());
  };
  return dispatch(
      dtype,
      [&]<class T>() -> std::int32_t {
        if constexpr (accepts(Op::accept, dtype_of<T>)) {
          return run.template operator()<T>(operands);
        } else {
          fail<InternalError>(Op::name, "recorded for a dtype it does not take", Where::unknown());
        }
      },
      [&]() -> std::int32_t {
        if constexpr (accepts(Op::accept, DType::f32)) {
          std::array<std::int32_t, N> wide{};
          for (std::size_t i = 0; i < N; ++i) {
            wide[i] = r.emit(lane::Op::convert, DType::f32, {operands[i]}, 0);
          }
          const std::int32_t result = run.template operator()<float>(wide);
          return Op::predicate ? result : r.emit(lane::Op::convert, dtype, {result}, 0);
        } else {
          fail<InternalError>(Op::name, "recorded for a dtype it does not take", Where::unknown());
        }
      });
}

}  // namespace detail

/// The columns that follow for an op `Op` derived from MapOp.
template <class Op>
struct Map : MapOp {
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params&, Where where) {
    return detail::infer_map<Op>(x, 0, where);
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> operands,
                             LaneTypes types, const autovec::Params&) {
    return detail::record_as<static_cast<std::size_t>(Op::arity), Op>(
        r, operands, types.operands[0], [](auto... x) { return Op::lane(x...); });
  }
  static void batch(BatchCall& call);
  static std::vector<Sample> samples() {
    return autovec::detail::map_samples(Op::arity, [](DType t) { return accepts(Op::accept, t); });
  }
};

/// vmap of a map op: operands are brought to one shape with the lane axis in front; shared operands
/// that vary within a lane repeat along the lanes as a view, rank 0 ones stay.
inline void batch_map(BatchCall& call) {
  Extents lane_shape;
  for (const Batched& x : call.operands) {
    if (x.lane_rank() > lane_shape.size()) lane_shape = x.lane_shape();
  }
  Extents shape = lane_shape;
  shape.insert(0, call.lanes());
  Extents inner_axes;
  for (std::size_t i = 1; i < shape.size(); ++i) inner_axes.push_back(static_cast<std::int64_t>(i));
  std::vector<Tensor> operands;
  for (const Batched& x : call.operands) {
    if (x.mapped) {
      Extents axes{0};
      if (x.lane_rank() != 0) axes.append(inner_axes.begin(), inner_axes.end());
      operands.push_back(broadcast_in(x.value, shape, axes, call.where));
    } else if (x.lane_rank() != 0) {
      operands.push_back(broadcast_in(x.value, shape, inner_axes, call.where));
    } else {
      operands.push_back(x.value);
    }
  }
  call.give(emit_one(call.op, call.params, operands, call.where));
}

template <class Op>
void Map<Op>::batch(BatchCall& call) {
  batch_map(call);
}

}  // namespace ops
}  // namespace autovec::inline v1
