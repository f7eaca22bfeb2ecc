// Shared stays shared: what does not depend on the mapped axis is computed once and never tiled.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/ir/builder.hpp"
#include "laws.hpp"

namespace {

using namespace laws;

/// An extent that no sample has, so that a type that has it was made for the lanes.
constexpr std::int64_t lanes = 11;

bool has_lanes(const Type& type) {
  return std::find(type.shape.begin(), type.shape.end(), lanes) != type.shape.end();
}

/// Which values of the graph depend on an input marked in `mapped`.
std::vector<bool> dependent(const Graph& g, const std::vector<bool>& mapped) {
  std::vector<bool> out(g->types.size(), false);
  for (std::size_t i = 0; i < mapped.size(); ++i)
    out[static_cast<std::size_t>(g->inputs[i])] = mapped[i];
  for (const Node& node : g->nodes) {
    bool any = false;
    for (const ValueId v : node.operands) any = any || out[static_cast<std::size_t>(v)];
    for (std::int32_t r = 0; r < node.result_count; ++r)
      out[static_cast<std::size_t>(node.result(r))] = any;
  }
  return out;
}

/// Kinds that read a shared operand where it lies. The others combine it with the lanes' values
/// element by element, write it, or carry it: they may repeat it, as a view.
bool reads_in_place(Kind kind) {
  return kind == Kind::view || kind == Kind::reduce || kind == Kind::contract ||
         kind == Kind::gather;
}

}  // namespace

TEST_CASE("an op whose operands are shared is computed once, as without vmap") {
  for_the_table("shared", 1, [](const Application& f, SampleBits&) -> std::string {
    std::vector<Type> types = f.types();
    types.push_back(Type{DType::f32, false, {lanes}});
    // (operands..., m): m passes through.
    const auto plain = [&](const Leaves& in) {
      Leaves out = f(Leaves(in.begin(), in.end() - 1));
      out.push_back(in.back());
      return out;
    };
    LeafAxes in_axes(f.types().size(), std::nullopt), out_axes(f.results().size(), std::nullopt);
    in_axes.push_back(0);
    out_axes.push_back(0);
    const auto mapped = [&](const Leaves& in) {
      return vmapped(plain, in, in_axes, out_axes, lanes);
    };
    const Graph want = detail::trace_leaves(types, plain, Where::unknown()).graph;
    const Graph got = detail::trace_leaves(types, mapped, Where::unknown()).graph;
    if (same_graph(got, want)) return {};
    return "vmap changed\n" + graph_text(want) + "\ninto\n" + graph_text(got);
  });
}

TEST_CASE("a shared operand beside mapped ones is not tiled") {
  for_the_table(
      "shared beside mapped", 2, [](const Application& f, SampleBits& bits) -> std::string {
        const std::vector<bool> mapped = draw_mapped(f.types().size(), bits);
        const LeafAxes axes = draw_axes(f.types(), mapped, bits);
        std::vector<Type> types;
        for (std::size_t i = 0; i < f.types().size(); ++i) {
          types.push_back(axes[i] ? Stack(f.types()[i], lanes, *axes[i]).whole_type()
                                  : f.types()[i]);
        }
        const LeafAxes out(f.results().size(), 0);
        const auto all = [&](const Leaves& in) { return vmapped(f, in, axes, out, lanes); };
        const Graph g = detail::trace_leaves(types, all, Where::unknown()).graph;
        const std::vector<bool> depends = dependent(g, mapped);
        for (const Node& node : g->nodes) {
          for (std::int32_t r = 0; r < node.result_count; ++r) {
            const auto v = static_cast<std::size_t>(node.result(r));
            if (depends[v] || !has_lanes(g->types[v])) continue;
            // Iotas number the lanes themselves.
            if (node.op->kind == Kind::source) continue;
            if (node.op->kind == Kind::view && !reads_in_place(f.row().kind)) continue;
            return std::string(node.op->name) + " gives every lane the same " +
                   type_text(g->types[v]) + " in\n" + graph_text(g);
          }
        }
        return {};
      });
}
