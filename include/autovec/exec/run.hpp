// Executables: plans made ready for one backend, run from any number of threads at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autovec/base/config.hpp"
#include "autovec/base/profile.hpp"
#include "autovec/exec/backend.hpp"
#include "autovec/ir/array.hpp"
#include "autovec/ir/graph.hpp"

namespace autovec::inline v1 {

/// Time spent in the steps of a plan.
struct StepTimes {
  struct Entry {
    const void* step = nullptr;  // plan::Step
    std::int64_t nanoseconds = 0;
    std::int64_t runs = 0;
  };
  std::vector<Entry> entries;
  Entry& of(const void* step) {
    for (Entry& e : entries) {
      if (e.step == step) return e;
    }
    entries.push_back({step, 0, 0});
    return entries.back();
  }
};

/// What one run did; for tests of structure and for profiles.
struct RunCounts {
  StepTimes* times = nullptr;  // filled where given
  std::int64_t launches = 0;
  std::int64_t contractions = 0;
  std::int64_t copies = 0;
  std::int64_t calls = 0;
  std::int64_t scatters = 0;
  std::int64_t branches = 0;  // sides that ran
  std::int64_t loops = 0;
  std::int64_t scans = 0;
  std::int64_t trips = 0;       // of loops and scans
  std::int64_t workspaces = 0;  // made because none was free
  // Bytes read and written, by kind of step.
  std::int64_t launch_bytes = 0;
  std::int64_t contraction_bytes = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t call_bytes = 0;
  std::int64_t scatter_bytes = 0;
  std::int64_t bytes() const {
    return launch_bytes + contraction_bytes + copy_bytes + call_bytes + scatter_bytes;
  }
};

/// How a graph is turned into a plan.
struct PlanOptions {
  bool fuse = true;            // false: a kernel a node
  bool share_memory = true;    // false: a buffer a value
  std::string_view skip = {};  // passes to leave out, as `hoist,cse`
};

/// An immutable plan with its kernels prepared for a backend. Copies share it.
class Executable {
 public:
  Executable() = default;
  /// Plans `graph` for inputs with these strides (in elements).
  static Executable make(const Graph& graph, std::span<const Extents> strides,
                         const Backend& backend, PlanOptions options = {});
  /// The same for contiguous inputs.
  static Executable make(const Graph& graph, const Backend& backend, PlanOptions options = {});

  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Computes into `outputs`: contiguous arrays of the graph's result types that overlap no input.
  /// Inputs have the planned types and strides. A warm run allocates nothing.
  void run_into(std::span<const Array> inputs, std::span<const Array> outputs,
                RunCounts* counts = nullptr) const;
  /// Fresh arrays of the results.
  std::vector<Array> run(std::span<const Array> inputs, RunCounts* counts = nullptr) const;
  std::span<const Type> input_types() const;
  std::span<const Type> output_types() const;
  /// The plan in canonical text.
  std::string text() const;
  /// The plan for people.
  std::string explain() const;
  /// Runs once, then `runs` times, and tells where the time went.
  Profile profile(std::span<const Array> inputs, int runs) const;
  std::int64_t workspace_bytes() const;
  const Backend& backend() const;

  struct State;

 private:
  explicit Executable(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace autovec::inline v1
