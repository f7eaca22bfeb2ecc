// Decides which values lie in memory, and which of those one kernel computes together.
//
// A value is computed inside the kernels that use it if that costs less than memory does: one
// kernel uses it at one set of coordinates, or it is a matter of one or two instructions.
// Everything else is stored, and stored values of one domain share a kernel where no other step
// stands between them.
// Long because the rules of what may share a kernel decide together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/graph.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/plan/affine.hpp"
#include "autovec/plan/emit_control.hpp"
#include "autovec/plan/schedule.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Values that one kernel computes and stores, at the points of one domain.
struct KernelGroup {
  Extents domain;
  std::vector<ValueId> values;
  std::vector<std::int32_t> outputs;  // masked outputs of the block stored with them
};

/// What is lowered next: a group, or a node that is a step of its own.
struct Stage {
  std::int32_t group = -1;
  std::int32_t node = -1;
};

struct Fusion {
  std::vector<Stage> stages;
  std::vector<KernelGroup> groups;
};

/// An output that is stored under a mask: its full shape, and its coordinates from those of that.
struct MaskedOutput {
  bool masked = false;
  Extents shape;
  AffineMap at;
};

/// Whether lane programs compute the node's result from its operands' elements.
inline bool is_pointwise(const Node& node) {
  switch (node.op->kind) {
    case Kind::map:
    case Kind::gather: return true;
    case Kind::source: return node.op->lane != nullptr || as_literal(&node) != nullptr;
    default: return false;
  }
}

/// The value whose elements `v` shows through views.
inline ValueId viewed(const Graph& graph, ValueId v) {
  for (const Node* n = graph.producer(v); n != nullptr && n->op->kind == Kind::view;
       n = graph.producer(v)) {
    v = n->operands[0];
  }
  return v;
}

/// No fusion: a kernel a node, a buffer a value. Control flow is steps, never lane instructions.
inline Fusion separate(const Graph& graph, const Schedule& schedule,
                       std::span<const MaskedOutput> outputs) {
  Fusion out;
  std::vector<char> demanded(graph->types.size(), 0);
  const auto demand = [&](ValueId v) { demanded[static_cast<std::size_t>(viewed(graph, v))] = 1; };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].masked) demand(graph->outputs[i]);
  }
  for (const std::int32_t n : schedule.order) {
    const Node& node = graph->nodes[static_cast<std::size_t>(n)];
    if (node.op->kind == Kind::map) continue;
    for (const ValueId v : node.operands) demand(v);
  }
  const auto add_group = [&](KernelGroup group) {
    out.stages.push_back({static_cast<std::int32_t>(out.groups.size()), -1});
    out.groups.push_back(std::move(group));
  };
  for (const std::int32_t n : schedule.order) {
    const Node& node = graph->nodes[static_cast<std::size_t>(n)];
    AffineMap unused;
    if (as_literal(&node) != nullptr) {
      if (demanded[static_cast<std::size_t>(node.result())] != 0)
        add_group({{}, {node.result()}, {}});
    } else if (is_pointwise(node)) {
      add_group({graph.type(node.result()).shape, {node.result()}, {}});
    } else if (node.op->kind != Kind::view || schedule.copies(node) ||
               !view_map(graph, node, unused)) {
      out.stages.push_back({-1, n});
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].masked) add_group({outputs[i].shape, {}, {static_cast<std::int32_t>(i)}});
  }
  return out;
}

/// Fuses one block.
class Fuser {
 public:
  Fuser(const Graph& graph, const Schedule& schedule, std::span<const MaskedOutput> outputs,
        LaneInfos& infos)
      : graph_(graph), schedule_(schedule), outputs_(outputs), infos_(infos) {}

  Fusion run() {
    const std::size_t values = graph_->types.size();
    requests_.resize(values);
    demanded_.assign(values, 0);
    stored_.assign(values, 0);
    measure();
    for (std::size_t i = 0; i < outputs_.size(); ++i) request_output(i);
    for (std::size_t i = schedule_.order.size(); i-- > 0;) decide(schedule_.order[i]);
    group();
    drop_needless_stores();
    return std::move(fusion_);
  }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  // Instructions that are cheaper again than a store and a load.
  static constexpr std::int64_t cheap = 2;
  static constexpr std::int64_t dear = 1 << 20;
  static constexpr std::int64_t most_nodes = 200;
  static constexpr std::int64_t small_domain = 4096;

  /// A kernel that will read values: a stored value's, a reduction's, a masked output's.
  struct Owner {
    std::int64_t position = 0;
    std::int64_t points = 1;
    bool reduces = false;
    std::int64_t nodes = 0;
  };
  struct Request {
    std::int32_t owner = -1;
    AffineMap at;
    friend bool operator==(const Request& a, const Request& b) noexcept {
      return a.owner == b.owner && a.at == b.at;
    }
  };

  const Node& node(std::int32_t n) const { return graph_->nodes[static_cast<std::size_t>(n)]; }
  const Type& type(ValueId v) const { return graph_.type(v); }
  std::vector<Request>& requests(ValueId v) { return requests_[static_cast<std::size_t>(v)]; }
  bool demanded(ValueId v) const { return demanded_[static_cast<std::size_t>(v)] != 0; }
  void demand(ValueId v) { demanded_[static_cast<std::size_t>(viewed(graph_, v))] = 1; }
  bool is_local(const Node& x) {
    return (x.op->kind == Kind::loop || x.op->kind == Kind::branch) && infos_.of(graph_, x).local;
  }
  bool is_inline(const Node& x) { return is_pointwise(x) || is_local(x); }
  /// Whether the node is a view that kernels look through.
  bool is_fused_view(const Node& x) const {
    AffineMap unused;
    return x.op->kind == Kind::view && !schedule_.copies(x) && view_map(graph_, x, unused);
  }
  std::int32_t add_owner(std::int64_t position, const Extents& domain, bool reduces = false) {
    owners_.push_back({position, extent_product(domain, 0, domain.size()), reduces, 0});
    return static_cast<std::int32_t>(owners_.size() - 1);
  }

  // -- Costs
  // ----------------------------------------------------------------------------------------

  /// Instructions of a map's body; a call counts as many.
  std::int64_t body_cost(const Node& x) {
    SmallVector<DType, 4> dtypes;
    for (const ValueId v : x.operands) dtypes.push_back(type(v).dtype);
    const DType result = type(x.result()).dtype;
    const auto key = std::pair(x.op, dtypes.empty() ? result : dtypes.back());
    const auto found = body_costs_.find(key);
    if (found != body_costs_.end()) return found->second;
    lane::Recorder recorder;
    SmallVector<lane::ValueId, 4> ids;
    for (const DType t : dtypes)
      ids.push_back(recorder.load({recorder.add_buffer(t, false), 0, {}}));
    const lane::ValueId y = x.op->lane(recorder, {ids.data(), ids.size()},
                                       LaneTypes{{dtypes.data(), dtypes.size()}, result}, x.params);
    std::int64_t cost = 0;
    lane::for_each_instruction(recorder.finish({y}).body, [&](const lane::Instruction& i) {
      if (i.op == lane::Op::load || i.op == lane::Op::constant) return;
      cost += i.op == lane::Op::call ? 20 : 1;
    });
    body_costs_[key] = cost;
    return cost;
  }

  /// For each value: what computing it takes if nothing it uses is stored, and the first position
  /// at which memory that it then reads is overwritten.
  void measure() {
    cost_.assign(graph_->types.size(), 0);
    deadline_.assign(graph_->types.size(), never);
    for (std::size_t v = 0; v < deadline_.size(); ++v) {
      if (schedule_.overwritten[v] >= 0) deadline_[v] = schedule_.overwritten[v];
    }
    for (const std::int32_t n : schedule_.order) {
      const Node& x = node(n);
      std::int64_t cost = 0;
      std::int64_t deadline = never;
      const bool passes_on = is_inline(x) || (x.op->kind == Kind::view && !schedule_.copies(x));
      for (const ValueId v : x.operands) {
        if (!passes_on) break;
        cost += cost_[static_cast<std::size_t>(v)];
        deadline = std::min(deadline, deadline_[static_cast<std::size_t>(v)]);
      }
      if (x.op->kind == Kind::map) cost += body_cost(x);
      if (x.op->kind == Kind::gather) cost += 4;
      if (is_local(x)) cost = dear;
      for (std::int32_t i = 0; i < x.result_count; ++i) {
        const auto r = static_cast<std::size_t>(x.result(i));
        cost_[r] = passes_on ? std::min(cost, dear) : 0;
        deadline_[r] = std::min(deadline_[r], deadline);
      }
    }
  }

  // -- Inline or stored
  // -----------------------------------------------------------------------------

  void request(ValueId v, Request r) {
    std::vector<Request>& list = requests(v);
    if (std::find(list.begin(), list.end(), r) == list.end()) list.push_back(std::move(r));
  }

  void request_output(std::size_t i) {
    const ValueId v = graph_->outputs[i];
    if (outputs_[i].masked) {
      const std::int32_t owner =
          add_owner(static_cast<std::int64_t>(schedule_.order.size()), outputs_[i].shape);
      request(v, {owner, outputs_[i].at});
      return;
    }
    // A view of something that is computed is computed in its own arrangement; else it is copied.
    const Node* producer = graph_.producer(v);
    const ValueId base = viewed(graph_, v);
    const Node* base_producer = graph_.producer(base);
    const bool computed = base_producer != nullptr && is_inline(*base_producer);
    if (producer != nullptr && producer->op->kind == Kind::view && computed &&
        same_elements_base(graph_, v) < 0) {
      demanded_[static_cast<std::size_t>(v)] = 1;
    } else {
      demand(v);
    }
  }

  /// Passes the reads of `x`, computed for `owner` at coordinates `at` of its results, on to
  /// operands.
  void read_operands(const Node& x, std::int32_t owner, const AffineMap& at) {
    owners_[static_cast<std::size_t>(owner)].nodes += 1;
    switch (x.op->kind) {
      case Kind::map:
        for (const ValueId v : x.operands) {
          request(v, {owner, type(v).rank() == 0 ? at.without_rows() : at});
        }
        break;
      case Kind::view: {
        AffineMap map;
        if (view_map(graph_, x, map)) request(x.operands[0], {owner, compose(map, at)});
        break;
      }
      case Kind::gather: {
        const Type& starts = type(x.operands[1]);
        const std::int64_t k = starts.rank() == 0 ? 0 : starts.shape[starts.rank() - 1];
        for (std::int64_t i = 0; i < k; ++i) {
          AffineMap start = at.without_rows();
          for (std::size_t r = 0; r + 1 < starts.rank(); ++r) start.add_row(at, r);
          start.add_constant_row(i);
          request(x.operands[1], {owner, std::move(start)});
        }
        break;
      }
      case Kind::loop:
      case Kind::branch:
        for (const LaneInfo::Read& read : infos_.of(graph_, x).scalars) {
          request(x.operands[read.operand], {owner, compose(read.at, at)});
        }
        break;
      default: break;
    }
  }

  void decide(std::int32_t n) {
    const Node& x = node(n);
    const std::int64_t position = schedule_.position[static_cast<std::size_t>(n)];
    if (as_literal(&x) != nullptr) {
      if (demanded(x.result())) store(x.result());
    } else if (x.op->kind == Kind::view) {
      decide_view(x, position);
    } else if (x.op->kind == Kind::reduce) {
      reduce_reads(x, position);
    } else if (is_inline(x)) {
      if (x.op->kind == Kind::gather) demand(x.operands[0]);
      if (is_local(x)) {
        for (const std::size_t i : infos_.of(graph_, x).placed) demand(x.operands[i]);
      }
      decide_inline(x, position);
    } else {
      for (std::size_t i = 0; i < x.operands.size(); ++i) {
        // A constant goes straight into the memory of a carry that starts with it.
        const bool starts = consuming_result(graph_, x, i) >= 0 && x.op->kind != Kind::scatter;
        if (!starts || as_literal(graph_.producer(x.operands[i])) == nullptr) demand(x.operands[i]);
      }
    }
  }

  void store(ValueId v) { stored_[static_cast<std::size_t>(v)] = 1; }
  bool is_stored(ValueId v) const { return stored_[static_cast<std::size_t>(v)] != 0; }

  void decide_view(const Node& x, std::int64_t position) {
    if (!is_fused_view(x)) {
      demand(x.operands[0]);
      return;
    }
    const ValueId v = x.result();
    if (demanded(v)) {
      store(v);
      requests(v).clear();
      read_operands(x, add_owner(position, type(v).shape), AffineMap::identity(type(v).rank()));
      return;
    }
    for (const Request& r : std::vector<Request>(requests(v))) read_operands(x, r.owner, r.at);
  }

  void reduce_reads(const Node& x, std::int64_t position) {
    const Type& from = type(x.operands[0]);
    request(x.operands[0],
            {add_owner(position, from.shape, true), AffineMap::identity(from.rank())});
  }

  void decide_inline(const Node& x, std::int64_t position) {
    bool stores = false;
    std::vector<Request> distinct;
    std::int64_t used = 0;
    for (std::int32_t i = 0; i < x.result_count; ++i) {
      const ValueId v = x.result(i);
      stores = stores || demanded(v);
      used += demanded(v) || !requests(v).empty() ? 1 : 0;
      for (const Request& r : requests(v)) {
        if (std::find(distinct.begin(), distinct.end(), r) == distinct.end()) distinct.push_back(r);
      }
    }
    if (used == 0) return;
    stores = stores || !worth_inlining(x, distinct);
    if (!stores) {
      for (const Request& r : distinct) read_operands(x, r.owner, r.at);
      return;
    }
    const std::int32_t owner = add_owner(position, type(x.result()).shape);
    for (std::int32_t i = 0; i < x.result_count; ++i) {
      const ValueId v = x.result(i);
      if (demanded(v) || !requests(v).empty()) store(v);
    }
    read_operands(x, owner, AffineMap::identity(type(x.result()).rank()));
  }

  bool worth_inlining(const Node& x, const std::vector<Request>& distinct) const {
    const ValueId v = x.result();
    const std::int64_t cost = cost_[static_cast<std::size_t>(v)];
    const std::int64_t size = type(v).size();
    for (const Request& r : distinct) {
      const Owner& owner = owners_[static_cast<std::size_t>(r.owner)];
      if (owner.position > deadline_of_operands(x)) return false;
      if (owner.nodes >= most_nodes || (owner.reduces && cost >= dear)) return false;
      if (owner.points > size && cost > cheap) return false;
    }
    return distinct.size() == 1 || cost <= cheap;
  }
  std::int64_t deadline_of_operands(const Node& x) const {
    std::int64_t d = never;
    for (const ValueId v : x.operands) d = std::min(d, deadline_[static_cast<std::size_t>(v)]);
    return d;
  }

  // -- Groups
  // ---------------------------------------------------------------------------------------

  /// What a kernel loads for one of its values.
  struct Loads {
    std::vector<std::pair<ValueId, AffineMap>> values;
    std::vector<ValueId> arrays;  // read at computed places
    std::vector<std::pair<ValueId, AffineMap>> seen;
  };

  void collect_loads(ValueId v, const AffineMap& at, Loads& out, bool root = false) {
    for (const auto& [w, seen_at] : out.seen) {
      if (w == v && seen_at == at) return;
    }
    out.seen.push_back({v, at});
    const Node* x = graph_.producer(v);
    if (x == nullptr || (!root && is_stored(v))) {
      out.values.push_back({v, at});
      return;
    }
    if (as_literal(x) != nullptr) return;
    AffineMap map;
    switch (x->op->kind) {
      case Kind::map:
        for (const ValueId w : x->operands) {
          collect_loads(w, type(w).rank() == 0 ? at.without_rows() : at, out);
        }
        return;
      case Kind::view:
        if (is_fused_view(*x) && view_map(graph_, *x, map)) {
          collect_loads(x->operands[0], compose(map, at), out);
          return;
        }
        out.values.push_back({v, at});
        return;
      case Kind::gather: {
        out.arrays.push_back(x->operands[0]);
        const Type& starts = type(x->operands[1]);
        AffineMap start = at.without_rows();
        for (std::size_t r = 0; r + 1 < starts.rank(); ++r) start.add_row(at, r);
        start.add_constant_row(0);
        collect_loads(x->operands[1], start, out);
        return;
      }
      case Kind::loop:
      case Kind::branch:
        if (!is_local(*x)) break;
        for (const LaneInfo::Read& read : infos_.of(graph_, *x).scalars) {
          collect_loads(x->operands[read.operand], compose(read.at, at), out);
        }
        for (const std::size_t i : infos_.of(graph_, *x).placed) {
          out.arrays.push_back(x->operands[i]);
        }
        return;
      default:
        if (is_pointwise(*x)) return;
        break;
    }
    out.values.push_back({v, at});
  }

  /// Stage at which `v` lies in memory; inputs always do.
  std::int64_t stage_of(ValueId v) const {
    const Node* x = graph_.producer(v);
    while (x != nullptr && x->op->kind == Kind::view && !is_stored(v) &&
           stages_[static_cast<std::size_t>(v)] < 0) {
      v = x->operands[0];
      x = graph_.producer(v);
    }
    return stages_[static_cast<std::size_t>(v)];
  }

  void group() {
    stages_.assign(graph_->types.size(), -1);
    group_of_.assign(graph_->types.size(), -1);
    for (const std::int32_t n : schedule_.order) {
      const Node& x = node(n);
      bool any_stored = false;
      for (std::int32_t i = 0; i < x.result_count; ++i)
        any_stored = any_stored || is_stored(x.result(i));
      if (any_stored) {
        place_in_group(x);
        continue;
      }
      const bool is_step = !is_inline(x) && !is_fused_view(x);
      if (!is_step) continue;
      for (std::int32_t i = 0; i < x.result_count; ++i) {
        stages_[static_cast<std::size_t>(x.result(i))] =
            static_cast<std::int64_t>(fusion_.stages.size());
      }
      fusion_.stages.push_back({-1, n});
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].masked) continue;
      Loads loads;
      collect_loads(graph_->outputs[i], outputs_[i].at, loads);
      const std::size_t g = find_group(outputs_[i].shape, loads);
      fusion_.groups[g].outputs.push_back(static_cast<std::int32_t>(i));
      remember_loads(g, loads);
    }
  }

  void place_in_group(const Node& x) {
    const Extents& domain = type(x.result()).shape;
    Loads loads;
    collect_loads(x.result(), AffineMap::identity(domain.size()), loads, true);
    const std::size_t g = find_group(domain, loads);
    for (std::int32_t i = 0; i < x.result_count; ++i) {
      const ValueId v = x.result(i);
      if (!is_stored(v)) continue;
      fusion_.groups[g].values.push_back(v);
      stages_[static_cast<std::size_t>(v)] = group_stages_[g];
      group_of_[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(g);
    }
    remember_loads(g, loads);
  }

  void remember_loads(std::size_t g, const Loads& loads) {
    for (const auto& [v, at] : loads.values) group_loads_[g].push_back(v);
  }

  /// The latest group of this domain that a value with these loads can join, or a new one.
  std::size_t find_group(const Extents& domain, const Loads& loads) {
    const AffineMap identity = AffineMap::identity(domain.size());
    const std::int64_t points = extent_product(domain, 0, domain.size());
    for (std::size_t g = fusion_.groups.size(); g-- > 0;) {
      const KernelGroup& group = fusion_.groups[g];
      if (!(group.domain == domain) || group.values.size() + group.outputs.size() >= 16) continue;
      bool fits = true;
      bool shares = points <= small_domain;
      for (const ValueId v : loads.arrays) fits = fits && stage_of(v) < group_stages_[g];
      for (const auto& [v, at] : loads.values) {
        if (group_of_[static_cast<std::size_t>(v)] == static_cast<std::int32_t>(g)) {
          fits = fits && at == identity;
          shares = true;
        } else {
          fits = fits && stage_of(v) < group_stages_[g];
          shares = shares || std::find(group_loads_[g].begin(), group_loads_[g].end(), v) !=
                                 group_loads_[g].end();
        }
      }
      if (fits && shares) return g;
    }
    fusion_.groups.push_back({domain, {}, {}});
    group_loads_.emplace_back();
    group_stages_.push_back(static_cast<std::int64_t>(fusion_.stages.size()));
    fusion_.stages.push_back({static_cast<std::int32_t>(fusion_.groups.size() - 1), -1});
    return fusion_.groups.size() - 1;
  }

  /// A value that only its own kernel reads, where it is computed, needs no memory.
  void drop_needless_stores() {
    for (std::size_t g = 0; g < fusion_.groups.size(); ++g) {
      std::vector<ValueId>& values = fusion_.groups[g].values;
      std::erase_if(values, [&](ValueId v) {
        if (demanded(v)) return false;
        for (const Use& use : schedule_.users[static_cast<std::size_t>(v)]) {
          if (!stays_in(use, g)) return false;
        }
        return true;
      });
    }
  }
  bool stays_in(const Use& use, std::size_t g) {
    const Node& x = node(use.node);
    if (x.op->kind != Kind::map || !is_stored(x.result())) return false;
    return group_of_[static_cast<std::size_t>(x.result())] == static_cast<std::int32_t>(g);
  }

  Graph graph_;
  const Schedule& schedule_;
  std::span<const MaskedOutput> outputs_;
  LaneInfos& infos_;
  std::vector<std::vector<Request>> requests_;  // by value
  std::vector<char> demanded_, stored_;         // by value
  std::vector<std::int64_t> cost_, deadline_;   // by value
  std::vector<Owner> owners_;
  std::map<std::pair<const OpInfo*, DType>, std::int64_t> body_costs_;
  std::vector<std::int64_t> stages_;        // by value: stage that makes it, -1 for inputs
  std::vector<std::int32_t> group_of_;      // by value
  std::vector<std::int64_t> group_stages_;  // by group
  std::vector<std::vector<ValueId>> group_loads_;
  Fusion fusion_;
};

}  // namespace plan
}  // namespace autovec::inline v1
