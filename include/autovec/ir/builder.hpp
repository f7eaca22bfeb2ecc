// Builds a graph node by node, then closes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/graph.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {

/// Structure hash of a finished graph, by walking back from its outputs: dead nodes and the order
/// of independent nodes do not count.
inline std::uint64_t structure_hash(const GraphData& g) {
  std::vector<std::uint64_t> memo(g.types.size(), 0);
  for (std::size_t i = 0; i < g.inputs.size(); ++i) {
    Hasher h;
    h.add(i + 1);
    hash_type(h, g.types[static_cast<std::size_t>(g.inputs[i])]);
    memo[static_cast<std::size_t>(g.inputs[i])] = h.value();
  }
  for (const Node& node : g.nodes) {
    Hasher h;
    h.add(node.op->name);
    node.params.hash(h);
    for (const ValueId v : node.operands) h.add(memo[static_cast<std::size_t>(v)]);
    for (std::int32_t i = 0; i < node.result_count; ++i) {
      Hasher r = h;
      r.add(static_cast<std::uint64_t>(i));
      hash_type(r, g.types[static_cast<std::size_t>(node.result(i))]);
      memo[static_cast<std::size_t>(node.result(i))] = r.value();
    }
  }
  Hasher h;
  h.add(g.inputs.size());
  for (const ValueId v : g.outputs) h.add(memo[static_cast<std::size_t>(v)]);
  return h.value();
}

/// An open graph.
class GraphBuilder {
 public:
  ValueId add_input(Type type) {
    const ValueId v = add_value(std::move(type), -1);
    data_.inputs.push_back(v);
    return v;
  }
  /// Appends a node whose operands exist already; returns its first result.
  ValueId add_node(const OpInfo& op, Params params, SmallVector<ValueId, 4> operands,
                   std::span<const Type> results, Where where) {
    const auto index = static_cast<std::int32_t>(data_.nodes.size());
    const auto first = static_cast<ValueId>(data_.types.size());
    for (const Type& type : results) add_value(type, index);
    data_.nodes.push_back(Node{&op, std::move(params), std::move(operands), first,
                               static_cast<std::int32_t>(results.size()), where});
    return first;
  }
  const Type& type(ValueId v) const { return data_.types[static_cast<std::size_t>(v)]; }
  const GraphData& data() const { return data_; }

  Graph finish(std::vector<ValueId> outputs) {
    data_.outputs = std::move(outputs);
    data_.hash = structure_hash(data_);
    return Graph(std::make_shared<const GraphData>(std::move(data_)));
  }

 private:
  ValueId add_value(Type type, std::int32_t producer) {
    data_.types.push_back(std::move(type));
    data_.producers.push_back(producer);
    return static_cast<ValueId>(data_.types.size() - 1);
  }
  GraphData data_;
};

/// See graph.hpp. Compares by walking both graphs back from their outputs. Which nodes share a
/// value counts, except for literals: graphs are the same just when they print the same.
inline bool same_graph(const Graph& a, const Graph& b) {
  if (!a || !b) return !a && !b;
  if (&*a == &*b) return true;
  if (a->hash != b->hash || a->inputs.size() != b->inputs.size() ||
      a->outputs.size() != b->outputs.size()) {
    return false;
  }
  // pair[v] is the value of b that v of a was matched with.
  std::vector<ValueId> pair(a->types.size(), -1);
  std::vector<ValueId> back(b->types.size(), -1);
  const auto match = [&](ValueId v, ValueId w) {
    pair[static_cast<std::size_t>(v)] = w;
    back[static_cast<std::size_t>(w)] = v;
  };
  for (std::size_t i = 0; i < a->inputs.size(); ++i) {
    if (!(a.input_type(i) == b.input_type(i))) return false;
    match(a->inputs[i], b->inputs[i]);
  }
  std::vector<std::pair<ValueId, ValueId>> open;
  for (std::size_t i = 0; i < a->outputs.size(); ++i)
    open.push_back({a->outputs[i], b->outputs[i]});
  while (!open.empty()) {
    const auto [v, w] = open.back();
    open.pop_back();
    const Node* m = a.producer(v);
    const Node* n = b.producer(w);
    if (m != nullptr && n != nullptr && same_op(m->op, &literal_row) &&
        same_op(n->op, &literal_row)) {
      if (!(m->params == n->params)) return false;
      continue;
    }
    const ValueId known = pair[static_cast<std::size_t>(v)];
    const ValueId taken = back[static_cast<std::size_t>(w)];
    if (known >= 0 || taken >= 0) {
      if (known != w || taken != v) return false;
      continue;
    }
    if (m == nullptr || n == nullptr) return false;
    if (!same_op(m->op, n->op) || v - m->first_result != w - n->first_result ||
        m->operands.size() != n->operands.size() || m->result_count != n->result_count ||
        !(a.type(v) == b.type(w)) || !(m->params == n->params)) {
      return false;
    }
    for (std::int32_t i = 0; i < m->result_count; ++i) match(m->result(i), n->result(i));
    for (std::size_t i = 0; i < m->operands.size(); ++i) {
      open.push_back({m->operands[i], n->operands[i]});
    }
  }
  return true;
}

}  // namespace autovec::inline v1
