// Lowers a graph to a plan: decides what lies in memory, in which order it is computed, and where.
//
// One BlockLowering a graph: the plan's own and those inside control flow. A value lies in memory
// ("stored") or is computed inside the kernels that use it. Values that an indexed update or a loop
// passes through share one buffer where nobody reads the old value afterwards (schedule.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ir/graph.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/plan/contract.hpp"
#include "autovec/plan/control.hpp"
#include "autovec/plan/emit.hpp"
#include "autovec/plan/emit_control.hpp"
#include "autovec/plan/fuse.hpp"
#include "autovec/plan/memory.hpp"
#include "autovec/plan/plan.hpp"
#include "autovec/plan/rows.hpp"
#include "autovec/plan/schedule.hpp"
#include "autovec/plan/verify.hpp"

namespace autovec::inline v1 {
namespace plan {

struct LoweringOptions {
  bool fuse = true;          // false: a kernel a node
  bool share_memory = true;  // false: a buffer a value
};

/// Where a block finds an input.
struct BlockInput {
  Place place;
  bool owned = false;  // the block may overwrite it
};

/// Where a block leaves an output.
struct BlockOutput {
  Place place;
  std::int32_t carry = -1;  // input in whose own buffer the output may stay instead
  // Only the lanes that hold in the mask are written; `place` has the full type.
  Place mask;
  Extents lanes;
  std::int64_t present = 0;
  Type full;
};

/// What all blocks of a plan share while it is made.
struct LoweringContext {
  Plan plan;
  LoweringOptions options;
  LaneInfos infos;
};

/// Lowers one graph into one block.
class BlockLowering {
 public:
  BlockLowering(LoweringContext& context, const Graph& graph, std::span<const BlockInput> inputs,
                std::span<const BlockOutput> outputs);
  Block run();
  /// Whether output i was left in the buffer of its carry.
  bool in_place(std::size_t i) const { return in_place_[i]; }

 private:
  const Node& node(std::int32_t n) const { return graph_->nodes[static_cast<std::size_t>(n)]; }
  const Type& type(ValueId v) const { return graph_.type(v); }

  // Buffers.
  BufferId add_buffer(Role role, const Type& type) {
    plan_.buffers.push_back(Buffer{role, type.dtype, type.size(), -1, 0});
    return static_cast<BufferId>(plan_.buffers.size() - 1);
  }
  Place fresh(const Type& type) {
    return {add_buffer(Role::workspace, type), Layout::contiguous(type.shape)};
  }
  Place destination(ValueId v, bool any_layout);
  Place result_place(ValueId v, bool any_layout = false);
  Place place(ValueId v);
  Port port(ValueId v) { return {type(v), place(v)}; }
  Port contiguous_port(ValueId v, const Node& reader);
  Port copied(const Port& from, const Node& node);

  // Steps.
  template <class S>
  void add_step(S step, const Node* node, std::string reason) {
    block_.steps.push_back(Step{
        std::move(step), std::string(node == nullptr ? std::string_view("return") : node->op->name),
        node == nullptr ? Where::unknown() : node->where, std::move(reason)});
  }
  std::int32_t add_kernel(Kernel kernel) {
    plan_.kernels.push_back(std::move(kernel));
    return static_cast<std::int32_t>(plan_.kernels.size() - 1);
  }
  void launch(Emitter& emitter, const Node* node, std::string reason);
  void copy(const Port& from, const Place& to, const Node* node, std::string reason);

  void lower_node(std::int32_t n);
  void lower_group(const KernelGroup& group);
  void lower_fixed_view(const Node& node);
  void lower_reduce(const Node& node);
  void lower_contract(const Node& node);
  void lower_call(const Node& node);
  void lower_scatter(const Node& node);
  void lower_branch(const Node& node);
  void lower_loop(const Node& node);
  void lower_scan(const Node& node);
  void lower_outputs();
  void store_output(Emitter& emitter, std::size_t i);

  struct CarrySetup {
    Carry carry;
    Type type;
  };
  CarrySetup begin_carry(const Node& node, std::size_t operand, const Type& type, ValueId result);
  void end_carry(CarrySetup& setup, bool in_place);

  LoweringContext& context_;
  Plan& plan_;
  Graph graph_;
  std::vector<BlockInput> inputs_;
  std::vector<BlockOutput> outputs_;
  std::vector<char> in_place_;
  Schedule schedule_;
  Fusion fusion_;
  Scope scope_;
  std::vector<Place> class_places_;  // by representative of the sharing class
  Block block_;
};

inline BlockLowering::BlockLowering(LoweringContext& context, const Graph& graph,
                                    std::span<const BlockInput> inputs,
                                    std::span<const BlockOutput> outputs)
    : context_(context),
      plan_(context.plan),
      graph_(graph),
      inputs_(inputs.begin(), inputs.end()),
      outputs_(outputs.begin(), outputs.end()),
      in_place_(outputs.size(), 0) {
  std::vector<char> owned(graph->types.size(), 0);
  scope_.graph = graph;
  scope_.places.resize(graph->types.size());
  class_places_.resize(graph->types.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto v = static_cast<std::size_t>(graph->inputs[i]);
    scope_.places[v] = inputs_[i].place;
    owned[v] = inputs_[i].owned ? 1 : 0;
    if (inputs_[i].owned) class_places_[v] = inputs_[i].place;
  }
  const bool fuses = context.options.fuse;
  std::vector<char> in_kernel(graph->nodes.size(), 0);
  for (std::size_t n = 0; fuses && n < in_kernel.size(); ++n) {
    const Node& x = graph->nodes[n];
    if (x.op->kind != Kind::loop && x.op->kind != Kind::branch) continue;
    in_kernel[n] = context.infos.of(graph, x).local ? 1 : 0;
  }
  schedule_ = make_schedule(graph, owned, in_kernel);
  std::vector<MaskedOutput> masked;
  for (const BlockOutput& o : outputs_) {
    masked.push_back({static_cast<bool>(o.mask), o.full.shape,
                      present_rows(AffineMap::identity(o.full.rank()), o.lanes.size(), o.present)});
  }
  fusion_ = fuses ? Fuser(graph, schedule_, masked, context.infos).run()
                  : separate(graph, schedule_, masked);
}

inline Block BlockLowering::run() {
  for (const Stage& stage : fusion_.stages) {
    if (stage.group >= 0) {
      lower_group(fusion_.groups[static_cast<std::size_t>(stage.group)]);
    } else {
      lower_node(stage.node);
    }
  }
  lower_outputs();
  return std::move(block_);
}

// -- Places ---------------------------------------------------------------------------------------

/// The memory for a new value: that of its sharing class, else an output's, else the workspace's.
inline Place BlockLowering::destination(ValueId v, bool any_layout) {
  const ValueId representative = schedule_.sharing_class(v);
  Place& shared = class_places_[static_cast<std::size_t>(representative)];
  if (shared) return Place{shared.buffer, Layout::contiguous(type(v).shape)};
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const BlockOutput& output = outputs_[i];
    const ValueId w = graph_->outputs[i];
    const ValueId base = same_elements_base(graph_, w);
    if (output.mask || base < 0 || schedule_.sharing_class(base) != representative) continue;
    const bool contiguous =
        output.place.layout.offset == 0 && output.place.layout.is_contiguous(type(w).shape);
    if (!contiguous && !(any_layout && w == v && !schedule_.is_shared(v))) continue;
    if (contiguous) shared = output.place;
    return {output.place.buffer,
            contiguous ? Layout::contiguous(type(v).shape) : output.place.layout};
  }
  shared = fresh(type(v));
  return shared;
}

inline Place BlockLowering::result_place(ValueId v, bool any_layout) {
  Place& p = scope_.places[static_cast<std::size_t>(v)];
  if (!p) p = destination(v, any_layout);
  return p;
}

inline Place BlockLowering::place(ValueId v) {
  const Place p = place_of(scope_, v);
  ensure(static_cast<bool>(p), "plan: a value that must lie in memory does not");
  return p;
}

inline Port BlockLowering::contiguous_port(ValueId v, const Node& reader) {
  const Port p = port(v);
  if (p.place.layout.is_contiguous(p.type.shape)) return p;
  const Port out = copied(p, reader);
  scope_.places[static_cast<std::size_t>(v)] = out.place;
  return out;
}

inline Port BlockLowering::copied(const Port& from, const Node& node) {
  const Port out{from.type, fresh(from.type)};
  copy(from, out.place, &node, "elements must lie one after the other");
  return out;
}

// -- Steps ----------------------------------------------------------------------------------------

inline void BlockLowering::launch(Emitter& emitter, const Node* node, std::string reason) {
  ensure(!emitter.failed(), "plan: a kernel can't say what was fused into it");
  Launch step;
  step.buffers = emitter.buffers();
  lane::Program program = emitter.finish();
  step.kernel = add_kernel(std::move(program));
  step.bytes = moved_bytes(plan_.kernels.back());
  add_step(std::move(step), node, std::move(reason));
}

inline void BlockLowering::copy(const Port& from, const Place& to, const Node* node,
                                std::string reason) {
  if (to.layout.is_contiguous(from.type.shape)) {
    add_step(Copy{from, to}, node, std::move(reason));
    return;
  }
  Emitter emitter(from.type.shape);
  const AffineMap at = AffineMap::identity(from.type.rank());
  emitter.store(to, from.type.dtype, at, emitter.load(from.place, from.type.dtype, at));
  launch(emitter, node, std::move(reason));
}

inline void BlockLowering::lower_node(std::int32_t n) {
  const Node& x = node(n);
  switch (x.op->kind) {
    case Kind::view: return lower_fixed_view(x);
    case Kind::reduce: return lower_reduce(x);
    case Kind::contract: return lower_contract(x);
    case Kind::scatter: return lower_scatter(x);
    case Kind::branch: return lower_branch(x);
    case Kind::loop: return lower_loop(x);
    case Kind::scan: return lower_scan(x);
    default: return lower_call(x);
  }
}

/// `map chain of 3 nodes`
inline std::string chain_text(std::int32_t nodes) {
  std::string out("map chain of ");
  out += number_text(nodes);
  out += nodes == 1 ? " node" : " nodes";
  return out;
}

/// One kernel that computes and stores all values of the group.
inline void BlockLowering::lower_group(const KernelGroup& group) {
  Emitter emitter(group.domain, &context_.infos);
  const AffineMap at = AffineMap::identity(group.domain.size());
  const Node* first = nullptr;
  for (const ValueId v : group.values) emitter.compute(v);
  for (const ValueId v : group.values) {
    const lane::ValueId id = emitter.value(scope_, v, at);
    emitter.store(result_place(v, true), type(v).dtype, at, id);
    if (first == nullptr) first = graph_.producer(v);
  }
  for (const std::int32_t i : group.outputs) store_output(emitter, static_cast<std::size_t>(i));
  launch(emitter, first, emitter.node_count() == 0 ? "constant" : chain_text(emitter.node_count()));
}

// A reshape that merges axes is no change of strides for every operand: then the operand is copied.
inline void BlockLowering::lower_fixed_view(const Node& x) {
  if (schedule_.copies(x)) {
    const Port whole = copied(port(x.result()), x);
    scope_.places[static_cast<std::size_t>(x.result())] = whole.place;
    return;
  }
  if (place_of(scope_, x.result())) return;
  const Port from = copied(port(x.operands[0]), x);
  Place to{from.place.buffer, {}};
  ensure(x.op->layout(from.type, from.place.layout, type(x.result()), x.params, to.layout),
         "plan: a view of contiguous elements must be a change of layout");
  scope_.places[static_cast<std::size_t>(x.result())] = to;
}

inline void BlockLowering::lower_reduce(const Node& x) {
  const auto& p = x.params.as<ReduceParams>();
  const Type& from = type(x.operands[0]);
  const Type& to = type(x.result());
  // The domain has the kept axes, then the reduced ones.
  Extents domain;
  SmallVector<std::size_t, 6> order;
  for (const bool reduced : {false, true}) {
    for (std::size_t axis = 0; axis < from.rank(); ++axis) {
      bool is_reduced = false;
      for (const std::int64_t a : p.axes)
        is_reduced = is_reduced || a == static_cast<std::int64_t>(axis);
      if (is_reduced != reduced) continue;
      domain.push_back(from.shape[axis]);
      order.push_back(axis);
    }
  }
  AffineMap at(from.rank(), from.rank());
  for (std::size_t i = 0; i < order.size(); ++i) at.at(order[i], i) = 1;
  Emitter emitter(domain, &context_.infos);
  const lane::ValueId value =
      emitter.recorder().convert(emitter.value(scope_, x.operands[0], at), to.dtype);
  ensure(!emitter.failed(), "plan: a reduction can't say what was fused into it");
  Place target = result_place(x.result());
  Reduction reduction;
  reduction.result_buffer = emitter.use_buffer(target.buffer, to.dtype, true);
  Launch step;
  step.buffers = emitter.buffers();
  reduction.value = emitter.finish({value});
  reduction.reduced_rank = static_cast<std::int64_t>(p.axes.size());
  reduction.dtype = to.dtype;
  if (x.op->identity != nullptr) {
    reduction.identity_bits = static_cast<std::int64_t>(x.op->identity(to.dtype).bits_as(to.dtype));
  }
  lane::Recorder combine({}, lane::Rounding::free);
  const lane::ValueId a = combine.parameter(to.dtype);
  const lane::ValueId b = combine.parameter(to.dtype);
  const lane::ValueId c = x.op->combine(combine, a, b, to.dtype);
  reduction.combine = combine.finish_function(x.op->name, c);
  step.kernel = add_kernel(std::move(reduction));
  step.bytes = moved_bytes(plan_.kernels.back());
  std::string reason("reduction");
  if (emitter.node_count() != 0) reason += " of a " + chain_text(emitter.node_count());
  add_step(std::move(step), &x, std::move(reason));
}

inline void BlockLowering::lower_contract(const Node& x) {
  const auto& p = x.params.as<ContractParams>();
  LabeledPort a{p.a, port(x.operands[0])};
  LabeledPort b{p.b, port(x.operands[1])};
  const Port c{type(x.result()), result_place(x.result(), true)};
  Contraction contraction = plan::lower_contraction(
      a, b, LabeledPort{p.out, c}, [&](const LabeledPort& from, const std::string& order) {
        LabeledPort permuted{order, {Type{from.port.type.dtype, false, {}}, {}}};
        permuted.port.place = {from.port.place.buffer, {from.port.place.layout.offset, {}}};
        for (const char label : order) {
          const std::size_t axis = from.labels.find(label);
          permuted.port.type.shape.push_back(from.port.type.shape[axis]);
          permuted.port.place.layout.strides.push_back(from.port.place.layout.strides[axis]);
        }
        permuted.port = copied(permuted.port, x);
        return permuted;
      });
  std::string reason("matrix product ");
  if (!contraction.batch.empty()) {
    reason += shape_text(contraction.batch);
    reason += " x ";
  }
  reason += number_text(contraction.m);
  reason += 'x';
  reason += number_text(contraction.k);
  reason += 'x';
  reason += number_text(contraction.n);
  const std::int32_t kernel = add_kernel(std::move(contraction));
  add_step(Contract{kernel, a.port, b.port, c}, &x, std::move(reason));
}

inline void BlockLowering::lower_call(const Node& x) {
  if (x.op->kernel == nullptr) {
    std::string what("plan: no way to compute op ");
    what += x.op->name;
    ensure(false, what);
  }
  Call step{x.op, x.params, plan_.call_count++, {}, {}};
  for (const ValueId v : x.operands) step.operands.push_back(contiguous_port(v, x));
  for (std::int32_t i = 0; i < x.result_count; ++i) {
    const ValueId r = x.result(i);
    step.results.push_back({type(r), result_place(r)});
  }
  std::string reason("library: ");
  reason += x.op->name;
  add_step(std::move(step), &x, std::move(reason));
}

inline void BlockLowering::lower_scatter(const Node& x) {
  const auto& p = x.params.as<ScatterParams>();
  const ValueId r = x.result();
  const Place target = result_place(r);
  const bool in_place = schedule_.consumes(x, 0);
  if (!in_place) copy(port(x.operands[0]), target, &x, "the old value is still needed");
  Scatter step{p, {type(r), target}, port(x.operands[1]), port(x.operands[2]), {}};
  if (p.masked) step.mask = port(x.operands[3]);
  add_step(std::move(step), &x, in_place ? "update in place" : "update of a copy");
}

/// Stores output i where its mask holds, or all of it where there is none.
inline void BlockLowering::store_output(Emitter& emitter, std::size_t i) {
  const BlockOutput& o = outputs_[i];
  const ValueId v = graph_->outputs[i];
  const AffineMap at = AffineMap::identity(o.full.rank());
  const lane::ValueId id = emitter.value(scope_, v, present_rows(at, o.lanes.size(), o.present));
  const lane::ValueId mask = emitter.load(o.mask, DType::b8, lane_rows(at, o.lanes));
  emitter.store_masked(o.place, o.full.dtype, at, id, mask);
}

inline void BlockLowering::lower_outputs() {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const BlockOutput& o = outputs_[i];
    if (o.mask) continue;
    const Port from = port(graph_->outputs[i]);
    if (from.place.buffer == o.place.buffer) continue;
    if (o.carry >= 0) {
      const Place& own = inputs_[static_cast<std::size_t>(o.carry)].place;
      if (from.place.buffer == own.buffer && from.place.layout.offset == 0 &&
          from.place.layout.is_contiguous(from.type.shape)) {
        in_place_[i] = 1;
        continue;
      }
    }
    copy(from, o.place, nullptr, "a result that lies elsewhere");
  }
}

/// Lowers `graph`, whose input i has strides `strides[i]`. Passes of pipeline.hpp run before.
inline Plan lower(const Graph& graph, std::span<const Extents> strides,
                  const LoweringOptions& options) {
  LoweringContext context{{}, options, {}};
  Plan& plan = context.plan;
  std::vector<BlockInput> inputs;
  for (std::size_t i = 0; i < graph.input_count(); ++i) {
    const Type& type = graph.input_type(i);
    plan.inputs.push_back(type);
    plan.input_strides.push_back(strides[i]);
    inputs.push_back({{static_cast<BufferId>(plan.buffers.size()), {0, strides[i]}}, false});
    plan.buffers.push_back({Role::input, type.dtype, type.size(), static_cast<std::int32_t>(i), 0});
  }
  std::vector<BlockOutput> outputs;
  for (std::size_t i = 0; i < graph.output_count(); ++i) {
    const Type& type = graph.output_type(i);
    plan.outputs.push_back(type);
    BlockOutput o;
    o.place = {static_cast<BufferId>(plan.buffers.size()), Layout::contiguous(type.shape)};
    outputs.push_back(std::move(o));
    plan.buffers.push_back(
        {Role::output, type.dtype, type.size(), static_cast<std::int32_t>(i), 0});
  }
  plan.root = BlockLowering(context, graph, inputs, outputs).run();
  assign_memory(plan, options.share_memory);
  const std::string fault = fault_of(plan);
  ensure(fault.empty(), "plan: " + fault);
  return std::move(context.plan);
}

}  // namespace plan
}  // namespace autovec::inline v1
