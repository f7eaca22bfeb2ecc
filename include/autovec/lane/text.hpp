// Canonical text of programs and functions; parse.hpp reads it back.
// SPDX-License-Identifier: Apache-2.0
//
//   function half_or_zero(%0: f32) -> f32 {
//     %1: f32 = constant 0
//     %2: b8 = gt %0, %1
//     %3: f32 = if %2 {
//       %4: f32 = constant 0.5
//       %5: f32 = mul %0, %4
//       yield %5
//     } else {
//       yield %1
//     }
//     yield %3
//   }
//
//   %5: f32 = loop 10 (%6: i64, %7: f32 = %4) { ... yield %8 }
//   %5: f32 = while (%6: f32 = %4) { ... yield %7 } do (%8: f32) { ... yield %9 }
//   %5: f32 = gather 0 [1000, 1] + 0, %4
//   scatter 1 [1000, 1] + 0, %4, %5, %6
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/text.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/program.hpp"

namespace autovec::inline v1 {
namespace lane {

/// A constant's value; a NaN other than the default one as `bits` and its pattern, so that text
/// loses nothing.
inline std::string constant_text(DType dtype, std::int64_t bits) {
  return dispatch(
      dtype,
      [&]<class T>() -> std::string {
        const T value = from_immediate<T>(bits);
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isnan(value) && bits != to_immediate(std::numeric_limits<T>::quiet_NaN())) {
            std::string out("bits ");
            return out += number_text(static_cast<std::uint64_t>(bits));
          }
        }
        return number_text(value);
      },
      [] { return std::string("?"); });
}

/// `[2, 3]`.
inline std::string extents_text(const Extents& extents) {
  std::string out("[");
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i > 0) out += ", ";
    out += number_text(extents[i]);
  }
  return out += ']';
}

namespace detail {

class Printer {
 public:
  /// Numbers values by appearance, or keeps their own numbers for text inside error messages.
  enum class Numbers { by_appearance, own };

  Printer(const std::vector<DType>& dtypes, const std::vector<Access>* accesses, Numbers numbers)
      : dtypes_(dtypes), accesses_(accesses), names_(dtypes.size(), -1) {
    if (numbers == Numbers::own) {
      for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = static_cast<ValueId>(i);
      next_ = -1;
    }
  }

  void program(const Program& p) {
    out_ += "program ";
    out_ += extents_text(p.domain);
    out_ += " {\n";
    for (std::size_t i = 0; i < p.buffers.size(); ++i) {
      out_ += "  buffer ";
      out_ += number_text(i);
      out_ += ": ";
      out_ += name_of(p.buffers[i].dtype);
      if (p.buffers[i].written) out_ += " written";
      out_ += '\n';
    }
    instructions(p.body, 1);
    yields(p.body, 1);
    out_ += "}\n";
  }
  void function(const Function& f) {
    out_ += "function ";
    out_ += f.name;
    definitions('(', f.body.parameters, ')');
    out_ += " -> ";
    out_ += name_of(f.result);
    out_ += ' ';
    region(f.body, 0);
    out_ += '\n';
  }
  /// Without what stands in its regions.
  void head(const Instruction& i) {
    for (std::size_t r = 0; r < i.results.size(); ++r) {
      if (r > 0) out_ += ", ";
      define(i.results[r]);
    }
    if (!i.results.empty()) out_ += " = ";
    out_ += static_cast<std::size_t>(i.op) < op_count ? name_of(i.op) : std::string_view("?");
    immediate(i);
    if (i.op == Op::loop || i.op == Op::while_) {
      carries(i);
    } else {
      std::string_view separator = accesses_memory(i.op) ? ", " : " ";
      if (i.callee != nullptr) {
        out_ += ' ';
        out_ += i.callee->name;
      }
      for (const ValueId v : i.operands) {
        out_ += separator;
        use(v);
        separator = ", ";
      }
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void name(ValueId v) {
    out_ += '%';
    const bool known = v >= 0 && static_cast<std::size_t>(v) < names_.size();
    out_ += number_text(known ? names_[static_cast<std::size_t>(v)] : v);
  }
  void use(ValueId v) { name(v); }
  void define(ValueId v) {
    const bool known = v >= 0 && static_cast<std::size_t>(v) < names_.size();
    if (known && next_ >= 0) names_[static_cast<std::size_t>(v)] = next_++;
    name(v);
    out_ += ": ";
    out_ += known ? name_of(dtypes_[static_cast<std::size_t>(v)]) : std::string_view("?");
  }
  void definitions(char open, const std::vector<ValueId>& ids, char close) {
    out_ += open;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) out_ += ", ";
      define(ids[i]);
    }
    out_ += close;
  }
  void immediate(const Instruction& i) {
    if (i.op == Op::constant) {
      out_ += ' ';
      out_ += constant_text(i.dtype, i.immediate);
    } else if (i.op == Op::index || i.op == Op::loop || i.op == Op::array_new) {
      out_ += ' ';
      out_ += number_text(i.immediate);
    } else if (accesses_memory(i.op)) {
      access(i.immediate);
    }
  }
  void access(std::int64_t at) {
    const bool known =
        accesses_ != nullptr && at >= 0 && static_cast<std::size_t>(at) < accesses_->size();
    if (!known) {
      out_ += " ?";
      return;
    }
    const Access& a = (*accesses_)[static_cast<std::size_t>(at)];
    out_ += ' ';
    out_ += number_text(a.buffer);
    out_ += ' ';
    out_ += extents_text(a.strides);
    out_ += " + ";
    out_ += number_text(a.offset);
  }
  void carries(const Instruction& i) {
    out_ += " (";
    if (!i.regions.empty()) {
      const std::vector<ValueId>& parameters = i.regions[0].parameters;
      const std::size_t first = i.op == Op::loop ? 1 : 0;
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (p > 0) out_ += ", ";
        define(parameters[p]);
        if (p >= first && p - first < i.operands.size()) {
          out_ += " = ";
          use(i.operands[p - first]);
        }
      }
    }
    out_ += ')';
  }
  void instructions(const Block& block, int depth) {
    for (const Instruction& i : block.instructions) {
      indent(depth);
      head(i);
      for (std::size_t r = 0; r < i.regions.size(); ++r) {
        out_ += ' ';
        if (r == 1 && i.op == Op::if_) out_ += "else ";
        if (r == 1 && i.op == Op::while_) {
          out_ += "do ";
          definitions('(', i.regions[r].parameters, ')');
          out_ += ' ';
        }
        region(i.regions[r], depth);
      }
      out_ += '\n';
    }
  }
  void region(const Block& block, int depth) {
    out_ += "{\n";
    instructions(block, depth + 1);
    yields(block, depth + 1);
    indent(depth);
    out_ += '}';
  }
  void yields(const Block& block, int depth) {
    if (block.yields.empty()) return;
    indent(depth);
    out_ += "yield";
    std::string_view separator = " ";
    for (const ValueId v : block.yields) {
      out_ += separator;
      use(v);
      separator = ", ";
    }
    out_ += '\n';
  }
  void indent(int depth) { out_.append(static_cast<std::size_t>(2 * depth), ' '); }

  const std::vector<DType>& dtypes_;
  const std::vector<Access>* accesses_;
  std::vector<ValueId> names_;
  ValueId next_ = 0;
  std::string out_;
};

}  // namespace detail

/// Values are renumbered by appearance, so equal programs print alike.
inline std::string to_text(const Program& program) {
  detail::Printer printer(program.value_dtypes, &program.accesses,
                          detail::Printer::Numbers::by_appearance);
  printer.program(program);
  return printer.take();
}

inline std::string to_text(const Function& function) {
  detail::Printer printer(function.value_dtypes, nullptr, detail::Printer::Numbers::by_appearance);
  printer.function(function);
  return printer.take();
}

/// One line for error messages: the instruction without its regions, values by their own numbers.
inline std::string head_text(const Instruction& instruction, const std::vector<DType>& dtypes,
                             const std::vector<Access>* accesses = nullptr) {
  detail::Printer printer(dtypes, accesses, detail::Printer::Numbers::own);
  printer.head(instruction);
  return printer.take();
}

}  // namespace lane
}  // namespace autovec::inline v1
