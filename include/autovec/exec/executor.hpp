// Which executor runs plans: chosen for the process, by the program or by AUTOVEC_EXECUTOR.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "autovec/base/error.hpp"
#include "autovec/exec/backend.hpp"

namespace autovec::inline v1 {

/// Executors that can be asked for; `automatic` is the fastest one there is.
enum class Executor : std::uint8_t { reference, simd, automatic };

/// The executor with this name. Throws Unsupported for others.
inline Executor executor_named(std::string_view name) {
  if (name == "reference") return Executor::reference;
  if (name == "simd") return Executor::simd;
  if (name == "automatic" || name.empty()) return Executor::automatic;
  std::string what("unknown executor '");
  what += name;
  what += "'";
  fail<Unsupported>("set_executor", what, Where::unknown(), "reference, simd or automatic");
}

namespace detail {
inline std::atomic<Executor>& executor_setting() {
  static std::atomic<Executor> setting{[] {
    const char* name = std::getenv("AUTOVEC_EXECUTOR");
    return executor_named(name == nullptr ? "" : name);
  }()};
  return setting;
}
}  // namespace detail

/// Sets the executor of everything that is run from now on, in all threads.
inline void set_executor(Executor executor) {
  detail::executor_setting().store(executor, std::memory_order_relaxed);
}
inline Executor executor() { return detail::executor_setting().load(std::memory_order_relaxed); }

/// The backend of the executor that is set.
inline const Backend& current_backend() { return reference_backend(); }

}  // namespace autovec::inline v1
