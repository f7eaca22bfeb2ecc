// Makes a failing program smaller while it goes on failing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "program.hpp"

namespace programs {

/// The blocks of a program, outer ones first.
inline void collect_blocks(Block& block, std::vector<Block*>& out) {
  out.push_back(&block);
  for (Statement& s : block.statements) {
    for (Block& b : s.blocks) collect_blocks(b, out);
  }
}

inline void replace_uses(std::vector<Operand>& operands, int variable, const Operand& by) {
  for (Operand& x : operands) {
    if (x.variable == variable) x = by;
  }
}

inline void replace_uses(Block& block, int variable, const Operand& by) {
  for (Statement& s : block.statements) {
    replace_uses(s.operands, variable, by);
    for (Block& b : s.blocks) replace_uses(b, variable, by);
  }
  replace_uses(block.results, variable, by);
}

/// An earlier value for `variable`: an input of its type, else a number.
inline bool substitute(const Program& program, int variable, Operand& out) {
  const Type type = program.types[static_cast<std::size_t>(variable)];
  for (const int input : program.body.parameters) {
    if (program.types[static_cast<std::size_t>(input)] == type) {
      out = {input, type, 0};
      return true;
    }
  }
  out = {-1, type, 1};
  return type != Type::vector;
}

/// One attempt: a program with statement `s` of block `b` gone; false where there is none.
inline bool without_statement(Program& program, std::size_t b, std::size_t s) {
  std::vector<Block*> blocks;
  collect_blocks(program.body, blocks);
  if (b >= blocks.size() || s >= blocks[b]->statements.size()) return false;
  const std::vector<int> gone = blocks[b]->statements[s].results;
  blocks[b]->statements.erase(blocks[b]->statements.begin() + static_cast<std::ptrdiff_t>(s));
  for (const int variable : gone) {
    Operand by;
    if (!substitute(program, variable, by)) return false;
    replace_uses(program.body, variable, by);
  }
  return true;
}

/// Drops statements and results as long as `fails` holds.
inline Program shrink(Program program, const std::function<bool(const Program&)>& fails) {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t r = program.body.results.size(); r-- > 0 && program.body.results.size() > 1;) {
      Program attempt = program;
      attempt.body.results.erase(attempt.body.results.begin() + static_cast<std::ptrdiff_t>(r));
      if (fails(attempt)) program = attempt, smaller = true;
    }
    std::vector<Block*> blocks;
    collect_blocks(program.body, blocks);
    std::vector<std::size_t> counts;
    for (const Block* block : blocks) counts.push_back(block->statements.size());
    for (std::size_t b = counts.size(); b-- > 0;) {
      for (std::size_t s = counts[b]; s-- > 0;) {
        Program attempt = program;
        if (without_statement(attempt, b, s) && fails(attempt)) {
          program = attempt;
          smaller = true;
        }
      }
      if (smaller) break;  // the numbers of inner blocks have changed
    }
  }
  return program;
}

}  // namespace programs
