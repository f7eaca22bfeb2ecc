// Samples of the ops that hold graphs: small ones of every form that batching makes of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/kinds.hpp"
#include "autovec/ops/control_batch-inl.hpp"
#include "autovec/ops/sample.hpp"

namespace autovec::inline v1 {

namespace ops {

namespace detail {

using Handles = std::span<const Tensor>;

template <class Op>
Tensor apply_map(const Tensor& x, const Tensor& y) {
  return emit_map<Op>(Operand(x, Where::unknown()), Operand(y, Where::unknown()));
}
inline Tensor along_rows(const Tensor& x, const Extents& shape) {
  Extents axes;
  for (std::size_t i = 0; i < x.rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return broadcast_in(x, shape, axes, Where::unknown());
}
/// The extent within a lane of the i-th sample.
inline std::int64_t inner_extent(std::size_t i) {
  constexpr std::int64_t extents[] = {2, 3, 0, 2, 1};
  return extents[i % 5];
}
inline SampleOperand trips_operand(const Extents& shape) {
  return {Type{DType::i32, false, shape}, Draw::between, -1, 4};
}

}  // namespace detail

inline std::vector<Sample> branch_samples() {
  std::vector<Sample> out;
  for (const DType dtype : autovec::detail::sample_dtypes) {
    if (!autovec::detail::takes_plain_numbers(dtype)) continue;
    // Plain, and with one lane axis along which the second result is uniform on one side.
    for (const Extents& lanes : {Extents{}, Extents{3}, Extents{1}}) {
      for (const bool two : {true, false}) {
        Extents shape = lanes;
        shape.push_back(detail::inner_extent(out.size()));
        const std::vector<Type> types{Type{dtype, false, shape}, Type{dtype, false, {}}};
        const auto side = [&](auto&& first, bool uniform) {
          return detail::build_graph(types, [&](detail::Handles in) {
            const Tensor last = uniform ? in[1] : detail::along_rows(in[1], lanes);
            return std::vector<Tensor>{first(in[0], in[1]), last};
          });
        };
        BranchParams p;
        const std::int64_t all = lanes.empty() ? 0 : 1;
        p.sides.push_back(side(detail::apply_map<Add>, true));
        p.sides.push_back(side(detail::apply_map<Mul>, false));
        p.present = {all, 0, all, all};
        if (!two) {
          p.sides.push_back(side(detail::apply_map<FloorDivide>, true));
          p.present = {all, 0, all, all, all, 0};
        }
        const SampleOperand index =
            two ? SampleOperand{Type{DType::b8, false, lanes}} : detail::trips_operand(lanes);
        out.push_back({Params::of(std::move(p)), {index, {types[0]}, {types[1]}}});
      }
    }
  }
  return out;
}

inline std::vector<Sample> loop_samples() {
  std::vector<Sample> out;
  for (const DType dtype : autovec::detail::sample_dtypes) {
    if (!autovec::detail::takes_plain_numbers(dtype)) continue;
    for (const Extents& lanes : {Extents{}, Extents{3}}) {
      for (const bool masked : {false, true}) {
        Extents shape = lanes;
        shape.push_back(detail::inner_extent(out.size()));
        // while limit < n: n - 1, x * scale, u + scale: u is uniform.
        const Type n{DType::i32, false, lanes}, limit{DType::i32, false, {}};
        const Type x{dtype, false, shape}, scalar{dtype, false, {}};
        LoopParams p;
        p.condition_captures = 1;
        p.body_captures = 1;
        p.masked = masked;
        p.present = lanes.empty() ? Extents{0, 0, 0} : Extents{1, 1, 0};
        p.condition =
            detail::build_graph(std::vector<Type>{limit, n, x, scalar}, [](detail::Handles in) {
              return std::vector<Tensor>{detail::apply_map<Less>(in[0], in[1])};
            });
        std::vector<Type> inputs{scalar, n, x, scalar};
        if (masked) inputs.insert(inputs.begin() + 1, Type{DType::b8, false, lanes});
        p.body = detail::build_graph(inputs, [&](detail::Handles in) {
          const detail::Handles carries = in.subspan(masked ? 2 : 1);
          return std::vector<Tensor>{detail::apply_map<Sub>(carries[0], Tensor(1)),
                                     detail::apply_map<Mul>(carries[1], in[0]),
                                     detail::apply_map<Add>(carries[2], in[0])};
        });
        out.push_back({Params::of(std::move(p)),
                       {SampleOperand{limit, Draw::between, 0, 2},
                        {scalar},
                        detail::trips_operand(lanes),
                        {x},
                        {scalar}}});
      }
    }
  }
  return out;
}

inline std::vector<Sample> scan_samples() {
  std::vector<Sample> out;
  for (const DType dtype : autovec::detail::sample_dtypes) {
    if (!autovec::detail::takes_plain_numbers(dtype)) continue;
    for (const std::int64_t length : {3, 1, 0}) {
      for (const std::int64_t axis : {0, 1}) {
        const Type scalar{dtype, false, {}}, state{dtype, false, {2}};
        ScanParams p;
        p.length = length;
        p.captures = 1;
        p.carries = 1;
        p.reverse = axis == 1;
        p.in_axes = {axis};
        p.out_axes = {axis};
        p.body =
            detail::build_graph(std::vector<Type>{scalar, state, state}, [](detail::Handles in) {
              const Tensor next =
                  detail::apply_map<Add>(detail::apply_map<Mul>(in[1], in[0]), in[2]);
              return std::vector<Tensor>{next, detail::apply_map<Maximum>(next, in[2])};
            });
        const Type sequence{dtype, false, axis == 0 ? Extents{length, 2} : Extents{2, length}};
        out.push_back({Params::of(std::move(p)), {{scalar}, {state}, {sequence}}});
      }
    }
  }
  return out;
}

}  // namespace ops
}  // namespace autovec::inline v1
