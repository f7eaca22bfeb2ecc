// Makes a failing program smaller while it goes on failing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "program.hpp"

namespace programs {

class Shrinker {
 public:
  using Fails = std::function<bool(const Program&)>;
  Shrinker(Program program, Fails fails) : program_(std::move(program)), fails_(std::move(fails)) {}

  Program run() {
    while (drop_results() || drop_statements() || drop_slots() || simplify_operands()) {
    }
    return std::move(program_);
  }

 private:
  /// Keeps the attempt if it fails too.
  bool keep(Program attempt) {
    if (!fails_(attempt)) return false;
    program_ = std::move(attempt);
    return true;
  }

  /// The blocks of a program, outer ones first.
  static void collect(Block& block, std::vector<Block*>& out) {
    out.push_back(&block);
    for (Statement& s : block.statements) {
      for (Block& b : s.blocks) collect(b, out);
    }
  }
  static std::vector<Block*> blocks_of(Program& program) {
    std::vector<Block*> out;
    collect(program.body, out);
    return out;
  }
  template <class F>
  static void for_each_operand(Block& block, F&& f) {
    for (Statement& s : block.statements) {
      for (Operand& x : s.operands) f(x);
      for (Block& b : s.blocks) for_each_operand(b, f);
    }
    for (Operand& x : block.results) f(x);
  }
  static int uses(Program& program, int variable) {
    int count = 0;
    for_each_operand(program.body, [&](const Operand& x) { count += x.variable == variable; });
    return count;
  }
  Type type_of(int variable) const { return program_.types[static_cast<std::size_t>(variable)]; }

  bool drop_results() {
    bool smaller = false;
    for (std::size_t r = program_.body.results.size(); r-- > 0;) {
      if (program_.body.results.size() == 1) break;
      Program attempt = program_;
      attempt.body.results.erase(attempt.body.results.begin() + static_cast<std::ptrdiff_t>(r));
      smaller = keep(std::move(attempt)) || smaller;
    }
    return smaller;
  }

  /// What can stand for a value of this type: a number, inputs, operands of the statement.
  std::vector<Operand> substitutes(Type type, const Statement* s) {
    std::vector<Operand> out;
    if (type != Type::vector) out.push_back({-1, type, 1});
    for (const int input : program_.body.parameters) {
      if (type_of(input) == type) out.push_back({input, type, 0});
    }
    if (s == nullptr) return out;
    for (const Operand& x : s->operands) {
      if (x.is_variable() && x.type == type) out.push_back(x);
    }
    return out;
  }

  bool drop_statements() {
    const std::size_t count = blocks_of(program_).size();
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t s = blocks_of(program_)[b]->statements.size(); s-- > 0;) {
        const Statement gone = blocks_of(program_)[b]->statements[s];
        for (std::size_t choice = 0; choice < 4; ++choice) {
          Program attempt = program_;
          std::vector<Statement>& statements = blocks_of(attempt)[b]->statements;
          statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(s));
          bool possible = true;
          for (const int variable : gone.results) {
            const std::vector<Operand> by = substitutes(type_of(variable), &gone);
            if (by.empty() && uses(attempt, variable) != 0) possible = false;
            if (by.empty()) continue;
            const Operand& x = by[choice % by.size()];
            for_each_operand(attempt.body, [&](Operand& y) {
              if (y.variable == variable) y = x;
            });
          }
          if (possible && keep(std::move(attempt))) return true;
        }
      }
    }
    return false;
  }

  /// Drops a part of the state of a loop, or a result of a branch, that nothing reads.
  bool drop_slots() {
    const std::size_t count = blocks_of(program_).size();
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t s = 0; s < blocks_of(program_)[b]->statements.size(); ++s) {
        const Statement& old = blocks_of(program_)[b]->statements[s];
        const bool branch = old.op == Op::cond || old.op == Op::choice;
        if (signature_of(old.op) != nullptr || old.results.size() < 2) continue;
        const std::size_t slots = old.results.size() - (old.op == Op::scan ? 1 : 0);
        for (std::size_t k = 0; k < slots; ++k) {
          Program attempt = program_;
          Statement& fresh = blocks_of(attempt)[b]->statements[s];
          const auto at = static_cast<std::ptrdiff_t>(k);
          if (uses(attempt, fresh.results[k]) != 0) continue;
          fresh.results.erase(fresh.results.begin() + at);
          // Operands in front of the state: none, the bound, or both ends.
          const std::ptrdiff_t before = fresh.op == Op::scan ? 0 : fresh.op == Op::repeat ? 1 : 2;
          if (!branch) fresh.operands.erase(fresh.operands.begin() + before + at);
          std::vector<int> parameters;
          for (std::size_t i = 0; i < fresh.blocks.size(); ++i) {
            Block& block = fresh.blocks[i];
            const bool condition = fresh.op == Op::repeat && i == 0;
            if (!condition) block.results.erase(block.results.begin() + at);
            if (branch) continue;
            const std::ptrdiff_t parameter = at + (fresh.op == Op::scan ? 0 : 1);
            parameters.push_back(block.parameters[static_cast<std::size_t>(parameter)]);
            block.parameters.erase(block.parameters.begin() + parameter);
          }
          bool unused = true;
          for (const int p : parameters) unused = unused && uses(attempt, p) == 0;
          if (unused && keep(std::move(attempt))) return true;
        }
      }
    }
    return false;
  }

  /// Variables become inputs or numbers.
  bool simplify_operands() {
    int count = 0;
    for_each_operand(program_.body, [&](const Operand&) { ++count; });
    for (int at = 0; at < count; ++at) {
      for (std::size_t choice = 0; choice < 3; ++choice) {
        Program attempt = program_;
        int i = 0;
        bool simpler = false;
        for_each_operand(attempt.body, [&](Operand& x) {
          if (i++ != at || !x.is_variable()) return;
          const std::vector<Operand> by = substitutes(x.type, nullptr);
          if (choice >= by.size() ||
              (by[choice].is_variable() && by[choice].variable >= x.variable))
            return;
          x = by[choice];
          simpler = true;
        });
        if (simpler && keep(std::move(attempt))) return true;
      }
    }
    return false;
  }

  Program program_;
  Fails fails_;
};

/// The least program found that still `fails`.
inline Program shrink(Program program, Shrinker::Fails fails) {
  return Shrinker(std::move(program), std::move(fails)).run();
}

}  // namespace programs
