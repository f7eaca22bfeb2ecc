// Which executor runs plans: a setting of the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "autovec/base/error.hpp"
#include "autovec/exec/backend.hpp"

namespace autovec::inline v1 {

/// `reference`: one element at a time, no fusion; the definition of meaning. `simd`: tiles of SIMD
/// registers. `automatic`: the fastest one there is.
enum class Executor { reference, simd, automatic };

namespace detail {

/// The executor with this name. Throws TypeError.
inline Executor executor_named(std::string_view name) {
  if (name == "reference") return Executor::reference;
  if (name == "simd") return Executor::simd;
  if (name == "automatic") return Executor::automatic;
  std::string what("'");
  what += name;
  what += "' names no executor";
  fail<TypeError>("AUTOVEC_EXECUTOR", what, Where::unknown(), "reference, simd or automatic");
}

inline std::atomic<Executor>& executor_setting() {
  static std::atomic<Executor> setting{[] {
    const char* name = std::getenv("AUTOVEC_EXECUTOR");
    return name == nullptr || *name == '\0' ? Executor::automatic : executor_named(name);
  }()};
  return setting;
}

}  // namespace detail

/// Sets the executor for the whole process; compiled functions keep a plan for each.
inline void set_executor(Executor executor) {
  detail::executor_setting().store(executor, std::memory_order_relaxed);
}

/// The executor in force: `set_executor`, else the environment's AUTOVEC_EXECUTOR; never
/// `automatic`.
inline Executor executor() {
  const Executor set = detail::executor_setting().load(std::memory_order_relaxed);
  return set == Executor::automatic ? Executor::simd : set;
}

/// The functions of an executor.
inline const Backend& backend_of(Executor executor) {
  return executor == Executor::reference ? reference_backend() : simd_backend();
}

}  // namespace autovec::inline v1
