// The executor law: reference and simd agree bit for bit, whatever pass is left out, and from run
// to run.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/exec/run.hpp"
#include "autovec/plan/pipeline.hpp"
#include "laws.hpp"

namespace {

using namespace laws;

/// x through two element-wise steps and a change of layout that leave it as it is, for the planner
/// to fuse with what stands beside.
Tensor dressed(const Tensor& x) {
  const Tensor turned = transpose(x);
  const auto twice = [](const Tensor& y) {
    return is_bool(y.dtype()) ? !(!y) : where(y == y, y, y);
  };
  return transpose(twice(turned));
}

/// The application between such steps.
Leaves dressed_application(const Application& f, const Leaves& in) {
  Leaves operands, out;
  for (const Tensor& x : in) operands.push_back(dressed(x));
  for (const Tensor& y : f(operands)) out.push_back(dressed(y));
  return out;
}

std::vector<Array> arrays_of(const Leaves& leaves) {
  std::vector<Array> out;
  for (const Tensor& x : leaves) out.push_back(x.array("laws", Where::unknown()));
  return out;
}

Leaves run(const Graph& graph, const std::vector<Array>& inputs, Executor e,
           std::string_view skip) {
  std::vector<Extents> strides;
  for (const Array& a : inputs) strides.push_back(a.strides);
  PlanOptions options;
  options.skip = skip;
  const Executable executable = Executable::make(graph, strides, backend_of(e), options);
  Leaves out;
  for (Array& a : executable.run(inputs)) out.push_back(Tensor(std::move(a)));
  return out;
}

/// Passes to leave out: none, each, all.
std::vector<std::string> skips() {
  std::vector<std::string> out{"", "fuse", "memory"};
  for (const plan::Pass& pass : plan::pipeline) out.push_back(std::string(pass.name));
  std::string all;
  for (const std::string& name : out) {
    if (!all.empty() && !name.empty()) all += ',';
    all += name;
  }
  out.push_back(all);
  return out;
}

/// x with its axes in memory the other way round.
Tensor column_major(const Tensor& x) {
  return transpose(Tensor(to_contiguous(transpose(x).array("laws", Where::unknown()))));
}

}  // namespace

TEST_CASE("the executors are two") {
  CHECK(backend_of(Executor::reference).name == "reference");
  CHECK(backend_of(Executor::simd).name == "simd");
}

TEST_CASE("reference and simd give the same bits, eagerly and planned, without any pass") {
  for_the_table("executors", 2, [](const Application& f, SampleBits& bits) -> std::string {
    Leaves in = f.values(bits.next());
    if (bits.below(2) == 0) {
      for (Tensor& x : in) x = column_major(x);
    }
    const auto eager = [&](Executor e) {
      const WithExecutor scope(e);
      return f(in);
    };
    const Leaves want = eager(Executor::reference);
    std::string fault = f.compare(eager(Executor::simd), want, in);
    if (!fault.empty()) return "eager on simd: " + fault;

    const auto chain = [&](const Leaves& x) { return dressed_application(f, x); };
    const Graph graph = detail::trace_leaves(f.types(), chain, Where::unknown()).graph;
    const std::vector<Array> inputs = arrays_of(in);
    static const std::vector<std::string> left_out = skips();
    const std::string& skip = left_out[bits.below(left_out.size())];
    for (const Executor e : {Executor::reference, Executor::simd}) {
      for (const std::string_view without : {std::string_view(), std::string_view(skip)}) {
        fault = f.compare(run(graph, inputs, e, without), want, in);
        if (fault.empty()) continue;
        std::string text(e == Executor::simd ? "simd" : "reference");
        if (!without.empty()) text += ", without " + skip;
        return text + ": " + fault;
      }
    }
    return {};
  });
}

TEST_CASE("reference and simd give the same bits under vmap, with all kinds of tails") {
  for_the_table("executors, lanes", 2, [](const Application& f, SampleBits& bits) -> std::string {
    const std::vector<bool> mapped = draw_mapped(f.types().size(), bits);
    const LeafAxes axes = draw_axes(f.types(), mapped, bits);
    const LeafAxes out(f.results().size(), 0);
    const std::int64_t lanes = bits.between(1, 70);
    const LaneOperands operands(f, mapped, lanes, bits.next());
    const Leaves in = operands.arguments(axes, lanes);
    const auto on = [&](Executor e) {
      const WithExecutor scope(e);
      const auto chain = [&](const Leaves& x) { return dressed_application(f, x); };
      return vmapped(chain, in, axes, out, lanes);
    };
    const Leaves want = on(Executor::reference);
    const Leaves got = on(Executor::simd);
    for (std::size_t j = 0; j < want.size(); ++j) {
      if (!f.sums_in_any_order()) {
        const std::string fault = difference(got[j], want[j]);
        if (!fault.empty()) return std::to_string(lanes) + " lanes: " + fault;
        continue;
      }
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const Stack stack(f.results()[j], lanes, 0);
        const std::string fault =
            f.compare({stack.slice(got[j], lane)}, {stack.slice(want[j], lane)}, operands.of(lane));
        if (!fault.empty())
          return std::to_string(lanes) + " lanes, lane " + std::to_string(lane) + ": " + fault;
      }
    }
    return {};
  });
}

TEST_CASE("bits do not change from run to run") {
  for_the_table("runs", 1, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(Executor::simd);
    const std::vector<bool> mapped = draw_mapped(f.types().size(), bits);
    const LeafAxes axes = draw_axes(f.types(), mapped, bits);
    const LaneOperands operands(f, mapped, 20, bits.next());
    const Leaves in = operands.arguments(axes, 20);
    const LeafAxes out(f.results().size(), 0);
    const Leaves first = vmapped(f, in, axes, out, 20);
    for (int i = 0; i < 3; ++i) {
      const Leaves again = vmapped(f, in, axes, out, 20);
      for (std::size_t j = 0; j < first.size(); ++j) {
        const std::string fault = difference(again[j], first[j]);
        if (!fault.empty()) return fault;
      }
    }
    return {};
  });
}
