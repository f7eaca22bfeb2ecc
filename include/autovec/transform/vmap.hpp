// vmap: a graph of one lane becomes a graph of all lanes.
//
// Law: the result equals the loop over the lanes, stacked. One walk: a node of shared operands is
// emitted as it is, any other by its row's batching rule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ops/batch_call.hpp"
#include "autovec/ops/control_batch.hpp"

namespace autovec::inline v1 {

/// The walk over one graph and, by recursion, over those it holds.
class VmapWalk final : public Batcher {
 public:
  VmapWalk(std::int64_t lanes, const std::string& axis_name, Tensor mask = {})
      : lanes_(lanes), axis_name_(axis_name), mask_(std::move(mask)) {}

  std::int64_t lanes() const override { return lanes_; }
  const std::string& axis_name() const override { return axis_name_; }
  const Tensor& mask() const override { return mask_; }

  /// Emits the graph on these inputs into the open trace.
  std::vector<Batched> run(const Graph& graph, std::vector<Batched> inputs) {
    std::vector<Batched> values(graph->types.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values[static_cast<std::size_t>(graph->inputs[i])] = std::move(inputs[i]);
    }
    for (const Node& node : graph->nodes) {
      std::vector<Batched> operands;
      bool any_mapped = false;
      for (const ValueId v : node.operands) {
        operands.push_back(values[static_cast<std::size_t>(v)]);
        any_mapped = any_mapped || operands.back().mapped;
      }
      if (!any_mapped && !ops::detail::has_collective(node, axis_name_)) {
        emit_shared(graph, node, operands, values);
        continue;
      }
      BatchCall call{*node.op, node.params, operands, node.where, *this, {}};
      node.op->batch(call);
      ensure(call.results.size() == static_cast<std::size_t>(node.result_count),
             "a batching rule gave a wrong number of results");
      for (std::int32_t i = 0; i < node.result_count; ++i) {
        values[static_cast<std::size_t>(node.result(i))] =
            std::move(call.results[static_cast<std::size_t>(i)]);
      }
    }
    std::vector<Batched> outputs;
    for (const ValueId v : graph->outputs) outputs.push_back(values[static_cast<std::size_t>(v)]);
    return outputs;
  }

  BatchedGraph batch(const Graph& graph, const std::vector<bool>& mapped,
                     const std::vector<bool>& force, std::int64_t mask) override {
    BatchedGraph out;
    Trace trace;
    std::vector<Batched> inputs;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      Type type = graph.input_type(i);
      if (mapped[i]) type.shape.insert(0, lanes_);
      inputs.push_back({trace.add_argument(type), static_cast<bool>(mapped[i])});
    }
    VmapWalk inner(lanes_, axis_name_,
                   mask >= 0 ? inputs[static_cast<std::size_t>(mask)].value : Tensor());
    std::vector<Batched> results = inner.run(graph, inputs);
    std::vector<Tensor> outputs;
    for (std::size_t j = 0; j < results.size(); ++j) {
      if (force[j] && !results[j].mapped) {
        results[j] = {ops::detail::to_mapped(results[j], lanes_, Where::unknown()), true};
      }
      outputs.push_back(results[j].value);
      out.mapped.push_back(results[j].mapped);
    }
    TracedGraph traced = trace.finish(outputs);
    ensure(traced.captures.empty(), "vmap of an inner graph captured a value");
    out.graph = traced.graph;
    return out;
  }

 private:
  /// A node that no lane changes is copied.
  void emit_shared(const Graph& graph, const Node& node, std::span<const Batched> operands,
                   std::vector<Batched>& values) {
    if (const LiteralParams* literal = as_literal(&node)) {
      values[static_cast<std::size_t>(node.result())] = {
          Tensor::from_number(literal->value, literal->dtype, literal->weak), false};
      return;
    }
    std::vector<Tensor> tensors;
    for (const Batched& x : operands) tensors.push_back(x.value);
    Trace& trace = *Trace::current();
    const std::span<const Type> types(&graph->types[static_cast<std::size_t>(node.first_result)],
                                      static_cast<std::size_t>(node.result_count));
    const ValueId first = trace.append(*node.op, node.params, tensors, types, node.where);
    for (std::int32_t i = 0; i < node.result_count; ++i) {
      values[static_cast<std::size_t>(node.result(i))] = {trace.handle(first + i), false};
    }
  }

  std::int64_t lanes_;
  const std::string& axis_name_;
  Tensor mask_;
};

}  // namespace autovec::inline v1
