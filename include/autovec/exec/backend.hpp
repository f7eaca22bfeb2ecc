// The three jobs by which executors differ; everything else about running a plan is shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "autovec/plan/kernel.hpp"

namespace autovec::inline v1 {

/// A kernel as its backend keeps it: decoded once when the plan is made, then run from any number
/// of threads at once.
using PreparedKernel = std::shared_ptr<const void>;

/// Base addresses of a program's buffers, by buffer number, each already at its element (0, ...).
using KernelBuffers = std::span<std::byte* const>;

/// An executor's functions. Strides and offsets are those of the program; no function throws on
/// values, none writes outside the points' own places, none keeps state between calls.
struct Backend {
  std::string_view name;
  PreparedKernel (*prepare)(const lane::Program& program) = nullptr;
  void (*launch)(const void* prepared, KernelBuffers buffers) = nullptr;
  PreparedKernel (*prepare_reduction)(const Reduction& reduction) = nullptr;
  void (*launch_reduction)(const void* prepared, KernelBuffers buffers) = nullptr;
  PreparedKernel (*prepare_contraction)(const Contraction& contraction) = nullptr;
  void (*launch_contraction)(const void* prepared, const std::byte* a, const std::byte* b,
                             std::byte* c) = nullptr;
};

/// One element at a time: the definition of meaning.
const Backend& reference_backend();
/// Tiles of SIMD registers, contraction by Eigen panels, threads.
const Backend& simd_backend();

}  // namespace autovec::inline v1
