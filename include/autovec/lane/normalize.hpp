// Normal form: what nobody needs is dropped, values and accesses are numbered by appearance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/program.hpp"

namespace autovec::inline v1 {
namespace lane {

namespace detail {

/// Marks what reaches a store, a scatter or a yield of the outermost block, and drops the rest:
/// instructions, carries of loops, results of branches.
///
/// A carry is needed if its result or its parameter is; a loop as a whole if one carry or one
/// effect inside it is. A local array is needed if somebody reads it, and then all its writes
/// are. Reads may stand before writes in a loop, hence the iteration to a fixed point.
class DeadCode {
 public:
  explicit DeadCode(std::size_t values) : live_(values, 0) {}

  void run(Block& body) {
    for (const ValueId v : body.yields) mark(v);
    do {
      changed_ = false;
      visit(body);
    } while (changed_);
    sweep(body);
  }

 private:
  bool is_live(ValueId v) const { return live_[static_cast<std::size_t>(v)] != 0; }
  void mark(ValueId v) {
    if (is_live(v)) return;
    live_[static_cast<std::size_t>(v)] = 1;
    changed_ = true;
  }

  static bool writes_memory(const Instruction& i) {
    if (i.op == Op::store || i.op == Op::scatter) return true;
    return std::any_of(i.regions.begin(), i.regions.end(), [](const Block& region) {
      return std::any_of(region.instructions.begin(), region.instructions.end(), writes_memory);
    });
  }
  bool writes_live_array(const Instruction& i) const {
    if (i.op == Op::array_set) return is_live(i.operands[0]);
    for (const Block& region : i.regions) {
      for (const Instruction& inner : region.instructions) {
        if (writes_live_array(inner)) return true;
      }
    }
    return false;
  }
  bool needed(const Instruction& i) const {
    return writes_memory(i) || writes_live_array(i) ||
           std::any_of(i.results.begin(), i.results.end(),
                       [this](ValueId v) { return is_live(v); });
  }

  /// First parameter of `region` that is a carry.
  static std::size_t first_carry(const Instruction& i) { return i.op == Op::loop ? 1 : 0; }
  bool carry_live(const Instruction& i, std::size_t carry) const {
    if (is_live(i.results[carry])) return true;
    return std::any_of(i.regions.begin(), i.regions.end(), [&](const Block& region) {
      return is_live(region.parameters[carry + first_carry(i)]);
    });
  }

  // Backwards, so that most programs settle in one visit.
  void visit(const Block& block) {
    for (std::size_t n = block.instructions.size(); n-- > 0;) {
      const Instruction& i = block.instructions[n];
      if (needed(i)) visit_needed(i);
    }
  }
  void visit_needed(const Instruction& i) {
    switch (i.op) {
      case Op::if_:
        mark(i.operands[0]);
        for (const Block& region : i.regions) {
          for (std::size_t r = 0; r < i.results.size(); ++r) {
            if (is_live(i.results[r])) mark(region.yields[r]);
          }
          visit(region);
        }
        break;
      case Op::loop:
      case Op::while_:
        if (i.op == Op::while_) mark(i.regions[0].yields[0]);
        for (std::size_t carry = 0; carry < i.results.size(); ++carry) {
          if (!carry_live(i, carry)) continue;
          mark(i.operands[carry]);
          mark(i.regions.back().yields[carry]);
        }
        for (std::size_t r = i.regions.size(); r-- > 0;) visit(i.regions[r]);
        break;
      default:
        for (const ValueId v : i.operands) mark(v);
    }
  }

  void sweep(Block& block) {
    std::vector<Instruction>& all = block.instructions;
    std::size_t kept = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (!needed(all[n])) continue;
      if (kept != n) all[kept] = std::move(all[n]);
      Instruction& i = all[kept++];
      if (i.op == Op::if_) sweep_results(i);
      if (i.op == Op::loop || i.op == Op::while_) sweep_carries(i);
      for (Block& region : i.regions) sweep(region);
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
  }
  void sweep_results(Instruction& i) {
    for (std::size_t r = i.results.size(); r-- > 0;) {
      if (is_live(i.results[r])) continue;
      i.results.erase(r);
      for (Block& region : i.regions) erase_at(region.yields, r);
    }
    set_dtype_of_first(i);
  }
  void sweep_carries(Instruction& i) {
    for (std::size_t carry = i.results.size(); carry-- > 0;) {
      if (carry_live(i, carry)) continue;
      i.results.erase(carry);
      i.operands.erase(carry);
      for (Block& region : i.regions) erase_at(region.parameters, carry + first_carry(i));
      erase_at(i.regions.back().yields, carry);
    }
    set_dtype_of_first(i);
  }
  static void erase_at(std::vector<ValueId>& ids, std::size_t at) {
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at));
  }
  // Renumbering sets the dtype from the first result; without results it is a constant.
  static void set_dtype_of_first(Instruction& i) {
    if (i.results.empty()) i.dtype = DType::b8;
  }

  std::vector<char> live_;
  bool changed_ = false;
};

/// Renumbers values, and accesses where there are any, in order of appearance in the text.
class Renumber {
 public:
  Renumber(std::vector<DType>& dtypes, std::vector<Access>* accesses)
      : dtypes_(dtypes), accesses_(accesses), fresh_(dtypes.size(), -1) {}

  void run(Block& body) {
    visit(body);
    dtypes_ = std::move(new_dtypes_);
    if (accesses_ != nullptr) *accesses_ = std::move(new_accesses_);
  }

 private:
  ValueId define(ValueId old) {
    const auto id = static_cast<ValueId>(new_dtypes_.size());
    fresh_[static_cast<std::size_t>(old)] = id;
    new_dtypes_.push_back(dtypes_[static_cast<std::size_t>(old)]);
    return id;
  }
  template <class Ids>
  void use(Ids& ids) {
    for (ValueId& v : ids) v = fresh_[static_cast<std::size_t>(v)];
  }
  void visit(Block& block) {
    for (ValueId& v : block.parameters) v = define(v);
    for (Instruction& i : block.instructions) {
      use(i.operands);
      for (ValueId& v : i.results) v = define(v);
      if (!i.results.empty()) i.dtype = new_dtypes_[static_cast<std::size_t>(i.results[0])];
      if (accesses_memory(i.op)) i.immediate = intern((*accesses_)[index_of(i.immediate)]);
      for (Block& region : i.regions) visit(region);
    }
    use(block.yields);
  }
  static std::size_t index_of(std::int64_t immediate) {
    return static_cast<std::size_t>(immediate);
  }
  std::int64_t intern(const Access& access) {
    const auto found = std::find(new_accesses_.begin(), new_accesses_.end(), access);
    const auto at = found - new_accesses_.begin();
    if (found == new_accesses_.end()) new_accesses_.push_back(access);
    return at;
  }

  std::vector<DType>& dtypes_;
  std::vector<Access>* accesses_;
  std::vector<ValueId> fresh_;
  std::vector<DType> new_dtypes_;
  std::vector<Access> new_accesses_;
};

}  // namespace detail

/// Numbers values and accesses in order of appearance; equal accesses become one.
inline void renumber(Program& program) {
  detail::Renumber(program.value_dtypes, &program.accesses).run(program.body);
}
inline void renumber(Function& function) {
  detail::Renumber(function.value_dtypes, nullptr).run(function.body);
}

/// Drops everything that no store, scatter or result needs, loops that might not end included,
/// then renumbers.
inline void normalize(Program& program) {
  detail::DeadCode(program.value_dtypes.size()).run(program.body);
  renumber(program);
}
inline void normalize(Function& function) {
  detail::DeadCode(function.value_dtypes.size()).run(function.body);
  renumber(function);
}

}  // namespace lane
}  // namespace autovec::inline v1
