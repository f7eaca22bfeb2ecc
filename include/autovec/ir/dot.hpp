// Graphviz text of a graph; graphs among parameters are clusters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "autovec/base/text.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/ir/print.hpp"

namespace autovec::inline v1 {

namespace detail {

/// Draws graphs, each under a prefix that keeps its names apart.
class DotPrinter {
 public:
  std::string text(const Graph& graph) {
    out_ += "digraph autovec {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n";
    draw(graph, "n", 2);
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  void draw(const Graph& graph, const std::string& prefix, int indent) {
    for (std::size_t i = 0; i < graph.input_count(); ++i) {
      const std::string label = "input " + number_text(i) + "\n" + type_text(graph.input_type(i));
      vertex(value(graph, graph->inputs[i], prefix), label, "ellipse", indent);
    }
    for (const std::int32_t n : needed_nodes(*graph)) {
      const Node& node = graph->nodes[static_cast<std::size_t>(n)];
      if (as_literal(&node) == nullptr) draw(graph, node, n, prefix, indent);
    }
    for (std::size_t i = 0; i < graph.output_count(); ++i) {
      const std::string name = prefix + "_out" + number_text(i);
      vertex(name, "output " + number_text(i), "ellipse", indent);
      edge(graph, graph->outputs[i], name, prefix, indent);
    }
  }
  void draw(const Graph& graph, const Node& node, std::int32_t n, const std::string& prefix,
            int indent) {
    const std::string name = prefix + "_" + number_text(n);
    std::string label(node.op->name);
    const std::vector<const Graph*> inner = node.params.graphs();
    if (!node.params.empty() && inner.empty()) {
      label += ' ';
      node.params.print(label, 0);
    }
    for (std::int32_t i = 0; i < node.result_count; ++i) {
      label += i == 0 ? "\n" : ", ";
      label += type_text(graph.type(node.result(i)));
    }
    vertex(name, label, "box", indent);
    for (const ValueId v : node.operands) edge(graph, v, name, prefix, indent);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const std::string inside = name + "_" + number_text(i);
      line(indent, "subgraph cluster_" + inside + " {");
      std::string title(node.op->name);
      title += ' ';
      title += number_text(i);
      line(indent + 2, "label=" + quoted_text(title) + ";");
      draw(*inner[i], inside, indent + 2);
      line(indent, "}");
    }
  }
  void vertex(const std::string& name, std::string_view label, std::string_view shape, int indent) {
    std::string text(name);
    text += " [shape=";
    text += shape;
    text += ", label=";
    text += quoted_text(label);
    text += "];";
    line(indent, text);
  }
  void edge(const Graph& graph, ValueId from, const std::string& to, const std::string& prefix,
            int indent) {
    std::string name = value(graph, from, prefix);
    if (const LiteralParams* literal = as_literal(graph.producer(from))) {
      name = prefix + "_literal" + number_text(literals_++);
      vertex(name, literal_text(*literal), "plaintext", indent);
    }
    line(indent, name + " -> " + to + ";");
  }
  /// The vertex that `v` comes from.
  static std::string value(const Graph& graph, ValueId v, const std::string& prefix) {
    const std::int32_t n = graph->producers[static_cast<std::size_t>(v)];
    if (n >= 0) return prefix + "_" + number_text(n);
    std::size_t i = 0;
    while (graph->inputs[i] != v) ++i;
    return prefix + "_in" + number_text(i);
  }
  void line(int indent, std::string_view text) {
    out_.append(static_cast<std::size_t>(indent), ' ');
    out_ += text;
    out_ += '\n';
  }

  std::string out_;
  std::size_t literals_ = 0;
};

}  // namespace detail

/// A picture of `graph` in Graphviz's language, `dot -Tsvg` draws it.
inline std::string graph_dot(const Graph& graph) { return detail::DotPrinter().text(graph); }

}  // namespace autovec::inline v1
