// A plan told to people: its steps in order, with what each computes, moves, and why it stands
// alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "autovec/base/text.hpp"
#include "autovec/plan/memory.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

/// `512 B`, `16.2 KB`, `3.4 MB`.
inline std::string bytes_text(double bytes) {
  const char* units[] = {" B", " KB", " MB", " GB", " TB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) bytes /= 1000, ++unit;
  const auto tenths = static_cast<std::int64_t>(bytes * 10 + 0.5);
  std::string out = number_text(tenths / 10);
  if (unit > 0 && tenths < 1000) {
    out += '.';
    out += number_text(tenths % 10);
  }
  return out + units[unit];
}

/// Kind and op of a step: `launch tanh`.
inline std::string step_name(const Step& step) {
  const std::string_view kinds[] = {"launch",  "contract", "copy", "call",
                                    "scatter", "branch",   "loop", "scan"};
  std::string out(kinds[step.what.index()]);
  if (!step.op.empty() && step.op != out) {
    out += ' ';
    out += step.op;
  }
  return out;
}

/// Bytes that one run of a step by itself reads and writes.
inline double step_bytes(const Step& step) {
  return std::visit(
      []<class S>(const S& s) -> double {
        if constexpr (std::is_same_v<S, Launch>) {
          return static_cast<double>(s.bytes);
        } else if constexpr (std::is_same_v<S, Contract>) {
          return static_cast<double>(s.a.type.bytes() + s.b.type.bytes() + s.c.type.bytes());
        } else if constexpr (std::is_same_v<S, Copy>) {
          return 2.0 * static_cast<double>(s.from.type.bytes());
        } else if constexpr (std::is_same_v<S, Call>) {
          double bytes = 0;
          for (const Port& p : s.operands) bytes += static_cast<double>(p.type.bytes());
          for (const Port& p : s.results) bytes += static_cast<double>(p.type.bytes());
          return bytes;
        } else {
          return 0;
        }
      },
      step.what);
}

namespace detail {

/// Instructions of a program at one point, those of loops once, and the functions it calls.
inline std::int64_t instruction_count(const lane::Block& block, bool& masked) {
  std::int64_t n = 0;
  lane::for_each_instruction(block, [&](const lane::Instruction& i) {
    ++n;
    masked = masked || i.op == lane::Op::while_ || i.op == lane::Op::if_;
  });
  return n;
}

/// What a step does, in words.
inline std::string step_words(const Plan& plan, const Step& step) {
  std::string out;
  if (const auto* launch = std::get_if<Launch>(&step.what)) {
    const Kernel& kernel = plan.kernels[static_cast<std::size_t>(launch->kernel)];
    const auto* reduction = std::get_if<Reduction>(&kernel);
    const lane::Program& program =
        reduction != nullptr ? reduction->value : std::get<lane::Program>(kernel);
    bool masked = false;
    const std::int64_t count = instruction_count(program.body, masked);
    out = shape_text(program.domain);
    out += " points, ";
    out += number_text(count);
    out += count == 1 ? " instruction" : " instructions";
    if (masked) out += ", lanes masked";
  } else if (const auto* contract = std::get_if<Contract>(&step.what)) {
    const auto& c = std::get<Contraction>(plan.kernels[static_cast<std::size_t>(contract->kernel)]);
    double flops =
        2.0 * static_cast<double>(c.m) * static_cast<double>(c.n) * static_cast<double>(c.k);
    for (const std::int64_t extent : c.batch) flops *= static_cast<double>(extent);
    out = number_text(flops / 1e6);
    out += " Mflop";
  } else if (const auto* loop = std::get_if<Loop>(&step.what)) {
    out = loop->lanes == 1 ? "a real loop"
                           : number_text(loop->lanes) + " lanes, each its own trips, masked";
  } else if (const auto* branch = std::get_if<Branch>(&step.what)) {
    out = branch->lanes == 1 ? "a real branch"
                             : number_text(branch->lanes) + " lanes, each its own side, masked";
  } else if (const auto* scan = std::get_if<Scan>(&step.what)) {
    out = number_text(scan->length) + " trips";
  }
  return out;
}

}  // namespace detail

/// Calls `f(step, depth)` for all steps, those of loops and branches after their own.
template <class F>
void for_each_step(const Block& block, int depth, F&& f) {
  for (const Step& step : block.steps) {
    f(step, depth);
    for_each_child(step, [&](const Block& child) { for_each_step(child, depth + 1, f); });
  }
}

/// The plan as a list of steps. Only fused kernels and named library calls stand without comment.
inline std::string explain_plan(const Plan& plan, std::string_view executor) {
  std::string out("executor ");
  out += executor;
  out += ", workspace ";
  out += bytes_text(static_cast<double>(plan.workspace_bytes));
  out += '\n';
  for_each_step(plan.root, 1, [&](const Step& step, int depth) {
    out.append(static_cast<std::size_t>(2 * depth), ' ');
    out += step_name(step);
    out += ": ";
    out += step.reason;
    const std::string words = detail::step_words(plan, step);
    if (!words.empty()) out += "; " + words;
    const double bytes = step_bytes(step);
    if (bytes > 0) out += "; " + bytes_text(bytes);
    if (step.where.known()) out += "  (" + step.where.text() + ")";
    out += '\n';
  });
  return out;
}

}  // namespace plan
}  // namespace autovec::inline v1
