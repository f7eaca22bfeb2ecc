// Reads the text of graphs: what print.hpp writes, and a little more for people who write it by
// hand.
//
//   (x: f32[3], y: f32[3]) { p = mul x y; return p }
//
// Names are any words, types on the left of `=` may be left out (they are inferred, and checked if
// given), statements end at a line end or `;`, `#` starts a comment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autovec/base/text.hpp"
#include "autovec/ir/builder.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/number.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/ir/params.hpp"
#include "autovec/ir/print.hpp"

namespace autovec::inline v1 {

namespace detail {

[[noreturn]] inline void fail_at(TextCursor& in, std::size_t position, std::string_view what) {
  in.rewind(position);
  in.fail_here(what);
}
inline std::size_t next_position(TextCursor& in) {
  in.skip_space();
  return in.position();
}

inline DType parse_dtype(TextCursor& in) {
  const std::size_t at = next_position(in);
  bool found = false;
  const DType dtype = dtype_named(in.word(), found);
  if (!found) fail_at(in, at, "expected a dtype");
  return dtype;
}

/// Numbers far above what any tensor has are refused, so that ops may add and subtract them.
inline Extents parse_extents(TextCursor& in) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  Extents out;
  in.expect("[");
  if (in.accept("]")) return out;
  do {
    const std::size_t at = next_position(in);
    out.push_back(in.integer());
    if (out.back() < -most || out.back() > most) fail_at(in, at, "integer out of range");
  } while (in.accept(","));
  in.expect("]");
  return out;
}

inline Type parse_type(TextCursor& in) {
  const std::size_t at = next_position(in);
  Type type;
  type.dtype = parse_dtype(in);
  type.weak = in.accept("~");
  type.shape = parse_extents(in);
  if (!is_sizeable(type)) fail_at(in, at, "no tensor has this shape");
  return type;
}

/// The rest of `nan(9221120237041090561)` behind `nan`.
inline double parse_nan_pattern(TextCursor& in) {
  in.expect("(");
  const std::size_t at = next_position(in);
  const double value = std::bit_cast<double>(in.unsigned_integer());
  if (!std::isnan(value)) fail_at(in, at, "not the pattern of a NaN");
  in.expect(")");
  return value;
}

/// A number as it stands in literals: what follows ends it, its dtype is known.
inline Number parse_number_as(TextCursor& in, DType dtype) {
  const auto real = [&]<class T>() {
    const std::size_t at = next_position(in);
    if (in.accept("nan") && in.peek_raw() == '(') return Number(parse_nan_pattern(in));
    in.rewind(at);
    return Number(in.real<T>());
  };
  return dispatch(
      dtype,
      [&]<class T>() -> Number {
        if constexpr (std::is_same_v<T, bool>) {
          if (in.accept("true")) return Number(true);
          in.expect("false");
          return Number(false);
        } else if constexpr (std::is_floating_point_v<T>) {
          return real.template operator()<T>();
        } else {
          using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
          const std::size_t at = next_position(in);
          const Wide value = [&] {
            if constexpr (std::is_signed_v<T>) return in.integer();
            else return in.unsigned_integer();
          }();
          if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
            fail_at(in, at, "integer out of range");
          }
          return Number(static_cast<T>(value));
        }
      },
      [&] { return real.template operator()<float>(); });
}

/// A number whose own look tells its kind; see print_field.
inline void parse_field(TextCursor& in, const OpTable&, Number& v) {
  const std::size_t at = next_position(in);
  if (in.accept("true")) {
    v = Number(true);
  } else if (in.accept("false")) {
    v = Number(false);
  } else if (in.accept("nan") && in.peek_raw() == '(') {
    v = Number(parse_nan_pattern(in));
  } else {
    in.rewind(at);
    const double value = in.real<double>();
    const std::string_view token = in.slice(at, in.position());
    if (token.find_first_of(".enEi") != std::string_view::npos) {
      v = Number(value);
    } else {
      in.rewind(at);
      v = token[0] == '-' ? Number(in.integer()) : Number(in.unsigned_integer());
    }
  }
}

/// Parses one graph, and by recursion those in its parameters.
class GraphParser {
 public:
  GraphParser(TextCursor& in, const OpTable& table) : in_(in), table_(table) {}

  Graph graph() {
    in_.enter();
    in_.expect("(");
    if (!in_.accept(")")) {
      do input();
      while (in_.accept(","));
      in_.expect(")");
    }
    in_.expect("{");
    while (!in_.accept("return")) statement();
    std::vector<ValueId> outputs;
    if (at_operand()) {
      do outputs.push_back(operand());
      while (in_.accept(","));
    }
    while (in_.accept(";")) {
    }
    in_.expect("}");
    in_.leave();
    return builder_.finish(std::move(outputs));
  }

 private:
  void input() {
    const std::size_t at = next_position(in_);
    const std::string_view name = in_.word();
    in_.expect(":");
    define(at, name, builder_.add_input(parse_type(in_)));
  }

  void statement() {
    struct Left {
      std::size_t at;
      std::string_view name;
      std::optional<Type> type;
    };
    std::vector<Left> left;
    do {
      const std::size_t at = next_position(in_);
      left.push_back({at, in_.word(), {}});
      if (in_.accept(":")) left.back().type = parse_type(in_);
    } while (in_.accept(","));
    in_.expect("=");

    const std::size_t at = next_position(in_);
    const OpInfo& op = op_named(at, in_.word());
    SmallVector<ValueId, 4> operands;
    while (at_operand()) operands.push_back(operand());
    const Params params = params_of(op);
    const std::vector<Type> types = infer(at, op, operands, params);
    if (types.size() != left.size()) {
      std::string what("the op has ");
      what += number_text(types.size());
      what += " results, named are ";
      what += number_text(left.size());
      fail_at(in_, left[0].at, what);
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i].type && !(*left[i].type == types[i])) {
        fail_at(in_, left[i].at, "the result's type is " + type_text(types[i]));
      }
    }
    const ValueId first =
        builder_.add_node(op, params, std::move(operands), types, Where::unknown());
    for (std::size_t i = 0; i < left.size(); ++i) {
      define(left[i].at, left[i].name, first + static_cast<ValueId>(i));
    }
    while (in_.accept(";")) {
    }
  }

  const OpInfo& op_named(std::size_t at, std::string_view name) {
    if (name == literal_row.name) fail_at(in_, at, "literals are written in place, as in 2:f32");
    const OpInfo* op = table_.find(name);
    if (op == nullptr) fail_at(in_, at, "there is no op of this name");
    return *op;
  }

  Params params_of(const OpInfo& op) {
    if (op.params == nullptr || op.params->identity == params_info<NoParams>.identity) return {};
    return Params(op.params->parse(in_, table_), op.params);
  }

  std::vector<Type> infer(std::size_t at, const OpInfo& op, const SmallVector<ValueId, 4>& operands,
                          const Params& params) {
    if (op.arity >= 0 && operands.size() != static_cast<std::size_t>(op.arity)) {
      std::string what("the op takes ");
      what += number_text(op.arity);
      what += " operands, given are ";
      what += number_text(operands.size());
      fail_at(in_, at, what);
    }
    std::vector<Type> types;
    for (const ValueId v : operands) types.push_back(builder_.type(v));
    try {
      types = op.infer(types, params, Where::unknown());
    } catch (const Error& error) {
      fail_at(in_, at, error.what());
    }
    for (const Type& type : types) {
      if (!is_sizeable(type)) fail_at(in_, at, "no tensor has the result's shape");
    }
    return types;
  }

  /// Operands stand on the line of their op.
  bool at_operand() {
    while (in_.peek_raw() == ' ' || in_.peek_raw() == '\t') in_.rewind(in_.position() + 1);
    const char c = in_.peek_raw();
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  }

  ValueId operand() {
    const std::size_t at = next_position(in_);
    const char c = in_.peek_raw();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.') return literal();
    const std::string_view name = in_.word();
    if (in_.peek_raw() == ':' || in_.peek_raw() == '(') {
      in_.rewind(at);
      return literal();
    }
    const auto found = names_.find(name);
    if (found == names_.end()) fail_at(in_, at, "there is no value of this name");
    return found->second;
  }

  /// `2:f32~`. Equal literals become one node: which of them are shared is not part of a graph.
  ValueId literal() {
    const std::size_t start = in_.position();
    while (is_number_character(in_.peek_raw())) in_.rewind(in_.position() + 1);
    const std::size_t colon = in_.position();
    in_.expect(":");
    LiteralParams p;
    p.dtype = parse_dtype(in_);
    p.weak = in_.peek_raw() == '~';
    if (p.weak) in_.expect("~");
    const std::size_t end = in_.position();
    in_.rewind(start);
    p.value = parse_number_as(in_, p.dtype);
    if (in_.position() != colon) in_.fail_here("expected ':'");
    in_.rewind(end);

    const auto [found, fresh] =
        literals_.try_emplace({p.value.kind, p.value.bits, p.dtype, p.weak}, ValueId{-1});
    if (fresh) {
      const Type type{p.dtype, p.weak, {}};
      found->second =
          builder_.add_node(literal_row, Params::of(p), {}, std::span(&type, 1), Where::unknown());
    }
    return found->second;
  }
  static bool is_number_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.' ||
           c == '(' || c == ')';
  }

  void define(std::size_t at, std::string_view name, ValueId v) {
    if (name == "return") fail_at(in_, at, "no value can have this name");
    if (!names_.emplace(name, v).second) fail_at(in_, at, "a value of this name exists already");
  }

  TextCursor& in_;
  const OpTable& table_;
  GraphBuilder builder_;
  std::unordered_map<std::string_view, ValueId> names_;
  std::map<std::tuple<Number::Kind, std::uint64_t, DType, bool>, ValueId> literals_;
};

inline void parse_field(TextCursor& in, const OpTable& table, Graph& v) {
  v = GraphParser(in, table).graph();
}

}  // namespace detail

/// The graph in this text, well typed. Whatever is wrong with the text, its types included, is a
/// ParseError that names line and column.
inline Graph parse_graph(std::string_view text, const OpTable& table) {
  TextCursor in(text);
  Graph graph = detail::GraphParser(in, table).graph();
  if (!in.at_end()) in.fail_here("expected the end");
  return graph;
}

}  // namespace autovec::inline v1
