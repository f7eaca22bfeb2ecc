// What a C++ type is as a tree, and, if it is none, the reason in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/aggregate.hpp"
#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {
namespace tree {
namespace detail {

/// `fixed` is a static value: a number, bool, enum or string inside a tree.
enum class Kind { tensor, fixed, opted, tuple, array, vector, optional, aggregate, none };

template <class T>
inline constexpr Kind known_kind = Kind::none;
template <>
inline constexpr Kind known_kind<Tensor> = Kind::tensor;
template <class A, class B>
inline constexpr Kind known_kind<std::pair<A, B>> = Kind::tuple;
template <class... T>
inline constexpr Kind known_kind<std::tuple<T...>> = Kind::tuple;
template <class T, std::size_t n>
inline constexpr Kind known_kind<std::array<T, n>> = Kind::array;
template <class T, class A>
inline constexpr Kind known_kind<std::vector<T, A>> = Kind::vector;
template <class T>
inline constexpr Kind known_kind<std::optional<T>> = Kind::optional;
template <>
inline constexpr Kind known_kind<std::string> = Kind::fixed;
template <class T>
inline constexpr Kind known_kind<std::complex<T>> = Kind::fixed;
// Its elements are bits, which no reference names; they can only be static.
template <class A>
inline constexpr Kind known_kind<std::vector<bool, A>> = Kind::fixed;

template <class T>
concept HasTreeFields = requires(T& t, const T& c) {
  tree_fields(t);
  tree_fields(c);
};

template <class T>
consteval Kind kind_of() {
  if constexpr (known_kind<T> != Kind::none) return known_kind<T>;
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) return Kind::fixed;
  else if constexpr (HasTreeFields<T>) return Kind::opted;
  else if constexpr (std::is_aggregate_v<T> && std::is_class_v<T>) return Kind::aggregate;
  else return Kind::none;
}

template <class T>
inline constexpr Kind kind = kind_of<std::remove_const_t<T>>();

/// `f(child, ...)` with the children of a node whose type fixes their number.
template <class T, class F>
constexpr decltype(auto) with_children(T& t, F&& f) {
  if constexpr (kind<T> == Kind::aggregate) {
    return with_fields<field_count<std::remove_const_t<T>>>(t, f);
  } else if constexpr (kind<T> == Kind::opted) {
    return std::apply(f, tree_fields(t));
  } else {
    return std::apply(f, t);
  }
}

template <class... T>
struct Types {
  static constexpr std::size_t size = sizeof...(T);
};

struct ListTypes {
  template <class... T>
  constexpr Types<T...> operator()(T&...) const {
    return {};
  }
};

template <class T>
consteval auto list_children() {
  if constexpr (kind<T> == Kind::vector || kind<T> == Kind::array || kind<T> == Kind::optional) {
    return Types<typename T::value_type>{};
  } else if constexpr (kind<T> == Kind::tensor || kind<T> == Kind::fixed) {
    return Types<>{};
  } else {
    return decltype(with_children(std::declval<T&>(), ListTypes{})){};
  }
}

/// The types of a node's children; of the element for a vector, array or optional.
template <class T>
using Children = decltype(list_children<T>());

/// Why a type is no tree.
enum class Fault {
  none,
  pointer,
  unions,
  half_opted,
  inherited,
  untied,
  move_only,
  closed,
  foreign,
  base,
  fixed_field,
  opaque,
  array,
  too_many
};

// Binds to no base of T: tells a `tree_fields` of T from one that T inherits.
template <class T>
struct Exactly {
  template <class U>
    requires(std::is_same_v<U, const T>)
  operator U&() const noexcept;
};

template <class T>
concept HasOneTreeFields = requires(T& t) {
  tree_fields(t);
}
|| requires(const T& c) { tree_fields(c); };

template <class T>
inline constexpr bool is_tie = false;
template <class... T>
inline constexpr bool is_tie<std::tuple<T&...>> = (!std::is_const_v<T> && ...);

template <class T>
inline constexpr bool is_plain_tuple = false;
template <class A, class B>
inline constexpr bool is_plain_tuple<std::pair<A, B>> =
    std::is_same_v<A, std::decay_t<A>>&& std::is_same_v<B, std::decay_t<B>>;
template <class... T>
inline constexpr bool is_plain_tuple<std::tuple<T...>> = (std::is_same_v<T, std::decay_t<T>> &&
                                                          ...);

template <class... T>
consteval bool any_array(Types<T...>) {
  return (std::is_array_v<T> || ...);
}

template <class T>
consteval Fault aggregate_fault() {
  if constexpr (has_base<T>) return Fault::base;
  else if constexpr (!std::is_copy_constructible_v<T>) return Fault::move_only;
  else if constexpr (!std::is_copy_assignable_v<T>) return Fault::fixed_field;
  else if constexpr (field_count<T> == no_count) return Fault::opaque;
  else if constexpr (field_count<T> > max_fields) return Fault::too_many;
  else if constexpr (has_array_field<T>) return Fault::array;
  else if constexpr (any_array(Children<T>{})) return Fault::array;
  else return Fault::none;
}

template <class T>
consteval Fault opted_fault() {
  if constexpr (!std::is_copy_constructible_v<T>) return Fault::move_only;
  else if constexpr (!requires { tree_fields(Exactly<T>{}); }) return Fault::inherited;
  else if constexpr (!is_tie<decltype(tree_fields(std::declval<T&>()))>) return Fault::untied;
  else return Fault::none;
}

template <class T>
consteval Fault stranger_fault() {
  if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) return Fault::pointer;
  else if constexpr (std::is_union_v<T>) return Fault::unions;
  else if constexpr (!std::is_class_v<T>) return Fault::foreign;
  else if constexpr (HasOneTreeFields<T>) return Fault::half_opted;
  else if constexpr (!std::is_copy_constructible_v<T>) return Fault::move_only;
  else return Fault::closed;
}

/// The fault of the type itself, its children aside.
template <class T>
consteval Fault own_fault() {
  if constexpr (kind<T> == Kind::none || std::is_const_v<T>) return stranger_fault<T>();
  else if constexpr (kind<T> == Kind::aggregate) return aggregate_fault<T>();
  else if constexpr (kind<T> == Kind::opted) return opted_fault<T>();
  else if constexpr (kind<T> == Kind::tuple && !is_plain_tuple<T>) return Fault::fixed_field;
  else return Fault::none;
}

template <class T, class... Seen>
consteval Fault fault_within(Types<Seen...>);

template <class Seen, class... T>
consteval Fault first_fault(Types<T...>) {
  Fault first = Fault::none;
  ((first = first == Fault::none ? fault_within<T>(Seen{}) : first), ...);
  return first;
}

// `Seen` holds the types around this one, so a struct may hold a vector of itself.
template <class T, class... Seen>
consteval Fault fault_within(Types<Seen...>) {
  if constexpr ((std::is_same_v<T, Seen> || ...)) return Fault::none;
  else if constexpr (own_fault<T>() != Fault::none) return own_fault<T>();
  else return first_fault<Types<Seen..., T>>(Children<T>{});
}

template <class T>
inline constexpr Fault fault = fault_within<T>(Types<>{});

template <class T>
consteval void explain_fault();

template <class... T>
consteval void explain_faults(Types<T...>) {
  (explain_fault<T>(), ...);
}

// One assertion a fault, at the innermost type; the compiler's notes name the structs around it.
template <class T>
consteval void explain_fault() {
  constexpr Fault own = own_fault<T>();
  static_assert(own != Fault::pointer,
                "autovec: a raw pointer cannot be in a tree: hold the value, a std::optional or a "
                "std::vector instead, or capture it");
  static_assert(own != Fault::unions, "autovec: a union cannot be in a tree");
  static_assert(own != Fault::half_opted,
                "autovec: a tree needs both friends, tree_fields(M&) and tree_fields(const M&)");
  static_assert(own != Fault::inherited,
                "autovec: tree_fields of a base class misses the fields of the derived class: give "
                "the derived class its own (plain functions, no templates)");
  static_assert(own != Fault::untied,
                "autovec: tree_fields(M&) must return std::tie of fields that are not const");
  static_assert(own != Fault::move_only,
                "autovec: trees are copied, and this type cannot be: keep move-only members "
                "outside of the tree");
  static_assert(own != Fault::closed,
                "autovec: a class with constructors, or with private or virtual members, needs "
                "friends to be a tree: auto tree_fields(M& m) { return std::tie(m.a, m.b); } and "
                "the same for const M&");
  static_assert(own != Fault::foreign,
                "autovec: this type cannot be in a tree: use tensors, numbers, enums, strings and "
                "structs of them");
  static_assert(own != Fault::base,
                "autovec: a struct with base classes cannot be a tree: make the base a field, or "
                "add the friends tree_fields(M&) and tree_fields(const M&)");
  static_assert(own != Fault::fixed_field,
                "autovec: a field of a tree cannot be const or a reference: hold it by value");
  static_assert(own != Fault::opaque,
                "autovec: this struct cannot be taken apart: it has references, base classes or "
                "unusual fields; add the friends tree_fields(M&) and tree_fields(const M&)");
  static_assert(own != Fault::array, "autovec: a C array cannot be in a tree: use std::array");
  static_assert(own != Fault::too_many,
                "autovec: a struct of more than 32 fields cannot be a tree: group fields in "
                "structs, or use std::array");
  if constexpr (own == Fault::none && fault<T> != Fault::none) explain_faults(Children<T>{});
}

}  // namespace detail

/// Whether values of T can be taken apart into tensors and put together again.
template <class T>
concept Tree = detail::fault<std::remove_cvref_t<T>>
== detail::Fault::none;

/// Refuses at compile time, with advice, a T that is no tree.
template <class T>
consteval void require_tree() {
  if constexpr (!Tree<T>) detail::explain_fault<std::remove_cvref_t<T>>();
}

}
}  // namespace autovec::inline v1::tree
