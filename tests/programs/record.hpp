// A program as a function of autovec's tensors, through nothing but the public interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"
#include "program.hpp"

namespace programs {

namespace av = autovec;
using Tensors = std::vector<av::Tensor>;

inline av::Tensor tame(const av::Tensor& x) {
  return av::where(av::abs(x) < 256.0, av::floor(x * 4.0) * 0.25 + 0.0, 1.5);
}

/// Runs the statements on tensors: at once on data, recorded in a trace.
class Recorder {
 public:
  explicit Recorder(const Program& program) : program_(program), variables_(program.types.size()) {}

  Tensors run(const Tensors& inputs) { return block(program_.body, inputs); }

 private:
  Tensors block(const Block& b, const Tensors& arguments) {
    for (std::size_t i = 0; i < b.parameters.size(); ++i) variable(b.parameters[i]) = arguments[i];
    for (const Statement& s : b.statements) {
      const Tensors results = signature_of(s.op) != nullptr ? Tensors{simple(s)} : control(s);
      for (std::size_t i = 0; i < s.results.size(); ++i) variable(s.results[i]) = results[i];
    }
    return values(b.results, 0, b.results.size());
  }

  av::Tensor& variable(int v) { return variables_[static_cast<std::size_t>(v)]; }
  av::Tensor value(const Operand& x) {
    if (x.is_variable()) return variable(x.variable);
    if (x.type == Type::integer) return av::Tensor(static_cast<int>(x.number));
    if (x.type == Type::truth) return av::Tensor(x.number != 0);
    return av::Tensor(x.number);
  }
  Tensors values(const std::vector<Operand>& operands, std::size_t first, std::size_t last) {
    Tensors out;
    for (std::size_t i = first; i < last; ++i) out.push_back(value(operands[i]));
    return out;
  }

  av::Tensor simple(const Statement& s) {
    const av::Tensor x = value(s.operands[0]);
    const av::Tensor y = s.operands.size() > 1 ? value(s.operands[1]) : av::Tensor();
    const av::Tensor z = s.operands.size() > 2 ? value(s.operands[2]) : av::Tensor();
    switch (s.op) {
      case Op::add:
      case Op::iadd:
      case Op::vadd: return x + y;
      case Op::sub:
      case Op::isub:
      case Op::vsub: return x - y;
      case Op::mul:
      case Op::imul:
      case Op::vmul:
      case Op::scale: return x * y;
      case Op::div: return x / y;
      case Op::min:
      case Op::imin: return av::minimum(x, y);
      case Op::max:
      case Op::imax: return av::maximum(x, y);
      case Op::neg:
      case Op::ineg: return -x;
      case Op::abs: return av::abs(x);
      case Op::sqrt: return av::sqrt(x);
      case Op::floor: return av::floor(x);
      case Op::tame:
      case Op::vtame: return tame(x);
      case Op::irem: return x % y;
      case Op::idiv: return av::floor_divide(x, y);
      case Op::less:
      case Op::iless: return x < y;
      case Op::less_equal: return x <= y;
      case Op::equal:
      case Op::iequal: return x == y;
      case Op::both: return x & y;
      case Op::either: return x | y;
      case Op::differ: return x ^ y;
      case Op::invert: return ~x;
      case Op::choose_real:
      case Op::choose_integer:
      case Op::choose_truth:
      case Op::choose_vector: return av::where(x, y, z);
      case Op::to_real: return av::cast(x, program_.single ? av::f32 : av::f64);
      case Op::to_integer:
      case Op::count: return av::cast(x, av::i32);
      case Op::fill: return av::broadcast_to(x, {program_.extent});
      case Op::read: return x[y];
      case Op::set: return x.at(y).set(z);
      case Op::bump: return x.at(y).add(z);
      case Op::total: return av::sum(x);
      default: return av::max(x);  // greatest
    }
  }

  Tensors control(const Statement& s) {
    switch (s.op) {
      case Op::cond: return cond(s);
      case Op::choice: return choice(s);
      case Op::repeat: return repeat(s);
      case Op::count_up: return count_up(s);
      default: return scan(s);
    }
  }

  /// Block `i` of `s` as a function of its arguments.
  auto function(const Statement& s, std::size_t i) {
    return [this, &s, i](const Tensors& arguments) { return block(s.blocks[i], arguments); };
  }

  Tensors cond(const Statement& s) {
    const Tensors arguments = values(s.operands, 1, s.operands.size());
    const av::Tensor predicate = value(s.operands[0]);
    if (arguments.empty()) {
      return av::cond(
          predicate, [this, &s] { return block(s.blocks[0], {}); },
          [this, &s] { return block(s.blocks[1], {}); });
    }
    return av::cond(predicate, function(s, 0), function(s, 1), arguments);
  }

  Tensors choice(const Statement& s) {
    const Tensors arguments = values(s.operands, 1, s.operands.size());
    const av::Tensor index = value(s.operands[0]);
    switch (s.blocks.size()) {
      case 1: return av::switch_case(index, std::tuple(function(s, 0)), arguments);
      case 2: return av::switch_case(index, std::tuple(function(s, 0), function(s, 1)), arguments);
      default:
        return av::switch_case(index, std::tuple(function(s, 0), function(s, 1), function(s, 2)),
                               arguments);
    }
  }

  Tensors repeat(const Statement& s) {
    const av::Tensor bound = value(s.operands[0]) % 5;
    Tensors state = values(s.operands, 0, s.operands.size());
    state[0] = av::Tensor(0);
    Tensors last = av::while_loop(
        state, [&](const Tensors& now) { return (now[0] < bound) & block(s.blocks[0], now)[0]; },
        [&](const Tensors& now) {
          Tensors next = block(s.blocks[1], now);
          next.insert(next.begin(), now[0] + 1);
          return next;
        });
    last.erase(last.begin());
    return last;
  }

  Tensors count_up(const Statement& s) {
    const av::Tensor first = value(s.operands[0]) % 3;
    const av::Tensor last = value(s.operands[1]) % 6;
    return av::fori_loop(first, last, values(s.operands, 2, s.operands.size()),
                         [&](const av::Tensor& i, const Tensors& state) {
                           Tensors arguments = state;
                           arguments.insert(arguments.begin(), i);
                           return block(s.blocks[0], arguments);
                         });
  }

  Tensors scan(const Statement& s) {
    const std::size_t carries = s.operands.size() - static_cast<std::size_t>(s.vectors);
    const av::ScanOptions options{.length = s.vectors > 0 ? -1 : s.length, .reverse = s.reverse};
    auto [last, ys] = av::scan(
        values(s.operands, 0, carries), values(s.operands, carries, s.operands.size()),
        [&](const Tensors& state, const Tensors& slices) {
          Tensors arguments = state;
          arguments.insert(arguments.end(), slices.begin(), slices.end());
          Tensors next = block(s.blocks[0], arguments);
          const av::Tensor y = next.back();
          next.pop_back();
          return std::pair(next, y);
        },
        options);
    last.push_back(s.vectors > 0 ? ys : av::sum(tame(ys)));
    return last;
  }

  const Program& program_;
  Tensors variables_;
};

inline Tensors record(const Program& program, const Tensors& inputs) {
  return Recorder(program).run(inputs);
}

}  // namespace programs
