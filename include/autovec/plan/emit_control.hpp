// Control flow inside a kernel: branches and loops whose carries are one number a lane.
//
// A loop whose carries have exactly the lane axes, and whose bodies are maps, views, gathers from
// arrays outside and such loops again, becomes `while` and `if` instructions: every lane runs its
// own number of trips, and no lane waits for a step of the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "autovec/plan/control.hpp"
#include "autovec/plan/emit.hpp"

namespace autovec::inline v1 {
namespace plan {

/// What a branch or loop needs of its operands if it runs inside a kernel.
struct LaneInfo {
  bool local = false;  // whether it can
  Extents domain;      // of all results
  struct Read {
    std::size_t operand = 0;
    AffineMap at;  // from coordinates of the domain
  };
  std::vector<Read> scalars;        // operands read as numbers at the lane's own coordinates
  std::vector<std::size_t> placed;  // operands that must lie in memory
};

/// LaneInfo of nodes, found by emitting each once into a kernel that is thrown away.
class LaneInfos {
 public:
  const LaneInfo& of(const Graph& graph, const Node& node) {
    const auto [found, fresh] = infos_.try_emplace(&node);
    if (fresh) {
      graphs_.push_back(graph);  // keeps the node's address taken
      LaneInfo info = probe(graph, node);
      return infos_[&node] = std::move(info);
    }
    return found->second;
  }

 private:
  LaneInfo probe(const Graph& graph, const Node& node);
  std::map<const Node*, LaneInfo> infos_;
  std::vector<Graph> graphs_;
};

/// The domain that all results of a control flow node share, with one point a lane; false where
/// results have more axes or differ.
inline bool lane_domain(const Graph& graph, const Node& node, Extents& domain) {
  const Extents& lanes = node.op->kind == Kind::branch
                             ? graph.type(node.operands[0]).shape
                             : node.params.as<LoopParams>().condition.output_type(0).shape;
  if (node.result_count == 0) return false;
  domain = graph.type(node.result()).shape;
  if (domain.size() != lanes.size()) return false;
  for (std::int32_t i = 1; i < node.result_count; ++i) {
    if (!(graph.type(node.result(i)).shape == domain)) return false;
  }
  return true;
}

inline Scope Emitter::region(const Scope& scope, const Graph& graph) {
  Scope r;
  r.graph = graph;
  r.outer = &scope;
  r.bindings.resize(graph->types.size());
  return r;
}

inline void Emitter::bind_outer(Scope& region, std::size_t input, ValueId outer) {
  region.bindings[static_cast<std::size_t>(region.graph->inputs[input])].outer = outer;
}

inline void Emitter::bind_lane(Scope& region, std::size_t input, lane::ValueId value,
                               AffineMap at) {
  Binding& b = region.bindings[static_cast<std::size_t>(region.graph->inputs[input])];
  b.value = value;
  b.at = std::move(at);
}

inline lane::ValueId Emitter::input_value(const Scope& scope, ValueId v, const AffineMap& at) {
  const DType dtype = scope.graph.type(v).dtype;
  const Binding& b = scope.bindings[static_cast<std::size_t>(v)];
  if (b.value >= 0) return at == b.at ? b.value : fail(dtype);  // another lane's number
  if (probe_ != nullptr && scope.outer == probe_->scope) {
    probe_->scalars.push_back({b.outer, at});
  }
  return value(*scope.outer, b.outer, at);
}

inline lane::ValueId Emitter::control_value(const Scope& scope, const Node& node, ValueId v,
                                            const AffineMap& at) {
  Extents domain;
  if (infos_ == nullptr || !lane_domain(scope.graph, node, domain)) {
    return fail(scope.graph.type(v).dtype);
  }
  const lane::ValueIds results =
      node.op->kind == Kind::branch ? branch_values(scope, node, at) : loop_values(scope, node, at);
  if (failed_) return fail(scope.graph.type(v).dtype);
  for (std::size_t i = 0; i < results.size(); ++i) {
    remember(scope, node.result(static_cast<std::int32_t>(i)), at, results[i]);
  }
  return results[static_cast<std::size_t>(v - node.first_result)];
}

inline lane::ValueIds Emitter::branch_values(const Scope& scope, const Node& node,
                                             const AffineMap& at) {
  const auto& p = node.params.as<BranchParams>();
  const Extents& lanes = scope.graph.type(node.operands[0]).shape;
  const auto results = static_cast<std::size_t>(node.result_count);
  const lane::ValueId index = value(scope, node.operands[0], lane_rows(at, lanes));
  if (failed_) return {};
  const auto side_values = [&](std::size_t s) {
    known_.emplace_back();
    Scope side = region(scope, p.sides[s]);
    for (std::size_t i = 1; i < node.operands.size(); ++i)
      bind_outer(side, i - 1, node.operands[i]);
    lane::ValueIds out;
    for (std::size_t j = 0; j < results; ++j) {
      out.push_back(value(side, side.graph->outputs[j],
                          present_rows(at, lanes.size(), p.present[s * results + j])));
    }
    known_.pop_back();
    return out;
  };
  const bool is_bool = scope.graph.type(node.operands[0]).dtype == DType::b8;
  // b8 takes side 1 where it holds; i32 takes the first side whose number is not below it.
  const auto choose = [&](auto&& self, std::size_t s) -> lane::ValueIds {
    if (s + 1 == p.sides.size()) return side_values(is_bool ? 0 : s);
    const lane::ValueId condition =
        is_bool ? index
                : recorder_.emit(lane::Op::le,
                                 {index, recorder_.constant(static_cast<std::int32_t>(s))});
    recorder_.begin_if(condition);
    recorder_.begin_else(side_values(is_bool ? 1 : s));
    return recorder_.end_if(self(self, s + 1));
  };
  return choose(choose, 0);
}

inline lane::ValueIds Emitter::loop_values(const Scope& scope, const Node& node,
                                           const AffineMap& at) {
  const auto& p = node.params.as<LoopParams>();
  const Extents& lanes = p.condition.output_type(0).shape;
  const auto condition_captures = static_cast<std::size_t>(p.condition_captures);
  const auto body_captures = static_cast<std::size_t>(p.body_captures);
  const std::size_t first = condition_captures + body_captures;
  const std::size_t carries = node.operands.size() - first;
  // What does not change from trip to trip is read before the loop. The throw-away kernel of a
  // probe has nothing to gain.
  if (probe_ == nullptr || probe_->node != &node) {
    const LaneInfo& info = infos_->of(scope.graph, node);
    if (!info.local) {
      failed_ = true;
      return {};
    }
    for (const LaneInfo::Read& read : info.scalars) {
      value(scope, node.operands[read.operand], compose(read.at, at));
    }
  }
  lane::ValueIds initial;
  std::vector<AffineMap> rows;
  for (std::size_t j = 0; j < carries; ++j) {
    rows.push_back(present_rows(at, lanes.size(), p.present[j]));
    if (rows[j].rows() != scope.graph.type(node.operands[first + j]).rank()) failed_ = true;
    if (failed_) return {};
    initial.push_back(value(scope, node.operands[first + j], rows[j]));
  }
  if (failed_) return {};

  lane::ValueIds now = recorder_.begin_while(initial);
  known_.emplace_back();
  Scope condition = region(scope, p.condition);
  for (std::size_t i = 0; i < condition_captures; ++i) bind_outer(condition, i, node.operands[i]);
  for (std::size_t j = 0; j < carries; ++j) {
    bind_lane(condition, condition_captures + j, now[j], rows[j]);
  }
  const lane::ValueId holds = value(condition, condition.graph->outputs[0], lane_rows(at, lanes));
  known_.pop_back();

  now = recorder_.begin_body(holds);
  known_.emplace_back();
  Scope body = region(scope, p.body);
  for (std::size_t i = 0; i < body_captures; ++i) {
    bind_outer(body, i, node.operands[condition_captures + i]);
  }
  // A lane that runs is alive.
  if (p.masked) bind_lane(body, body_captures, recorder_.constant(true), lane_rows(at, lanes));
  for (std::size_t j = 0; j < carries; ++j) {
    bind_lane(body, body_captures + (p.masked ? 1 : 0) + j, now[j], rows[j]);
  }
  lane::ValueIds next;
  for (std::size_t j = 0; j < carries; ++j) {
    next.push_back(value(body, body.graph->outputs[j], rows[j]));
  }
  known_.pop_back();
  return recorder_.end_while(next);
}

inline LaneInfo LaneInfos::probe(const Graph& graph, const Node& node) {
  LaneInfo info;
  if ((node.op->kind != Kind::loop && node.op->kind != Kind::branch) ||
      !lane_domain(graph, node, info.domain)) {
    return info;
  }
  // In the probe's scope every operand lies in memory, with strides that no view can merge:
  // whatever the probe can say, the kernel will be able to say.
  Scope scope;
  scope.graph = graph;
  scope.places.resize(graph->types.size());
  for (const ValueId v : node.operands) {
    Extents padded = graph.type(v).shape;
    for (std::int64_t& extent : padded) extent += 1;
    scope.places[static_cast<std::size_t>(v)] = {v, Layout::contiguous(padded)};
  }
  Probe probe{&scope, &node, {}, {}};
  Emitter emitter(info.domain, this);
  emitter.probe(probe);
  emitter.value(scope, node.result(), AffineMap::identity(info.domain.size()));
  info.local = !emitter.failed();
  if (!info.local) return info;
  const auto operand_of = [&](ValueId v) {
    const auto found = std::find(node.operands.begin(), node.operands.end(), v);
    return static_cast<std::size_t>(found - node.operands.begin());
  };
  for (const Probe::Read& read : probe.scalars)
    info.scalars.push_back({operand_of(read.value), read.at});
  for (const ValueId v : probe.placed) info.placed.push_back(operand_of(v));
  // Initial carries, and the index of a branch, are read at the lane's own coordinates.
  const AffineMap at = AffineMap::identity(info.domain.size());
  if (node.op->kind == Kind::branch) {
    info.scalars.push_back({0, lane_rows(at, graph.type(node.operands[0]).shape)});
  } else {
    const auto& p = node.params.as<LoopParams>();
    const auto first = static_cast<std::size_t>(p.condition_captures + p.body_captures);
    const std::size_t lane_rank = p.condition.output_type(0).rank();
    for (std::size_t j = 0; first + j < node.operands.size(); ++j) {
      info.scalars.push_back({first + j, present_rows(at, lane_rank, p.present[j])});
    }
  }
  return info;
}

}  // namespace plan
}  // namespace autovec::inline v1
