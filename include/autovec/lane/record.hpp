// Lane<T>: the typed handle on which a generic lane body records itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/lane/arithmetic.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/program.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/lane/scalar.hpp"

namespace autovec::inline v1 {
namespace lane {

template <class T>
class Lane;

namespace detail {
template <class R, class Fold, class... Ts>
Lane<R> record(Op op, Fold fold, Lane<Ts>... operands);
}

/// A scalar of C++ type T: a value that some recorder holds, or a literal that takes its place in
/// a recorder once it meets a recorded value. Instructions on literals alone are computed.
template <class T>
class Lane {
 public:
  Lane(T literal = T()) noexcept : literal_(literal) {}
  Lane(Recorder& recorder, ValueId id) : recorder_(&recorder), id_(id) {
    ensure(recorder.dtype_of(id) == dtype_of<T>, "lane: a handle on a value of another dtype");
  }

  /// nullptr for a literal.
  Recorder* recorder() const noexcept { return recorder_; }
  /// The value of a literal.
  T literal() const noexcept { return literal_; }
  /// The value's number in `recorder`, where a literal becomes a constant.
  ValueId id_in(Recorder& recorder) const {
    if (recorder_ == nullptr) return recorder.constant(literal_);
    ensure(recorder_ == &recorder, "lane: handles of two recorders meet");
    return id_;
  }

  friend Lane operator+(Lane a, Lane b) requires(!std::same_as<T, bool>) {
    return detail::record<T>(Op::add, arithmetic::add<T>, a, b);
  }
  friend Lane operator-(Lane a, Lane b) requires(!std::same_as<T, bool>) {
    return detail::record<T>(Op::sub, arithmetic::sub<T>, a, b);
  }
  friend Lane operator*(Lane a, Lane b) requires(!std::same_as<T, bool>) {
    return detail::record<T>(Op::mul, arithmetic::mul<T>, a, b);
  }
  friend Lane operator/(Lane a, Lane b) requires(!std::same_as<T, bool>) {
    return detail::record<T>(Op::div, arithmetic::div<T>, a, b);
  }
  friend Lane operator-(Lane a) requires(!std::same_as<T, bool>) {
    return detail::record<T>(Op::neg, arithmetic::neg<T>, a);
  }
  Lane& operator+=(Lane b) { return *this = *this + b; }
  Lane& operator-=(Lane b) { return *this = *this - b; }
  Lane& operator*=(Lane b) { return *this = *this * b; }
  Lane& operator/=(Lane b) { return *this = *this / b; }

  friend Lane<bool> operator==(Lane a, Lane b) {
    return detail::record<bool>(Op::eq, arithmetic::equal<T>, a, b);
  }
  friend Lane<bool> operator!=(Lane a, Lane b) {
    return detail::record<bool>(Op::ne, arithmetic::not_equal<T>, a, b);
  }
  friend Lane<bool> operator<(Lane a, Lane b) {
    return detail::record<bool>(Op::lt, arithmetic::less<T>, a, b);
  }
  friend Lane<bool> operator<=(Lane a, Lane b) {
    return detail::record<bool>(Op::le, arithmetic::less_equal<T>, a, b);
  }
  friend Lane<bool> operator>(Lane a, Lane b) {
    return detail::record<bool>(Op::gt, arithmetic::greater<T>, a, b);
  }
  friend Lane<bool> operator>=(Lane a, Lane b) {
    return detail::record<bool>(Op::ge, arithmetic::greater_equal<T>, a, b);
  }

  friend Lane operator&(Lane a, Lane b) requires std::integral<T> {
    return detail::record<T>(Op::and_, arithmetic::bit_and<T>, a, b);
  }
  friend Lane operator|(Lane a, Lane b) requires std::integral<T> {
    return detail::record<T>(Op::or_, arithmetic::bit_or<T>, a, b);
  }
  friend Lane operator^(Lane a, Lane b) requires std::integral<T> {
    return detail::record<T>(Op::xor_, arithmetic::bit_xor<T>, a, b);
  }
  friend Lane operator~(Lane a) requires std::integral<T> {
    return detail::record<T>(Op::not_, arithmetic::invert<T>, a);
  }
  friend Lane operator!(Lane a) requires std::same_as<T, bool> { return ~a; }

 private:
  Recorder* recorder_ = nullptr;
  ValueId id_ = -1;
  T literal_ = T();
};

namespace detail {

/// The recorder of the first operand that has one; nullptr for literals alone.
template <class... Ts>
Recorder* recorder_of(const Lane<Ts>&... operands) noexcept {
  Recorder* found = nullptr;
  ((found = found != nullptr ? found : operands.recorder()), ...);
  return found;
}

template <class R, class Fold, class... Ts>
Lane<R> record(Op op, Fold fold, Lane<Ts>... operands) {
  Recorder* recorder = recorder_of(operands...);
  if (recorder == nullptr) return Lane<R>(fold(operands.literal()...));
  return Lane<R>(*recorder, recorder->emit(op, dtype_of<R>, {operands.id_in(*recorder)...}));
}

template <class T>
using SameLane = std::type_identity_t<Lane<T>>;

}  // namespace detail

// -- The vocabulary of scalar.hpp, on handles ---------------------------------------------------

template <std::floating_point T>
Lane<T> fma(Lane<T> a, detail::SameLane<T> b, detail::SameLane<T> c) {
  return detail::record<T>(
      Op::fma, [](T x, T y, T z) { return lane::fma(x, y, z); }, a, b, c);
}
template <std::floating_point T>
Lane<T> sqrt(Lane<T> x) {
  return detail::record<T>(
      Op::sqrt, [](T v) { return lane::sqrt(v); }, x);
}
template <class T>
Lane<T> abs(Lane<T> x) {
  return detail::record<T>(
      Op::abs, [](T v) { return lane::abs(v); }, x);
}
template <std::floating_point T>
Lane<T> floor(Lane<T> x) {
  return detail::record<T>(
      Op::floor, [](T v) { return lane::floor(v); }, x);
}
template <std::floating_point T>
Lane<T> ceil(Lane<T> x) {
  return detail::record<T>(
      Op::ceil, [](T v) { return lane::ceil(v); }, x);
}
template <std::floating_point T>
Lane<T> trunc(Lane<T> x) {
  return detail::record<T>(
      Op::trunc, [](T v) { return lane::trunc(v); }, x);
}
template <std::floating_point T>
Lane<T> round_even(Lane<T> x) {
  return detail::record<T>(
      Op::round, [](T v) { return lane::round_even(v); }, x);
}
template <class T>
Lane<T> min(Lane<T> a, detail::SameLane<T> b) {
  return detail::record<T>(
      Op::min, [](T x, T y) { return lane::min(x, y); }, a, b);
}
template <class T>
Lane<T> max(Lane<T> a, detail::SameLane<T> b) {
  return detail::record<T>(
      Op::max, [](T x, T y) { return lane::max(x, y); }, a, b);
}
template <class T>
Lane<T> select(Lane<bool> mask, Lane<T> a, detail::SameLane<T> b) {
  return detail::record<T>(
      Op::select, [](bool m, T x, T y) { return m ? x : y; }, mask, a, b);
}
inline Lane<bool> invert(Lane<bool> mask) { return ~mask; }

/// f() where the mask holds, else `fallback`, as an `if`: a lane outside the mask does not run f.
template <class T, class F>
Lane<T> when_any(Lane<bool> mask, F f, Lane<T> fallback) {
  Recorder* recorder = mask.recorder();
  if (recorder == nullptr) return mask.literal() ? Lane<T>(f()) : fallback;
  const ValueId other = fallback.id_in(*recorder);
  recorder->begin_if(mask.id_in(*recorder));
  const Lane<T> value = f();
  recorder->begin_else({value.id_in(*recorder)});
  return Lane<T>(*recorder, recorder->end_if({other})[0]);
}

template <std::floating_point T>
Lane<int_t<T>> to_bits(Lane<T> x) {
  return detail::record<int_t<T>>(
      Op::bitcast, [](T v) { return lane::to_bits(v); }, x);
}
template <class V, class T = element_t<V>>
  requires std::same_as<V, Lane<T>> Lane<T> from_bits(Lane<int_t<T>> bits) {
    return detail::record<T>(
        Op::bitcast, [](int_t<T> v) { return lane::from_bits<T>(v); }, bits);
  }
template <Scalar U, class T>
Lane<U> convert(Lane<T> x) {
  if constexpr (std::same_as<U, T>) {
    return x;
  } else {
    return detail::record<U>(
        Op::convert, [](T v) { return lane::convert<U>(v); }, x);
  }
}
template <std::integral T>
Lane<T> shl(Lane<T> x, detail::SameLane<T> n) {
  return detail::record<T>(
      Op::shl, [](T v, T k) { return lane::shl(v, k); }, x, n);
}
template <std::integral T>
Lane<T> shr(Lane<T> x, detail::SameLane<T> n) {
  return detail::record<T>(
      Op::shr, [](T v, T k) { return lane::shr(v, k); }, x, n);
}

// -- Functions ----------------------------------------------------------------------------------

/// Records `f(Lane<Ts>...)` as a function of that name, strictly: a multiply that feeds an add or
/// a subtract throws InternalError, which names the function.
template <class... Ts, class F>
std::shared_ptr<const Function> record_function(std::string_view name, F f,
                                                Rounding rounding = Rounding::strict) {
  Recorder recorder({}, rounding);
  try {
    const auto result = [&]<std::size_t... I>(std::index_sequence<I...>) {
      // Braces evaluate left to right, so parameters come in order.
      const ValueId parameters[] = {recorder.parameter(dtype_of<Ts>)...};
      return f(Lane<Ts>(recorder, parameters[I])...);
    }
    (std::index_sequence_for<Ts...>());
    return recorder.finish_function(name, result.id_in(recorder));
  } catch (const InternalError& error) {
    std::string text(error.what());
    text += " in the function ";
    text += name;
    throw InternalError(text);
  }
}

/// The function that `F` (a struct with `name` and `body`) is on arguments of types Ts; recorded
/// once.
template <class F, class... Ts>
const std::shared_ptr<const Function>& function_of() {
  static const std::shared_ptr<const Function> function =
      record_function<Ts...>(F::name, [](Lane<Ts>... x) { return F::body(x...); });
  return function;
}

template <class T>
struct Traits<Lane<T>> {
  using element = T;
  template <class U>
  using rebind = Lane<U>;

  /// `apply<F>` on handles: a call of the recorded function; literals alone are computed.
  template <class F, class... Ts>
  static auto call(Lane<Ts>... x) {
    using Result = decltype(F::body(x...));
    Recorder* recorder = detail::recorder_of(x...);
    if (recorder == nullptr) return F::body(x...);
    return Result(*recorder, recorder->call(function_of<F, Ts...>(), {x.id_in(*recorder)...}));
  }
};

}  // namespace lane
}  // namespace autovec::inline v1
