// The planner's own rows: what lowering adds to graphs when it makes masks and sums explicit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autovec/ir/number.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/lane/recorder.hpp"

namespace autovec::inline v1 {
namespace plan {

/// freeze(mask, new, old): new where the mask holds, else old.
struct Freeze {
  static std::vector<Type> infer(std::span<const Type> x, const Params&, Where) { return {x[2]}; }
  static std::int32_t lane(lane::Recorder& r, std::span<const std::int32_t> x, LaneTypes types,
                           const Params&) {
    // Half floats can't be selected; through f32 and back they keep their bits.
    const DType dtype =
        lane::contains(lane::Domain::scalars, types.result) ? types.result : DType::f32;
    const std::int32_t chosen =
        r.emit(lane::Op::select, {x[0], r.convert(x[1], dtype), r.convert(x[2], dtype)});
    return r.convert(chosen, types.result);
  }
};

/// both(a, b): where both masks hold.
struct Both {
  static std::vector<Type> infer(std::span<const Type> x, const Params&, Where) { return {x[0]}; }
  static std::int32_t lane(lane::Recorder& r, std::span<const std::int32_t> x, LaneTypes,
                           const Params&) {
    return r.emit(lane::Op::and_, {x[0], x[1]});
  }
};

/// Result axis i runs along axis `axes[i]` of x, or repeats where that is -1 or has extent 1.
struct SpreadParams {
  Extents shape;
  Extents axes;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("shape", self.shape);
    f("axes", self.axes);
  }
};
struct Spread {
  static std::vector<Type> infer(std::span<const Type> x, const Params& params, Where) {
    return {x[0].with_shape(params.as<SpreadParams>().shape)};
  }
  static bool layout(const Type& operand, const Layout& from, const Type& result,
                     const Params& params, Layout& to) {
    const auto& p = params.as<SpreadParams>();
    to = Layout{from.offset, Extents(result.rank(), 0)};
    for (std::size_t i = 0; i < p.axes.size(); ++i) {
      if (p.axes[i] < 0) continue;
      const auto axis = static_cast<std::size_t>(p.axes[i]);
      if (operand.shape[axis] != 1) to.strides[i] = from.strides[axis];
    }
    return true;
  }
};

/// Sum along axes in the operand's own dtype; "any" for b8.
struct AddUp {
  static std::int32_t combine(lane::Recorder& r, std::int32_t accumulator, std::int32_t x,
                              DType dtype) {
    return r.emit(is_bool(dtype) ? lane::Op::or_ : lane::Op::add, {accumulator, x});
  }
  static Number identity(DType) { return Number(0); }
};

namespace detail {
constexpr OpInfo lowering_row(std::string_view name, Kind kind, int arity) {
  OpInfo row;
  row.name = name;
  row.kind = kind;
  row.arity = arity;
  return row;
}
constexpr OpInfo freeze_info() {
  OpInfo row = lowering_row("freeze", Kind::map, 3);
  row.infer = Freeze::infer;
  row.lane = Freeze::lane;
  return row;
}
constexpr OpInfo both_info() {
  OpInfo row = lowering_row("both", Kind::map, 2);
  row.infer = Both::infer;
  row.lane = Both::lane;
  return row;
}
constexpr OpInfo spread_info() {
  OpInfo row = lowering_row("spread", Kind::view, 1);
  row.params = &params_info<SpreadParams>;
  row.infer = Spread::infer;
  row.layout = Spread::layout;
  return row;
}
constexpr OpInfo add_up_info() {
  OpInfo row = lowering_row("add_up", Kind::reduce, 1);
  row.combine = AddUp::combine;
  row.identity = AddUp::identity;
  return row;
}
}  // namespace detail

inline constexpr OpInfo freeze_row = detail::freeze_info();
inline constexpr OpInfo both_row = detail::both_info();
inline constexpr OpInfo spread_row = detail::spread_info();
inline constexpr OpInfo add_up_row = detail::add_up_info();

}  // namespace plan
}  // namespace autovec::inline v1
