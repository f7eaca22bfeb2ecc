// Element-wise ops: arithmetic, comparison, logic, bits, elementary functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>
#include <type_traits>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

struct OpInfo;

namespace ops {
// The structs are in map-inl.hpp and random-inl.hpp; here they only name the rows.
struct Abs;
struct Acos;
struct Add;
struct Asin;
struct Atan;
struct Atan2;
struct BitwiseAnd;
struct BitwiseNot;
struct BitwiseOr;
struct BitwiseXor;
struct Cbrt;
struct Ceil;
struct Copysign;
struct Cos;
struct Cosh;
struct Div;
struct Equal;
struct Erf;
struct Erfc;
struct Erfinv;
struct Exp;
struct Exp2;
struct Expm1;
struct Floor;
struct FloorDivide;
struct Fma;
struct Greater;
struct GreaterEqual;
struct Hypot;
struct IsNan;
struct Less;
struct LessEqual;
struct Log;
struct Log10;
struct Log1p;
struct Log2;
struct Maximum;
struct Minimum;
struct Mul;
struct Neg;
struct NotEqual;
struct Remainder;
struct Round;
struct Sign;
struct Sin;
struct Sinh;
struct Sqrt;
struct Sub;
struct Tan;
struct Tanh;
struct Trunc;
}  // namespace ops

namespace detail {
/// The row of an op. Every row is kept in the compiled library, where users' code finds it.
template <class Op>
const OpInfo& row();
/// Promotes, broadcasts and applies: what every element-wise function does.
Tensor map_tensors(const OpInfo& op, std::initializer_list<Operand> operands);
/// Truth of an element: itself for b8, `!= 0` for numbers.
Tensor as_bool(const Operand& x);
Tensor both(const Operand& a, const Operand& b);
Tensor either(const Operand& a, const Operand& b);
Tensor negation(const Operand& a);
}  // namespace detail

// `&&`, `||` and `!` do not short-circuit: both sides are tensors. Templates, because with Operand
// they would be ambiguous against the explicit conversion to bool.
template <class A, class B>
  requires((std::same_as<std::remove_cvref_t<A>, Tensor> ||
            std::same_as<std::remove_cvref_t<B>, Tensor>)&&std::convertible_to<A, Operand>&&
               std::convertible_to<B, Operand>)
Tensor operator&&(const A& a, const B& b) { return detail::both(a, b); }
template <class A, class B>
  requires((std::same_as<std::remove_cvref_t<A>, Tensor> ||
            std::same_as<std::remove_cvref_t<B>, Tensor>)&&std::convertible_to<A, Operand>&&
               std::convertible_to<B, Operand>)
Tensor operator||(const A& a, const B& b) { return detail::either(a, b); }
template <class A>
requires std::same_as<std::remove_cvref_t<A>, Tensor> Tensor operator!(const A& a) {
  return detail::negation(a);
}

/// The function of a map op of so many operands.
template <class Op, int arity>
struct MapFunction;
template <class Op>
struct MapFunction<Op, 1> {
  Tensor operator()(Operand x) const { return detail::map_tensors(detail::row<Op>(), {x}); }
};
template <class Op>
struct MapFunction<Op, 2> {
  Tensor operator()(Operand x, Operand y) const {
    return detail::map_tensors(detail::row<Op>(), {x, y});
  }
};
template <class Op>
struct MapFunction<Op, 3> {
  Tensor operator()(Operand x, Operand y, Operand z) const {
    return detail::map_tensors(detail::row<Op>(), {x, y, z});
  }
};
inline constexpr MapFunction<ops::Add, 2> add;
inline constexpr MapFunction<ops::Sub, 2> subtract;
inline constexpr MapFunction<ops::Mul, 2> multiply;
inline constexpr MapFunction<ops::Div, 2> divide;
inline constexpr MapFunction<ops::FloorDivide, 2> floor_divide;
inline constexpr MapFunction<ops::Remainder, 2> remainder;
inline constexpr MapFunction<ops::Neg, 1> negative;
inline constexpr MapFunction<ops::Abs, 1> abs;
inline constexpr MapFunction<ops::Sign, 1> sign;
inline constexpr MapFunction<ops::Minimum, 2> minimum;
inline constexpr MapFunction<ops::Maximum, 2> maximum;
inline constexpr MapFunction<ops::Equal, 2> equal;
inline constexpr MapFunction<ops::NotEqual, 2> not_equal;
inline constexpr MapFunction<ops::Less, 2> less;
inline constexpr MapFunction<ops::LessEqual, 2> less_equal;
inline constexpr MapFunction<ops::Greater, 2> greater;
inline constexpr MapFunction<ops::GreaterEqual, 2> greater_equal;
inline constexpr MapFunction<ops::BitwiseAnd, 2> bitwise_and;
inline constexpr MapFunction<ops::BitwiseOr, 2> bitwise_or;
inline constexpr MapFunction<ops::BitwiseXor, 2> bitwise_xor;
inline constexpr MapFunction<ops::BitwiseNot, 1> bitwise_not;
inline constexpr MapFunction<ops::Floor, 1> floor;
inline constexpr MapFunction<ops::Ceil, 1> ceil;
inline constexpr MapFunction<ops::Trunc, 1> trunc;
inline constexpr MapFunction<ops::Round, 1> round;
inline constexpr MapFunction<ops::IsNan, 1> isnan;
inline constexpr MapFunction<ops::Sqrt, 1> sqrt;
inline constexpr MapFunction<ops::Fma, 3> fma;
inline constexpr MapFunction<ops::Copysign, 2> copysign;
inline constexpr MapFunction<ops::Exp, 1> exp;
inline constexpr MapFunction<ops::Expm1, 1> expm1;
inline constexpr MapFunction<ops::Log, 1> log;
inline constexpr MapFunction<ops::Log1p, 1> log1p;
inline constexpr MapFunction<ops::Sin, 1> sin;
inline constexpr MapFunction<ops::Cos, 1> cos;
inline constexpr MapFunction<ops::Tan, 1> tan;
inline constexpr MapFunction<ops::Tanh, 1> tanh;
inline constexpr MapFunction<ops::Atan, 1> atan;
inline constexpr MapFunction<ops::Exp2, 1> exp2;
inline constexpr MapFunction<ops::Log2, 1> log2;
inline constexpr MapFunction<ops::Log10, 1> log10;
inline constexpr MapFunction<ops::Asin, 1> asin;
inline constexpr MapFunction<ops::Acos, 1> acos;
inline constexpr MapFunction<ops::Sinh, 1> sinh;
inline constexpr MapFunction<ops::Cosh, 1> cosh;
inline constexpr MapFunction<ops::Cbrt, 1> cbrt;
inline constexpr MapFunction<ops::Erf, 1> erf;
inline constexpr MapFunction<ops::Erfc, 1> erfc;
inline constexpr MapFunction<ops::Hypot, 2> hypot;
inline constexpr MapFunction<ops::Atan2, 2> atan2;

/// x to the y. Two integers give an integer: it wraps, and a negative exponent truncates.
struct PowFunction {
  Tensor operator()(Operand x, Operand y) const;
};
inline constexpr PowFunction pow;

/// Element by element `a` where `condition` holds, else `b`; both sides are evaluated (`cond` runs
/// only one). The condition may be of any dtype: numbers count as `!= 0`.
struct WhereFunction {
  Tensor operator()(Operand condition, Operand a, Operand b) const;
};
inline constexpr WhereFunction where;

}  // namespace autovec::inline v1
