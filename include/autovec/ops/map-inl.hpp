// Element-wise ops: arithmetic, comparison, logic, bits, elementary functions.
// Long because it is a table: one struct an op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "autovec/math/functions.hpp"
#include "autovec/ops/emit_map.hpp"
#include "autovec/ops/map.hpp"

namespace autovec::inline v1 {

namespace ops {

template <class V>
inline constexpr bool is_float_lane = std::is_floating_point_v<lane::element_t<V>>;
template <class V>
inline constexpr bool is_signed_lane = std::is_signed_v<lane::element_t<V>>;

struct Add : Map<Add> {
  static constexpr std::string_view name = "add";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    return x + y;
  }
};
struct Sub : Map<Sub> {
  static constexpr std::string_view name = "sub";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    return x - y;
  }
};
struct Mul : Map<Mul> {
  static constexpr std::string_view name = "mul";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    return x * y;
  }
};
/// Quotient of floats; integers are divided as the default float.
struct Div : Map<Div> {
  static constexpr std::string_view name = "div";
  static constexpr int arity = 2;
  static constexpr Accept accept = Accept::floats;
  template <class V>
  static V lane(V x, V y) {
    return x / y;
  }
};
/// Greatest integer not above the quotient; integer division by zero gives 0.
struct FloorDivide : Map<FloorDivide> {
  static constexpr std::string_view name = "floor_divide";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    if constexpr (is_float_lane<V>) {
      return lane::floor(x / y);
    } else {
      const V q = x / y;
      if constexpr (!is_signed_lane<V>) return q;
      // Truncation rounds up where the signs differ and something is left.
      const auto inexact = (q * y != x) & (y != V(0));
      return lane::select(inexact & ((x < V(0)) != (y < V(0))), q - V(1), q);
    }
  }
};
/// x - floor_divide(x, y) * y: the sign of y, zero too. Integer remainder by zero is 0.
struct Remainder : Map<Remainder> {
  static constexpr std::string_view name = "remainder";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    if constexpr (is_float_lane<V>) {
      const V q = lane::trunc(x / y);
      V r = lane::fma(-q, y, x);
      // The quotient may round up to the next integer; an infinite divisor leaves x.
      const V size = lane::abs(y);
      r = lane::select(((r < V(0)) != (x < V(0))) & (r != V(0)),
                       r + lane::select(x < V(0), -size, size), r);
      r = lane::select(
          (size == V(std::numeric_limits<lane::element_t<V>>::infinity())) & (lane::abs(x) < size),
          x, r);
      const V shifted = r + y;
      r = lane::select((r != V(0)) & ((r < V(0)) != (y < V(0))), shifted, r);
      return lane::select(r == V(0), lane::select(y < V(0), V(-lane::element_t<V>(0)), V(0)), r);
    } else {
      const V q = x / y;
      const V r = x - q * y;
      const V guarded = lane::select(y == V(0), V(0), r);
      if constexpr (!is_signed_lane<V>) return guarded;
      return lane::select((guarded != V(0)) & ((guarded < V(0)) != (y < V(0))), guarded + y,
                          guarded);
    }
  }
};
struct Neg : Map<Neg> {
  static constexpr std::string_view name = "neg";
  static constexpr int arity = 1;
  template <class V>
  static V lane(V x) {
    return -x;
  }
};
struct Abs : Map<Abs> {
  static constexpr std::string_view name = "abs";
  static constexpr int arity = 1;
  template <class V>
  static V lane(V x) {
    if constexpr (is_signed_lane<V>) return lane::abs(x);
    else return x;
  }
};
/// -1, 0 or 1; a zero keeps its sign, NaN stays.
struct Sign : Map<Sign> {
  static constexpr std::string_view name = "sign";
  static constexpr int arity = 1;
  template <class V>
  static V lane(V x) {
    const V up = lane::select(x > V(0), V(1), x);
    if constexpr (is_signed_lane<V>) return lane::select(x < V(0), V(-1), up);
    else return up;
  }
};
/// NaN where either is NaN; the first of equals.
struct Minimum : Map<Minimum> {
  static constexpr std::string_view name = "minimum";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    return lane::min(x, y);
  }
};
struct Maximum : Map<Maximum> {
  static constexpr std::string_view name = "maximum";
  static constexpr int arity = 2;
  template <class V>
  static V lane(V x, V y) {
    return lane::max(x, y);
  }
};

/// Base of comparisons.
template <class Op>
struct Comparison : Map<Op> {
  static constexpr int arity = 2;
  static constexpr Accept accept = Accept::scalars;
  static constexpr bool predicate = true;
};
struct Equal : Comparison<Equal> {
  static constexpr std::string_view name = "equal";
  template <class V>
  static auto lane(V x, V y) {
    return x == y;
  }
};
struct NotEqual : Comparison<NotEqual> {
  static constexpr std::string_view name = "not_equal";
  template <class V>
  static auto lane(V x, V y) {
    return x != y;
  }
};
struct Less : Comparison<Less> {
  static constexpr std::string_view name = "less";
  template <class V>
  static auto lane(V x, V y) {
    return x < y;
  }
};
struct LessEqual : Comparison<LessEqual> {
  static constexpr std::string_view name = "less_equal";
  template <class V>
  static auto lane(V x, V y) {
    return x <= y;
  }
};
struct Greater : Comparison<Greater> {
  static constexpr std::string_view name = "greater";
  template <class V>
  static auto lane(V x, V y) {
    return x > y;
  }
};
struct GreaterEqual : Comparison<GreaterEqual> {
  static constexpr std::string_view name = "greater_equal";
  template <class V>
  static auto lane(V x, V y) {
    return x >= y;
  }
};

/// Base of ops on bits; b8 counts as one bit.
template <class Op, int Arity = 2>
struct BitOp : Map<Op> {
  static constexpr int arity = Arity;
  static constexpr Accept accept = Accept::bits;
};
struct BitwiseAnd : BitOp<BitwiseAnd> {
  static constexpr std::string_view name = "bitwise_and";
  template <class V>
  static V lane(V x, V y) {
    return x & y;
  }
};
struct BitwiseOr : BitOp<BitwiseOr> {
  static constexpr std::string_view name = "bitwise_or";
  template <class V>
  static V lane(V x, V y) {
    return x | y;
  }
};
struct BitwiseXor : BitOp<BitwiseXor> {
  static constexpr std::string_view name = "bitwise_xor";
  template <class V>
  static V lane(V x, V y) {
    return x ^ y;
  }
};
struct BitwiseNot : BitOp<BitwiseNot, 1> {
  static constexpr std::string_view name = "bitwise_not";
  template <class V>
  static V lane(V x) {
    return ~x;
  }
};
/// Shifts by less than 0 or at least the width give 0 (left, and right of unsigned) or the sign.
struct ShiftLeft : Map<ShiftLeft> {
  static constexpr std::string_view name = "shift_left";
  static constexpr int arity = 2;
  static constexpr Accept accept = Accept::bits;
  template <class V>
  static V lane(V x, V y) {
    if constexpr (std::is_same_v<lane::element_t<V>, bool>) return x & lane::invert(y);
    else return lane::shl(x, y);
  }
};
struct ShiftRight : Map<ShiftRight> {
  static constexpr std::string_view name = "shift_right";
  static constexpr int arity = 2;
  static constexpr Accept accept = Accept::bits;
  template <class V>
  static V lane(V x, V y) {
    if constexpr (std::is_same_v<lane::element_t<V>, bool>) return x & lane::invert(y);
    else return lane::shr(x, y);
  }
};

/// Base of rounding to integers; integers stay as they are.
template <class Op>
struct Rounding : Map<Op> {
  static constexpr int arity = 1;
};
struct Floor : Rounding<Floor> {
  static constexpr std::string_view name = "floor";
  template <class V>
  static V lane(V x) {
    if constexpr (is_float_lane<V>) return lane::floor(x);
    else return x;
  }
};
struct Ceil : Rounding<Ceil> {
  static constexpr std::string_view name = "ceil";
  template <class V>
  static V lane(V x) {
    if constexpr (is_float_lane<V>) return lane::ceil(x);
    else return x;
  }
};
struct Trunc : Rounding<Trunc> {
  static constexpr std::string_view name = "trunc";
  template <class V>
  static V lane(V x) {
    if constexpr (is_float_lane<V>) return lane::trunc(x);
    else return x;
  }
};
/// Half to even.
struct Round : Rounding<Round> {
  static constexpr std::string_view name = "round";
  template <class V>
  static V lane(V x) {
    if constexpr (is_float_lane<V>) return lane::round_even(x);
    else return x;
  }
};

struct IsNan : Map<IsNan> {
  static constexpr std::string_view name = "isnan";
  static constexpr int arity = 1;
  static constexpr bool predicate = true;
  template <class V>
  static auto lane(V x) {
    return x != x;
  }
};

/// Base of functions of floats.
template <class Op, int Arity = 1>
struct FloatMap : Map<Op> {
  static constexpr int arity = Arity;
  static constexpr Accept accept = Accept::floats;
};
/// An elementary function of math/: name and bound are the function's.
template <class Op, class Function, int Arity = 1>
struct FunctionMap : FloatMap<Op, Arity> {
  static constexpr std::string_view name = Function::name;
  static constexpr double bound_f32 = Function::bound_f32;
  static constexpr double bound_f64 = Function::bound_f64;
  template <class... V>
  static auto lane(V... x) {
    return lane::apply<Function>(x...);
  }
};
struct Sqrt : FloatMap<Sqrt> {
  static constexpr std::string_view name = "sqrt";
  template <class V>
  static V lane(V x) {
    return lane::sqrt(x);
  }
};
/// x * y + z with one rounding.
struct Fma : FloatMap<Fma, 3> {
  static constexpr std::string_view name = "fma";
  template <class V>
  static V lane(V x, V y, V z) {
    return lane::fma(x, y, z);
  }
};
/// The size of x with the sign of y.
struct Copysign : FloatMap<Copysign, 2> {
  static constexpr std::string_view name = "copysign";
  template <class V>
  static V lane(V x, V y) {
    using I = lane::element_t<lane::int_t<V>>;
    const lane::int_t<V> sign(std::numeric_limits<I>::min());
    const lane::int_t<V> rest(std::numeric_limits<I>::max());
    return lane::from_bits<V>((lane::to_bits(x) & rest) | (lane::to_bits(y) & sign));
  }
};
struct Exp : FunctionMap<Exp, math::Exp> {};
struct Expm1 : FunctionMap<Expm1, math::Expm1> {};
struct Log : FunctionMap<Log, math::Log> {};
struct Log1p : FunctionMap<Log1p, math::Log1p> {};
struct Sin : FunctionMap<Sin, math::Sin> {};
struct Cos : FunctionMap<Cos, math::Cos> {};
struct Tan : FunctionMap<Tan, math::Tan> {};
struct Tanh : FunctionMap<Tanh, math::Tanh> {};
struct Atan : FunctionMap<Atan, math::Atan> {};
struct Exp2 : FunctionMap<Exp2, math::Exp2> {};
struct Log2 : FunctionMap<Log2, math::Log2> {};
struct Log10 : FunctionMap<Log10, math::Log10> {};
struct Asin : FunctionMap<Asin, math::Asin> {};
struct Acos : FunctionMap<Acos, math::Acos> {};
struct Sinh : FunctionMap<Sinh, math::Sinh> {};
struct Cosh : FunctionMap<Cosh, math::Cosh> {};
struct Cbrt : FunctionMap<Cbrt, math::Cbrt> {};
struct Erf : FunctionMap<Erf, math::Erf> {};
struct Erfc : FunctionMap<Erfc, math::Erfc> {};
struct Hypot : FunctionMap<Hypot, math::Hypot, 2> {};
struct Atan2 : FunctionMap<Atan2, math::Atan2, 2> {};
/// pow of floats; integers have integer_pow.
struct Pow : FunctionMap<Pow, math::Pow, 2> {};

/// Integer power by squaring; wraps; a negative exponent truncates 1 / x^-y (so 0 unless |x| = 1).
struct IntegerPow : Map<IntegerPow> {
  static constexpr std::string_view name = "integer_pow";
  static constexpr int arity = 2;
  static constexpr Accept accept = Accept::bits;
  template <class V>
  static V lane(V x, V y) {
    using T = lane::element_t<V>;
    if constexpr (std::is_same_v<T, bool>) {
      return x | lane::invert(y);
    } else {
      V result(T(1));
      V square = x;
      V exponent = y;
      constexpr int bits = static_cast<int>(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);
      for (int i = 0; i < bits; ++i) {
        result = lane::select((exponent & V(T(1))) != V(T(0)), result * square, result);
        square = square * square;
        exponent = lane::shr(exponent, 1);
      }
      if constexpr (std::is_signed_v<T>) {
        const V odd = y & V(T(1));
        const V unit = lane::select(odd != V(T(0)), x, V(T(1)));
        const V inverse =
            lane::select(x == V(T(1)), V(T(1)), lane::select(x == V(T(-1)), unit, V(T(0))));
        result = lane::select(y < V(T(0)), inverse, result);
      }
      return result;
    }
  }
};

/// Where the b8 operand holds the second operand, else the third; both are evaluated.
struct Select {
  static constexpr std::string_view name = "select";
  static constexpr Kind kind = Kind::map;
  static constexpr int arity = 3;
  static constexpr Accept accept = Accept::scalars;
  static constexpr bool predicate = false;
  using Params = NoParams;
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params&, Where where) {
    if (x.size() == 3 && !is_bool(x[0].dtype)) {
      fail<TypeError>(name, "the condition is not b8: " + type_text(x[0]), where);
    }
    return detail::infer_map<Select>(x, 1, where);
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> operands,
                             LaneTypes types, const autovec::Params&) {
    if (types.result == DType::f16 || types.result == DType::bf16) {
      const std::int32_t a = r.emit(lane::Op::convert, DType::f32, {operands[1]}, 0);
      const std::int32_t b = r.emit(lane::Op::convert, DType::f32, {operands[2]}, 0);
      const std::int32_t c = r.emit(lane::Op::select, DType::f32, {operands[0], a, b}, 0);
      return r.emit(lane::Op::convert, types.result, {c}, 0);
    }
    return r.emit(lane::Op::select, types.result, {operands[0], operands[1], operands[2]}, 0);
  }
  static void batch(BatchCall& call) { batch_map(call); }
  static std::vector<Sample> samples() {
    std::vector<Sample> out = autovec::detail::map_samples(arity, autovec::detail::takes_real);
    for (Sample& sample : out) sample.operands[0].type.dtype = DType::b8;
    return out;
  }
};

using MapOps =
    List<Add, Sub, Mul, Div, FloorDivide, Remainder, Neg, Abs, Sign, Minimum, Maximum, Equal,
         NotEqual, Less, LessEqual, Greater, GreaterEqual, BitwiseAnd, BitwiseOr, BitwiseXor,
         BitwiseNot, ShiftLeft, ShiftRight, Floor, Ceil, Trunc, Round, IsNan, Sqrt, Fma, Copysign,
         Exp, Expm1, Log, Log1p, Sin, Cos, Tan, Tanh, Atan, Exp2, Log2, Log10, Asin, Acos, Sinh,
         Cosh, Cbrt, Erf, Erfc, Hypot, Atan2, Pow, IntegerPow, Select>;

}  // namespace ops

namespace detail {
/// Both sides of a select at their promoted type; the condition is b8.
inline Tensor emit_select(Operand condition, const Tensor& a, const Tensor& b) {
  const Where where = condition.where();
  Tensor c = condition;
  if (!is_bool(c.dtype())) c = with_element(c, {DType::b8, false}, where);
  std::array<Tensor, 2> sides{a, b};
  const Element element = promote_operands(row_of<ops::Select>, sides, where);
  for (Tensor& x : sides) x = with_element(x, element, where);
  std::array<Tensor, 3> operands{c, sides[0], sides[1]};
  const Extents shape = common_shape("where", operands, where);
  for (Tensor& x : operands) {
    if (x.rank() != 0 && !(x.type().shape == shape)) x = broadcast_to(Operand(x, where), shape);
  }
  // A number on both sides of a rank-0 condition stays rank 0.
  return emit_one(row_of<ops::Select>, {}, operands, where);
}
}  // namespace detail

AUTOVEC_API Tensor operator+(Operand a, Operand b) { return emit_map<ops::Add>(a, b); }
AUTOVEC_API Tensor operator-(Operand a, Operand b) { return emit_map<ops::Sub>(a, b); }
AUTOVEC_API Tensor operator*(Operand a, Operand b) { return emit_map<ops::Mul>(a, b); }
AUTOVEC_API Tensor operator/(Operand a, Operand b) { return emit_map<ops::Div>(a, b); }
AUTOVEC_API Tensor operator%(Operand a, Operand b) { return emit_map<ops::Remainder>(a, b); }
AUTOVEC_API Tensor operator-(Operand a) { return emit_map<ops::Neg>(a); }
AUTOVEC_API Tensor operator+(Operand a) { return a; }
AUTOVEC_API Tensor operator~(Operand a) { return emit_map<ops::BitwiseNot>(a); }
AUTOVEC_API Tensor operator&(Operand a, Operand b) { return emit_map<ops::BitwiseAnd>(a, b); }
AUTOVEC_API Tensor operator|(Operand a, Operand b) { return emit_map<ops::BitwiseOr>(a, b); }
AUTOVEC_API Tensor operator^(Operand a, Operand b) { return emit_map<ops::BitwiseXor>(a, b); }
AUTOVEC_API Tensor operator<<(Operand a, Operand b) { return emit_map<ops::ShiftLeft>(a, b); }
AUTOVEC_API Tensor operator>>(Operand a, Operand b) { return emit_map<ops::ShiftRight>(a, b); }
AUTOVEC_API Tensor operator==(Operand a, Operand b) { return emit_map<ops::Equal>(a, b); }
AUTOVEC_API Tensor operator!=(Operand a, Operand b) { return emit_map<ops::NotEqual>(a, b); }
AUTOVEC_API Tensor operator<(Operand a, Operand b) { return emit_map<ops::Less>(a, b); }
AUTOVEC_API Tensor operator<=(Operand a, Operand b) { return emit_map<ops::LessEqual>(a, b); }
AUTOVEC_API Tensor operator>(Operand a, Operand b) { return emit_map<ops::Greater>(a, b); }
AUTOVEC_API Tensor operator>=(Operand a, Operand b) { return emit_map<ops::GreaterEqual>(a, b); }
AUTOVEC_API Tensor& Tensor::operator+=(const Tensor& other) & {
  return *this = Operand(*this) + other;
}
AUTOVEC_API Tensor& Tensor::operator-=(const Tensor& other) & {
  return *this = Operand(*this) - other;
}
AUTOVEC_API Tensor& Tensor::operator*=(const Tensor& other) & {
  return *this = Operand(*this) * other;
}
AUTOVEC_API Tensor& Tensor::operator/=(const Tensor& other) & {
  return *this = Operand(*this) / other;
}

namespace detail {
AUTOVEC_API Tensor map_tensors(const OpInfo& op, std::initializer_list<Operand> operands) {
  std::array<Tensor, 3> tensors;
  std::size_t count = 0;
  for (const Operand& x : operands) tensors[count++] = x.tensor();
  return emit_map(op, std::span(tensors.data(), count), operands.begin()->where());
}
AUTOVEC_API Tensor as_bool(const Operand& x) {
  return with_element(x, {DType::b8, false}, x.where());
}
AUTOVEC_API Tensor both(const Operand& a, const Operand& b) {
  return emit_map<ops::BitwiseAnd>(Operand(as_bool(a), a.where()), Operand(as_bool(b), b.where()));
}
AUTOVEC_API Tensor either(const Operand& a, const Operand& b) {
  return emit_map<ops::BitwiseOr>(Operand(as_bool(a), a.where()), Operand(as_bool(b), b.where()));
}
AUTOVEC_API Tensor negation(const Operand& a) {
  return emit_map<ops::BitwiseNot>(Operand(as_bool(a), a.where()));
}
}  // namespace detail

AUTOVEC_API Tensor PowFunction::operator()(Operand x, Operand y) const {
  const Element e = promote(element_of(x.type()), element_of(y.type()));
  if (is_inexact(e.dtype)) return emit_map<ops::Pow>(x, y);
  return emit_map<ops::IntegerPow>(x, y);
}

AUTOVEC_API Tensor WhereFunction::operator()(Operand condition, Operand a, Operand b) const {
  return detail::emit_select(condition, a, b);
}

}  // namespace autovec::inline v1
