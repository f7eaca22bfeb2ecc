// What a program means: one statement after the other, one number at a time. Uses nothing of
// autovec.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "program.hpp"

namespace programs {

/// A value of any type; the field that counts is the one of its type.
struct Value {
  double real = 0;
  std::int32_t integer = 0;
  bool truth = false;
  std::vector<double> vector;
};

/// Never -0, so that sums and extremes do not depend on the order.
inline double tame(double x) { return std::abs(x) < 256 ? std::floor(x * 4) * 0.25 + 0.0 : 1.5; }

/// Remainder with the sign of the divisor; 0 where the divisor is 0.
inline std::int32_t floor_mod(std::int32_t x, std::int32_t y) {
  if (y == 0 || y == -1) return 0;
  const std::int32_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

class Interpreter {
 public:
  explicit Interpreter(const Program& program)
      : program_(program), variables_(program.types.size()) {}

  std::vector<Value> run(const std::vector<Value>& inputs) { return block(program_.body, inputs); }

 private:
  std::vector<Value> block(const Block& b, const std::vector<Value>& arguments) {
    for (std::size_t i = 0; i < b.parameters.size(); ++i) variable(b.parameters[i]) = arguments[i];
    for (const Statement& s : b.statements) {
      std::vector<Value> results;
      if (signature_of(s.op) != nullptr) {
        results.push_back(simple(s));
      } else {
        results = control(s);
      }
      for (std::size_t i = 0; i < s.results.size(); ++i) variable(s.results[i]) = results[i];
    }
    return values(b.results, 0, b.results.size());
  }

  Value& variable(int v) { return variables_[static_cast<std::size_t>(v)]; }
  Value value(const Operand& x) {
    if (x.is_variable()) return variable(x.variable);
    Value out;
    out.real = x.number;
    out.integer = static_cast<std::int32_t>(x.number);
    out.truth = x.number != 0;
    return out;
  }
  std::vector<Value> values(const std::vector<Operand>& operands, std::size_t first,
                            std::size_t last) {
    std::vector<Value> out;
    for (std::size_t i = first; i < last; ++i) out.push_back(value(operands[i]));
    return out;
  }

  /// Rounding the double result of one operation on floats once more gives the float result.
  double rounded(double x) const { return program_.single ? static_cast<float>(x) : x; }
  Value of(double x) const {
    Value v;
    v.real = rounded(x);
    return v;
  }
  static Value of(bool x) {
    Value v;
    v.truth = x;
    return v;
  }
  static Value wrapped(std::int64_t x) {
    Value v;
    v.integer =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
    return v;
  }
  static double smaller(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
    return y < x ? y : x;
  }
  static double larger(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
    return x < y ? y : x;
  }
  static std::int32_t truncated(double x) {
    if (std::isnan(x)) return 0;
    if (x <= -2147483648.0) return std::numeric_limits<std::int32_t>::min();
    if (x >= 2147483647.0) return std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(x);
  }
  /// Position on an axis: below 0 counts from the end. -1: outside.
  std::int64_t place(std::int32_t i, bool clamp) const {
    std::int64_t at = i < 0 ? std::int64_t{i} + program_.extent : i;
    if (clamp) return std::clamp<std::int64_t>(at, 0, program_.extent - 1);
    return at < 0 || at >= program_.extent ? -1 : at;
  }

  Value simple(const Statement& s) {
    const Value x = value(s.operands[0]);
    const Value y = s.operands.size() > 1 ? value(s.operands[1]) : Value();
    const Value z = s.operands.size() > 2 ? value(s.operands[2]) : Value();
    const std::int64_t i = x.integer;
    const std::int64_t j = y.integer;
    switch (s.op) {
      case Op::add: return of(x.real + y.real);
      case Op::sub: return of(x.real - y.real);
      case Op::mul: return of(x.real * y.real);
      case Op::div: return of(x.real / y.real);
      case Op::min: return of(smaller(x.real, y.real));
      case Op::max: return of(larger(x.real, y.real));
      case Op::neg: return of(-x.real);
      case Op::abs: return of(std::abs(x.real));
      case Op::sqrt: return of(std::sqrt(x.real));
      case Op::floor: return of(std::floor(x.real));
      case Op::tame: return of(tame(x.real));
      case Op::iadd: return wrapped(i + j);
      case Op::isub: return wrapped(i - j);
      case Op::imul: return wrapped(i * j);
      case Op::imin: return wrapped(std::min(i, j));
      case Op::imax: return wrapped(std::max(i, j));
      case Op::irem: return wrapped(floor_mod(x.integer, y.integer));
      case Op::idiv: return wrapped(j == 0 ? 0 : (i - floor_mod(x.integer, y.integer)) / j);
      case Op::ineg: return wrapped(-i);
      case Op::less: return of(x.real < y.real);
      case Op::less_equal: return of(x.real <= y.real);
      case Op::equal: return of(x.real == y.real);
      case Op::iless: return of(i < j);
      case Op::iequal: return of(i == j);
      case Op::both: return of(x.truth && y.truth);
      case Op::either: return of(x.truth || y.truth);
      case Op::differ: return of(x.truth != y.truth);
      case Op::invert: return of(!x.truth);
      case Op::choose_real:
      case Op::choose_integer:
      case Op::choose_truth:
      case Op::choose_vector: return x.truth ? y : z;
      case Op::to_real: return of(static_cast<double>(i));
      case Op::to_integer: return wrapped(truncated(x.real));
      case Op::count: return wrapped(x.truth ? 1 : 0);
      default: return on_vectors(s.op, x, y, z);
    }
  }

  Value on_vectors(Op op, const Value& x, const Value& y, const Value& z) const {
    Value out = x;
    switch (op) {
      case Op::vadd:
        for (std::size_t k = 0; k < out.vector.size(); ++k) out.vector[k] += y.vector[k];
        break;
      case Op::vsub:
        for (std::size_t k = 0; k < out.vector.size(); ++k) out.vector[k] -= y.vector[k];
        break;
      case Op::vmul:
        for (std::size_t k = 0; k < out.vector.size(); ++k) out.vector[k] *= y.vector[k];
        break;
      case Op::scale:
        for (double& e : out.vector) e *= y.real;
        break;
      case Op::vtame:
        for (double& e : out.vector) e = tame(e);
        break;
      case Op::fill: out.vector.assign(static_cast<std::size_t>(program_.extent), x.real); break;
      case Op::read: return of(x.vector[static_cast<std::size_t>(place(y.integer, true))]);
      case Op::set:
      case Op::bump: {
        const std::int64_t at = place(y.integer, false);
        if (at < 0) break;
        double& e = out.vector[static_cast<std::size_t>(at)];
        e = op == Op::set ? z.real : e + z.real;
        break;
      }
      case Op::total: {
        double sum = 0;
        for (const double e : x.vector) sum += e;
        return of(sum);
      }
      default: {  // greatest
        double top = x.vector[0];
        for (const double e : x.vector) top = larger(top, e);
        return of(top);
      }
    }
    for (double& e : out.vector) e = rounded(e);
    return out;
  }

  std::vector<Value> control(const Statement& s) {
    const std::size_t count = s.operands.size();
    switch (s.op) {
      case Op::cond:
        return block(s.blocks[value(s.operands[0]).truth ? 0 : 1], values(s.operands, 1, count));
      case Op::choice: {
        const auto last = static_cast<std::int32_t>(s.blocks.size()) - 1;
        const std::int32_t i = std::clamp(value(s.operands[0]).integer, 0, last);
        return block(s.blocks[static_cast<std::size_t>(i)], values(s.operands, 1, count));
      }
      case Op::repeat: {
        const std::int32_t bound = floor_mod(value(s.operands[0]).integer, 5);
        std::vector<Value> state = values(s.operands, 0, count);
        for (state[0].integer = 0; state[0].integer < bound; ++state[0].integer) {
          if (!block(s.blocks[0], state)[0].truth) break;
          const std::vector<Value> next = block(s.blocks[1], state);
          std::copy(next.begin(), next.end(), state.begin() + 1);
        }
        return {state.begin() + 1, state.end()};
      }
      case Op::count_up: {
        const std::int32_t last = floor_mod(value(s.operands[1]).integer, 6);
        std::vector<Value> state = values(s.operands, 1, count);
        for (std::int32_t i = floor_mod(value(s.operands[0]).integer, 3); i < last; ++i) {
          state[0].integer = i;
          const std::vector<Value> next = block(s.blocks[0], state);
          std::copy(next.begin(), next.end(), state.begin() + 1);
        }
        return {state.begin() + 1, state.end()};
      }
      default: return scan(s);
    }
  }

  std::vector<Value> scan(const Statement& s) {
    const std::size_t carries = s.operands.size() - static_cast<std::size_t>(s.vectors);
    std::vector<Value> state = values(s.operands, 0, carries);
    const std::vector<Value> sequences = values(s.operands, carries, s.operands.size());
    const int trips = s.vectors > 0 ? program_.extent : s.length;
    Value ys;
    ys.vector.resize(static_cast<std::size_t>(trips));
    for (int trip = 0; trip < trips; ++trip) {
      const auto at = static_cast<std::size_t>(s.reverse ? trips - 1 - trip : trip);
      std::vector<Value> arguments = state;
      for (const Value& v : sequences) arguments.push_back(of(v.vector[at]));
      std::vector<Value> next = block(s.blocks[0], arguments);
      ys.vector[at] = next.back().real;
      next.pop_back();
      state = next;
    }
    if (s.vectors == 0) {
      double sum = 0;
      for (const double y : ys.vector) sum += tame(y);
      ys.real = sum;
    }
    state.push_back(ys);
    return state;
  }

  const Program& program_;
  std::vector<Value> variables_;
};

inline std::vector<Value> interpret(const Program& program, const std::vector<Value>& inputs) {
  return Interpreter(program).run(inputs);
}

}  // namespace programs
