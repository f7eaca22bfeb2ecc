// Text, parsing and running of graphs: what inspect.hpp declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/api/inspect.hpp"
#include "autovec/ir/dot.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/ir/print.hpp"
#include "autovec/ir/verify.hpp"
#include "autovec/ops/table-inl.hpp"

namespace autovec::inline v1 {

AUTOVEC_API std::string str(const Graph& graph) { return graph_text(graph); }

AUTOVEC_API std::ostream& operator<<(std::ostream& out, const Graph& graph) {
  return out << graph_text(graph);
}

AUTOVEC_API Graph parse(std::string_view text) { return parse_graph(text, op_table()); }

AUTOVEC_API std::string to_dot(const Graph& graph) { return graph_dot(graph); }

AUTOVEC_API std::vector<Tensor> evaluate(const Graph& graph, std::vector<Tensor> inputs,
                                         Where where) {
  if (inputs.size() != graph.input_count()) {
    fail<TypeError>("evaluate",
                    "the graph has " + number_text(graph.input_count()) + " inputs, got " +
                        number_text(inputs.size()),
                    where);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& want = graph.input_type(i);
    Tensor& x = inputs[i];
    detail::check_alive("evaluate", x, where);
    if (x.is_number()) x = detail::with_element(x, element_of(want), where);
    const Type got = x.type();
    if (!(got.shape == want.shape) || got.dtype != want.dtype) {
      fail<TypeError>(
          "evaluate",
          "input " + number_text(i) + " is " + type_text(got) + ", expected " + type_text(want),
          where);
    }
  }
  return call_graph(graph, inputs);
}

}  // namespace autovec::inline v1
