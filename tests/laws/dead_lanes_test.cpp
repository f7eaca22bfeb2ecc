// The dead-lane law: what a lane does not run can neither change its value, nor hang, trap, read
// out of range, or run a trip.
// SPDX-License-Identifier: Apache-2.0
#include "autovec/exec/run.hpp"
#include "laws.hpp"

namespace {

using namespace laws;

// Trips that a dead lane asks for: more than any live one, few enough to fail fast.
constexpr std::int64_t endless = 3000;

Tensor number(std::int64_t value, DType dtype = DType::i32) {
  return Tensor::from_number(Number(value), dtype, false);
}

/// `f(arguments)` where the predicate holds, else zeros; on leaves: (predicate, arguments...).
Leaves guarded(detail::LeafFunction f, const std::vector<Type>& results, const Leaves& in) {
  const auto otherwise = [&](const Leaves&) {
    Leaves out;
    for (const Type& type : results) out.push_back(zeros(type.shape, type.dtype));
    return out;
  };
  const auto then = [&](const Leaves& arguments) { return f(arguments); };
  const detail::LeafFunction sides[] = {detail::LeafFunction(otherwise),
                                        detail::LeafFunction(then)};
  const auto name = [](std::size_t i) { return "result " + std::to_string(i); };
  return detail::branch_leaves("cond", in[0], Leaves(in.begin() + 1, in.end()), sides, name,
                               Where::unknown());
}

/// The operands of the next trip.
Leaves next_operands(const Application& f, const Leaves& operands, const Leaves& results) {
  return f.sums_in_any_order() ? operands : f.feed(operands, results);
}

/// `f` applied `trips` times, each time to what the last application gave; on leaves: (trips,
/// operands...). Gives the trips made, then the last results, zeros where there were none.
Leaves repeated(const Application& f, const Leaves& in) {
  const std::size_t results = f.results().size();
  Leaves state{number(0)};
  for (const Type& type : f.results()) state.push_back(zeros(type.shape, type.dtype));
  state.insert(state.end(), in.begin() + 1, in.end());
  Leaves out = detail::while_leaves(
      "while_loop", state, [&](const Leaves& s) { return Leaves{s[0] < in[0]}; },
      [&](const Leaves& s) {
        const Leaves operands(s.end() - static_cast<std::ptrdiff_t>(f.types().size()), s.end());
        const Leaves given = f(operands);
        Leaves next{s[0] + 1};
        next.insert(next.end(), given.begin(), given.end());
        for (Tensor& x : next_operands(f, operands, given)) next.push_back(std::move(x));
        return next;
      },
      [](std::size_t i) { return "carry " + std::to_string(i); }, Where::unknown());
  out.resize(1 + results);
  return out;
}

Tensor predicates(const std::vector<bool>& holds) {
  return tensor(holds, Extents{static_cast<std::int64_t>(holds.size())});
}

/// The graph of `f` on arguments of the types of `arguments`, run once; fills `counts`.
Leaves run_counted(detail::LeafFunction f, const Leaves& arguments, RunCounts& counts) {
  const TracedGraph traced = detail::trace_leaves(detail::types_of(arguments), f, Where::unknown());
  std::vector<Array> inputs;
  for (const Tensor& x : arguments)
    inputs.push_back(to_contiguous(x.array("laws", Where::unknown())));
  for (const Tensor& x : traced.captures) inputs.push_back(x.array("laws", Where::unknown()));
  Leaves out;
  const Executable executable =
      Executable::make(traced.graph, backend_of(executor()), {.fuse = false});
  for (Array& a : executable.run(inputs, &counts)) out.push_back(Tensor(std::move(a)));
  return out;
}

/// A case: some lanes live and some not, and operands of which some are mapped.
struct Divergence {
  Divergence(const Application& f, SampleBits& bits)
      : lanes(bits.between(2, 6)),
        mapped(draw_mapped(f.types().size(), bits)),
        axes(draw_axes(f.types(), mapped, bits)),
        operands(f, mapped, lanes, bits.next()) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) live.push_back(bits.below(2) == 0);
    live[bits.below(live.size())] = false;
  }
  std::int64_t lanes;
  std::vector<bool> mapped;
  LeafAxes axes;
  LaneOperands operands;
  std::vector<bool> live;
};

/// Axes of (scalars a lane..., operands...).
LeafAxes axes_with(std::size_t scalars, const LeafAxes& axes) {
  LeafAxes out(scalars, 0);
  out.insert(out.end(), axes.begin(), axes.end());
  return out;
}
Leaves with(std::vector<Tensor> scalars, const Leaves& operands) {
  scalars.insert(scalars.end(), operands.begin(), operands.end());
  return scalars;
}

/// Compares lane `lane` of results stacked along axis 0, from the `skip`-th on, with what a live
/// lane computes and a dead one holds.
std::string compare_lane(const Application& f, const Leaves& got, std::size_t skip,
                         std::int64_t lanes, std::int64_t lane, std::int64_t trips, Leaves in) {
  Leaves of_lane, zero;
  for (std::size_t j = 0; j < f.results().size(); ++j) {
    const Type& type = f.results()[j];
    of_lane.push_back(Stack(type, lanes, 0).slice(got[skip + j], lane));
    zero.push_back(
        Tensor(to_contiguous(zeros(type.shape, type.dtype).array("laws", Where::unknown()))));
  }
  Leaves want = zero;
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    if (trip > 0) in = next_operands(f, in, want);
    want = f(in);
  }
  std::string fault = trips > 0 ? f.compare(of_lane, want, in) : std::string();
  for (std::size_t j = 0; trips == 0 && fault.empty() && j < zero.size(); ++j) {
    fault = difference(of_lane[j], zero[j]);
  }
  if (fault.empty()) return fault;
  return "lane " + std::to_string(lane) + " with " + std::to_string(trips) + " trips: " + fault;
}

Executor draw_executor(SampleBits& bits) {
  return bits.below(2) == 0 ? Executor::reference : Executor::simd;
}

}  // namespace

TEST_CASE("an op on the untaken side changes nothing in its lane") {
  for_the_table("dead lanes", 2, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(draw_executor(bits));
    const Divergence d(f, bits);
    const auto side = [&](const Leaves& in) { return guarded(f, f.results(), in); };
    const Leaves got =
        vmapped(side, with({predicates(d.live)}, d.operands.arguments(d.axes, d.lanes)),
                axes_with(1, d.axes), LeafAxes(f.results().size(), 0), d.lanes);
    for (std::int64_t lane = 0; lane < d.lanes; ++lane) {
      const std::string fault = compare_lane(
          f, got, 0, d.lanes, lane, d.live[static_cast<std::size_t>(lane)], d.operands.of(lane));
      if (!fault.empty()) return fault;
    }
    return {};
  });
}

TEST_CASE("a loop in a dead lane runs zero trips, whatever its condition says") {
  for_the_table("dead loops", 2, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(draw_executor(bits));
    const Divergence d(f, bits);
    // Dead lanes would loop for ever.
    std::vector<std::int32_t> trips;
    std::int64_t most = 0;
    for (const bool live : d.live) {
      const std::int64_t n = live ? bits.between(0, 3) : endless;
      trips.push_back(static_cast<std::int32_t>(n));
      if (live) most = std::max(most, n);
    }
    std::vector<Type> results = f.results();
    results.insert(results.begin(), Type{DType::i32, false, {}});
    const auto loop = [&](const Leaves& in) { return repeated(f, in); };
    const auto side = [&](const Leaves& in) { return guarded(loop, results, in); };
    const LeafAxes axes = axes_with(2, d.axes);
    const auto all_lanes = [&](const Leaves& in) {
      return vmapped(side, in, axes, LeafAxes(results.size(), 0), d.lanes);
    };
    RunCounts counts;
    const Leaves got = run_counted(
        all_lanes, with({predicates(d.live), tensor(trips)}, d.operands.arguments(d.axes, d.lanes)),
        counts);
    const std::vector<std::int32_t> made = got[0].to_vector<std::int32_t>();
    for (std::int64_t lane = 0; lane < d.lanes; ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      const std::int32_t want = d.live[l] ? trips[l] : 0;
      if (made[l] != want) {
        return "lane " + std::to_string(lane) + " made " + std::to_string(made[l]) +
               " trips, expected " + std::to_string(want);
      }
      const std::string fault = compare_lane(f, got, 1, d.lanes, lane, want, d.operands.of(lane));
      if (!fault.empty()) return fault;
    }
    // A loop inside a lane program is not counted; ops that hold loops count their own trips too.
    if (!f.holds_graphs() && counts.trips > most) {
      return "the loop made " + std::to_string(counts.trips) + " trips, expected " +
             std::to_string(most);
    }
    return {};
  });
}

TEST_CASE("a side that no lane takes is not run at all") {
  for_the_table("untaken sides", 1, [](const Application& f, SampleBits& bits) -> std::string {
    if (f.holds_graphs()) return {};
    const WithExecutor scope(draw_executor(bits));
    Divergence d(f, bits);
    d.live.assign(d.live.size(), false);
    const std::vector<std::int32_t> trips(d.live.size(), static_cast<std::int32_t>(endless));
    std::vector<Type> results = f.results();
    results.insert(results.begin(), Type{DType::i32, false, {}});
    const auto loop = [&](const Leaves& in) { return repeated(f, in); };
    const auto side = [&](const Leaves& in) { return guarded(loop, results, in); };
    const LeafAxes axes = axes_with(2, d.axes);
    const auto all_lanes = [&](const Leaves& in) {
      return vmapped(side, in, axes, LeafAxes(results.size(), 0), d.lanes);
    };
    RunCounts counts;
    run_counted(all_lanes,
                with({predicates(d.live), tensor(trips)}, d.operands.arguments(d.axes, d.lanes)),
                counts);
    if (counts.trips == 0 && counts.branches <= 1) return {};
    return std::to_string(counts.trips) + " trips of " + std::to_string(counts.branches) + " sides";
  });
}

TEST_CASE("masks reach a loop in a loop in a branch under two vmaps") {
  for_the_table("nested masks", 1, [](const Application& f, SampleBits& bits) -> std::string {
    const WithExecutor scope(draw_executor(bits));
    const Divergence d(f, bits);
    const std::int64_t outer = 2;
    // Lane (o, lane) runs `rows[o]` outer trips of `trips[lane]` inner ones, where live[lane].
    const std::vector<std::int32_t> rows{static_cast<std::int32_t>(bits.between(0, 2)), 1};
    std::vector<std::int32_t> trips;
    for (const bool live : d.live)
      trips.push_back(live ? static_cast<std::int32_t>(bits.between(0, 2))
                           : static_cast<std::int32_t>(endless));
    const auto inner = [&](const Leaves& in) { return repeated(f, in); };
    // (rows, trips, operands...): the inner loop as the outer one's body; the trips add up.
    const auto both = [&](const Leaves& in) {
      const Leaves own(in.begin() + 1, in.end());
      Leaves state{number(0), number(0)};
      for (const Type& type : f.results()) state.push_back(zeros(type.shape, type.dtype));
      Leaves out = detail::while_leaves(
          "while_loop", state, [&](const Leaves& s) { return Leaves{s[0] < in[0]}; },
          [&](const Leaves& s) {
            Leaves next = inner(own);
            next[0] = s[1] + next[0];
            next.insert(next.begin(), s[0] + 1);
            return next;
          },
          [](std::size_t i) { return "carry " + std::to_string(i); }, Where::unknown());
      out.erase(out.begin());
      return out;
    };
    std::vector<Type> results = f.results();
    results.insert(results.begin(), Type{DType::i32, false, {}});
    // (predicate, rows, trips, operands...)
    const auto side = [&](const Leaves& in) { return guarded(both, results, in); };
    LeafAxes inner_axes = axes_with(3, d.axes);
    inner_axes[1] = std::nullopt;
    const LeafAxes out(results.size(), 0);
    const auto row = [&](const Leaves& in) { return vmapped(side, in, inner_axes, out, d.lanes); };
    LeafAxes outer_axes(inner_axes.size(), std::nullopt);
    outer_axes[1] = 0;
    const Leaves got = vmapped(row,
                               with({predicates(d.live), tensor(rows), tensor(trips)},
                                    d.operands.arguments(d.axes, d.lanes)),
                               outer_axes, out, outer);
    for (std::int64_t o = 0; o < outer; ++o) {
      Leaves of_row;
      for (std::size_t j = 0; j < results.size(); ++j) {
        Type type = results[j];
        type.shape.insert(0, d.lanes);
        of_row.push_back(Stack(type, outer, 0).slice(got[j], o));
      }
      const std::vector<std::int32_t> made = of_row[0].to_vector<std::int32_t>();
      for (std::int64_t lane = 0; lane < d.lanes; ++lane) {
        const auto l = static_cast<std::size_t>(lane);
        const std::int32_t want = d.live[l] ? rows[static_cast<std::size_t>(o)] * trips[l] : 0;
        if (made[l] != want) {
          return "lane " + std::to_string(o) + ", " + std::to_string(lane) + " made " +
                 std::to_string(made[l]) + " trips, expected " + std::to_string(want);
        }
        const std::string fault =
            compare_lane(f, of_row, 1, d.lanes, lane, want > 0 ? trips[l] : 0, d.operands.of(lane));
        if (!fault.empty()) return fault;
      }
    }
    return {};
  });
}
