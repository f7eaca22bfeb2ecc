// The text law: graphs, before and after vmap, and the lane programs of their kernels print to text
// that reads back as the same thing.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <span>
#include <variant>

#include "autovec/ir/builder.hpp"
#include "autovec/ir/verify.hpp"
#include "autovec/lane/parse.hpp"
#include "autovec/lane/text.hpp"
#include "autovec/plan/lower.hpp"
#include "autovec/plan/lower_control.hpp"
#include "autovec/plan/pipeline.hpp"
#include "laws.hpp"

namespace {

using namespace laws;

std::string round_trip(const Graph& graph) {
  const std::string text = graph_text(graph);
  const Graph again = parse(text);
  verify(again);
  if (graph_text(again) != text)
    return "printed again it differs:\n" + text + "\n" + graph_text(again);
  if (!same_graph(graph, again) || !same_graph(again, graph))
    return "another graph came back:\n" + text;
  if (graph->hash != again->hash) return "another hash came back:\n" + text;
  return {};
}

/// The functions that a region calls, and those they call in turn.
using Functions = std::vector<std::shared_ptr<const lane::Function>>;
void collect(const lane::Block& block, Functions& out) {
  lane::for_each_instruction(block, [&](const lane::Instruction& i) {
    if (i.callee == nullptr || std::find(out.begin(), out.end(), i.callee) != out.end()) return;
    out.push_back(i.callee);
    collect(i.callee->body, out);
  });
}

bool takes(const lane::Function& f, std::span<const DType> parameters) {
  bool same = f.arity() == parameters.size();
  for (std::size_t i = 0; same && i < parameters.size(); ++i)
    same = f.parameter_dtype(i) == parameters[i];
  return same;
}

std::string round_trip(const lane::Program& program) {
  Functions functions;
  collect(program.body, functions);
  const lane::Lookup lookup = [&](std::string_view name, std::span<const DType> parameters) {
    for (const auto& f : functions) {
      if (f->name == name && takes(*f, parameters)) return f;
    }
    return std::shared_ptr<const lane::Function>();
  };
  const std::string text = lane::to_text(program);
  const lane::Program again = lane::parse_program(text, lookup);
  if (!(again == program))
    return "printed again it differs:\n" + text + "\n" + lane::to_text(again);
  for (const auto& f : functions) {
    const std::string body = lane::to_text(*f);
    const lane::Function back = lane::parse_function(body, lookup);
    if (!(back == *f)) return "the function differs:\n" + body + "\n" + lane::to_text(back);
  }
  return {};
}

std::string round_trip(const plan::Plan& plan) {
  for (const plan::Kernel& kernel : plan.kernels) {
    std::string fault;
    if (const auto* program = std::get_if<lane::Program>(&kernel)) fault = round_trip(*program);
    if (const auto* reduction = std::get_if<Reduction>(&kernel))
      fault = round_trip(reduction->value);
    if (!fault.empty()) return fault;
  }
  return {};
}

plan::Plan planned(const Graph& graph, bool fuse) {
  std::vector<Extents> strides;
  for (std::size_t i = 0; i < graph.input_count(); ++i)
    strides.push_back(row_major(graph.input_type(i).shape));
  plan::LoweringOptions options;
  options.fuse = fuse;
  return plan::lower(plan::run_passes(graph), strides, options);
}

/// The op by itself: for collectives, before a vmap has resolved it.
Graph bare(const OpInfo& row, const Sample& sample) {
  GraphBuilder builder;
  SmallVector<ValueId, 4> inputs;
  std::vector<Type> types;
  for (const SampleOperand& x : sample.operands) {
    types.push_back(x.type);
    inputs.push_back(builder.add_input(x.type));
  }
  const std::vector<Type> results = row.infer(types, sample.params, Where::unknown());
  const ValueId first =
      builder.add_node(row, sample.params, std::move(inputs), results, Where::unknown());
  std::vector<ValueId> outputs;
  for (std::size_t j = 0; j < results.size(); ++j)
    outputs.push_back(first + static_cast<ValueId>(j));
  return builder.finish(std::move(outputs));
}

}  // namespace

TEST_CASE("every sample prints to a text that reads back as the same graph") {
  std::size_t cases = 0;
  for (const OpInfo* row : op_table().rows()) {
    if (row->samples == nullptr) continue;
    for (const Sample& sample : row->samples()) {
      CHECK_MESSAGE(round_trip(bare(*row, sample)) == "", row->name);
      ++cases;
    }
  }
  MESSAGE("text: " << cases << " cases");
  CHECK(cases > 1000);
}

TEST_CASE("graphs after vmap and the lane programs of their kernels read back as the same") {
  for_the_table("text", 2, [](const Application& f, SampleBits& bits) -> std::string {
    const std::vector<bool> mapped = draw_mapped(f.types().size(), bits);
    const LeafAxes axes = draw_axes(f.types(), mapped, bits);
    const std::int64_t lanes = bits.between(0, 4);
    std::vector<Type> types;
    for (std::size_t i = 0; i < f.types().size(); ++i) {
      types.push_back(axes[i] ? Stack(f.types()[i], lanes, *axes[i]).whole_type() : f.types()[i]);
    }
    const LeafAxes out = draw_axes(f.results(), std::vector<bool>(f.results().size(), true), bits);
    const auto all = [&](const Leaves& in) { return vmapped(f, in, axes, out, lanes); };
    const Graph graph = detail::trace_leaves(types, all, Where::unknown()).graph;
    const std::string fault = round_trip(graph);
    return fault.empty() ? round_trip(planned(graph, bits.below(2) == 0)) : fault;
  });
}
