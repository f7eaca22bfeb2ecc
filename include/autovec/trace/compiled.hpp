// Graphs made ready to run, and the door to the executors that make and run them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autovec/base/profile.hpp"
#include "autovec/ir/array.hpp"
#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {

/// A graph made ready to run by one executor. Any number of threads may run it at once.
class Compiled {
 public:
  virtual ~Compiled() = default;
  /// Results in fresh memory. Inputs have the graph's input types, any strides.
  virtual std::vector<Array> run(std::span<const Array> inputs) const = 0;
  /// Results into contiguous arrays of the output types that no input overlaps. Warm calls allocate
  /// nothing.
  virtual void run_into(std::span<const Array> inputs, std::span<const Array> outputs) const = 0;
  virtual const std::vector<Type>& output_types() const = 0;
  /// The plan as canonical text.
  virtual std::string text() const = 0;
  /// The plan for people: what is computed in which order, what was fused, what was not and why.
  virtual std::string explain() const = 0;
  /// Runs once warm, then `runs` times, and tells where the time went.
  virtual Profile profile(std::span<const Array> inputs, int runs) const = 0;
};

/// What runs ops and graphs on data; the executors' side defines it (api/eager-inl.hpp).
template <class Unused = void>
struct Eager {
  /// Applies one op to arrays at once.
  static std::vector<Array> apply(const OpInfo& op, const Params& params,
                                  std::span<const Array> operands, Where where);
  /// Plans a graph for the executor in force, or finds the plan in the structural cache.
  static std::shared_ptr<const Compiled> compile(const Graph& graph);
  /// compile, then run.
  static std::vector<Array> run(const Graph& graph, std::span<const Array> inputs);
};
#if defined(AUTOVEC_COMPILED)
extern template struct Eager<void>;
#endif

}  // namespace autovec::inline v1
