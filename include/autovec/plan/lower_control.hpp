// Lowers branches, loops and scans whose bodies are blocks of steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/plan/lower.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Makes the buffers of a carry and sees that its home holds the operand's value.
inline BlockLowering::CarrySetup BlockLowering::begin_carry(const Node& node, std::size_t operand,
                                                            const Type& type, ValueId result) {
  CarrySetup s;
  s.type = type;
  s.carry.current = add_buffer(Role::bound, type);
  s.carry.next = add_buffer(Role::bound, type);
  // The home is the result's own memory, unless the result is frozen lane by lane elsewhere.
  const bool own = result >= 0;
  const Place home = own ? result_place(result) : fresh(type);
  s.carry.home = home.buffer;
  if (as_literal(graph_.producer(node.operands[operand])) != nullptr) {
    Emitter emitter({});
    const Place at{home.buffer, Layout::contiguous({})};
    emitter.store(at, type.dtype, AffineMap(),
                  emitter.value(scope_, node.operands[operand], AffineMap()));
    launch(emitter, &node, "initial value of a carry");
  } else if (!own || !schedule_.consumes(node, operand)) {
    copy(port(node.operands[operand]), {home.buffer, Layout::contiguous(type.shape)}, &node,
         "initial value of a carry");
  }
  return s;
}

inline void BlockLowering::end_carry(CarrySetup& s, bool in_place) {
  if (in_place) {
    s.carry.next = -1;
  } else {
    s.carry.spare = add_buffer(Role::workspace, s.type);
  }
}

inline void BlockLowering::lower_branch(const Node& x) {
  const auto& p = x.params.as<BranchParams>();
  const Extents lanes = type(x.operands[0]).shape;
  Branch step;
  step.lanes = lane_count(lanes);
  step.index = contiguous_port(x.operands[0], x);
  if (step.lanes != 1) step.mask = add_buffer(Role::workspace, Type{DType::b8, false, lanes});
  const auto results = static_cast<std::size_t>(x.result_count);
  std::vector<BlockInput> inputs;
  for (std::size_t i = 1; i < x.operands.size(); ++i)
    inputs.push_back({place(x.operands[i]), false});
  for (std::size_t s = 0; s < p.sides.size(); ++s) {
    std::vector<BlockOutput> outputs;
    for (std::size_t j = 0; j < results; ++j) {
      const ValueId r = x.result(static_cast<std::int32_t>(j));
      BlockOutput o;
      o.place = result_place(r);
      if (step.lanes != 1) {
        o.mask = {step.mask, Layout::contiguous(lanes)};
        o.lanes = lanes;
        o.present = p.present[s * results + j];
        o.full = type(r);
      } else {
        // The same elements without lane axes of extent 1.
        o.place.layout = Layout::contiguous(p.sides[s].output_type(j).shape);
      }
      outputs.push_back(std::move(o));
    }
    step.sides.push_back(BlockLowering(context_, p.sides[s], inputs, outputs).run());
  }
  add_step(std::move(step), &x, "branch: its sides are more than lane programs can say");
}

inline void BlockLowering::lower_loop(const Node& x) {
  const auto& p = x.params.as<LoopParams>();
  const Extents lanes = p.condition.output_type(0).shape;
  const Type mask_type{DType::b8, false, lanes};
  const auto condition_captures = static_cast<std::size_t>(p.condition_captures);
  const auto body_captures = static_cast<std::size_t>(p.body_captures);
  const std::size_t first = condition_captures + body_captures;
  Loop step;
  step.lanes = lane_count(lanes);
  step.holds = add_buffer(Role::workspace, mask_type);
  step.alive = add_buffer(Role::workspace, mask_type);

  std::vector<BlockInput> condition_inputs, body_inputs;
  for (std::size_t i = 0; i < condition_captures; ++i) {
    condition_inputs.push_back({place(x.operands[i]), false});
  }
  for (std::size_t i = 0; i < body_captures; ++i) {
    body_inputs.push_back({place(x.operands[condition_captures + i]), false});
  }
  body_inputs.push_back({{step.alive, Layout::contiguous(lanes)}, false});
  const std::size_t first_carry_input = body_inputs.size();

  std::vector<CarrySetup> carries;
  std::vector<BlockOutput> body_outputs;
  std::vector<std::size_t> uniform;
  for (std::size_t j = 0; first + j < x.operands.size(); ++j) {
    const Type& own = type(x.operands[first + j]);
    const ValueId result = x.result(static_cast<std::int32_t>(j));
    const bool frozen_apart = is_uniform(lanes, p.present[j]);
    if (frozen_apart) uniform.push_back(j);
    carries.push_back(begin_carry(x, first + j, own, frozen_apart ? -1 : result));
    const Layout contiguous = Layout::contiguous(own.shape);
    condition_inputs.push_back({{carries[j].carry.current, contiguous}, false});
    body_inputs.push_back({{carries[j].carry.current, contiguous}, true});
    BlockOutput o;
    o.place = {carries[j].carry.next, contiguous};
    o.carry = static_cast<std::int32_t>(first_carry_input + j);
    body_outputs.push_back(std::move(o));
  }

  BlockOutput holds;
  holds.place = {step.holds, Layout::contiguous(lanes)};
  step.condition =
      BlockLowering(context_, p.condition, condition_inputs, std::span(&holds, 1)).run();
  // The test of the next trip joins the body: its kernels are often those that make the carries.
  step.body_tests = context_.options.fuse;
  const FrozenBody frozen(p, lanes, step.body_tests);
  if (step.body_tests) {
    body_inputs.insert(body_inputs.end(), condition_inputs.begin(),
                       condition_inputs.begin() + static_cast<std::ptrdiff_t>(condition_captures));
    body_outputs.push_back(holds);
  }
  BlockLowering body(context_, frozen.graph(), body_inputs, body_outputs);
  step.body = body.run();
  for (std::size_t j = 0; j < carries.size(); ++j) {
    end_carry(carries[j], body.in_place(j));
    step.carries.push_back(carries[j].carry);
  }

  if (!uniform.empty()) {
    step.died = add_buffer(Role::workspace, mask_type);
    std::swap(block_, step.freeze);
    for (const std::size_t j : uniform) {
      const ValueId result = x.result(static_cast<std::int32_t>(j));
      const Type full = type(result);
      const Type& own = carries[j].type;
      Emitter emitter(full.shape);
      const AffineMap at = AffineMap::identity(full.rank());
      const lane::ValueId value =
          emitter.load({carries[j].carry.current, Layout::contiguous(own.shape)}, own.dtype,
                       present_rows(at, lanes.size(), p.present[j]));
      const lane::ValueId mask =
          emitter.load({step.died, Layout::contiguous(lanes)}, DType::b8, lane_rows(at, lanes));
      emitter.store_masked(result_place(result), full.dtype, at, value, mask);
      launch(emitter, &x, "uniform carry, kept for the lanes that stopped");
    }
    std::swap(block_, step.freeze);
  }
  add_step(std::move(step), &x, "loop: its body is more than lane programs can say");
}

inline void BlockLowering::lower_scan(const Node& x) {
  const auto& p = x.params.as<ScanParams>();
  const auto captures = static_cast<std::size_t>(p.captures);
  const auto carry_count = static_cast<std::size_t>(p.carries);
  Scan step;
  step.length = p.length;
  step.reverse = p.reverse;
  std::vector<BlockInput> inputs;
  std::vector<BlockOutput> outputs;
  std::vector<CarrySetup> carries;
  for (std::size_t i = 0; i < captures; ++i) inputs.push_back({place(x.operands[i]), false});
  for (std::size_t j = 0; j < carry_count; ++j) {
    const Type& own = type(x.operands[captures + j]);
    carries.push_back(begin_carry(x, captures + j, own, x.result(static_cast<std::int32_t>(j))));
    BlockOutput o;
    o.place = {carries[j].carry.next, Layout::contiguous(own.shape)};
    o.carry = static_cast<std::int32_t>(inputs.size());
    outputs.push_back(std::move(o));
    inputs.push_back({{carries[j].carry.current, Layout::contiguous(own.shape)}, true});
  }
  // The place of slice 0, and of all slices in a buffer that is bound anew each trip.
  const auto add_slice = [&](const Port& whole, std::int64_t along, const Type& slice) {
    const auto axis = static_cast<std::size_t>(along);
    Layout layout{0, whole.place.layout.strides};
    layout.strides.erase(axis);
    const BufferId bound = add_buffer(Role::bound, slice);
    step.slices.push_back({bound, whole.place, slice.dtype, whole.place.layout.strides[axis]});
    return Place{bound, std::move(layout)};
  };
  for (std::size_t i = captures + carry_count; i < x.operands.size(); ++i) {
    const std::size_t k = i - captures - carry_count;
    inputs.push_back(
        {add_slice(port(x.operands[i]), p.in_axes[k], p.body.input_type(inputs.size())), false});
  }
  for (std::size_t k = 0; k < p.out_axes.size(); ++k) {
    const ValueId r = x.result(static_cast<std::int32_t>(carry_count + k));
    BlockOutput o;
    o.place =
        add_slice({type(r), result_place(r)}, p.out_axes[k], p.body.output_type(carry_count + k));
    outputs.push_back(std::move(o));
  }
  BlockLowering body(context_, p.body, inputs, outputs);
  step.body = body.run();
  for (std::size_t j = 0; j < carry_count; ++j) {
    end_carry(carries[j], body.in_place(j));
    step.carries.push_back(carries[j].carry);
  }
  add_step(std::move(step), &x, "scan: slices one after the other");
}

}  // namespace plan
}  // namespace autovec::inline v1
