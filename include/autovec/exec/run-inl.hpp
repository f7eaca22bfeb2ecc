// Runs plans: walks the steps, binds the buffers of loops, keeps workspaces for the next call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "autovec/exec/run.hpp"
#include "autovec/exec/scatter-inl.hpp"
#include "autovec/plan/explain.hpp"
#include "autovec/plan/lower.hpp"
#include "autovec/plan/lower_control.hpp"
#include "autovec/plan/pipeline.hpp"
#include "autovec/plan/text.hpp"

namespace autovec::inline v1 {
namespace plan {

/// What one run needs besides the plan: memory, one address a buffer, the arrays of calls.
struct Workspace {
  Storage memory;
  std::vector<std::byte*> addresses;
  std::vector<std::byte*> scratch;                                       // of one launch
  std::vector<std::pair<std::vector<Array>, std::vector<Array>>> calls;  // operands, results
};

}  // namespace plan

struct Executable::State {
  plan::Plan plan;
  const Backend* backend = nullptr;
  std::vector<PreparedKernel> kernels;
  std::size_t most_buffers = 0;

  std::unique_ptr<plan::Workspace> take_workspace(RunCounts& counts) const {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<plan::Workspace> w = std::move(free_.back());
        free_.pop_back();
        return w;
      }
    }
    ++counts.workspaces;
    return make_workspace();
  }
  void give_back(std::unique_ptr<plan::Workspace> w) const {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(w));
  }

 private:
  std::unique_ptr<plan::Workspace> make_workspace() const {
    auto w = std::make_unique<plan::Workspace>();
    w->memory = Storage::allocate(static_cast<std::size_t>(plan.workspace_bytes));
    w->addresses.assign(plan.buffers.size(), nullptr);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      const plan::Buffer& b = plan.buffers[i];
      if (b.role == plan::Role::workspace) w->addresses[i] = w->memory.data() + b.offset;
    }
    w->scratch.resize(most_buffers);
    w->calls.resize(static_cast<std::size_t>(plan.call_count));
    return w;
  }

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<plan::Workspace>> free_;
};

namespace plan {

/// Rethrows what a library kernel threw, with the user's place where it has none.
template <class Kind>
void rethrow_with_place(const Error& error, const Step& step) {
  if (dynamic_cast<const Kind*>(&error) == nullptr) return;
  std::string text(error.what());
  if (text.find("\n  at ") == std::string::npos && step.where.known()) {
    text += "\n  at ";
    text += step.where.text();
  }
  throw Kind(text);
}

/// One run of one plan.
class Run {
 public:
  Run(const Executable::State& state, Workspace& workspace, RunCounts& counts)
      : state_(state), w_(workspace), counts_(counts) {}

  void block(const Block& b) {
    for (const Step& s : b.steps) {
      step_ = &s;
      if (counts_.times != nullptr) {
        timed(s);
      } else {
        std::visit([this](const auto& what) { (*this)(what); }, s.what);
      }
    }
  }
  void timed(const Step& s) {
    const auto start = std::chrono::steady_clock::now();
    std::visit([this](const auto& what) { (*this)(what); }, s.what);
    const auto spent = std::chrono::steady_clock::now() - start;
    StepTimes::Entry& entry = counts_.times->of(&s);
    entry.nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    ++entry.runs;
  }

  void operator()(const Launch& s) {
    ++counts_.launches;
    counts_.launch_bytes += s.bytes;
    std::byte** scratch = w_.scratch.data();
    for (std::size_t i = 0; i < s.buffers.size(); ++i) scratch[i] = address(s.buffers[i]);
    const auto kernel = static_cast<std::size_t>(s.kernel);
    const KernelBuffers buffers(scratch, s.buffers.size());
    if (std::holds_alternative<Reduction>(state_.plan.kernels[kernel])) {
      state_.backend->launch_reduction(state_.kernels[kernel].get(), buffers);
    } else {
      state_.backend->launch(state_.kernels[kernel].get(), buffers);
    }
  }
  void operator()(const Contract& s) {
    ++counts_.contractions;
    counts_.contraction_bytes +=
        static_cast<std::int64_t>(s.a.type.bytes() + s.b.type.bytes() + s.c.type.bytes());
    state_.backend->launch_contraction(state_.kernels[static_cast<std::size_t>(s.kernel)].get(),
                                       address(s.a), address(s.b), address(s.c));
  }
  void operator()(const Copy& s) {
    ++counts_.copies;
    counts_.copy_bytes += 2 * static_cast<std::int64_t>(s.from.type.bytes());
    const Array from{s.from.type, {}, address(s.from), s.from.place.layout.strides};
    copy_elements(from, address(s.to, s.from.type.dtype));
  }
  void operator()(const Call& s) {
    ++counts_.calls;
    auto& [operands, results] = w_.calls[static_cast<std::size_t>(s.number)];
    fill_arrays(operands, s.operands);
    fill_arrays(results, s.results);
    for (const auto* list : {&operands, &results}) {
      for (const Array& a : *list) counts_.call_bytes += static_cast<std::int64_t>(a.type.bytes());
    }
    const Step& step = *step_;
    try {
      s.op->kernel(operands, results, s.params);
    } catch (const Error& error) {
      rethrow_with_place<ShapeError>(error, step);
      rethrow_with_place<TypeError>(error, step);
      rethrow_with_place<TraceError>(error, step);
      rethrow_with_place<Unsupported>(error, step);
      throw;
    }
  }
  void operator()(const Scatter& s) {
    ++counts_.scatters;
    counts_.scatter_bytes +=
        run_scatter(s, address(s.target), address(s.starts), address(s.updates),
                    s.params.masked ? address(s.mask) : nullptr);
  }

  void operator()(const Branch& s) {
    const auto sides = static_cast<std::int64_t>(s.sides.size());
    const std::byte* index = address(s.index);
    const bool is_bool = s.index.type.dtype == DType::b8;
    const auto side_of = [&](std::int64_t lane) -> std::int64_t {
      if (is_bool) return index[lane] != std::byte{0} ? 1 : 0;
      std::int32_t i = 0;
      std::memcpy(&i, index + lane * 4, 4);
      return i < 0 ? 0 : i >= sides ? sides - 1 : i;
    };
    if (s.lanes == 1) {
      ++counts_.branches;
      block(s.sides[static_cast<std::size_t>(side_of(0))]);
      return;
    }
    for (std::int64_t side = 0; side < sides; ++side) {
      std::byte* mask = address(s.mask);
      bool any = false;
      for (std::int64_t lane = 0; lane < s.lanes; ++lane) {
        const bool takes = side_of(lane) == side;
        mask[lane] = std::byte{takes};
        any = any || takes;
      }
      if (!any) continue;
      ++counts_.branches;
      block(s.sides[static_cast<std::size_t>(side)]);
    }
  }

  void operator()(const Loop& s) {
    ++counts_.loops;
    begin(s.carries);
    std::byte* holds = address(s.holds);
    std::byte* alive = address(s.alive);
    const auto lanes = static_cast<std::size_t>(s.lanes);
    std::memset(alive, 1, lanes);
    block(s.condition);
    while (true) {
      std::byte any{0}, died{0};
      if (s.died >= 0) {
        std::byte* gone = address(s.died);
        for (std::size_t i = 0; i < lanes; ++i) {
          gone[i] = alive[i] & ~holds[i] & std::byte{1};
          died |= gone[i];
        }
      }
      for (std::size_t i = 0; i < lanes; ++i) {
        alive[i] &= holds[i];
        any |= alive[i];
      }
      if (died != std::byte{0}) block(s.freeze);
      if (any == std::byte{0}) break;
      ++counts_.trips;
      block(s.body);
      turn(s.carries);
      if (!s.body_tests) block(s.condition);
    }
    finish(s.carries);
  }

  void operator()(const Scan& s) {
    ++counts_.scans;
    begin(s.carries);
    for (std::int64_t t = 0; t < s.length; ++t) {
      const std::int64_t at = s.reverse ? s.length - 1 - t : t;
      for (const Slice& slice : s.slices) {
        address(slice.bound) = address(slice.whole, slice.dtype) +
                               at * slice.stride * static_cast<std::int64_t>(size_of(slice.dtype));
      }
      ++counts_.trips;
      block(s.body);
      turn(s.carries);
    }
    finish(s.carries);
  }

 private:
  std::byte*& address(BufferId b) { return w_.addresses[static_cast<std::size_t>(b)]; }
  std::byte* address(const Place& p, DType dtype) {
    return address(p.buffer) + p.layout.offset * static_cast<std::int64_t>(size_of(dtype));
  }
  std::byte* address(const Port& p) { return address(p.place, p.type.dtype); }

  void fill_arrays(std::vector<Array>& arrays, const std::vector<Port>& ports) {
    if (arrays.size() != ports.size()) {
      arrays.clear();
      for (const Port& p : ports) arrays.push_back({p.type, {}, nullptr, row_major(p.type.shape)});
    }
    for (std::size_t i = 0; i < ports.size(); ++i) arrays[i].data = address(ports[i]);
  }

  void begin(const std::vector<Carry>& carries) {
    for (const Carry& c : carries) {
      address(c.current) = address(c.home);
      if (c.next >= 0) address(c.next) = address(c.spare);
    }
  }
  void turn(const std::vector<Carry>& carries) {
    for (const Carry& c : carries) {
      if (c.next >= 0) std::swap(address(c.current), address(c.next));
    }
  }
  void finish(const std::vector<Carry>& carries) {
    for (const Carry& c : carries) {
      if (address(c.current) == address(c.home)) continue;
      const Buffer& b = state_.plan.buffers[static_cast<std::size_t>(c.current)];
      std::memcpy(address(c.home), address(c.current), static_cast<std::size_t>(b.bytes()));
      ++counts_.copies;
      counts_.copy_bytes += 2 * b.bytes();
    }
  }

  const Executable::State& state_;
  Workspace& w_;
  RunCounts& counts_;
  const Step* step_ = nullptr;
};

/// Buffers of the launch that has most of them.
inline std::size_t most_buffers(const Block& block) {
  std::size_t most = 0;
  for (const Step& s : block.steps) {
    if (const auto* l = std::get_if<Launch>(&s.what)) most = std::max(most, l->buffers.size());
    for_each_child(s, [&](const Block& b) { most = std::max(most, most_buffers(b)); });
  }
  return most;
}

}  // namespace plan

AUTOVEC_API Executable Executable::make(const Graph& graph, std::span<const Extents> strides,
                                        const Backend& backend, PlanOptions options) {
  auto state = std::make_shared<State>();
  state->backend = &backend;
  plan::LoweringOptions lowering;
  lowering.fuse = options.fuse && !plan::is_skipped("fuse", options.skip);
  lowering.share_memory = options.share_memory && !plan::is_skipped("memory", options.skip);
  state->plan = plan::lower(plan::run_passes(graph, options.skip), strides, lowering);
  for (const plan::Kernel& kernel : state->plan.kernels) {
    if (const auto* program = std::get_if<lane::Program>(&kernel)) {
      state->kernels.push_back(backend.prepare(*program));
    } else if (const auto* reduction = std::get_if<Reduction>(&kernel)) {
      state->kernels.push_back(backend.prepare_reduction(*reduction));
    } else {
      state->kernels.push_back(backend.prepare_contraction(std::get<Contraction>(kernel)));
    }
  }
  state->most_buffers = plan::most_buffers(state->plan.root);
  return Executable(std::move(state));
}

AUTOVEC_API Executable Executable::make(const Graph& graph, const Backend& backend,
                                        PlanOptions options) {
  std::vector<Extents> strides;
  for (std::size_t i = 0; i < graph.input_count(); ++i) {
    strides.push_back(row_major(graph.input_type(i).shape));
  }
  return make(graph, strides, backend, options);
}

AUTOVEC_API void Executable::run_into(std::span<const Array> inputs, std::span<const Array> outputs,
                                      RunCounts* counts) const {
  const plan::Plan& p = state_->plan;
  ensure(inputs.size() == p.inputs.size() && outputs.size() == p.outputs.size(),
         "run: wrong number of arrays");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ensure(inputs[i].strides == p.input_strides[i], "run: an input is not laid out as planned");
  }
  RunCounts unasked;
  RunCounts& count = counts == nullptr ? unasked : *counts;
  // The workspace goes back also where a kernel throws.
  struct Lease {
    const State& state;
    std::unique_ptr<plan::Workspace> workspace;
    ~Lease() { state.give_back(std::move(workspace)); }
  };
  const Lease lease{*state_, state_->take_workspace(count)};
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const plan::Buffer& b = p.buffers[i];
    const auto index = static_cast<std::size_t>(b.index);
    if (b.role == plan::Role::input) lease.workspace->addresses[i] = inputs[index].data;
    if (b.role == plan::Role::output) lease.workspace->addresses[i] = outputs[index].data;
  }
  plan::Run(*state_, *lease.workspace, count).block(p.root);
}

AUTOVEC_API std::string Executable::explain() const {
  return plan::explain_plan(state_->plan, state_->backend->name);
}

AUTOVEC_API Profile Executable::profile(std::span<const Array> inputs, int runs) const {
  std::vector<Array> outputs = run(inputs);
  StepTimes times;
  RunCounts counts;
  counts.times = &times;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) run_into(inputs, outputs, &counts);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  Profile out;
  out.seconds = spent.count() / runs;
  plan::for_each_step(state_->plan.root, 0, [&](const plan::Step& step, int depth) {
    const StepTimes::Entry& entry = times.of(&step);
    const double each = static_cast<double>(entry.runs) / runs;
    out.rows.push_back({plan::step_name(step), step.reason, depth, entry.runs / runs,
                        1e-9 * static_cast<double>(entry.nanoseconds) / runs,
                        each * plan::step_bytes(step)});
  });
  return out;
}

AUTOVEC_API std::vector<Array> Executable::run(std::span<const Array> inputs,
                                               RunCounts* counts) const {
  std::vector<Array> outputs;
  outputs.reserve(state_->plan.outputs.size());
  for (const Type& type : state_->plan.outputs) outputs.push_back(Array::allocate(type));
  run_into(inputs, outputs, counts);
  return outputs;
}

AUTOVEC_API std::span<const Type> Executable::input_types() const { return state_->plan.inputs; }
AUTOVEC_API std::span<const Type> Executable::output_types() const { return state_->plan.outputs; }
AUTOVEC_API std::string Executable::text() const { return plan::plan_text(state_->plan); }
AUTOVEC_API std::int64_t Executable::workspace_bytes() const {
  return state_->plan.workspace_bytes;
}
AUTOVEC_API const Backend& Executable::backend() const { return *state_->backend; }

}  // namespace autovec::inline v1
