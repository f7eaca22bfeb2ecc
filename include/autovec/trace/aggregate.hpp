// Plain structs taken apart without macros: how many fields, what faults, a call with all of them.
// SPDX-License-Identifier: Apache-2.0
//
// A field is counted by trying `T{any, any, ...}` with a stand-in that converts to everything, and
// reached through structured bindings; everything but `with_fields` happens at compile time.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace autovec::inline v1 {
namespace tree {

/// Most fields a plain struct may have.
inline constexpr std::size_t max_fields = 32;

namespace detail {

// Never called. Not constexpr, which breaks std::optional fields; not just declared, for Clang then
// misses a definition where T has no linkage. Bases are left out, for `T{base}` would swallow the
// fields of the base; so is T itself, for `T{copy}` is no field.
template <class T>
struct AnyField {
  template <class U>
    requires(!std::is_base_of_v<U, T>)
  operator U() const noexcept { __builtin_unreachable(); }
};

template <class T>
struct AnyBase {
  template <class U>
    requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
  operator U() const noexcept { __builtin_unreachable(); }
};

// The stand-in for the field at position `I`; the index only unrolls a pack.
template <class T, std::size_t I>
using AnyFieldAt = AnyField<T>;

template <class T, std::size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return requires { T{AnyFieldAt<T, I>{}...}; };
}

template <class T, std::size_t n>
inline constexpr bool takes_fields = takes<T>(std::make_index_sequence<n>());

inline constexpr std::size_t no_count = static_cast<std::size_t>(-1);

// The largest n <= 33 for which n initializers are taken; 33 stands for "more than 32".
template <class T, std::size_t n = max_fields + 1>
consteval std::size_t count_down() {
  if constexpr (takes_fields<T, n>) return n;
  else if constexpr (n == 0) return no_count;
  else return count_down<T, n - 1>();
}

// When `T{}` is fine, every smaller number of initializers is, and the count is the first stop.
template <class T, std::size_t n = 0>
consteval std::size_t count_up() {
  if constexpr (n > max_fields) return n;
  else if constexpr (takes_fields<T, n + 1>) return count_up<T, n + 1>();
  else return n;
}

template <class T>
consteval std::size_t count_fields() {
  if constexpr (takes_fields<T, 0>) return count_up<T>();
  else return count_down<T>();
}

/// Number of fields of the aggregate T (elements, where a field is a C array); `no_count` when no
/// list of values initializes it.
template <class T>
inline constexpr std::size_t field_count = count_fields<T>();

// A C array among the fields takes one value for each element, so there are more values than
// fields. In the place of one value an array of two or more elements refuses `{}` and, other than a
// struct,
// `{any, any}` too, but takes the pair when fewer values follow.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool takes_empty(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires { T{AnyFieldAt<T, Before>{}..., {}, AnyFieldAt<T, After>{}...}; };
}

template <class T, std::size_t... Before, std::size_t... After>
consteval bool takes_pair(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires {
    T{AnyFieldAt<T, Before>{}..., {AnyField<T>{}, AnyField<T>{}}, AnyFieldAt<T, After>{}...};
  };
}

template <class T, std::size_t i, std::size_t... After>
consteval bool array_at(std::index_sequence<After...> rest) {
  constexpr auto before = std::make_index_sequence<i>();
  if constexpr (takes_empty<T>(before, decltype(rest)())) return false;
  else if constexpr (takes_pair<T>(before, decltype(rest)())) return false;
  else return (takes_pair<T>(before, std::make_index_sequence<After>()) || ...);
}

template <class T, std::size_t... I>
consteval bool array_among(std::index_sequence<I...>) {
  return (array_at<T, I>(std::make_index_sequence<field_count<T> - I - 1>()) || ...);
}

/// Whether a field of the aggregate T is a C array of two or more elements.
template <class T>
inline constexpr bool has_array_field = array_among<T>(std::make_index_sequence<field_count<T>>());

template <class T>
inline constexpr bool has_base = requires {
  T{AnyBase<T>{}};
};

/// `f(first, second, ...)` with the fields of the aggregate `t`, const when `t` is.
template <std::size_t n, class T, class F>
constexpr decltype(auto) with_fields(T& t, F&& f) {
  static_assert(n <= max_fields);
  if constexpr (n == 0) {
    return f();
  } else if constexpr (n == 1) {
    auto& [a0] = t;
    return f(a0);
  } else if constexpr (n == 2) {
    auto& [a0, a1] = t;
    return f(a0, a1);
  } else if constexpr (n == 3) {
    auto& [a0, a1, a2] = t;
    return f(a0, a1, a2);
  } else if constexpr (n == 4) {
    auto& [a0, a1, a2, a3] = t;
    return f(a0, a1, a2, a3);
  } else if constexpr (n == 5) {
    auto& [a0, a1, a2, a3, a4] = t;
    return f(a0, a1, a2, a3, a4);
  } else if constexpr (n == 6) {
    auto& [a0, a1, a2, a3, a4, a5] = t;
    return f(a0, a1, a2, a3, a4, a5);
  } else if constexpr (n == 7) {
    auto& [a0, a1, a2, a3, a4, a5, a6] = t;
    return f(a0, a1, a2, a3, a4, a5, a6);
  } else if constexpr (n == 8) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7);
  } else if constexpr (n == 9) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8);
  } else if constexpr (n == 10) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
  } else if constexpr (n == 11) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
  } else if constexpr (n == 12) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
  } else if constexpr (n == 13) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12);
  } else if constexpr (n == 14) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13);
  } else if constexpr (n == 15) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14);
  } else if constexpr (n == 16) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
  } else if constexpr (n == 17) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16);
  } else if constexpr (n == 18) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17);
  } else if constexpr (n == 19) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18);
  } else if constexpr (n == 20) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
           a19] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19);
  } else if constexpr (n == 21) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20);
  } else if constexpr (n == 22) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21);
  } else if constexpr (n == 23) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22);
  } else if constexpr (n == 24) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23);
  } else if constexpr (n == 25) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24);
  } else if constexpr (n == 26) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25);
  } else if constexpr (n == 27) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25, a26] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25, a26);
  } else if constexpr (n == 28) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25, a26, a27] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25, a26, a27);
  } else if constexpr (n == 29) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25, a26, a27, a28] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25, a26, a27, a28);
  } else if constexpr (n == 30) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25, a26, a27, a28, a29] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29);
  } else if constexpr (n == 31) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30);
  } else if constexpr (n == 32) {
    auto& [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
           a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31] = t;
    return f(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18,
             a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31);
  }
}

}  // namespace detail

}
}  // namespace autovec::inline v1::tree
