// A list of types, and a walk over it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace autovec::inline v1 {

/// Holds types and nothing else.
template <class... Ts>
struct List {
  static constexpr int size = sizeof...(Ts);
};

/// Calls `f.template operator()<T>()` for each T of the list, in order.
template <class... Ts, class F>
constexpr void for_each_type(List<Ts...>, F&& f) {
  (f.template operator()<Ts>(), ...);
}

}  // namespace autovec::inline v1
