// Collectives: values that lanes of a named vmap axis exchange. The vmap that owns the name turns
// them into ordinary ops; none is left when a graph runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace ops {
/// Parameters of a collective: the name of its axis and how many lanes that has.
struct AxisParams {
  std::string axis;
  std::int64_t lanes = 0;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("axis", self.axis);
    f("lanes", self.lanes);
  }
};
}  // namespace ops

namespace detail {
/// Name of a vmap axis together with the caller's place.
struct AxisName {
  template <class T>
    requires std::convertible_to<T, std::string_view> AxisName(const T& name,
                                                               Where place = Where::here())
        : text(name), where(place) {}
    std::string text;
    Where where;
};
}  // namespace detail

/// Sum of x over the lanes of the vmap axis with this name. Throws TraceError where none has it.
struct PsumFunction {
  Tensor operator()(Operand x, detail::AxisName axis) const;
};
inline constexpr PsumFunction psum;

/// Mean over the lanes.
struct PmeanFunction {
  Tensor operator()(Operand x, detail::AxisName axis) const;
};
inline constexpr PmeanFunction pmean;

/// Greatest value over the lanes, element by element.
struct PmaxFunction {
  Tensor operator()(Operand x, detail::AxisName axis) const;
};
inline constexpr PmaxFunction pmax;

/// Least value over the lanes, element by element.
struct PminFunction {
  Tensor operator()(Operand x, detail::AxisName axis) const;
};
inline constexpr PminFunction pmin;

/// All lanes' values, stacked along a new axis 0.
struct AllGatherFunction {
  Tensor operator()(Operand x, detail::AxisName axis) const;
};
inline constexpr AllGatherFunction all_gather;

/// The lane's number along the axis, i32.
struct AxisIndexFunction {
  Tensor operator()(detail::AxisName axis) const;
};
inline constexpr AxisIndexFunction axis_index;

}  // namespace autovec::inline v1
