// The passes that a graph runs through before it is lowered, as data, and the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

#include "autovec/ir/graph.hpp"
#include "autovec/plan/cse.hpp"
#include "autovec/plan/fold.hpp"
#include "autovec/plan/hoist.hpp"
#include "autovec/plan/regions.hpp"
#include "autovec/plan/simplify.hpp"

namespace autovec::inline v1 {
namespace plan {

/// A step from graph to graph that changes no value. Leaving one out leaves results right.
struct Pass {
  std::string_view name;
  Graph (*run)(const Graph& graph);
};

inline constexpr Pass pipeline[] = {
    {"simplify", simplify},       // fewer nodes for all that follow
    {"fold", fold},               // before captures: what folds to a constant moves into regions
    {"captures", tidy_captures},  // constants come together with what they meet inside
    {"hoist", hoist},             // sees which captures are left
    {"captures", tidy_captures},  // drops those that only hoisted nodes read
    {"fold", fold},               // chains of constants, and those that met inside regions
    {"cse", merge_equal},         // last, so that what became equal merges too
};

/// Whether `name` is in a list like `hoist,cse`.
inline bool is_listed(std::string_view name, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    if (list.substr(0, end) == name) return true;
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

/// Names of the passes to leave out: those given, and those of the environment's AUTOVEC_SKIP.
inline bool is_skipped(std::string_view name, std::string_view skip) {
  const char* environment = std::getenv("AUTOVEC_SKIP");
  return is_listed(name, skip) || (environment != nullptr && is_listed(name, environment));
}

inline Graph run_passes(Graph graph, std::string_view skip = {}) {
  for (const Pass& pass : pipeline) {
    if (!is_skipped(pass.name, skip)) graph = pass.run(graph);
  }
  return graph;
}

}  // namespace plan
}  // namespace autovec::inline v1
