// Checks that a graph is what every graph must be; for debug builds, tests, and after each pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "autovec/base/error.hpp"
#include "autovec/base/text.hpp"
#include "autovec/ir/builder.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/ir/params.hpp"

namespace autovec::inline v1 {

namespace detail {

/// One graph, whose parts may be anything; `seen` holds the graphs known to be right.
class GraphVerifier {
 public:
  using Seen = std::unordered_set<const GraphData*>;
  GraphVerifier(const GraphData& g, Seen& seen) : g_(g), seen_(seen) {}

  void check() {
    values();
    for (node_ = 0; node_ < count(); ++node_) node(g_.nodes[static_cast<std::size_t>(node_)]);
    node_ = -1;
    for (const ValueId v : g_.outputs) require(is_value(v), "an output is no value");
    require(g_.hash == structure_hash(g_), "the hash is not that of the structure");
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(g_.nodes.size()); }
  bool is_value(ValueId v) const { return v >= 0 && static_cast<std::size_t>(v) < g_.types.size(); }
  void require(bool holds, std::string_view what) const {
    if (!holds) refuse(what);
  }

  /// Each value is one input, or one result of one node.
  void values() {
    require(g_.producers.size() == g_.types.size(), "values without type or producer");
    std::vector<std::int32_t> makers(g_.types.size(), -2);
    const auto claim = [&](ValueId v, std::int32_t maker) {
      require(is_value(v), "an input or result is no value");
      require(makers[static_cast<std::size_t>(v)] == -2, "a value is made twice");
      makers[static_cast<std::size_t>(v)] = maker;
    };
    for (const ValueId v : g_.inputs) claim(v, -1);
    for (node_ = 0; node_ < count(); ++node_) {
      const Node& node = g_.nodes[static_cast<std::size_t>(node_)];
      require(node.op != nullptr, "the node has no op");
      for (std::int32_t i = 0; i < node.result_count; ++i) claim(node.result(i), node_);
    }
    node_ = -1;
    require(makers == g_.producers, "values and their producers disagree");
    for (const Type& type : g_.types) {
      for (const std::int64_t extent : type.shape) require(extent >= 0, "a negative extent");
    }
  }

  void node(const Node& node) {
    const OpInfo& op = *node.op;
    require(op.arity < 0 || node.operands.size() == static_cast<std::size_t>(op.arity),
            "a wrong number of operands");
    std::vector<Type> types;
    for (const ValueId v : node.operands) {
      require(is_value(v), "an operand is no value");
      require(g_.producers[static_cast<std::size_t>(v)] < node_, "an operand is made later");
      types.push_back(g_.types[static_cast<std::size_t>(v)]);
    }
    params(op, node.params);
    const std::span<const Type> given(g_.types.data() + node.first_result,
                                      static_cast<std::size_t>(node.result_count));
    std::vector<Type> inferred;
    try {
      inferred = op.infer(types, node.params, node.where);
    } catch (const Error& error) {
      refuse(error.what());
    }
    require(std::equal(given.begin(), given.end(), inferred.begin(), inferred.end()),
            "the types of the results are not those inferred");
  }

  void params(const OpInfo& op, const Params& params) {
    const bool none = op.params == nullptr || op.params->identity == params_info<NoParams>.identity;
    require(params.empty() == none,
            none ? "the op has no parameters" : "the parameters are missing");
    if (none) return;
    require(params.info()->identity == op.params->identity, "the parameters are another op's");
    if (op.name == literal_row.name) {
      const auto& p = params.as<LiteralParams>();
      require(p.value == rounded(p.value, p.dtype), "a literal that is not rounded to its dtype");
    }
    for (const Graph* inner : params.graphs()) {
      require(static_cast<bool>(*inner), "a graph among the parameters is missing");
      if (seen_.contains(&**inner)) continue;
      try {
        GraphVerifier(**inner, seen_).check();
      } catch (const InternalError& error) {
        refuse(error.what());
      }
      seen_.insert(&**inner);
    }
  }

  /// The fault, and up to ten nodes around the culprit, values by number.
  [[noreturn]] void refuse(std::string_view what) const {
    std::string text("verify: ");
    text += what;
    if (node_ >= 0) {
      const std::int32_t first = std::max(std::min(node_ - 5, count() - 10), 0);
      for (std::int32_t n = first; n < std::min(first + 10, count()); ++n) {
        text += n == node_ ? "\n  > " : "\n    ";
        describe(text, g_.nodes[static_cast<std::size_t>(n)]);
      }
      const Where where = g_.nodes[static_cast<std::size_t>(node_)].where;
      if (where.known()) {
        text += "\n  at ";
        text += where.text();
      }
    }
    throw InternalError(text);
  }
  void describe(std::string& text, const Node& node) const {
    const std::int32_t shown = std::min(node.result_count, std::int32_t{8});
    for (std::int32_t i = 0; i < shown; ++i) {
      if (i != 0) text += ", ";
      name(text, node.result(i));
      if (!is_value(node.result(i))) continue;
      text += ": ";
      text += type_text(g_.types[static_cast<std::size_t>(node.result(i))]);
    }
    text += " = ";
    text += node.op != nullptr ? node.op->name : std::string_view("?");
    for (const ValueId v : node.operands) {
      text += ' ';
      name(text, v);
    }
    if (node.params.empty()) return;
    text += ' ';
    if (node.params.graphs().empty()) {
      node.params.print(text, 0);
    } else {
      text += "{...}";
    }
  }
  void name(std::string& text, ValueId v) const {
    text += '%';
    text += number_text(v);
  }

  const GraphData& g_;
  Seen& seen_;
  std::int32_t node_ = -1;  // under examination
};

}  // namespace detail

/// Throws InternalError unless the graph is well formed: each value made once, operands before
/// use, parameters of the op's own struct, types as inferred, inner graphs well formed too.
inline void verify(const Graph& graph) {
  ensure(static_cast<bool>(graph), "verify: no graph");
  detail::GraphVerifier::Seen seen;
  detail::GraphVerifier(*graph, seen).check();
}

}  // namespace autovec::inline v1
