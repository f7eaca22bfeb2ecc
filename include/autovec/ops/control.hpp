// The ops that hold graphs: branch, loop, scan. Their meaning is in ir/kinds.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autovec/base/list.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ops/control_batch.hpp"
#include "autovec/ops/control_samples.hpp"
#include "autovec/ops/derive.hpp"

namespace autovec::inline v1 {

namespace ops {

namespace detail {

/// The full type of a value with lane axes `present`: see ir/kinds.hpp. Throws ShapeError where the
/// value's extents do not fit the lane axes.
inline Type full_type(std::string_view op, const Type& type, std::int64_t present,
                      const Extents& lanes, Where where) {
  Type full = type;
  full.shape.clear();
  std::size_t next = 0;
  bool fits = present >= 0 && present < (std::int64_t{1} << lanes.size());
  for (std::size_t i = 0; fits && i < lanes.size(); ++i) {
    if (((present >> i) & 1) == 0) {
      full.shape.push_back(lanes[i]);
      continue;
    }
    fits = next < type.rank() && (lanes[i] == 1 || type.shape[next] == lanes[i]);
    if (fits) full.shape.push_back(type.shape[next++]);
  }
  if (!fits) {
    fail<ShapeError>(op, type_text(type) + " does not have the lane axes " + shape_text(lanes),
                     where);
  }
  for (; next < type.rank(); ++next) full.shape.push_back(type.shape[next]);
  return full;
}

inline void require_types(std::string_view op, std::string_view what, std::span<const Type> got,
                          std::span<const Type> want, Where where) {
  bool same = got.size() == want.size();
  for (std::size_t i = 0; same && i < got.size(); ++i) same = got[i] == want[i];
  if (same) return;
  std::string text(what);
  text += " has types (";
  text += autovec::detail::types_text(got);
  text += "), expected (";
  text += autovec::detail::types_text(want);
  text += ")";
  fail<TypeError>(op, text, where);
}

inline std::vector<Type> input_types(const Graph& g) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < g.input_count(); ++i) types.push_back(g.input_type(i));
  return types;
}
inline std::vector<Type> output_types(const Graph& g) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < g.output_count(); ++i) types.push_back(g.output_type(i));
  return types;
}

}  // namespace detail

struct Branch {
  static constexpr std::string_view name = "branch";
  static constexpr Kind kind = Kind::branch;
  static constexpr int arity = -1;
  using Params = BranchParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    const auto& p = params.as<BranchParams>();
    if (x.empty() || p.sides.empty()) fail<TypeError>(name, "no index or no sides", where);
    if (!(x[0].dtype == DType::i32 || (is_bool(x[0].dtype) && p.sides.size() == 2))) {
      fail<TypeError>(name, "the index is i32, or b8 for two sides; got " + type_text(x[0]), where);
    }
    std::vector<Type> results;
    const std::size_t count = p.sides[0].output_count();
    if (p.present.size() != count * p.sides.size())
      fail<TypeError>(name, "`present` has a wrong size", where);
    for (std::size_t s = 0; s < p.sides.size(); ++s) {
      detail::require_types(name, "a side", detail::input_types(p.sides[s]), x.subspan(1), where);
      std::vector<Type> full;
      for (std::size_t j = 0; j < p.sides[s].output_count() && j < count; ++j) {
        full.push_back(detail::full_type(name, p.sides[s].output_type(j), p.present[s * count + j],
                                         x[0].shape, where));
      }
      if (s == 0) results = full;
      if (p.sides[s].output_count() != count)
        fail<TypeError>(name, "sides give different numbers of results", where);
      detail::require_types(name, "a side's result", full, results, where);
    }
    return results;
  }
  static void batch(BatchCall& call) { batch_branch(call); }
  static std::vector<Sample> samples() { return branch_samples(); }
};

struct Loop {
  static constexpr std::string_view name = "loop";
  static constexpr Kind kind = Kind::loop;
  static constexpr int arity = -1;
  using Params = LoopParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    const auto& p = params.as<LoopParams>();
    const auto condition_captures = static_cast<std::size_t>(p.condition_captures);
    const auto body_captures = static_cast<std::size_t>(p.body_captures);
    if (condition_captures > x.size() || body_captures > x.size() ||
        x.size() != condition_captures + body_captures + p.present.size()) {
      fail<TypeError>(name, "a wrong number of operands", where);
    }
    const auto carries = x.subspan(condition_captures + body_captures);
    std::vector<Type> condition(x.begin(), x.begin() + p.condition_captures);
    condition.insert(condition.end(), carries.begin(), carries.end());
    detail::require_types(name, "the condition", detail::input_types(p.condition), condition,
                          where);
    if (p.condition.output_count() != 1 || !is_bool(p.condition.output_type(0).dtype)) {
      fail<TypeError>(name, "the condition does not give one b8", where);
    }
    const Type predicate = p.condition.output_type(0);
    std::vector<Type> body(x.begin() + p.condition_captures,
                           x.begin() + p.condition_captures + p.body_captures);
    if (p.masked) body.push_back(predicate);
    body.insert(body.end(), carries.begin(), carries.end());
    detail::require_types(name, "the body", detail::input_types(p.body), body, where);
    detail::require_types(name, "the body's result", detail::output_types(p.body), carries, where);
    std::vector<Type> results;
    for (std::size_t j = 0; j < carries.size(); ++j) {
      results.push_back(detail::full_type(name, carries[j], p.present[j], predicate.shape, where));
    }
    return results;
  }
  static void batch(BatchCall& call) { batch_loop(call); }
  static std::vector<Sample> samples() { return loop_samples(); }
};

struct Scan {
  static constexpr std::string_view name = "scan";
  static constexpr Kind kind = Kind::scan;
  static constexpr int arity = -1;
  using Params = ScanParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    const auto& p = params.as<ScanParams>();
    const auto captures = static_cast<std::size_t>(p.captures);
    const auto carries = static_cast<std::size_t>(p.carries);
    const std::size_t fixed = captures + carries;
    if (p.length < 0 || captures > x.size() || carries > x.size() ||
        x.size() != fixed + p.in_axes.size()) {
      fail<TypeError>(name, "a wrong number of operands", where);
    }
    std::vector<Type> body(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(fixed));
    for (std::size_t i = 0; i < p.in_axes.size(); ++i) {
      Type slice = x[fixed + i];
      const std::int64_t axis = p.in_axes[i];
      if (axis < 0 || axis >= static_cast<std::int64_t>(slice.rank()) ||
          slice.shape[static_cast<std::size_t>(axis)] != p.length) {
        fail<ShapeError>(name,
                         type_text(slice) + " does not have the scan's length " +
                             number_text(p.length) + " along axis " + number_text(axis),
                         where);
      }
      slice.shape.erase(static_cast<std::size_t>(axis));
      body.push_back(slice);
    }
    detail::require_types(name, "the body", detail::input_types(p.body), body, where);
    const std::vector<Type> given = detail::output_types(p.body);
    if (given.size() != carries + p.out_axes.size()) {
      fail<TypeError>(name, "the body gives a wrong number of results", where);
    }
    const auto first = x.subspan(captures, carries);
    detail::require_types(name, "the body's carry", std::span(given).subspan(0, carries), first,
                          where);
    std::vector<Type> results(first.begin(), first.end());
    for (std::size_t j = 0; j < p.out_axes.size(); ++j) {
      Type stacked = given[carries + j];
      const std::int64_t axis = p.out_axes[j];
      if (axis < 0 || axis > static_cast<std::int64_t>(stacked.rank())) {
        fail<ShapeError>(name, "a stacking axis is out of range for " + type_text(stacked), where);
      }
      stacked.shape.insert(static_cast<std::size_t>(axis), p.length);
      results.push_back(stacked);
    }
    return results;
  }
  static void batch(BatchCall& call) { batch_scan(call); }
  static std::vector<Sample> samples() { return scan_samples(); }
};

using ControlOps = List<Branch, Loop, Scan>;

}  // namespace ops
}  // namespace autovec::inline v1
