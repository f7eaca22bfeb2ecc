// The names of a plain struct's fields, for messages.
// SPDX-License-Identifier: Apache-2.0
//
// The address of a field as a template argument prints with the field's name in
// __PRETTY_FUNCTION__: `(& imaginary<S>.Imaginary<S>::value.S::x)` with GCC,
// `{&imaginary.value.x}` with Clang.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "autovec/trace/aggregate.hpp"

namespace autovec::inline v1 {
namespace tree {
namespace detail {

// Never defined: only addresses inside it are taken, in constant expressions. Clang warns of that.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
template <class T>
struct Imaginary {
  T value;
};
template <class T>
extern const Imaginary<T> imaginary;

// Clang 14 takes the address of a field as a template argument only inside a struct.
template <class T>
struct Address {
  const T* pointer;
};

template <std::size_t i, class First, class... Rest>
constexpr auto nth_address(const First& first, const Rest&... rest) {
  if constexpr (i == 0) return Address<First>{&first};
  else return nth_address<i - 1>(rest...);
}

template <class T, std::size_t i>
consteval auto field_address() {
  return with_fields<field_count<T>>(
      imaginary<T>.value, [](const auto&... fields) { return nth_address<i>(fields...); });
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <auto address>
consteval std::string_view pretty_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind('}'));
  while (!text.empty() && text.back() == ')') text.remove_suffix(1);
  return text.substr(text.find_last_of(":.&") + 1);
}

struct Probe {
  int first_field, second_field;
};
inline constexpr bool names_known =
    pretty_name<field_address<Probe, 1>()>() == std::string_view("second_field");

template <class T, std::size_t... I>
std::string_view field_name(std::size_t i, std::index_sequence<I...>) {
  if constexpr (names_known && sizeof...(I) > 0) {
    constexpr std::string_view names[] = {pretty_name<field_address<T, I>()>()...};
    return names[i];
  } else {
    return {};
  }
}

/// The name of field `i` of the aggregate T, empty where the compiler does not tell.
template <class T>
std::string_view field_name(std::size_t i) {
  return field_name<T>(i, std::make_index_sequence<field_count<T>>());
}

}  // namespace detail
}
}  // namespace autovec::inline v1::tree
