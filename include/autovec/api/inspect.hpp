// Seeing inside: the graph of a function, its text, and running it from there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/ir/dot.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/ir/print.hpp"
#include "autovec/ir/verify.hpp"
#include "autovec/ops/control_flow.hpp"
#include "autovec/ops/table.hpp"

namespace autovec::inline v1 {

namespace detail {
template <class F, class... Args>
TracedGraph trace_call(const F& f, Where where, Args&&... args) {
  tree::require_callable<F, Args...>();
  const auto arguments = tree::arguments<F>(std::forward<Args>(args)...);
  Leaves leaves;
  tree::flatten(arguments, leaves);
  return trace_leaves(
      types_of(leaves),
      [&](const Leaves& in) {
        return leaves_of(tree::as_argument(std::apply(f, tree_from(arguments, in))));
      },
      where);
}
}  // namespace detail

/// The graph of `f` on arguments of these types; their values do not matter. Inputs: the leaves of
/// the arguments, then one for each tensor that `f` captured.
struct TraceFunction {
  template <class F, class... Args>
  Graph operator()(const F& f, Args&&... args) const {
    return detail::trace_call(f, Where::unknown(), std::forward<Args>(args)...).graph;
  }
};
inline constexpr TraceFunction trace;

/// Canonical text of a graph; `parse` reads it back.
inline std::string str(const Graph& graph) { return graph_text(graph); }

/// The graph of a text. Throws ParseError with line and column.
inline Graph parse(std::string_view text) { return parse_graph(text, op_table()); }

/// Graphviz text of a graph.
inline std::string to_dot(const Graph& graph) { return graph_dot(graph); }

/// Runs a graph on tensors, one for each input. Throws TypeError where their types differ from the
/// inputs'.
inline std::vector<Tensor> evaluate(const Graph& graph, std::vector<Tensor> inputs, Where where = Where::here()) {
  if (inputs.size() != graph.input_count()) {
    fail<TypeError>("evaluate", "the graph has " + number_text(graph.input_count()) + " inputs, got " +
                                    number_text(inputs.size()),
                    where);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& want = graph.input_type(i);
    Tensor& x = inputs[i];
    if (x.is_number()) x = detail::with_element(x, element_of(want), where);
    const Type got = x.type();
    if (!(got.shape == want.shape) || got.dtype != want.dtype) {
      fail<TypeError>("evaluate", "input " + number_text(i) + " is " + type_text(got) + ", expected " + type_text(want),
                      where);
    }
  }
  return call_graph(graph, inputs);
}

}  // namespace autovec::inline v1
