// Decodes a lane program into steps over tiles: kernels, views, places by lifetime.
// Long because it is one visitor over the closed instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/exec/cpu/access-inl.hpp"
#include "autovec/exec/cpu/control-inl.hpp"
#include "autovec/exec/cpu/elementwise-inl.hpp"
#include "autovec/exec/cpu/tile-inl.hpp"
#include "autovec/lane/program.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// Builds a Code. One use: construct, `program` or `function`, done.
class Decoder {
 public:
  /// The first `fixed` axes, or with `walk_first` the last ones, keep one coordinate a tile; tiles
  /// walk over the others.
  Code program(const lane::Program& p, std::size_t fixed = 0, bool walk_first = false) {
    program_ = &p;
    make_views(fixed, walk_first);
    find_places();
    Scope scope{p.value_dtypes, std::vector<std::int32_t>(p.value_dtypes.size(), -1)};
    decode(p.body, scope);
    for (const lane::ValueId v : p.body.yields) give(scope[v]);
    return finish();
  }

  /// A pure function; its parameters are values 0, 1, ...
  Code function(const lane::Function& f) {
    Scope scope{f.value_dtypes, std::vector<std::int32_t>(f.value_dtypes.size(), -1)};
    for (std::size_t i = 0; i < f.arity(); ++i) {
      scope[f.body.parameters[i]] = new_value(size_of(f.parameter_dtype(i)), true);
    }
    code_.walked = {1};
    depth_ = 1;  // parameters change from tile to tile: nothing but constants is common
    decode(f.body, scope);
    for (const lane::ValueId v : f.body.yields) give(scope[v]);
    return finish();
  }

 private:
  /// A value: its bytes a lane and the steps between which it must be kept.
  struct Value {
    std::int64_t bytes = 0;
    std::int32_t first = 0, last = 0;
    bool common = false;  // the same in all points; computed once, kept
  };
  /// Values by the numbers of one program or function.
  struct Scope {
    const std::vector<DType>& dtypes;
    std::vector<std::int32_t> values;

    std::int32_t& operator[](lane::ValueId v) { return values[static_cast<std::size_t>(v)]; }
    DType dtype(lane::ValueId v) const { return dtypes[static_cast<std::size_t>(v)]; }
  };

  // -- Views ------------------------------------------------------------------------------------

  void make_views(std::size_t fixed, bool walk_first) {
    const lane::Program& p = *program_;
    const std::size_t rank = p.domain.size();
    for (const lane::Access& access : p.accesses) {
      View view;
      view.buffer = access.buffer;
      view.offset = access.offset;
      view.strides.assign(access.strides.begin(), access.strides.end());
      code_.views.push_back(std::move(view));
    }
    lane::for_each_instruction(p.body, [&](const lane::Instruction& i) {
      if (i.op != lane::Op::index || index_views_.count(i.immediate) != 0) return;
      index_views_[i.immediate] = static_cast<std::int64_t>(code_.views.size());
      View view;
      view.strides.assign(rank, 0);
      view.strides[static_cast<std::size_t>(i.immediate)] = 1;
      code_.views.push_back(std::move(view));
    });
    std::vector<std::size_t> fixed_axes, walked_axes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const bool is_fixed = walk_first ? axis >= rank - fixed : axis < fixed;
      code_.points *= is_fixed ? 1 : p.domain[axis];
      (is_fixed ? fixed_axes : walked_axes).push_back(axis);
    }
    std::vector<std::vector<std::int64_t>> joined(code_.views.size());
    code_.fixed = join(fixed_axes, joined);
    code_.walked = join(walked_axes, joined);
    if (code_.walked.empty()) {
      code_.walked.push_back(1);
      for (auto& strides : joined) strides.push_back(0);
    }
    ensure(code_.walked.size() <= most_axes, "simd: a domain of too many axes");
    for (std::size_t v = 0; v < code_.views.size(); ++v) {
      View& view = code_.views[v];
      // Behind the domain's strides come those of the loops.
      joined[v].insert(joined[v].end(), view.strides.begin() + static_cast<std::ptrdiff_t>(rank),
                       view.strides.end());
      view.strides = std::move(joined[v]);
      finish_view(view);
    }
  }

  /// Appends the strides along `axes` to `out`, axes joined where all views run on from one to the
  /// next; gives the extents.
  std::vector<std::int64_t> join(const std::vector<std::size_t>& axes,
                                 std::vector<std::vector<std::int64_t>>& out) const {
    std::vector<std::int64_t> extents;
    const std::size_t start = out.empty() ? 0 : out[0].size();
    for (const std::size_t axis : axes) {
      const std::int64_t extent = program_->domain[axis];
      if (extent == 1) continue;
      bool runs_on = !extents.empty();
      for (std::size_t v = 0; v < out.size() && runs_on; ++v) {
        runs_on = out[v].back() == code_.views[v].strides[axis] * extent;
      }
      if (runs_on) extents.back() *= extent;
      else extents.push_back(extent);
      for (std::size_t v = 0; v < out.size(); ++v) {
        out[v].resize(start + extents.size());
        out[v].back() = code_.views[v].strides[axis];
      }
    }
    return extents;
  }

  void finish_view(View& view) const {
    const std::size_t first = code_.fixed.size(), rank = code_.walked.size();
    const std::int64_t* strides = view.strides.data() + first;
    view.step = strides[rank - 1];
    view.linear = true;
    for (std::size_t i = 0; i + 1 < rank; ++i) {
      view.linear = view.linear && strides[i] == strides[i + 1] * code_.walked[i + 1];
    }
    view.in_place = view.buffer >= 0 && view.step == 1 && !buffer(view).written;
  }
  const lane::Buffer& buffer(const View& view) const {
    return program_->buffers[static_cast<std::size_t>(view.buffer)];
  }
  bool is_common(const View& view) const {
    return depth_ == 0 && !buffer(view).written &&
           std::all_of(view.strides.begin(), view.strides.end(),
                       [](std::int64_t stride) { return stride == 0; });
  }

  /// Finds the values that can be computed right where they are stored: nothing else touches the
  /// buffer, and the store is not in a region.
  void find_places() {
    std::vector<int> touched(program_->buffers.size(), 0);
    lane::for_each_instruction(program_->body, [&](const lane::Instruction& i) {
      if (!lane::accesses_memory(i.op)) return;
      ++touched[static_cast<std::size_t>(view(i.immediate).buffer)];
    });
    for (const lane::Instruction& i : program_->body.instructions) {
      if (i.op == lane::Op::store && view(i.immediate).step == 1 &&
          touched[static_cast<std::size_t>(view(i.immediate).buffer)] == 1) {
        places_.emplace(i.operands[0], i.immediate);
      }
    }
  }
  const View& view(std::int64_t i) const { return code_.views[static_cast<std::size_t>(i)]; }

  // -- Values and steps -------------------------------------------------------------------------

  std::int32_t here() const { return static_cast<std::int32_t>(code_.steps.size()); }
  std::int32_t new_value(std::size_t bytes, bool common = false) {
    values_.push_back({static_cast<std::int64_t>(bytes), here(), here(), common});
    return static_cast<std::int32_t>(values_.size() - 1);
  }
  void use(std::int32_t value, std::int32_t at) {
    Value& v = values_[static_cast<std::size_t>(value)];
    v.last = std::max(v.last, at);
  }
  void give(std::int32_t value) {
    use(value, here());
    code_.yields.push_back(value);
  }

  Step& emit(Kernel kernel, std::int32_t result, std::span<const std::int32_t> operands,
             std::int64_t immediate = 0, bool common = false) {
    ensure(kernel != nullptr, "simd: an instruction on a dtype it does not take");
    Step step;
    step.run = kernel;
    step.result = result;
    step.immediate = immediate;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      step.operands[i] = operands[i];
      if (operands[i] >= 0) use(operands[i], here());
    }
    std::vector<Step>& steps = common ? code_.prologue : code_.steps;
    steps.push_back(step);
    if (!common) may_overwrite_.push_back(false);
    return steps.back();
  }

  std::int32_t constant(std::int64_t bits, std::size_t size) {
    const auto [found, fresh] = constants_.try_emplace({bits, size}, 0);
    if (fresh) {
      found->second = new_value(size, true);
      emit(fill_kernel(size), found->second, {}, bits, true);
    }
    return found->second;
  }

  /// The result of an element-wise kernel; computed once if no point changes it.
  std::int32_t apply(Kernel kernel, DType result, std::span<const std::int32_t> operands,
                     std::int64_t place_at = -1) {
    bool common = depth_ == 0;
    for (const std::int32_t v : operands) {
      common = common && values_[static_cast<std::size_t>(v)].common;
    }
    const std::size_t size = size_of(result);
    const std::int32_t value = new_value(size, common);
    if (!common && place_at >= 0) emit(place_kernel(size), value, {}, place_at);
    emit(kernel, value, operands, 0, common);
    if (!common) may_overwrite_.back() = true;
    return value;
  }

  // -- Instructions -----------------------------------------------------------------------------

  void decode(const lane::Block& block, Scope& scope) {
    for (const lane::Instruction& i : block.instructions) decode(i, scope);
  }

  void decode(const lane::Instruction& i, Scope& scope) {
    using lane::Form;
    std::vector<std::int32_t> operands;
    for (const lane::ValueId v : i.operands) operands.push_back(scope[v]);
    switch (lane::info(i.op).form) {
      case Form::constant: scope[i.results[0]] = constant(i.immediate, size_of(i.dtype)); return;
      case Form::index:
        scope[i.results[0]] = new_value(sizeof(std::int64_t));
        emit(&index, scope[i.results[0]], {}, index_views_.at(i.immediate));
        return;
      case Form::same:
      case Form::select:
        scope[i.results[0]] =
            apply(find_kernel(i.op, i.dtype), i.dtype, operands, place_of(i, scope));
        return;
      case Form::compare:
        if (i.op == lane::Op::gt || i.op == lane::Op::ge) std::swap(operands[0], operands[1]);
        scope[i.results[0]] = apply(find_kernel(i.op, scope.dtype(i.operands[0])), DType::b8,
                                    operands, place_of(i, scope));
        return;
      case Form::convert:
        scope[i.results[0]] =
            convert(operands[0], scope.dtype(i.operands[0]), i.dtype, place_of(i, scope));
        return;
      case Form::bitcast: scope[i.results[0]] = operands[0]; return;
      case Form::load: decode_load(i, scope); return;
      case Form::store: emit(store_kernel(size_of(i.dtype)), -1, operands, i.immediate); return;
      case Form::gather:
        scope[i.results[0]] = new_value(size_of(i.dtype));
        emit(gather_kernel(size_of(i.dtype)), scope[i.results[0]], operands, i.immediate);
        return;
      case Form::scatter: emit(scatter_kernel(size_of(i.dtype)), -1, operands, i.immediate); return;
      case Form::loop: decode_loop(i, scope); return;
      case Form::while_: decode_while(i, scope); return;
      case Form::if_: decode_if(i, scope); return;
      case Form::call: decode_call(i, scope, operands); return;
      case Form::array_new:
      case Form::array_get:
      case Form::array_set: decode_array(i, scope, operands); return;
    }
  }

  /// The view through which the value is stored, if it can be computed there; else -1.
  std::int64_t place_of(const lane::Instruction& i, const Scope& scope) const {
    if (depth_ != 0 || program_ == nullptr || &scope.dtypes != &program_->value_dtypes) return -1;
    const auto found = places_.find(i.results[0]);
    return found == places_.end() ? -1 : found->second;
  }

  std::int32_t convert(std::int32_t value, DType from, DType to, std::int64_t place_at) {
    if (converts_in_place(from, to)) return value;
    const auto half = [](DType t) { return t == DType::f16 || t == DType::bf16; };
    if ((half(from) && to != DType::f32) || (half(to) && from != DType::f32)) {
      value = convert(value, from, DType::f32, -1);
      from = DType::f32;
    }
    const std::int32_t operands[] = {value};
    return apply(convert_kernel(from, to), to, operands, place_at);
  }

  void decode_load(const lane::Instruction& i, Scope& scope) {
    const bool common = is_common(view(i.immediate));
    const std::int32_t value = scope[i.results[0]] = new_value(size_of(i.dtype), common);
    emit(load_kernel(size_of(i.dtype)), value, {}, i.immediate, common);
  }

  void decode_call(const lane::Instruction& i, Scope& scope,
                   std::span<const std::int32_t> operands) {
    const lane::Function& f = *i.callee;
    bool same = f.arity() > 0;
    for (std::size_t a = 0; a < f.arity(); ++a) same = same && f.parameter_dtype(a) == f.result;
    Kernel whole = same ? math_kernel(f.name, f.arity(), f.result) : nullptr;
    if (whole != nullptr) {
      scope[i.results[0]] = apply(whole, f.result, operands, place_of(i, scope));
      return;
    }
    Scope inner{f.value_dtypes, std::vector<std::int32_t>(f.value_dtypes.size(), -1)};
    for (std::size_t a = 0; a < f.arity(); ++a) inner[f.body.parameters[a]] = operands[a];
    decode(f.body, inner);
    scope[i.results[0]] = inner[f.body.yields[0]];
  }

  void decode_array(const lane::Instruction& i, Scope& scope,
                    std::span<const std::int32_t> operands) {
    const Kernel kernel = array_kernel(i.op, size_of(i.dtype));
    if (i.op == lane::Op::array_new) {
      const std::int32_t array = scope[i.results[0]] =
          new_value(size_of(i.dtype) * static_cast<std::size_t>(i.immediate));
      emit(kernel, array, {}, i.immediate);
      return;
    }
    const std::int64_t length = values_[static_cast<std::size_t>(operands[0])].bytes /
                                static_cast<std::int64_t>(size_of(i.dtype));
    std::int32_t result = -1;
    if (i.op == lane::Op::array_get) result = scope[i.results[0]] = new_value(size_of(i.dtype));
    emit(kernel, result, operands, length);
  }

  // -- Regions ----------------------------------------------------------------------------------

  /// Opens a region: its step, whose kernel runs the steps that follow.
  std::int32_t open(Kernel kernel) {
    const auto region = static_cast<std::int64_t>(code_.regions.size());
    code_.regions.emplace_back();
    const std::int32_t at = here();
    emit(kernel, -1, {}, region);
    ++depth_;
    return at;
  }
  /// Closes it; in a loop, what came from outside is kept until the end.
  void close(std::int32_t at, Region region, bool repeats) {
    --depth_;
    const std::int32_t end = here();
    Step& step = code_.steps[static_cast<std::size_t>(at)];
    step.skip = end - at;
    region.first = at + 1;
    region.last = end;
    code_.regions[static_cast<std::size_t>(step.immediate)] = std::move(region);
    if (!repeats) return;
    for (Value& v : values_) {
      if (v.first <= at && v.last > at) v.last = std::max(v.last, end);
    }
  }
  std::int32_t scratch(std::size_t bytes, std::int32_t from) {
    const std::int32_t value = new_value(bytes);
    values_[static_cast<std::size_t>(value)].first = from;
    return value;
  }
  /// Places for the carries of the loop that starts at step `at`.
  std::vector<Carry> start_carries(const lane::Instruction& i, Scope& scope, std::int32_t at,
                                   bool apart) {
    std::vector<Carry> carries;
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      const std::size_t size = size_of(scope.dtype(i.operands[n]));
      Carry c;
      c.initial = scope[i.operands[n]];
      c.carry = scratch(size, at);
      c.next = -1;
      c.result = apart ? scratch(size, at) : c.carry;
      c.blend = select_kernel(size);
      c.size = size;
      use(c.initial, at);
      carries.push_back(c);
    }
    return carries;
  }
  static void bind(const std::vector<Carry>& carries, std::span<const lane::ValueId> ids,
                   Scope& scope, std::int32_t Carry::*which) {
    for (std::size_t n = 0; n < carries.size(); ++n) scope[ids[n]] = carries[n].*which;
  }
  /// Takes what the body yields. Another carry's old value is copied aside first.
  void end_carries(std::vector<Carry>& carries, const lane::Block& body, Scope& scope) {
    for (std::size_t n = 0; n < carries.size(); ++n) {
      std::int32_t next = scope[body.yields[n]];
      for (std::size_t m = 0; m < carries.size(); ++m) {
        if (m == n || carries[m].carry != next) continue;
        const std::int32_t old[] = {next};
        next = new_value(carries[n].size);
        emit(&copy, next, old, static_cast<std::int64_t>(carries[n].size));
        break;
      }
      carries[n].next = next;
    }
    for (const Carry& c : carries) {
      use(c.next, here());
      use(c.carry, here());
      use(c.result, here());
    }
  }

  void decode_loop(const lane::Instruction& i, Scope& scope) {
    const lane::Block& body = i.regions[0];
    const std::span<const lane::ValueId> parameters(body.parameters);
    const std::int32_t at = open(&run_loop);
    Region region;
    region.trips = i.immediate;
    region.coordinate = static_cast<std::int32_t>(code_.fixed.size() + code_.walked.size()) +
                        static_cast<std::int32_t>(loop_depth_);
    code_.loops = std::max(code_.loops, ++loop_depth_);
    region.carries = start_carries(i, scope, at, false);
    region.index = scope[parameters[0]] = scratch(sizeof(std::int64_t), at);
    bind(region.carries, parameters.subspan(1), scope, &Carry::carry);
    decode(body, scope);
    end_carries(region.carries, body, scope);
    if (values_[static_cast<std::size_t>(region.index)].last <= at) region.index = -1;
    bind(region.carries, {i.results.data(), i.results.size()}, scope, &Carry::result);
    --loop_depth_;
    close(at, std::move(region), true);
  }

  void decode_while(const lane::Instruction& i, Scope& scope) {
    const lane::Block& condition = i.regions[0];
    const lane::Block& body = i.regions[1];
    has_while_ = true;
    const std::int32_t at = open(&run_while);
    Region region;
    region.carries = start_carries(i, scope, at, true);
    region.mask = scratch(1, at);
    region.other = scratch(1, at);
    bind(region.carries, condition.parameters, scope, &Carry::carry);
    decode(condition, scope);
    region.condition = scope[condition.yields[0]];
    region.middle = here();
    use(region.condition, here());
    bind(region.carries, body.parameters, scope, &Carry::carry);
    decode(body, scope);
    end_carries(region.carries, body, scope);
    use(region.mask, here());
    use(region.other, here());
    bind(region.carries, {i.results.data(), i.results.size()}, scope, &Carry::result);
    close(at, std::move(region), true);
  }

  void decode_if(const lane::Instruction& i, Scope& scope) {
    const std::int32_t at = open(&run_if);
    Region region;
    region.condition = scope[i.operands[0]];
    use(region.condition, at);
    region.mask = scratch(1, at);
    region.other = scratch(1, at);
    decode(i.regions[0], scope);
    region.middle = here();
    decode(i.regions[1], scope);
    for (std::size_t n = 0; n < i.results.size(); ++n) {
      const std::size_t size = size_of(scope.dtype(i.results[n]));
      Carry c;
      c.initial = scope[i.regions[0].yields[n]];
      c.next = scope[i.regions[1].yields[n]];
      c.carry = c.result = scope[i.results[n]] = scratch(size, at);
      c.blend = select_kernel(size);
      c.size = size;
      for (const std::int32_t v : {c.initial, c.next, c.result}) use(v, here());
      region.carries.push_back(c);
    }
    use(region.mask, here());
    use(region.other, here());
    close(at, std::move(region), false);
  }

  // -- Places -----------------------------------------------------------------------------------

  /// Gives each value its scratch: common ones for good, others from first to last step.
  Code finish() {
    code_.places.assign(values_.size(), 0);
    std::vector<std::vector<std::int32_t>> starts(code_.steps.size() + 2),
        ends(code_.steps.size() + 2);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (values_[v].common) {
        take_fresh(v);
        continue;
      }
      starts[static_cast<std::size_t>(values_[v].first)].push_back(static_cast<std::int32_t>(v));
      ends[static_cast<std::size_t>(values_[v].last) + 1].push_back(static_cast<std::int32_t>(v));
    }
    std::vector<bool> gone(values_.size(), false);
    for (std::size_t at = 0; at < starts.size(); ++at) {
      for (const std::int32_t v : ends[at]) {
        if (!gone[static_cast<std::size_t>(v)]) release(static_cast<std::size_t>(v));
      }
      for (const std::int32_t v : starts[at]) {
        const std::int32_t heir = overwritten(at, v, gone);
        if (heir < 0) {
          take(static_cast<std::size_t>(v));
        } else {
          gone[static_cast<std::size_t>(heir)] = true;
          code_.places[static_cast<std::size_t>(v)] = code_.places[static_cast<std::size_t>(heir)];
        }
      }
    }
    choose_width();
    return std::move(code_);
  }
  /// An operand of step `at` that ends there and whose place the result `v` may take; else -1.
  std::int32_t overwritten(std::size_t at, std::int32_t v, const std::vector<bool>& gone) const {
    if (at >= code_.steps.size() || !may_overwrite_[at] || code_.steps[at].result != v) return -1;
    for (const std::int32_t o : code_.steps[at].operands) {
      if (o < 0) continue;
      const Value& operand = values_[static_cast<std::size_t>(o)];
      if (!operand.common && !gone[static_cast<std::size_t>(o)] &&
          operand.last == static_cast<std::int32_t>(at) &&
          operand.bytes == values_[static_cast<std::size_t>(v)].bytes) {
        return o;
      }
    }
    return -1;
  }
  void take_fresh(std::size_t v) {
    code_.places[v] = code_.bytes_per_lane;
    code_.bytes_per_lane += values_[v].bytes;
  }
  void take(std::size_t v) {
    std::vector<std::int64_t>& free = free_[values_[v].bytes];
    if (free.empty()) return take_fresh(v);
    code_.places[v] = free.back();
    free.pop_back();
  }
  void release(std::size_t v) { free_[values_[v].bytes].push_back(code_.places[v]); }

  /// A full tile's values should stay in the nearest cache; points of a `while` should leave
  /// together.
  void choose_width() {
    constexpr std::int64_t cache = 24 * 1024, line = 64;
    const std::int64_t fit = cache / std::max<std::int64_t>(code_.bytes_per_lane, 1);
    const std::int64_t most = has_while_ ? 128 : 1024;
    code_.width = std::clamp(fit / line * line, line, most);
  }

  const lane::Program* program_ = nullptr;
  Code code_;
  std::vector<Value> values_;
  std::vector<bool> may_overwrite_;  // by step: element-wise, so a result may take a dead operand
  std::map<std::int64_t, std::int64_t> index_views_;
  std::map<lane::ValueId, std::int64_t> places_;
  std::map<std::pair<std::int64_t, std::size_t>, std::int32_t> constants_;
  std::map<std::int64_t, std::vector<std::int64_t>> free_;
  int depth_ = 0;
  std::int64_t loop_depth_ = 0;
  bool has_while_ = false;
};

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
