// Small programs over scalars and short vectors: their form and their text.
// SPDX-License-Identifier: Apache-2.0
//
// A program is a block. A block has parameters, statements that each define variables, and results.
// Blocks nest; an inner block sees the variables of the outer ones. Operands are variables or
// numbers written in place, of which a statement never has only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace programs {

/// f64 or f32, i32, b8, and vectors of reals of the program's extent.
enum class Type : std::uint8_t { real, integer, truth, vector };

inline const char* name_of(Type type) {
  const char* const names[] = {"real", "integer", "truth", "vector"};
  return names[static_cast<int>(type)];
}

// clang-format off
/// What a statement does. Loops end by construction: see the notes.
enum class Op : std::uint8_t {
  // real
  add, sub, mul, div, min, max, neg, abs, sqrt, floor,
  tame,  // |x| < 256 ? floor(4 x) / 4 + 0 : 1.5, so that what is made of few such values is exact
  // integer: results wrap, division by zero gives 0
  iadd, isub, imul, imin, imax, irem, idiv, ineg,
  // comparisons and logic
  less, less_equal, equal, iless, iequal, both, either, differ, invert,
  // choice: truth, then twice the type
  choose_real, choose_integer, choose_truth, choose_vector,
  // conversions
  to_real, to_integer, count,
  // vectors
  vadd, vsub, vmul, scale, vtame, fill, read, set, bump, total, greatest,
  // control; blocks take what stands in brackets
  cond,      // p, x...: then[x...], else[x...]
  choice,    // i, x...: one block of several, the index clamped
  repeat,    // bound, s...: while (counter < bound mod 5 && condition[counter, s...])
             //   body[counter, s...]
  count_up,  // lo, hi, s...: for i from lo mod 3 below hi mod 6: body[i, s...]
  scan       // s..., v...: body[s..., elements of v...] gives s..., y; the ys as a vector;
             // without v: `length` trips, the sum of the ys as a real
};
// clang-format on

/// A variable, or a number written in place.
struct Operand {
  int variable = -1;
  Type type = Type::real;
  double number = 0;
  bool is_variable() const { return variable >= 0; }
};

struct Block;

struct Statement {
  Op op = Op::add;
  std::vector<int> results;
  std::vector<Operand> operands;
  std::vector<Block> blocks;
  int vectors = 0;       // scan: how many of the operands are vectors that it runs along
  int length = 0;        // scan without vectors: trips
  bool reverse = false;  // scan
};

struct Block {
  std::vector<int> parameters;
  std::vector<Statement> statements;
  std::vector<Operand> results;
};

/// Variables are numbered through all blocks. `extent` is that of all vectors.
struct Program {
  std::vector<Type> types;  // of each variable
  int extent = 1;
  bool single = false;  // reals are f32
  Block body;
};

/// Types of the operands and of the result of what is not control.
struct Signature {
  Op op;
  const char* name;
  std::vector<Type> operands;
  Type result;
};

inline const std::vector<Signature>& signatures() {
  constexpr Type R = Type::real, I = Type::integer, B = Type::truth, V = Type::vector;
  static const std::vector<Signature> list = {
      {Op::add, "add", {R, R}, R},
      {Op::sub, "sub", {R, R}, R},
      {Op::mul, "mul", {R, R}, R},
      {Op::div, "div", {R, R}, R},
      {Op::min, "min", {R, R}, R},
      {Op::max, "max", {R, R}, R},
      {Op::neg, "neg", {R}, R},
      {Op::abs, "abs", {R}, R},
      {Op::sqrt, "sqrt", {R}, R},
      {Op::floor, "floor", {R}, R},
      {Op::tame, "tame", {R}, R},
      {Op::iadd, "iadd", {I, I}, I},
      {Op::isub, "isub", {I, I}, I},
      {Op::imul, "imul", {I, I}, I},
      {Op::imin, "imin", {I, I}, I},
      {Op::imax, "imax", {I, I}, I},
      {Op::irem, "irem", {I, I}, I},
      {Op::idiv, "idiv", {I, I}, I},
      {Op::ineg, "ineg", {I}, I},
      {Op::less, "less", {R, R}, B},
      {Op::less_equal, "less_equal", {R, R}, B},
      {Op::equal, "equal", {R, R}, B},
      {Op::iless, "iless", {I, I}, B},
      {Op::iequal, "iequal", {I, I}, B},
      {Op::both, "both", {B, B}, B},
      {Op::either, "either", {B, B}, B},
      {Op::differ, "differ", {B, B}, B},
      {Op::invert, "invert", {B}, B},
      {Op::choose_real, "choose_real", {B, R, R}, R},
      {Op::choose_integer, "choose_integer", {B, I, I}, I},
      {Op::choose_truth, "choose_truth", {B, B, B}, B},
      {Op::choose_vector, "choose_vector", {B, V, V}, V},
      {Op::to_real, "to_real", {I}, R},
      {Op::to_integer, "to_integer", {R}, I},
      {Op::count, "count", {B}, I},
      {Op::vadd, "vadd", {V, V}, V},
      {Op::vsub, "vsub", {V, V}, V},
      {Op::vmul, "vmul", {V, V}, V},
      {Op::scale, "scale", {V, R}, V},
      {Op::vtame, "vtame", {V}, V},
      {Op::fill, "fill", {R}, V},
      {Op::read, "read", {V, I}, R},
      {Op::set, "set", {V, I, R}, V},
      {Op::bump, "bump", {V, I, R}, V},
      {Op::total, "total", {V}, R},
      {Op::greatest, "greatest", {V}, R},
  };
  return list;
}

inline const Signature* signature_of(Op op) {
  for (const Signature& s : signatures()) {
    if (s.op == op) return &s;
  }
  return nullptr;
}

/// Prints programs; blocks are indented.
class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string text() {
    out_ << "program, " << (program_.single ? "f32" : "f64") << ", vectors of " << program_.extent
         << ' ';
    block(program_.body, 0);
    out_ << '\n';
    return out_.str();
  }

 private:
  void define(const std::vector<int>& variables) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      out_ << (i == 0 ? "" : ", ") << '%' << variables[i] << ": "
           << name_of(program_.types[static_cast<std::size_t>(variables[i])]);
    }
  }
  void use(const std::vector<Operand>& operands) {
    for (const Operand& x : operands) {
      out_ << ' ';
      if (x.is_variable()) {
        out_ << '%' << x.variable;
      } else {
        out_ << x.number;
      }
    }
  }
  void block(const Block& b, int indent) {
    out_ << '(';
    define(b.parameters);
    out_ << ") {\n";
    for (const Statement& s : b.statements) statement(s, indent + 2);
    out_ << std::string(static_cast<std::size_t>(indent + 2), ' ') << "return";
    use(b.results);
    out_ << '\n' << std::string(static_cast<std::size_t>(indent), ' ') << '}';
  }
  void statement(const Statement& s, int indent) {
    out_ << std::string(static_cast<std::size_t>(indent), ' ');
    define(s.results);
    const Signature* signature = signature_of(s.op);
    const char* const control[] = {"cond", "choice", "repeat", "count_up", "scan"};
    out_ << " = "
         << (signature != nullptr ? signature->name
                                  : control[static_cast<int>(s.op) - static_cast<int>(Op::cond)]);
    use(s.operands);
    if (s.op == Op::scan && s.vectors == 0) out_ << " length " << s.length;
    if (s.reverse) out_ << " reverse";
    for (const Block& b : s.blocks) {
      out_ << ' ';
      block(b, indent);
    }
    out_ << '\n';
  }

  const Program& program_;
  std::ostringstream out_;
};

inline std::string to_text(const Program& program) { return Printer(program).text(); }

}  // namespace programs
