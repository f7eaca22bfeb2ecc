// The order of a graph's nodes, and which of them may overwrite an operand.
//
// An indexed update, or a loop, consumes an operand if it may take over that operand's memory: the
// memory belongs to this block, nobody needs the old value afterwards, and all who read it can be
// ordered before. So `x.at(i).set(v)` in a loop costs what v costs, not what x costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/graph.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {
namespace plan {

/// One use of a value.
struct Use {
  std::int32_t node = 0;
  std::int32_t operand = 0;
};

/// The view's operand if the view keeps contiguous elements as they are, else -1.
inline ValueId same_elements(const Graph& graph, const Node& view) {
  const Type& from = graph.type(view.operands[0]);
  const Type& to = graph.type(view.result());
  Layout layout;
  if (from.size() != to.size() ||
      !view.op->layout(from, Layout::contiguous(from.shape), to, view.params, layout)) {
    return -1;
  }
  return layout.offset == 0 && layout.is_contiguous(to.shape) ? view.operands[0] : -1;
}

/// The value of which `v` is the same contiguous elements under other shapes; -1 where a view in
/// between rearranges them.
inline ValueId same_elements_base(const Graph& graph, ValueId v) {
  for (const Node* n = graph.producer(v); n != nullptr && n->op->kind == Kind::view;
       n = graph.producer(v)) {
    v = same_elements(graph, *n);
    if (v < 0) return -1;
  }
  return v;
}

/// Order, liveness, users and shared memory of one graph.
class Schedule {
 public:
  std::vector<std::int32_t> order;        // of the live nodes
  std::vector<std::vector<Use>> users;    // by value; live nodes only
  std::vector<char> is_output;            // by value
  std::vector<std::int64_t> position;     // of each node in `order`, -1: dead
  std::vector<std::int64_t> overwritten;  // by value: position of the node that consumes it, or -1

  bool consumes(const Node& node, std::size_t operand) const {
    for (const Use& use : consumed_) {
      if (&(*graph_)->nodes[static_cast<std::size_t>(use.node)] == &node &&
          use.operand == static_cast<std::int32_t>(operand)) {
        return true;
      }
    }
    return false;
  }
  /// Whether the view must be copied where it stands, because its operand is overwritten before all
  /// who read the view have run.
  bool copies(const Node& view) const {
    return std::find(copied_.begin(), copied_.end(), view.result()) != copied_.end();
  }
  /// The value that stands for all values in the same memory as `v`.
  ValueId sharing_class(ValueId v) const {
    while (parent_[static_cast<std::size_t>(v)] != v) v = parent_[static_cast<std::size_t>(v)];
    return v;
  }
  /// Whether another value lives in v's memory.
  bool is_shared(ValueId v) const { return shared_[static_cast<std::size_t>(v)] != 0; }

 private:
  friend class Scheduler;
  std::shared_ptr<const Graph> graph_;
  std::vector<Use> consumed_;
  std::vector<ValueId> copied_;  // results of views
  std::vector<ValueId> parent_;
  std::vector<char> shared_;
};

/// Result of a loop whose memory may be that of its carry, for operand `operand` of `node`; -1
/// where the operand is none that may be consumed.
inline std::int32_t consuming_result(const Graph& graph, const Node& node, std::size_t operand) {
  const auto same = [&](std::size_t result) {
    // A frozen carry gains lane axes; then the result is other memory.
    return graph.type(node.operands[operand]).size() ==
                   graph.type(node.result(static_cast<std::int32_t>(result))).size()
               ? static_cast<std::int32_t>(result)
               : -1;
  };
  switch (node.op->kind) {
    case Kind::scatter: return operand == 0 ? 0 : -1;
    case Kind::loop: {
      const auto& p = node.params.as<LoopParams>();
      const auto first = static_cast<std::size_t>(p.condition_captures + p.body_captures);
      return operand < first ? -1 : same(operand - first);
    }
    case Kind::scan: {
      const auto& p = node.params.as<ScanParams>();
      const auto first = static_cast<std::size_t>(p.captures);
      const auto count = static_cast<std::size_t>(p.carries);
      return operand < first || operand >= first + count ? -1 : same(operand - first);
    }
    default: return -1;
  }
}

/// Computes a Schedule.
class Scheduler {
 public:
  Scheduler(const Graph& graph, std::span<const char> owned, std::span<const char> in_kernel)
      : graph_(graph), owned_(owned), in_kernel_(in_kernel) {
    s_.graph_ = std::make_shared<const Graph>(graph);
  }

  Schedule run() {
    find_live();
    before_.resize(graph_->nodes.size());
    s_.parent_.resize(graph_->types.size());
    for (std::size_t v = 0; v < s_.parent_.size(); ++v) s_.parent_[v] = static_cast<ValueId>(v);
    s_.shared_.assign(graph_->types.size(), 0);
    for (std::size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (live_[n] == 0 || in_kernel_[n] != 0) continue;
      const Node& node = graph_->nodes[n];
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        const std::int32_t result = consuming_result(graph_, node, k);
        if (result >= 0) try_consume(static_cast<std::int32_t>(n), k, node.result(result));
      }
    }
    sort();
    mark_overwritten();
    return std::move(s_);
  }

 private:
  const Node& node(std::int32_t n) const { return graph_->nodes[static_cast<std::size_t>(n)]; }

  void find_live() {
    live_.assign(graph_->nodes.size(), 0);
    s_.is_output.assign(graph_->types.size(), 0);
    s_.users.resize(graph_->types.size());
    const auto mark = [&](ValueId v) {
      const std::int32_t n = graph_->producers[static_cast<std::size_t>(v)];
      if (n >= 0) live_[static_cast<std::size_t>(n)] = 1;
    };
    for (const ValueId v : graph_->outputs) {
      s_.is_output[static_cast<std::size_t>(v)] = 1;
      mark(v);
    }
    for (std::size_t n = graph_->nodes.size(); n-- > 0;) {
      if (live_[n] == 0) continue;
      const Node& x = graph_->nodes[n];
      for (std::size_t k = 0; k < x.operands.size(); ++k) {
        mark(x.operands[k]);
        s_.users[static_cast<std::size_t>(x.operands[k])].push_back(
            {static_cast<std::int32_t>(n), static_cast<std::int32_t>(k)});
      }
    }
  }

  void try_consume(std::int32_t n, std::size_t operand, ValueId result) {
    const ValueId root = same_elements_base(graph_, node(n).operands[operand]);
    if (root < 0) return;
    const Node* producer = graph_.producer(root);
    if (producer == nullptr && owned_[static_cast<std::size_t>(root)] == 0) return;
    if (as_literal(producer) != nullptr) return;  // has no memory of its own
    // All that reads this memory: users of the root and of views of it. A view that shows only a
    // part can be copied before the rest is overwritten.
    struct Reader {
      std::int32_t node;
      std::int32_t part;  // the view through which it reads a part, -1 where there is none
    };
    std::vector<std::pair<ValueId, std::int32_t>> open{{root, -1}};
    std::vector<Reader> readers;
    while (!open.empty()) {
      const auto [v, part] = open.back();
      open.pop_back();
      if (s_.is_output[static_cast<std::size_t>(v)] != 0) {
        if (part < 0) return;
        readers.push_back({-1, part});
      }
      for (const Use& use : s_.users[static_cast<std::size_t>(v)]) {
        const Node& user = node(use.node);
        if (use.node == n) {
          if (use.operand == static_cast<std::int32_t>(operand)) continue;
          if (part < 0) return;
        }
        if (user.op->kind == Kind::view) {
          const bool is_part = graph_.type(user.result()).size() * 4 <= graph_.type(root).size();
          open.push_back({user.result(), part < 0 && is_part ? use.node : part});
        }
        readers.push_back({use.node, part});
      }
    }
    std::vector<std::int32_t> parts;
    for (const Reader& reader : readers) {
      // A view that the operand came through is before n in any case.
      if (reader.node >= 0 && reader.node != n && !depends_on(reader.node, n)) continue;
      if (reader.part < 0 || depends_on(reader.part, n)) return;
      parts.push_back(reader.part);
    }
    std::vector<std::int32_t>& before = before_[static_cast<std::size_t>(n)];
    for (const Reader& reader : readers) {
      if (std::find(parts.begin(), parts.end(), reader.part) == parts.end())
        before.push_back(reader.node);
    }
    for (const std::int32_t part : parts) {
      before.push_back(part);
      s_.copied_.push_back(node(part).result());
    }
    const ValueId a = s_.sharing_class(root);
    const ValueId b = s_.sharing_class(result);
    // The result joins the older class, whose representative an input stays.
    s_.parent_[static_cast<std::size_t>(b)] = a;
    s_.shared_[static_cast<std::size_t>(root)] = 1;
    s_.shared_[static_cast<std::size_t>(result)] = 1;
    s_.consumed_.push_back({n, static_cast<std::int32_t>(operand)});
    roots_.push_back({root, n});
  }

  /// Whether node a needs node b, through operands or orders that are already fixed.
  bool depends_on(std::int32_t a, std::int32_t b) const {
    std::vector<char> seen(graph_->nodes.size(), 0);
    std::vector<std::int32_t> open{a};
    while (!open.empty()) {
      const std::int32_t n = open.back();
      open.pop_back();
      if (n == b) return true;
      if (n < 0 || seen[static_cast<std::size_t>(n)] != 0) continue;
      seen[static_cast<std::size_t>(n)] = 1;
      for (const ValueId v : node(n).operands)
        open.push_back(graph_->producers[static_cast<std::size_t>(v)]);
      for (const std::int32_t m : before_[static_cast<std::size_t>(n)]) open.push_back(m);
    }
    return false;
  }

  void sort() {
    s_.position.assign(graph_->nodes.size(), -1);
    std::vector<char> entered(graph_->nodes.size(), 0);
    std::vector<std::int32_t> open;
    for (std::size_t first = 0; first < graph_->nodes.size(); ++first) {
      if (live_[first] == 0) continue;
      open.push_back(static_cast<std::int32_t>(first));
      while (!open.empty()) {
        const std::int32_t n = open.back();
        const auto i = static_cast<std::size_t>(n);
        if (s_.position[i] >= 0) {
          open.pop_back();
          continue;
        }
        if (entered[i] != 0) {
          s_.position[i] = static_cast<std::int64_t>(s_.order.size());
          s_.order.push_back(n);
          open.pop_back();
          continue;
        }
        entered[i] = 1;
        for (const ValueId v : node(n).operands) {
          const std::int32_t m = graph_->producers[static_cast<std::size_t>(v)];
          if (m >= 0 && s_.position[static_cast<std::size_t>(m)] < 0) open.push_back(m);
        }
        for (const std::int32_t m : before_[i]) {
          if (s_.position[static_cast<std::size_t>(m)] < 0) open.push_back(m);
        }
      }
    }
  }

  void mark_overwritten() {
    s_.overwritten.assign(graph_->types.size(), -1);
    for (const auto& [root, n] : roots_) {
      s_.overwritten[static_cast<std::size_t>(root)] = s_.position[static_cast<std::size_t>(n)];
    }
  }

  Graph graph_;
  std::span<const char> owned_;
  std::span<const char> in_kernel_;
  Schedule s_;
  std::vector<char> live_;
  std::vector<std::vector<std::int32_t>> before_;
  std::vector<std::pair<ValueId, std::int32_t>> roots_;
};

/// `owned[v]`: input v lies in memory that the block may overwrite. `in_kernel[n]`: control flow
/// node n runs inside a kernel, which never writes what it reads.
inline Schedule make_schedule(const Graph& graph, std::span<const char> owned,
                              std::span<const char> in_kernel) {
  return Scheduler(graph, owned, in_kernel).run();
}

}  // namespace plan
}  // namespace autovec::inline v1
