// What the laws share: applications of the ops of the table, lanes of data, bitwise comparison, and
// the walk over the table with its budget.
//
// Nothing here names an op: a law holds for whatever stands in the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"
#include "autovec/exec/executor.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/ir/print.hpp"
#include "autovec/ops/sample.hpp"
#include "autovec/ops/table.hpp"

namespace laws {

using namespace autovec;
using detail::Leaves;

// -- Comparison -----------------------------------------------------------------------------------

/// Whether two elements are the same: the same bits, or both NaN.
template <class T>
bool same_element(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b != b;
  }
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The element at `i` of f16 (bf16) data is a NaN.
inline bool half_is_nan(std::uint16_t bits, DType dtype) {
  return dtype == DType::f16 ? (bits & 0x7FFF) > 0x7C00 : (bits & 0x7FFF) > 0x7F80;
}

/// Empty where both tensors have one type and the same elements; else what differs.
inline std::string difference(const Tensor& got, const Tensor& want) {
  if (!(got.type() == want.type())) {
    return "type " + type_text(got.type()) + ", expected " + type_text(want.type());
  }
  const Array a = to_contiguous(got.array("laws", Where::unknown()));
  const Array b = to_contiguous(want.array("laws", Where::unknown()));
  std::string out;
  const auto at = [&](std::int64_t i, const std::string& x, const std::string& y) {
    out = "element " + std::to_string(i) + " is " + x + ", expected " + y;
  };
  dispatch(
      a.type.dtype,
      [&]<class T>() {
        for (std::int64_t i = 0; out.empty() && i < a.type.size(); ++i) {
          const T x = a.as<T>()[i];
          const T y = b.as<T>()[i];
          if (!same_element(x, y)) at(i, number_text(x), number_text(y));
        }
      },
      [&] {
        for (std::int64_t i = 0; out.empty() && i < a.type.size(); ++i) {
          const std::uint16_t x = a.as<std::uint16_t>()[i];
          const std::uint16_t y = b.as<std::uint16_t>()[i];
          const bool nan = half_is_nan(x, a.type.dtype) && half_is_nan(y, a.type.dtype);
          if (x != y && !nan) at(i, std::to_string(x) + " (bits)", std::to_string(y) + " (bits)");
        }
      });
  return out;
}

/// As `difference`, but floats may be `roundings * epsilon * scale` apart, element by element.
inline std::string difference_beyond(const Tensor& got, const Tensor& want, const Tensor& scale,
                                     double roundings) {
  if (!(got.type() == want.type()) || !is_float(got.dtype())) return difference(got, want);
  const auto wide = [](const Tensor& x) { return cast(x, DType::f64).to_vector<double>(); };
  const std::vector<double> a = wide(got), b = wide(want), s = wide(scale);
  const double epsilon = got.dtype() == DType::f64    ? 0x1p-52
                         : got.dtype() == DType::f32  ? 0x1p-23
                         : got.dtype() == DType::bf16 ? 0x1p-7
                                                      : 0x1p-10;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(b[i]) ? std::abs(a[i] - b[i]) <= roundings * epsilon * s[i]
                            : same_element(a[i], b[i])) {
      continue;
    }
    return "element " + std::to_string(i) + " is " + number_text(a[i]) + ", expected " +
           number_text(b[i]);
  }
  return {};
}

// -- Lanes ----------------------------------------------------------------------------------------

/// Copies slices of equal type between a stack along `axis` and themselves; an oracle for vmap's
/// axes that uses none of the library's views.
class Stack {
 public:
  Stack(const Type& slice, std::int64_t lanes, std::int64_t axis) : slice_(slice), lanes_(lanes) {
    const auto rank = static_cast<std::int64_t>(slice.rank());
    const auto a = static_cast<std::size_t>(axis < 0 ? axis + rank + 1 : axis);
    whole_ = slice;
    whole_.shape.insert(a, lanes);
    outer_ = extent_product(slice.shape, 0, a);
    inner_ = static_cast<std::size_t>(extent_product(slice.shape, a, slice.rank())) *
             size_of(slice.dtype);
  }
  const Type& whole_type() const { return whole_; }

  Tensor join(const std::vector<Tensor>& slices) const {
    Array out = Array::allocate(whole_);
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      const Array x =
          to_contiguous(slices[static_cast<std::size_t>(lane)].array("laws", Where::unknown()));
      for (std::int64_t o = 0; o < outer_; ++o) copy(out.data + at(lane, o), x.data + at(0, o, 1));
    }
    return Tensor(std::move(out));
  }
  Tensor slice(const Tensor& whole, std::int64_t lane) const {
    const Array x = to_contiguous(whole.array("laws", Where::unknown()));
    Array out = Array::allocate(slice_);
    for (std::int64_t o = 0; o < outer_; ++o) copy(out.data + at(0, o, 1), x.data + at(lane, o));
    return Tensor(std::move(out));
  }

 private:
  std::size_t at(std::int64_t lane, std::int64_t outer) const { return at(lane, outer, lanes_); }
  std::size_t at(std::int64_t lane, std::int64_t outer, std::int64_t lanes) const {
    return static_cast<std::size_t>(outer * lanes + lane) * inner_;
  }
  void copy(std::byte* to, const std::byte* from) const {
    if (inner_ != 0) std::memcpy(to, from, inner_);
  }

  Type slice_, whole_;
  std::int64_t lanes_;
  std::int64_t outer_ = 1;
  std::size_t inner_ = 0;
};

/// vmap of a function of leaves; `axes` of arguments and `out` of results, none: shared.
inline Leaves vmapped(detail::LeafFunction f, const Leaves& arguments, const LeafAxes& axes,
                      const LeafAxes& out, std::int64_t lanes) {
  return detail::vmap_leaves(
      arguments, axes, [](std::size_t i) { return "operand " + std::to_string(i); }, f,
      [&] { return out; }, VmapOptions{.axis_size = lanes}, Where::unknown());
}

// -- Applications ---------------------------------------------------------------------------------

/// One sample of one row, as a function of leaves. A collective talks inside a vmap of its own, so
/// its operands have that vmap's lanes in front.
class Application {
 public:
  Application(const OpInfo& row, const Sample& sample)
      : row_(&row), params_(sample.params), operands_(sample.operands) {
    if (row.collective) {
      axis_ = params_.as<ops::AxisParams>();
      for (SampleOperand& x : operands_) x.type.shape.insert(0, axis_.lanes);
    }
    for (const SampleOperand& x : operands_) types_.push_back(x.type);
    graph_ = detail::trace_leaves(types_, *this, Where::unknown()).graph;
    for (std::size_t i = 0; i < graph_.output_count(); ++i)
      results_.push_back(graph_.output_type(i));
  }

  const OpInfo& row() const { return *row_; }
  const Params& params() const { return params_; }
  const std::vector<SampleOperand>& operands() const { return operands_; }
  const std::vector<Type>& types() const { return types_; }
  const std::vector<Type>& results() const { return results_; }
  const Graph& graph() const { return graph_; }
  /// Whether graphs inside the op hold loops or branches of their own.
  bool holds_graphs() const { return !params_.graphs().empty(); }

  Leaves operator()(const Leaves& in) const {
    if (!row_->collective) return emit(*row_, params_, in, Where::unknown());
    std::size_t results = 0;
    return detail::vmap_leaves(
        in, LeafAxes(in.size(), 0), [](std::size_t) { return std::string("operand"); },
        [&](const Leaves& lane) {
          Leaves out = emit(*row_, params_, lane, Where::unknown());
          results = out.size();
          return out;
        },
        [&] { return LeafAxes(results, 0); },
        VmapOptions{.axis_size = axis_.lanes, .axis_name = axis_.axis}, Where::unknown());
  }

  /// Operands for a further application: each result takes the place of the first operand of its
  /// type that is drawn from all values.
  Leaves feed(Leaves operands, const Leaves& results) const {
    std::vector<bool> taken(operands.size(), false);
    for (std::size_t j = 0; j < results.size(); ++j) {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (taken[i] || operands_[i].draw == Draw::between || !(types_[i] == results_[j])) continue;
        operands[i] = results[j];
        taken[i] = true;
        break;
      }
    }
    return operands;
  }

  /// A value for operand i.
  Tensor value(std::size_t i, std::uint64_t seed) const {
    return Tensor(sample_values(operands_[i], seed * 0x9E3779B97F4A7C15u + i));
  }
  Leaves values(std::uint64_t seed) const {
    Leaves out;
    for (std::size_t i = 0; i < operands_.size(); ++i) out.push_back(value(i, seed));
    return out;
  }

  /// Compares results of the application to operands `in`: bit for bit, or, where the op sums in an
  /// order that is not pinned, within one rounding a term.
  std::string compare(const Leaves& got, const Leaves& want, const Leaves& in) const {
    const bool any_order = sums_in_any_order();
    Leaves scale;
    double terms = 1;
    if (any_order) {
      Leaves sizes;
      for (const Tensor& x : in) {
        sizes.push_back(autovec::abs(x));
        terms = std::max(terms, static_cast<double>(x.size()));
      }
      scale = (*this)(sizes);
    }
    for (std::size_t j = 0; j < want.size(); ++j) {
      const std::string text = any_order ? difference_beyond(got[j], want[j], scale[j], terms + 1)
                                         : difference(got[j], want[j]);
      if (!text.empty()) return "result " + std::to_string(j) + ": " + text;
    }
    return {};
  }

  /// Whether results are pinned within a bound only.
  bool sums_in_any_order() const {
    return row_->sums && row_->kind != Kind::reduce && is_float(results_[0].dtype);
  }

  std::string text() const {
    std::string out(row_->name);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      out += i == 0 ? " " : ", ";
      out += type_text(operands_[i].type);
    }
    out += ' ';
    params_.print(out, 1);
    return out;
  }

 private:
  const OpInfo* row_;
  Params params_;
  ops::AxisParams axis_;
  std::vector<SampleOperand> operands_;
  std::vector<Type> types_, results_;
  Graph graph_;
};

/// Operands of several lanes. A shared operand is one tensor for all of them.
class LaneOperands {
 public:
  LaneOperands(const Application& f, std::vector<bool> mapped, std::int64_t lanes,
               std::uint64_t seed)
      : f_(f), mapped_(std::move(mapped)) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) of_.push_back(draw(lane, seed));
  }
  std::int64_t lanes() const { return static_cast<std::int64_t>(of_.size()); }
  const Leaves& of(std::int64_t lane) const { return of_[static_cast<std::size_t>(lane)]; }
  /// Other values for the mapped operands of a lane.
  void redraw(std::int64_t lane, std::uint64_t seed) {
    const Leaves fresh = draw(lane, seed);
    Leaves& own = of_[static_cast<std::size_t>(lane)];
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (mapped_[i]) own[i] = fresh[i];
    }
  }
  /// The arguments of the vmapped function for the first `lanes` lanes; `axes` as vmap takes them.
  Leaves arguments(const LeafAxes& axes, std::int64_t lanes) const {
    Leaves out;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i]) {
        out.push_back(of_.empty() ? f_.value(i, 0) : of_[0][i]);
        continue;
      }
      std::vector<Tensor> slices;
      for (std::int64_t lane = 0; lane < lanes; ++lane) slices.push_back(of(lane)[i]);
      out.push_back(Stack(f_.types()[i], lanes, *axes[i]).join(slices));
    }
    return out;
  }

 private:
  Leaves draw(std::int64_t lane, std::uint64_t seed) const {
    Leaves out;
    for (std::size_t i = 0; i < mapped_.size(); ++i) {
      out.push_back(f_.value(i, mapped_[i] ? seed + 1 + static_cast<std::uint64_t>(lane) : seed));
    }
    return out;
  }
  const Application& f_;
  std::vector<bool> mapped_;
  std::vector<Leaves> of_;
};

/// Which operands are mapped: some, unless there are none.
inline std::vector<bool> draw_mapped(std::size_t operands, SampleBits& bits) {
  std::vector<bool> out(operands, false);
  if (operands == 0) return out;
  for (std::size_t i = 0; i < operands; ++i) out[i] = bits.below(2) == 0;
  out[bits.below(operands)] = true;
  return out;
}

/// An axis for each mapped operand, of all that its type with one more axis has, negative ones too.
inline LeafAxes draw_axes(const std::vector<Type>& types, const std::vector<bool>& mapped,
                          SampleBits& bits) {
  LeafAxes out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(types[i].rank()) + 1;
    const std::int64_t axis = bits.between(-rank, rank - 1);
    out.push_back(mapped[i] ? std::optional<std::int64_t>(axis) : std::nullopt);
  }
  return out;
}

// -- The walk -------------------------------------------------------------------------------------

/// Sets the executor for a scope.
class WithExecutor {
 public:
  explicit WithExecutor(Executor e) : before_(executor()) { set_executor(e); }
  WithExecutor(const WithExecutor&) = delete;
  WithExecutor& operator=(const WithExecutor&) = delete;
  ~WithExecutor() { set_executor(before_); }

 private:
  Executor before_;
};

/// Seconds a law may take, from AUTOVEC_LAW_SECONDS.
inline double seconds_of_a_law() {
  const char* text = std::getenv("AUTOVEC_LAW_SECONDS");
  return text == nullptr || *text == '\0' ? 4.0 : std::atof(text);
}

/// Checks a law for every row of the table, sample after sample, until the budget is spent or each
/// sample had its turn `rounds` times. A row is never left out. `law(application, bits)` returns
/// what is wrong, or an empty text.
template <class F>
void for_the_table(std::string_view name, int rounds, F&& law) {
  struct Samples {
    const OpInfo* row;
    std::vector<Sample> samples;
    int faults = 0;
  };
  std::vector<Samples> table;
  std::size_t longest = 0;
  for (const OpInfo* row : op_table().rows()) {
    if (row->samples == nullptr) continue;
    table.push_back({row, row->samples(), 0});
    longest = std::max(longest, table.back().samples.size());
  }
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double budget = seconds_of_a_law();
  std::size_t cases = 0;
  std::size_t covered = 0;
  std::size_t all = 0;
  for (const Samples& s : table) all += s.samples.size();
  const std::size_t turns = longest * static_cast<std::size_t>(rounds);
  for (std::size_t turn = 0; turn < turns && (turn == 0 || seconds() < budget); ++turn) {
    for (std::size_t r = 0; r < table.size(); ++r) {
      Samples& s = table[r];
      const std::size_t n = s.samples.size();
      if (turn >= n * static_cast<std::size_t>(rounds) || s.faults > 2) continue;
      if (turn > 0 && seconds() >= budget) break;
      // A stride that shares no factor with n visits every sample, in an order without pattern.
      std::size_t stride = n * 5 / 8 + 1;
      while (std::gcd(stride, n) != 1) ++stride;
      const Sample& sample = s.samples[(turn * stride + r) % n];
      SampleBits bits(turn * 1000003 + r);
      std::string fault;
      std::string text(s.row->name);
      try {
        const Application application(*s.row, sample);
        text = application.text();
        fault = law(application, bits);
      } catch (const std::exception& error) {
        fault = error.what();
      }
      if (turn == 0) ++covered;
      ++cases;
      if (fault.empty()) continue;
      ++s.faults;
      FAIL_CHECK(name << ", turn " << turn << ": " << text << "\n  " << fault);
    }
  }
  MESSAGE(name << ": " << cases << " cases of " << covered << " ops, " << all << " samples, "
               << seconds() << " s");
  CHECK(cases > 0);
  CHECK(covered == table.size());
}

}  // namespace laws
