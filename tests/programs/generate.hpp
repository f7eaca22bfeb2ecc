// Programs drawn at random from a seed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "program.hpp"

namespace programs {

/// Numbers that depend on the seed alone, on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// 0 ... n - 1.
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

/// Builds one program. Products and sums across elements get tame operands, so that they are exact
/// and neither fused multiply-adds nor the order of a sum can show.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : dice_(seed) {}

  Program program() {
    out_.extent = dice_.between(1, 4);
    out_.single = dice_.one_in(3);
    std::vector<Type> inputs = {Type::real, Type::integer};
    for (int more = dice_.between(0, 3); more > 0; --more) inputs.push_back(any_type());
    budget_ = dice_.between(6, 36);
    out_.body = block(inputs, {}, 0);
    // What nothing has read so far, or all would be dead.
    for (int v = static_cast<int>(out_.types.size()) - 1; v >= 0; --v) {
      const auto at = static_cast<std::size_t>(v);
      if (top_level_[at] && !used_[at] && out_.body.results.size() < 4) {
        out_.body.results.push_back({v, type_of(v), 0});
      }
    }
    return std::move(out_);
  }

 private:
  static constexpr int deepest = 4;

  Type any_type() {
    const Type types[] = {Type::real,  Type::real,   Type::integer,
                          Type::truth, Type::vector, Type::vector};
    return types[dice_.below(6)];
  }
  std::vector<Type> any_types(int low, int high) {
    std::vector<Type> out;
    for (int n = dice_.between(low, high); n > 0; --n) out.push_back(any_type());
    return out;
  }
  int define(Type type) {
    out_.types.push_back(type);
    used_.push_back(false);
    top_level_.push_back(depth_ == 0);
    const auto v = static_cast<int>(out_.types.size()) - 1;
    visible_.push_back(v);
    return v;
  }
  Type type_of(int variable) const { return out_.types[static_cast<std::size_t>(variable)]; }

  /// Latest variables, and those that nothing has read, come up more often.
  Operand variable(Type type) {
    std::vector<int> fit, fresh;
    for (const int v : visible_) {
      if (type_of(v) != type) continue;
      fit.push_back(v);
      if (!used_[static_cast<std::size_t>(v)]) fresh.push_back(v);
    }
    if (fit.empty()) return {};
    const std::vector<int>& from = fresh.empty() || dice_.one_in(4) ? fit : fresh;
    const int n = static_cast<int>(from.size());
    const int v = from[static_cast<std::size_t>(std::max(dice_.below(n), dice_.below(n)))];
    used_[static_cast<std::size_t>(v)] = true;
    return {v, type, 0};
  }
  Operand number(Type type) {
    switch (type) {
      case Type::real: return {-1, type, dice_.between(-12, 12) * 0.25};
      case Type::integer: return {-1, type, static_cast<double>(dice_.between(-3, 7))};
      default: return {-1, type, static_cast<double>(dice_.below(2))};
    }
  }
  /// A variable if there is one, mostly; a new vector where there is none.
  Operand operand(Type type, bool numbers, std::vector<Statement>& into) {
    if (numbers && type != Type::vector && dice_.one_in(5)) return number(type);
    const Operand found = variable(type);
    if (found.is_variable()) return found;
    if (type != Type::vector) return number(type);
    return emit(Op::fill, {operand(Type::real, true, into)}, into);
  }
  Operand emit(Op op, std::vector<Operand> operands, std::vector<Statement>& into) {
    const Type type = signature_of(op)->result;
    Statement s;
    s.op = op;
    s.operands = std::move(operands);
    s.results = {define(type)};
    into.push_back(s);
    return {s.results[0], type, 0};
  }

  Block block(const std::vector<Type>& parameters, const std::vector<Type>& results, int depth) {
    const std::size_t outer = visible_.size();
    depth_ = depth;
    Block b;
    for (const Type type : parameters) b.parameters.push_back(define(type));
    for (int n = depth == 0 ? dice_.between(3, 8) : dice_.between(0, 4); n > 0; --n) {
      if (--budget_ < 0) break;
      if (depth < deepest && dice_.below(10) < (depth == 0 ? 6 : 4)) {
        control(b.statements, depth);
      } else {
        simple(b.statements);
      }
    }
    for (const Type type : results) b.results.push_back(operand(type, true, b.statements));
    visible_.resize(outer);
    depth_ = std::max(depth - 1, 0);
    return b;
  }

  void simple(std::vector<Statement>& into) {
    // Indexed reads and updates, and what can divide by zero, matter more than their number says.
    const std::vector<Op> often = {Op::read, Op::set, Op::bump, Op::div};
    const Signature& signature =
        dice_.one_in(3) ? *signature_of(dice_.pick(often)) : dice_.pick(signatures());
    std::vector<Operand> operands;
    bool any_variable = false;
    for (std::size_t i = 0; i < signature.operands.size(); ++i) {
      const bool last = i + 1 == signature.operands.size();
      Operand x = operand(signature.operands[i], any_variable || !last, into);
      any_variable = any_variable || x.is_variable();
      operands.push_back(x);
    }
    if (!any_variable) return;
    switch (signature.op) {
      case Op::mul:
      case Op::vmul:
      case Op::scale:
      case Op::total:
      case Op::greatest:
        for (Operand& x : operands) {
          if (x.is_variable()) {
            x = emit(x.type == Type::vector ? Op::vtame : Op::tame, {x}, into);
          }
        }
        break;
      case Op::read:
      case Op::set:
      case Op::bump:
        if (!operands[1].is_variable()) {
          operands[1].number = dice_.between(-out_.extent, out_.extent - 1);
        }
        break;
      default: break;
    }
    emit(signature.op, std::move(operands), into);
  }

  std::vector<Operand> operands_of(const std::vector<Type>& types, std::vector<Statement>& into) {
    std::vector<Operand> out;
    for (const Type type : types) out.push_back(operand(type, true, into));
    return out;
  }
  static std::vector<Type> joined(std::vector<Type> a, const std::vector<Type>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  void control(std::vector<Statement>& into, int depth) {
    const std::vector<Type> I = {Type::integer};
    Statement s;
    std::vector<Type> results;
    s.op = static_cast<Op>(static_cast<int>(Op::cond) + dice_.below(5));
    switch (s.op) {
      case Op::cond:
      case Op::choice: {
        const std::vector<Type> arguments = any_types(0, 2);
        results = any_types(1, 2);
        const Type selector = s.op == Op::cond ? Type::truth : Type::integer;
        s.operands = operands_of(joined({selector}, arguments), into);
        for (int n = s.op == Op::cond ? 2 : dice_.between(1, 3); n > 0; --n) {
          s.blocks.push_back(block(arguments, results, depth + 1));
        }
        break;
      }
      case Op::repeat:
        results = any_types(1, 3);
        s.operands = operands_of(joined(I, results), into);
        s.blocks.push_back(block(joined(I, results), {Type::truth}, depth + 1));
        s.blocks.push_back(block(joined(I, results), results, depth + 1));
        break;
      case Op::count_up:
        results = any_types(1, 3);
        s.operands = operands_of(joined({Type::integer, Type::integer}, results), into);
        s.blocks.push_back(block(joined(I, results), results, depth + 1));
        break;
      default: {
        const std::vector<Type> state = any_types(0, 2);
        s.vectors = dice_.below(3);
        s.length = dice_.below(4);
        s.reverse = dice_.one_in(2);
        const auto vectors = static_cast<std::size_t>(s.vectors);
        s.operands = operands_of(joined(state, std::vector<Type>(vectors, Type::vector)), into);
        s.blocks.push_back(block(joined(state, std::vector<Type>(vectors, Type::real)),
                                 joined(state, {Type::real}), depth + 1));
        results = joined(state, {s.vectors > 0 ? Type::vector : Type::real});
      }
    }
    for (const Type type : results) s.results.push_back(define(type));
    into.push_back(std::move(s));
  }

  Dice dice_;
  Program out_;
  std::vector<int> visible_;
  std::vector<bool> used_, top_level_;  // of each variable
  int depth_ = 0;
  int budget_ = 0;
};

inline Program generate(std::uint64_t seed) { return Generator(seed).program(); }

}  // namespace programs
