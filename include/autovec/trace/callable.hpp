// What a traced callable receives: C++ numbers as weak tensors, or static where it asks for
// numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/tensor.hpp"
#include "autovec/trace/tree_kind.hpp"

namespace autovec::inline v1 {
namespace tree {

/// Turns values of T into tensors where they are arguments, loop state or results: numbers here,
/// matrices of other libraries in their own headers, by specialization.
template <class T>
struct ToTensor {
  static constexpr bool exists = std::is_arithmetic_v<T> && std::is_convertible_v<const T&, Tensor>;
  static Tensor convert(const T& x) { return x; }
};

template <class T>
  requires std::is_convertible_v < const std::complex<T>
&, Tensor > struct ToTensor<std::complex<T>> {
  static constexpr bool exists = true;
  static Tensor convert(const std::complex<T>& x) { return x; }
};

namespace detail {

template <class T, bool direct = ToTensor<T>::exists>
struct Mapped;
template <class T>
struct Mapped<T, true> {
  using type = Tensor;
};
template <class T>
struct Mapped<T, false> {
  using type = T;
};
template <class A, class B>
struct Mapped<std::pair<A, B>, false> {
  using type = std::pair<typename Mapped<A>::type, typename Mapped<B>::type>;
};
template <class... T>
struct Mapped<std::tuple<T...>, false> {
  using type = std::tuple<typename Mapped<T>::type...>;
};
template <class T, std::size_t n>
struct Mapped<std::array<T, n>, false> {
  using type = std::array<typename Mapped<T>::type, n>;
};
template <class T, class A>
struct Mapped<std::vector<T, A>, false> {
  using element = typename Mapped<T>::type;
  using type =
      std::conditional_t<std::is_same_v<element, T>, std::vector<T, A>, std::vector<element>>;
};
template <class T>
struct Mapped<std::optional<T>, false> {
  using type = std::optional<typename Mapped<T>::type>;
};

}  // namespace detail

/// T with each bare number made a Tensor, in standard tuples, pairs, arrays, vectors and optionals
/// too; structs keep their numbers, which are static.
template <class T>
using map_type = typename detail::Mapped<std::decay_t<T>>::type;

/// `x` as a `map_type`: numbers become weak rank-0 tensors, the rest is copied or moved.
template <class T>
map_type<T> as_argument(T&& x) {
  using From = std::decay_t<T>;
  using To = map_type<T>;
  if constexpr (std::is_same_v<From, To>) {
    return std::forward<T>(x);
  } else if constexpr (ToTensor<From>::exists) {
    return ToTensor<From>::convert(x);
  } else if constexpr (detail::kind<From> == detail::Kind::optional) {
    if (!x.has_value()) return std::nullopt;
    return as_argument(*std::forward<T>(x));
  } else if constexpr (detail::known_kind<To> == detail::Kind::vector) {
    To out;
    out.reserve(x.size());
    for (const typename From::value_type& element : x) out.push_back(as_argument(element));
    return out;
  } else {
    return std::apply(
        [](auto&&... elements) {
          return To{as_argument(std::forward<decltype(elements)>(elements))...};
        },
        std::forward<T>(x));
  }
}

namespace detail {

// Left to right: a number becomes a tensor if the call still stands with one in its place. That
// settles each parameter by itself, since arguments convert one by one.
template <class F, class Decided, class Open>
struct Choose;
template <class F, class... Decided>
struct Choose<F, Types<Decided...>, Types<>> {
  using type = std::tuple<Decided...>;
};
template <class F, class... Decided, class T, class... Open>
struct Choose<F, Types<Decided...>, Types<T, Open...>> {
  static constexpr bool mapped =
      std::conjunction_v<std::negation<std::is_same<T, map_type<T>>>,
                         std::is_invocable<const F&, Decided..., map_type<T>, Open...>>;
  using type = typename Choose<F, Types<Decided..., std::conditional_t<mapped, map_type<T>, T>>,
                               Types<Open...>>::type;
};

// Generic lambdas take tensors everywhere; asking for that first keeps their bodies from being
// compiled with a mixture.
template <class F, class... T>
consteval auto choose() {
  if constexpr ((std::is_same_v<T, map_type<T>> && ...)) {
    return Types<std::tuple<T...>>{};
  } else if constexpr (std::is_invocable_v<const F&, map_type<T>...>) {
    return Types<std::tuple<map_type<T>...>>{};
  } else {
    return Types<typename Choose<F, Types<>, Types<T...>>::type>{};
  }
}

template <class T>
T only(Types<T>);

template <class To, class T>
To argument(T&& x) {
  if constexpr (std::is_same_v<To, std::decay_t<T>>) return std::forward<T>(x);
  else return as_argument(std::forward<T>(x));
}

template <class... To, class... Args>
std::tuple<To...> arguments(Types<std::tuple<To...>>, Args&&... args) {
  return std::tuple<To...>(argument<To>(std::forward<Args>(args))...);
}

template <class F, class... T>
consteval void require_invocable(Types<std::tuple<T...>>) {
  constexpr bool as_const = std::is_invocable_v<const F&, T...>;
  constexpr bool as_mutable = std::is_invocable_v<F&, T...>;
  static_assert(as_const || !as_mutable,
                "autovec: functions are called as const: drop `mutable`, and return what changes");
  static_assert(as_const || as_mutable,
                "autovec: the function cannot be called with these arguments: their number or "
                "their types do not fit (a non-const reference takes none)");
}

}  // namespace detail

/// The std::tuple of what `f(args...)` receives: a bare number as a Tensor where the callable F
/// takes one, else as it is, static. Arguments are handed over as values (rvalues).
template <class F, class... Args>
using argument_types =
    decltype(detail::only(detail::choose<std::decay_t<F>, std::decay_t<Args>...>()));

/// The arguments as `argument_types`, copied or moved.
template <class F, class... Args>
argument_types<F, Args...> arguments(Args&&... args) {
  return detail::arguments(detail::Types<argument_types<F, Args...>>{},
                           std::forward<Args>(args)...);
}

/// Refuses at compile time, with advice, a call of F that its tracing cannot make.
template <class F, class... Args>
consteval void require_callable() {
  detail::require_invocable<std::decay_t<F>>(detail::Types<argument_types<F, Args...>>{});
}

}
}  // namespace autovec::inline v1::tree
