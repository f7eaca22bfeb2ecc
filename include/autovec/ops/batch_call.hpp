// What a batching rule gets and gives, and the view helpers that rules share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ir/op_info.hpp"
#include "autovec/trace/trace.hpp"

namespace autovec::inline v1 {

/// A value during vmap: *mapped* (the lane axis is axis 0) or *shared*.
struct Batched {
  Tensor value;
  bool mapped = false;

  /// Shape of one lane's value.
  Extents lane_shape() const {
    Extents shape = value.shape();
    if (mapped) shape.erase(0);
    return shape;
  }
  std::size_t lane_rank() const { return value.rank() - (mapped ? 1 : 0); }
};

/// A graph after vmap: which of its results are mapped.
struct BatchedGraph {
  Graph graph;
  std::vector<bool> mapped;
};

/// The walk that calls the rules; control flow uses it on the graphs it holds.
class Batcher {
 public:
  virtual std::int64_t lanes() const = 0;
  /// Name of the axis that is being mapped, empty where it has none.
  virtual const std::string& axis_name() const = 0;
  /// Vmaps `graph` over the inputs marked in `mapped`. Results marked in `force` come out mapped
  /// even where they do not depend on the lane. `mask`: the input (by position) that tells which
  /// lanes are alive, -1 for none; it is and-ed into the loops inside whose predicate is mapped.
  virtual BatchedGraph batch(const Graph& graph, const std::vector<bool>& mapped,
                             const std::vector<bool>& force, std::int64_t mask) = 0;
  /// The mask of the region whose nodes are being mapped: b8 with the lane axis in front, or empty.
  virtual const Tensor& mask() const = 0;

 protected:
  ~Batcher() = default;
};

/// One application of an op under vmap. At least one operand is mapped. The rule emits ops on the
/// operands' values and fills `results`.
struct BatchCall {
  const OpInfo& op;
  const Params& params;
  std::span<const Batched> operands;
  Where where;
  Batcher& batcher;
  std::vector<Batched> results;

  std::int64_t lanes() const { return batcher.lanes(); }
  void give(Tensor value, bool mapped = true) { results.push_back({std::move(value), mapped}); }
};

}  // namespace autovec::inline v1
