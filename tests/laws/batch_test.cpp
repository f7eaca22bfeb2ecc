// The batch law: vmap equals the loop over the lanes, stacked, for every op, dtype, shape, mix of
// mapped operands and mapped axis.
// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

namespace {

using namespace laws;

constexpr std::int64_t lane_counts[] = {1, 2, 3, 7, 33};

Executor draw_executor(SampleBits& bits) {
  return bits.below(2) == 0 ? Executor::reference : Executor::simd;
}

/// Types and out axes of the stacked results.
std::vector<Stack> result_stacks(const Application& f, std::int64_t lanes, const LeafAxes& out) {
  std::vector<Stack> stacks;
  for (std::size_t j = 0; j < f.results().size(); ++j)
    stacks.emplace_back(f.results()[j], lanes, *out[j]);
  return stacks;
}

Leaves lane_of(const std::vector<Stack>& stacks, const Leaves& whole, std::int64_t lane) {
  Leaves out;
  for (std::size_t j = 0; j < whole.size(); ++j) out.push_back(stacks[j].slice(whole[j], lane));
  return out;
}

std::string case_text(std::string_view what, const std::vector<bool>& mapped, const LeafAxes& axes,
                      std::int64_t lanes, std::int64_t lane) {
  std::string out(what);
  out += ": lane " + std::to_string(lane) + " of " + std::to_string(lanes) + ", axes (";
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    if (i != 0) out += ", ";
    out += axes[i] ? std::to_string(*axes[i]) : "shared";
  }
  return out + "), executor " + (executor() == Executor::reference ? "reference" : "simd") + ": ";
}

std::vector<bool> all_of(std::size_t n) { return std::vector<bool>(n, true); }

}  // namespace

TEST_CASE("vmap equals the loop over the lanes, stacked") {
  for_the_table("batch", 3, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(draw_executor(bits));
    const std::vector<bool> mapped = draw_mapped(f.types().size(), bits);
    const LeafAxes axes = draw_axes(f.types(), mapped, bits);
    const LeafAxes out = draw_axes(f.results(), all_of(f.results().size()), bits);
    const std::int64_t lanes =
        bits.below(16) == 0 ? 0 : lane_counts[bits.below(std::size(lane_counts))];
    const LaneOperands operands(f, mapped, lanes, bits.next());
    const std::vector<Stack> stacks = result_stacks(f, lanes, out);
    const Leaves got = vmapped(f, operands.arguments(axes, lanes), axes, out, lanes);
    for (std::size_t j = 0; j < got.size(); ++j) {
      if (!(got[j].type() == stacks[j].whole_type())) {
        return "result " + std::to_string(j) + " has type " + type_text(got[j].type()) +
               ", expected " + type_text(stacks[j].whole_type());
      }
    }
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const Leaves want = f(operands.of(lane));
      const std::string fault = f.compare(lane_of(stacks, got, lane), want, operands.of(lane));
      if (!fault.empty()) return case_text("vmap", mapped, axes, lanes, lane) + fault;
    }
    return {};
  });
}

TEST_CASE("vmap of vmap equals two loops") {
  for_the_table("nested batch", 2, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(draw_executor(bits));
    const std::size_t n = f.types().size();
    const std::int64_t outer = bits.between(1, 3);
    const std::int64_t inner = bits.between(1, 4);
    const std::vector<bool> outer_mapped = draw_mapped(n, bits);
    const std::vector<bool> inner_mapped = draw_mapped(n, bits);
    const LeafAxes inner_axes = draw_axes(f.types(), inner_mapped, bits);
    std::vector<Type> rows;  // of the operands of the inner vmap
    for (std::size_t i = 0; i < n; ++i) {
      rows.push_back(inner_axes[i] ? Stack(f.types()[i], inner, *inner_axes[i]).whole_type()
                                   : f.types()[i]);
    }
    const LeafAxes outer_axes = draw_axes(rows, outer_mapped, bits);
    const LeafAxes inner_out = draw_axes(f.results(), all_of(f.results().size()), bits);
    const std::vector<Stack> row_stacks = result_stacks(f, inner, inner_out);
    std::vector<Type> row_results;
    for (const Stack& s : row_stacks) row_results.push_back(s.whole_type());
    const LeafAxes outer_out = draw_axes(row_results, all_of(row_results.size()), bits);

    const std::uint64_t seed = bits.next();
    const auto operands_of = [&](std::int64_t o, std::int64_t i) {
      Leaves out;
      for (std::size_t k = 0; k < n; ++k) {
        out.push_back(f.value(k, seed + static_cast<std::uint64_t>((outer_mapped[k] ? o : 0) * 64 +
                                                                   (inner_mapped[k] ? i : 0))));
      }
      return out;
    };
    Leaves arguments;
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<Tensor> of_outer;
      for (std::int64_t o = 0; o < outer; ++o) {
        std::vector<Tensor> of_inner;
        for (std::int64_t i = 0; i < inner; ++i) of_inner.push_back(operands_of(o, i)[k]);
        of_outer.push_back(inner_axes[k] ? Stack(f.types()[k], inner, *inner_axes[k]).join(of_inner)
                                         : of_inner[0]);
      }
      arguments.push_back(outer_axes[k] ? Stack(rows[k], outer, *outer_axes[k]).join(of_outer)
                                        : of_outer[0]);
    }
    const auto row = [&](const Leaves& in) { return vmapped(f, in, inner_axes, inner_out, inner); };
    const Leaves got = vmapped(row, arguments, outer_axes, outer_out, outer);
    for (std::int64_t o = 0; o < outer; ++o) {
      Leaves of_row;
      for (std::size_t j = 0; j < got.size(); ++j) {
        of_row.push_back(Stack(row_results[j], outer, *outer_out[j]).slice(got[j], o));
      }
      for (std::int64_t i = 0; i < inner; ++i) {
        const Leaves in = operands_of(o, i);
        const std::string fault = f.compare(lane_of(row_stacks, of_row, i), f(in), in);
        if (!fault.empty()) {
          return case_text("outer", outer_mapped, outer_axes, outer, o) +
                 case_text("inner", inner_mapped, inner_axes, inner, i) + fault;
        }
      }
    }
    return {};
  });
}

TEST_CASE("a lane's bits depend neither on the other lanes' values nor on their number") {
  for_the_table("lane independence", 2, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(draw_executor(bits));
    const std::vector<bool> mapped = draw_mapped(f.types().size(), bits);
    const LeafAxes axes = draw_axes(f.types(), mapped, bits);
    const LeafAxes out(f.results().size(), 0);
    constexpr std::int64_t most = 33;
    LaneOperands operands(f, mapped, most, bits.next());
    const auto run = [&](std::int64_t lanes) {
      return vmapped(f, operands.arguments(axes, lanes), axes, out, lanes);
    };
    const Leaves whole = run(most);
    const auto check = [&](const Leaves& got, std::int64_t lanes, std::int64_t lane,
                           std::string_view what) -> std::string {
      const Leaves a = lane_of(result_stacks(f, lanes, out), got, lane);
      const Leaves b = lane_of(result_stacks(f, most, out), whole, lane);
      for (std::size_t j = 0; j < a.size(); ++j) {
        const std::string fault = difference(a[j], b[j]);
        if (!fault.empty()) return case_text(what, mapped, axes, lanes, lane) + fault;
      }
      return {};
    };
    for (const std::int64_t lanes : {1, 2, 3, 7}) {
      const Leaves few = run(lanes);
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const std::string fault = check(few, lanes, lane, "fewer lanes");
        if (!fault.empty()) return fault;
      }
    }
    const std::int64_t kept = bits.between(0, most - 1);
    const std::uint64_t seed = bits.next();
    for (std::int64_t lane = 0; lane < most; ++lane) {
      if (lane != kept) operands.redraw(lane, seed);
    }
    return check(run(most), most, kept, "other values beside");
  });
}
