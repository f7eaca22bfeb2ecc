// Traces: the stack of graphs being recorded on this thread, and the one function that applies ops.
//
// Invariant: a handle of an open outer trace, or data, that is used in an inner trace becomes an
// input of the inner graph (a capture); whoever closes the inner trace hands the captures on as
// operands. So no graph ever refers to a value of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autovec/ir/builder.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/trace/compiled.hpp"
#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

namespace detail {
[[noreturn]] inline void fail_ended(std::string_view op, Where where) {
  fail<TraceError>(op, "a value of a trace that has ended is used", where,
                   "return it from the traced function instead of keeping the handle");
}
}  // namespace detail

/// A graph and the handles that its last inputs were captured from.
struct TracedGraph {
  Graph graph;  // inputs: the arguments, then one for each capture
  std::vector<Tensor> captures;
};

/// One open trace; lives on the stack of the function that traces, and closes with it.
class Trace {
 public:
  Trace() : outer_(innermost()), id_(next_id()) { innermost() = this; }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace() {
    if (!closed_) innermost() = outer_;
  }

  /// The innermost open trace of this thread, null where there is none.
  static Trace* current() { return innermost(); }
  /// Whether the trace with this id is open on this thread.
  static bool is_open(std::uint64_t id) {
    for (const Trace* t = innermost(); t != nullptr; t = t->outer_) {
      if (t->id_ == id) return true;
    }
    return false;
  }

  /// Marks this as the trace of one lane of a vmap whose axis has a name; collectives look it up.
  void name_axis(std::string name, std::int64_t lanes) {
    axis_name_ = std::move(name);
    axis_lanes_ = lanes;
  }
  /// Number of lanes of the innermost open axis with this name, -1 where there is none.
  static std::int64_t lanes_of_axis(std::string_view name) {
    for (const Trace* t = innermost(); t != nullptr; t = t->outer_) {
      if (t->axis_lanes_ >= 0 && t->axis_name_ == name) return t->axis_lanes_;
    }
    return -1;
  }

  /// Whether what is traced is a lane of a vmap that has no lanes, so that it will never run.
  static bool of_no_lanes() {
    for (const Trace* t = innermost(); t != nullptr; t = t->outer_) {
      if (t->axis_lanes_ == 0) return true;
    }
    return false;
  }

  /// A new argument of the graph; all of them before the first op.
  Tensor add_argument(const Type& type) {
    return Tensor::from_value(type, id_, builder_.add_input(type));
  }
  Tensor handle(ValueId v) const { return Tensor::from_value(builder_.type(v), id_, v); }
  /// The node of this trace that makes `x`; null for arguments, data and values of other traces.
  const Node* producer(const Tensor& x) const {
    if (x.state().trace != id_) return nullptr;
    const GraphData& g = builder_.data();
    const std::int32_t node = g.producers[static_cast<std::size_t>(x.state().value)];
    return node < 0 ? nullptr : &g.nodes[static_cast<std::size_t>(node)];
  }

  /// The line that made `x`; unknown for arguments and for values of traces that are not open.
  static Where place_of(const Tensor& x) {
    for (const Trace* t = innermost(); t != nullptr; t = t->outer_) {
      if (const Node* node = t->producer(x)) return node->where;
    }
    return Where::unknown();
  }

  /// The value that stands for `x` in this graph; captures it or makes it a literal if need be.
  ValueId use(const Tensor& x, std::string_view op, Where where) {
    if (x.is_empty()) detail::fail_empty(op, where);
    const Tensor::State& s = x.state();
    if (s.trace == id_) return s.value;
    if (s.is_number) {
      const DType dtype = s.type.dtype;
      return builder_.add_node(
          literal_row, Params::of(LiteralParams{rounded(s.number, dtype), dtype, s.type.weak}), {},
          std::span(&s.type, 1), where);
    }
    if (s.trace != 0 && !is_open(s.trace)) detail::fail_ended(op, where);
    const auto [found, fresh] = captured_.try_emplace(x.shared_state().get(), ValueId{-1});
    if (fresh) {
      found->second = builder_.add_input(s.type);
      captures_.push_back(x);
    }
    return found->second;
  }

  /// Appends one application of `op` whose result types are known.
  ValueId append(const OpInfo& op, Params params, std::span<const Tensor> operands,
                 std::span<const Type> results, Where where) {
    SmallVector<ValueId, 4> ids;
    for (const Tensor& x : operands) ids.push_back(use(x, op.name, where));
    return builder_.add_node(op, std::move(params), std::move(ids), results, where);
  }
  GraphBuilder& builder() { return builder_; }

  /// Closes the trace and gives its graph.
  TracedGraph finish(std::span<const Tensor> outputs, Where where = Where::unknown()) {
    std::vector<ValueId> ids;
    for (const Tensor& x : outputs) ids.push_back(use(x, "return", where));
    innermost() = outer_;
    closed_ = true;
    return {builder_.finish(std::move(ids)), std::move(captures_)};
  }

 private:
  static Trace*& innermost() {
    thread_local Trace* trace = nullptr;
    return trace;
  }
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> counter{0};
    return counter.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  Trace* outer_;
  std::uint64_t id_;
  bool closed_ = false;
  std::string axis_name_;
  std::int64_t axis_lanes_ = -1;
  GraphBuilder builder_;
  std::map<const void*, ValueId> captured_;
  std::vector<Tensor> captures_;
};

inline void Tensor::throw_traced(std::string_view op, Where where) const {
  if (Trace::is_open(state().trace)) {
    fail<TraceError>(op, "the value is being traced and has no data", where,
                     "compute with it inside the trace, or return it and read the result");
  }
  detail::fail_ended(op, where);
}

namespace detail {
/// Throws TraceError, in the words of `op`, for a handle that is empty or whose trace has ended.
inline void check_alive(std::string_view op, const Tensor& x, Where where) {
  if (x.is_empty()) fail_empty(op, where);
  const std::uint64_t trace = x.state().trace;
  if (trace != 0 && !Trace::is_open(trace)) fail_ended(op, where);
}
}  // namespace detail

inline bool Tensor::truth() const {
  const State& s = state();
  if (s.trace != 0) {
    if (!Trace::is_open(s.trace)) detail::fail_ended("bool", Where::unknown());
    fail<TraceError>("bool", "a traced value has no truth value while the function is traced",
                     Trace::place_of(*this), "use cond, where or while_loop, which are traced");
  }
  if (s.type.rank() != 0) {
    std::string what("a tensor of type ");
    what += type_text(s.type);
    what += " has no single truth value";
    fail<ShapeError>("bool", what, Where::unknown(), "use any(x) or all(x)");
  }
  return item<bool>();
}

/// Applies `op`: recorded in the innermost open trace, at once where none is open.
inline std::vector<Tensor> emit(const OpInfo& op, Params params, std::span<const Tensor> operands,
                                Where where) {
  std::vector<Tensor> results;
  if (Trace* trace = Trace::current()) {
    std::vector<Type> types;
    types.reserve(operands.size());
    for (const Tensor& x : operands) types.push_back(x.type());
    const std::vector<Type> result_types = op.infer(types, params, where);
    for (const Type& type : result_types) check_size(op.name, type, where);
    const ValueId first = trace->append(op, std::move(params), operands, result_types, where);
    for (std::size_t i = 0; i < result_types.size(); ++i) {
      results.push_back(trace->handle(first + static_cast<ValueId>(i)));
    }
    return results;
  }
  std::vector<Array> arrays;
  arrays.reserve(operands.size());
  for (const Tensor& x : operands) {
    arrays.push_back(x.array(op.name, where));
  }
  for (Array& a : Eager<>::apply(op, params, arrays, where))
    results.push_back(Tensor(std::move(a)));
  return results;
}

/// `emit` for an op with one result.
inline Tensor emit_one(const OpInfo& op, Params params, std::span<const Tensor> operands,
                       Where where) {
  return std::move(emit(op, std::move(params), operands, where)[0]);
}

/// Applies a graph to tensors: its nodes are copied into the innermost open trace; where none is
/// open, it is planned (or found in the structural cache) and run.
inline std::vector<Tensor> call_graph(const Graph& graph, std::span<const Tensor> inputs) {
  ensure(inputs.size() == graph.input_count(), "call_graph: wrong number of inputs");
  std::vector<Tensor> results;
  Trace* trace = Trace::current();
  if (trace == nullptr) {
    std::vector<Array> arrays;
    for (const Tensor& x : inputs) arrays.push_back(x.array("call", Where::unknown()));
    for (Array& a : Eager<>::run(graph, arrays)) results.push_back(Tensor(std::move(a)));
    return results;
  }
  std::vector<ValueId> map(graph->types.size(), -1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    map[static_cast<std::size_t>(graph->inputs[i])] =
        trace->use(inputs[i], "call", Where::unknown());
  }
  for (const Node& node : graph->nodes) {
    SmallVector<ValueId, 4> operands;
    for (const ValueId v : node.operands) operands.push_back(map[static_cast<std::size_t>(v)]);
    const std::span<const Type> types(&graph->types[static_cast<std::size_t>(node.first_result)],
                                      static_cast<std::size_t>(node.result_count));
    const ValueId first =
        trace->builder().add_node(*node.op, node.params, std::move(operands), types, node.where);
    for (std::int32_t i = 0; i < node.result_count; ++i) {
      map[static_cast<std::size_t>(node.result(i))] = first + i;
    }
  }
  for (const ValueId v : graph->outputs) {
    results.push_back(trace->handle(map[static_cast<std::size_t>(v)]));
  }
  return results;
}

/// Runs `body` on handles and executes what it recorded as one graph; inside an open trace it just
/// runs `body`. So a transform on data is planned as a whole.
template <class F>
std::vector<Tensor> staged(std::span<const Tensor> arguments, F&& body) {
  if (Trace::current() != nullptr) return body(arguments);
  Trace trace;
  std::vector<Tensor> handles;
  for (const Tensor& x : arguments) {
    handles.push_back(x.is_number() ? x : trace.add_argument(x.type()));
  }
  const std::vector<Tensor> outputs = body(std::span<const Tensor>(handles));
  TracedGraph traced = trace.finish(outputs);
  std::vector<Tensor> inputs;
  for (const Tensor& x : arguments) {
    if (!x.is_number()) inputs.push_back(x);
  }
  for (Tensor& x : traced.captures) inputs.push_back(std::move(x));
  return call_graph(traced.graph, inputs);
}

}  // namespace autovec::inline v1
