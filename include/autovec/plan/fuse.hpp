// Decides which values lie in memory, and which of those one kernel computes together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/graph.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/plan/affine.hpp"
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

/// Shape of an output that is stored under a mask; others are stored as they are.
struct MaskedOutput {
  bool masked = false;
  Extents shape;
};

/// Whether lane programs can compute the node's result from its operands' elements.
inline bool is_pointwise(const Node& node) {
  switch (node.op->kind) {
    case Kind::map:
    case Kind::gather: return true;
    case Kind::source: return node.op->lane != nullptr || as_literal(&node) != nullptr;
    default: return false;
  }
}

/// Marks the values that must lie in memory because of who reads them.
class Demands {
 public:
  Demands(const Graph& graph, const Schedule& schedule, std::span<const MaskedOutput> outputs)
      : graph_(graph), demanded_(graph->types.size(), 0) {
    for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
      if (!outputs[i].masked) demand(graph->outputs[i]);
    }
    for (const std::int32_t n : schedule.order) {
      const Node& node = graph->nodes[static_cast<std::size_t>(n)];
      AffineMap unused;
      if (node.op->kind == Kind::gather) {
        demand(node.operands[0]);
      } else if (node.op->kind == Kind::view) {
        if (!view_map(graph, node, unused)) demand(node.operands[0]);
      } else if (!is_pointwise(node) && node.op->kind != Kind::reduce) {
        for (const ValueId v : node.operands) demand(v);
      }
    }
  }
  bool operator[](ValueId v) const { return demanded_[static_cast<std::size_t>(v)] != 0; }

 private:
  /// A view has a place where its operand has one.
  void demand(ValueId v) {
    const Node* node = graph_.producer(v);
    while (node != nullptr && node->op->kind == Kind::view) {
      v = node->operands[0];
      node = graph_.producer(v);
    }
    demanded_[static_cast<std::size_t>(v)] = 1;
  }

  Graph graph_;
  std::vector<char> demanded_;
};

/// No fusion: a kernel a node, a buffer a value.
inline Fusion separate(const Graph& graph, const Schedule& schedule,
                       std::span<const MaskedOutput> outputs) {
  Fusion out;
  const Demands demanded(graph, schedule, outputs);
  const auto add_group = [&](KernelGroup group) {
    out.stages.push_back({static_cast<std::int32_t>(out.groups.size()), -1});
    out.groups.push_back(std::move(group));
  };
  for (const std::int32_t n : schedule.order) {
    const Node& node = graph->nodes[static_cast<std::size_t>(n)];
    AffineMap unused;
    if (as_literal(&node) != nullptr) {
      if (demanded[node.result()]) add_group({{}, {node.result()}, {}});
    } else if (is_pointwise(node)) {
      add_group({graph.type(node.result()).shape, {node.result()}, {}});
    } else if (node.op->kind != Kind::view || !view_map(graph, node, unused)) {
      out.stages.push_back({-1, n});
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].masked) add_group({outputs[i].shape, {}, {static_cast<std::int32_t>(i)}});
  }
  return out;
}

inline Fusion fuse(const Graph& graph, const Schedule& schedule,
                   std::span<const MaskedOutput> outputs) {
  return separate(graph, schedule, outputs);
}

}  // namespace plan
}  // namespace autovec::inline v1
