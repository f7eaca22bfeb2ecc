// Seeing inside: the graph of a function, its text, and running it from there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/ops/control_flow.hpp"

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

/// How `f` will run on arguments of these types, for people: kernels, what was fused, library
/// calls, masks, bytes. The text is meant to be read, `str` is the one to compare.
struct ExplainFunction {
  template <class F, class... Args>
  std::string operator()(const F& f, Args&&... args) const {
    const TracedGraph traced = detail::trace_call(f, Where::unknown(), std::forward<Args>(args)...);
    std::string out = Eager<>::compile(traced.graph)->explain();
    if (!traced.captures.empty()) {
      out += "captured data: " + number_text(traced.captures.size());
      out += traced.captures.size() == 1 ? " tensor" : " tensors";
      out += "; jit traces such a function at each call unless freeze_captures is set\n";
    }
    return out;
  }
};
inline constexpr ExplainFunction explain;

/// Runs `f` and tells where the time goes: see Profile. Arguments as for a call.
struct ProfileFunction {
  template <class F, class... Args>
  Profile operator()(const F& f, Args&&... args) const {
    const Where where = Where::unknown();
    detail::Leaves inputs;
    tree::flatten(tree::arguments<F>(args...), inputs);
    TracedGraph traced = detail::trace_call(f, where, std::forward<Args>(args)...);
    inputs.insert(inputs.end(), traced.captures.begin(), traced.captures.end());
    std::vector<Array> arrays;
    for (const Tensor& x : inputs) arrays.push_back(x.array("profile", where));
    return Eager<>::compile(traced.graph)->profile(arrays, 20);
  }
};
inline constexpr ProfileFunction profile;

/// Canonical text of a graph; `parse` reads it back.
std::string str(const Graph& graph);
std::ostream& operator<<(std::ostream& out, const Graph& graph);

/// The graph of a text. Throws ParseError with line and column.
Graph parse(std::string_view text);

/// Graphviz text of a graph.
std::string to_dot(const Graph& graph);

/// Runs a graph on tensors, one for each input. Throws TypeError where their types differ from the
/// inputs'.
std::vector<Tensor> evaluate(const Graph& graph, std::vector<Tensor> inputs,
                             Where where = Where::here());

}  // namespace autovec::inline v1
