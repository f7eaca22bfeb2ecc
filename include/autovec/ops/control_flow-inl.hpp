// Control flow on leaves: traces the bodies, settles the types of the state, emits the op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ops/control.hpp"
#include "autovec/ops/control_flow.hpp"

namespace autovec::inline v1 {

namespace detail {

/// Traces a function of leaves with arguments of these types.
AUTOVEC_API TracedGraph trace_leaves(std::span<const Type> arguments, LeafFunction f, Where where) {
  Trace trace;
  Leaves handles;
  for (const Type& type : arguments) handles.push_back(trace.add_argument(type));
  const Leaves outputs = f(handles);
  return trace.finish(outputs, where);
}

inline void check_alive(std::string_view op, const Leaves& leaves, Where where) {
  for (const Tensor& x : leaves) check_alive(op, x, where);
}

/// The graph with its first `arguments` inputs moved behind the others (its captures).
inline Graph captures_first(const Graph& graph, std::size_t arguments) {
  GraphData data = *graph;
  std::rotate(data.inputs.begin(), data.inputs.begin() + static_cast<std::ptrdiff_t>(arguments),
              data.inputs.end());
  data.hash = structure_hash(data);
  return Graph(std::make_shared<const GraphData>(std::move(data)));
}

/// `field x` for a leaf of a tree, `the value` for a lone tensor.
inline std::string leaf_words(std::string_view what, const std::string& path) {
  std::string out(what);
  if (!path.empty()) {
    out += " ";
    out += path;
  }
  return out;
}

/// Refuses a state whose field changes.
inline void refuse_change(std::string_view op, std::string_view what, const std::string& path,
                          const Type& from, const Type& to, Where where) {
  std::string text = leaf_words(what, path);
  text += " changes from ";
  text += type_text(from);
  text += " to ";
  text += type_text(to);
  if (!(from.shape == to.shape))
    fail<ShapeError>(op, text, where, "the body must return what it was given");
  fail<TypeError>(op, text, where, "cast the start value, or the result of the body");
}

/// Types of loop state: each leaf keeps its type over a trip; one that starts weak takes the
/// body's. Returns the body traced with these types, its results converted to them.
inline TracedGraph trace_state(std::string_view op, std::vector<Type>& state,
                               std::size_t extra_before, FunctionRef<Leaves(const Leaves&)> body,
                               std::span<const Type> other, LeafName name, Where where) {
  while (true) {
    std::vector<Type> arguments = state;
    arguments.insert(arguments.end(), other.begin(), other.end());
    bool changed = false;
    TracedGraph traced = trace_leaves(
        arguments,
        [&](const Leaves& in) {
          Leaves out = body(in);
          check_alive(op, out, where);
          for (std::size_t j = 0; j < state.size(); ++j) {
            const Type type = out[j].type();
            if (type == state[j]) continue;
            const Element joined = promote(element_of(state[j]), element_of(type));
            const bool same_shape = type.shape == state[j].shape;
            if (same_shape && joined == element_of(state[j])) {
              out[j] = with_element(out[j], joined, where);
            } else if (same_shape && state[j].weak) {
              state[j].dtype = joined.dtype;
              state[j].weak = joined.weak;
              changed = true;
            } else {
              refuse_change(op, "the state", name(j + extra_before), state[j], type, where);
            }
          }
          return out;
        },
        where);
    if (!changed) return traced;
  }
}

inline Tensor to_type(const Tensor& x, const Type& type, Where where) {
  return with_element(x, element_of(type), where);
}

/// The loop op on leaves.
AUTOVEC_API Leaves while_leaves(std::string_view op, const Leaves& init, LeafFunction condition,
                                LeafFunction body, LeafName name, Where where) {
  check_alive(op, init, where);
  std::vector<Type> state = types_of(init);
  TracedGraph traced_body = trace_state(op, state, 0, body, {}, name, where);
  const std::size_t count = state.size();
  TracedGraph traced_condition = trace_leaves(
      state,
      [&](const Leaves& in) {
        Leaves out = condition(in);
        check_alive(op, out, where);
        const Type type = out[0].type();
        if (type.rank() != 0) {
          fail<ShapeError>(op, "the condition has type " + type_text(type) + ", expected a scalar",
                           where, "use any(...) or all(...)");
        }
        return Leaves{with_element(out[0], {DType::b8, false}, where)};
      },
      where);
  LoopParams p;
  p.condition_captures = static_cast<std::int64_t>(traced_condition.captures.size());
  p.body_captures = static_cast<std::int64_t>(traced_body.captures.size());
  p.present = Extents(count, 0);
  p.condition = captures_first(traced_condition.graph, count);
  p.body = captures_first(traced_body.graph, count);
  Leaves operands = traced_condition.captures;
  operands.insert(operands.end(), traced_body.captures.begin(), traced_body.captures.end());
  for (std::size_t j = 0; j < count; ++j) operands.push_back(to_type(init[j], state[j], where));
  return emit(row_of<ops::Loop>, Params::of(std::move(p)), operands, where);
}

/// The branch op on leaves: sides are functions of the same arguments; results meet at their
/// promoted dtype.
AUTOVEC_API Leaves branch_leaves(std::string_view op, const Tensor& index, const Leaves& arguments,
                                 std::span<const LeafFunction> sides, LeafName name, Where where) {
  check_alive(op, arguments, where);
  const std::vector<Type> types = types_of(arguments);
  std::vector<TracedGraph> traced;
  for (const LeafFunction& side : sides) traced.push_back(trace_leaves(types, side, where));
  std::vector<Element> results;
  for (std::size_t s = 0; s < traced.size(); ++s) {
    const Graph& g = traced[s].graph;
    if (g.output_count() != traced[0].graph.output_count()) {
      fail<TypeError>(op, "the sides return trees of different sizes", where);
    }
    for (std::size_t j = 0; j < g.output_count(); ++j) {
      const Type& type = g.output_type(j);
      if (s == 0) {
        results.push_back(element_of(type));
        continue;
      }
      const Type& first = traced[0].graph.output_type(j);
      if (!(type.shape == first.shape)) {
        std::string what = leaf_words("the results", name(j));
        what += " of the sides differ: ";
        // Side 0 of cond is the one for false, which the user wrote last.
        const bool swapped = op == "cond";
        const Type both[2] = {swapped ? type : first, swapped ? first : type};
        what += types_text(both);
        fail<ShapeError>(op, what, where);
      }
      results[j] = promote(results[j], element_of(type));
    }
  }
  // All sides take all captures.
  Leaves captures;
  std::vector<std::vector<std::size_t>> places(traced.size());
  for (std::size_t s = 0; s < traced.size(); ++s) {
    for (const Tensor& x : traced[s].captures) {
      std::size_t at = 0;
      while (at < captures.size() && captures[at].shared_state() != x.shared_state()) ++at;
      if (at == captures.size()) captures.push_back(x);
      places[s].push_back(at);
    }
  }
  std::vector<Type> inputs = types;
  for (const Tensor& x : captures) inputs.push_back(x.type());
  BranchParams p;
  for (std::size_t s = 0; s < traced.size(); ++s) {
    p.sides.push_back(ops::detail::build_graph(inputs, [&](std::span<const Tensor> in) {
      Leaves own(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(types.size()));
      for (const std::size_t at : places[s]) own.push_back(in[types.size() + at]);
      Leaves out = call_graph(traced[s].graph, own);
      for (std::size_t j = 0; j < out.size(); ++j) {
        if (!(element_of(out[j].type()) == results[j])) {
          out[j] = emit_one(row_of<ops::Convert>,
                            Params::of(ops::Convert::Params{results[j].dtype, results[j].weak}),
                            std::span(&out[j], 1), where);
        }
      }
      return out;
    }));
  }
  p.present = Extents(traced.size() * results.size(), 0);
  Leaves operands{index};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  operands.insert(operands.end(), captures.begin(), captures.end());
  return emit(row_of<ops::Branch>, Params::of(std::move(p)), operands, where);
}

/// The scan op on leaves: body takes carries then slices, gives carries then slices to stack.
AUTOVEC_API Leaves scan_leaves(std::string_view op, const Leaves& init, const Leaves& sequences,
                               std::int64_t length, bool reverse, LeafFunction body, LeafName name,
                               Where where) {
  check_alive(op, init, where);
  check_alive(op, sequences, where);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Type type = sequences[i].type();
    if (type.rank() == 0) {
      fail<ShapeError>(
          op, leaf_words("the sequence", number_text(i)) + " has rank 0, nothing to run along",
          where);
    }
    if (length < 0) length = type.shape[0];
    if (type.shape[0] != length) {
      std::string what = leaf_words("the sequence", number_text(i));
      what += " has ";
      what += number_text(type.shape[0]);
      what += " slices, expected ";
      what += number_text(length);
      fail<ShapeError>(op, what, where);
    }
  }
  if (length < 0)
    fail<ShapeError>(op, "no sequence and no length", where, "give ScanOptions{.length = n}");
  std::vector<Type> slices;
  for (const Tensor& x : sequences) {
    Type type = x.type();
    type.shape.erase(0);
    slices.push_back(type);
  }
  std::vector<Type> state = types_of(init);
  const std::size_t count = state.size();
  TracedGraph traced = trace_state(op, state, 0, body, slices, name, where);
  ScanParams p;
  p.length = length;
  p.captures = static_cast<std::int64_t>(traced.captures.size());
  p.carries = static_cast<std::int64_t>(count);
  p.reverse = reverse;
  p.in_axes = Extents(sequences.size(), 0);
  p.out_axes = Extents(traced.graph.output_count() - count, 0);
  p.body = captures_first(traced.graph, count + slices.size());
  Leaves operands = traced.captures;
  for (std::size_t j = 0; j < count; ++j) operands.push_back(to_type(init[j], state[j], where));
  operands.insert(operands.end(), sequences.begin(), sequences.end());
  return emit(row_of<ops::Scan>, Params::of(std::move(p)), operands, where);
}

}  // namespace detail
}  // namespace autovec::inline v1
