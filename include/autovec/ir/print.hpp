// Canonical text of graphs; parse.hpp reads it back.
// SPDX-License-Identifier: Apache-2.0
//
//   (a: f32[3], b: f32[3]) {
//     c: f32[3] = mul a b
//     d: f32[] = sum c {axes=[0]}
//     e: f32[] = mul d 2:f32
//     return e
//   }
//
// Nodes stand in the order in which a walk back from the outputs needs them, so neither dead nodes
// nor the order in which independent nodes were traced shows. Graphs print alike just when
// `same_graph` holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/base/text.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/number.hpp"
#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {

namespace detail {

/// `a`, ..., `z`, `aa`, `ab`, ...
inline std::string value_name(std::size_t i) {
  std::string out;
  for (std::size_t n = i + 1; n != 0; n = (n - 1) / 26) {
    out.insert(out.begin(), static_cast<char>('a' + (n - 1) % 26));
  }
  return out;
}

/// A NaN other than the default one keeps its pattern: `nan(9221120237041090561)`.
inline std::string real_text(double value) {
  const Number number(value);
  if (!std::isnan(value) || number == Number(std::numeric_limits<double>::quiet_NaN())) {
    return number_text(value);
  }
  std::string out("nan(");
  out += number_text(number.bits);
  out += ')';
  return out;
}

/// `2:f32`; a weak one `2:f32~`.
inline std::string literal_text(const LiteralParams& literal) {
  const bool odd = literal.value.kind == Number::Kind::real && std::isnan(literal.value.real());
  std::string out =
      odd ? real_text(literal.value.real()) : number_text_as(literal.value, literal.dtype);
  out += ':';
  out += name_of(literal.dtype);
  if (literal.weak) out += '~';
  return out;
}

/// The positions of the nodes that the outputs need, operands first, in the order of need.
inline std::vector<std::int32_t> needed_nodes(const GraphData& g) {
  std::vector<std::int32_t> order;
  std::vector<bool> seen(g.nodes.size(), false);
  std::vector<std::pair<std::int32_t, std::size_t>> open;  // node, operands visited
  const auto visit = [&](ValueId v) {
    const std::int32_t n = g.producers[static_cast<std::size_t>(v)];
    if (n < 0 || seen[static_cast<std::size_t>(n)]) return;
    seen[static_cast<std::size_t>(n)] = true;
    open.push_back({n, 0});
  };
  for (const ValueId output : g.outputs) {
    visit(output);
    while (!open.empty()) {
      auto& [n, visited] = open.back();
      const Node& node = g.nodes[static_cast<std::size_t>(n)];
      if (visited < node.operands.size()) {
        visit(node.operands[visited++]);
      } else {
        order.push_back(n);
        open.pop_back();
      }
    }
  }
  return order;
}

/// Prints one graph.
class GraphPrinter {
 public:
  GraphPrinter(const Graph& graph, int indent)
      : graph_(graph), names_(graph->types.size()), indent_(indent) {}

  std::string text() {
    out_ += '(';
    for (std::size_t i = 0; i < graph_.input_count(); ++i) {
      if (i != 0) out_ += ", ";
      define(graph_->inputs[i]);
    }
    out_ += ") {\n";
    for (const std::int32_t n : needed_nodes(*graph_)) {
      const Node& node = graph_->nodes[static_cast<std::size_t>(n)];
      if (as_literal(&node) == nullptr) print(node);
    }
    margin(2);
    out_ += "return";
    std::string_view separator = " ";
    for (const ValueId v : graph_->outputs) {
      out_ += separator;
      use(v);
      separator = ", ";
    }
    out_ += '\n';
    margin(0);
    out_ += '}';
    return std::move(out_);
  }

 private:
  void print(const Node& node) {
    margin(2);
    for (std::int32_t i = 0; i < node.result_count; ++i) {
      if (i != 0) out_ += ", ";
      define(node.result(i));
    }
    out_ += " = ";
    out_ += node.op->name;
    for (const ValueId v : node.operands) {
      out_ += ' ';
      use(v);
    }
    if (!node.params.empty()) {
      out_ += ' ';
      node.params.print(out_, indent_ + 2);
    }
    out_ += '\n';
  }
  void define(ValueId v) {
    names_[static_cast<std::size_t>(v)] = value_name(next_++);
    out_ += names_[static_cast<std::size_t>(v)];
    out_ += ": ";
    out_ += type_text(graph_.type(v));
  }
  void use(ValueId v) {
    const LiteralParams* literal = as_literal(graph_.producer(v));
    out_ += literal != nullptr ? literal_text(*literal) : names_[static_cast<std::size_t>(v)];
  }
  void margin(int more) { out_.append(static_cast<std::size_t>(indent_ + more), ' '); }

  const Graph& graph_;
  std::vector<std::string> names_;
  int indent_;
  std::size_t next_ = 0;
  std::string out_;
};

/// Kinds stay apart: `2` is an integer, `2.0` a real number, `true` a truth value.
inline void print_field(std::string& out, const Number& v, int) {
  switch (v.kind) {
    case Number::Kind::boolean: out += v.bits != 0 ? "true" : "false"; return;
    case Number::Kind::integer: out += number_text(static_cast<std::int64_t>(v.bits)); return;
    case Number::Kind::natural: out += number_text(v.bits); return;
    case Number::Kind::real: break;
  }
  const std::string text = real_text(v.real());
  out += text;
  if (text.find_first_of(".en") == std::string::npos) out += ".0";
}

inline void print_field(std::string& out, const Graph& v, int indent) {
  if (v) {
    out += GraphPrinter(v, indent).text();
  } else {
    out += "null";
  }
}

}  // namespace detail

/// The canonical text of `graph`. Lines behind the first are indented by `indent` blanks more;
/// there is no line end at the end.
inline std::string graph_text(const Graph& graph, int indent = 0) {
  std::string out;
  detail::print_field(out, graph, indent);
  return out;
}

/// Writes the canonical text.
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             const Graph& graph) {
  const std::string text = graph_text(graph);
  return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace autovec::inline v1
