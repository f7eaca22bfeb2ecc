// A graph: immutable SSA over tensors. Nodes stand in an order in which operands come first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autovec/base/error.hpp"
#include "autovec/ir/number.hpp"
#include "autovec/ir/params.hpp"
#include "autovec/ir/type.hpp"

namespace autovec::inline v1 {

struct OpInfo;

/// Names one value of a graph: the position of its type in `GraphData::types`.
using ValueId = std::int32_t;

/// One application of an op.
struct Node {
  const OpInfo* op = nullptr;
  Params params;
  SmallVector<ValueId, 4> operands;
  ValueId first_result = 0;  // results are consecutive values
  std::int32_t result_count = 0;
  Where where = Where::unknown();

  ValueId result(std::int32_t i = 0) const { return first_result + i; }
};

/// What a graph consists of. Built by GraphBuilder, then never changed.
struct GraphData {
  std::vector<Type> types;              // of each value
  std::vector<std::int32_t> producers;  // node of each value, -1 for an input
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::uint64_t hash = 0;  // of the structure; places do not count
};

/// A cheap handle to an immutable graph.
class Graph {
 public:
  Graph() = default;
  explicit Graph(std::shared_ptr<const GraphData> data) : data_(std::move(data)) {}

  const GraphData& operator*() const { return *data_; }
  const GraphData* operator->() const { return data_.get(); }
  explicit operator bool() const { return data_ != nullptr; }

  const Type& type(ValueId v) const { return data_->types[static_cast<std::size_t>(v)]; }
  const Type& input_type(std::size_t i) const { return type(data_->inputs[i]); }
  const Type& output_type(std::size_t i) const { return type(data_->outputs[i]); }
  std::size_t input_count() const { return data_->inputs.size(); }
  std::size_t output_count() const { return data_->outputs.size(); }
  /// The node that makes `v`, null for an input.
  const Node* producer(ValueId v) const {
    const std::int32_t n = data_->producers[static_cast<std::size_t>(v)];
    return n < 0 ? nullptr : &data_->nodes[static_cast<std::size_t>(n)];
  }

 private:
  std::shared_ptr<const GraphData> data_;
};

/// Same structure: ops, parameters, types, wiring. Places in the source do not count.
bool same_graph(const Graph& a, const Graph& b);
namespace detail {
inline void collect_graphs(const std::vector<Graph>& gs, std::vector<const Graph*>& out) {
  for (const Graph& g : gs) out.push_back(&g);
}
}  // namespace detail
/// The hash of the structure.
inline std::uint64_t hash_of(const Graph& graph) { return graph ? graph->hash : 0; }

}  // namespace autovec::inline v1
