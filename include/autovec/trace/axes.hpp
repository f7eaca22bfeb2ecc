// Which axis of each argument and result the lanes run along: in(...), out(...), axes(...), shared.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is an axis (negative ones count from the back), `shared`, or `axes(...)` with one spec for
// each field of the struct, tuple or array in that place. An axis or `shared` counts for all leaves
// below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/trace/tree.hpp"

namespace autovec::inline v1 {

/// The spec of what every lane sees whole.
struct Shared {};
inline constexpr Shared shared{};

/// The axis that each leaf is mapped along, in flatten order; none for shared ones.
using LeafAxes = std::vector<std::optional<std::int64_t>>;

namespace detail {
// A loop and not insert(end, count, value), in which GCC 12 sees a null pointer at -O3.
inline void append_axis(LeafAxes& per_leaf, std::size_t count, std::optional<std::int64_t> axis) {
  for (std::size_t i = 0; i < count; ++i) per_leaf.push_back(axis);
}
}  // namespace detail

/// One spec for each field.
template <class... Specs>
struct FieldAxes {
  std::tuple<Specs...> specs;
};

namespace detail {

template <class T>
inline constexpr bool is_field_axes = false;
template <class... Specs>
inline constexpr bool is_field_axes<FieldAxes<Specs...>> = true;

template <class T>
inline constexpr bool is_axis = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
concept AxisSpec = is_axis<T> || std::is_same_v<T, Shared> || is_field_axes<T>;

template <class Spec, class T>
void expand_spec(const Spec& spec, const T& t, LeafAxes& per_leaf);

template <class... Specs, class T>
void expand_fields(const FieldAxes<Specs...>& fields, const T& t, LeafAxes& per_leaf) {
  using tree::detail::Kind;
  constexpr Kind kind = tree::detail::kind<T>;
  if constexpr (kind == Kind::optional) {
    if (t.has_value()) expand_fields(fields, *t, per_leaf);
  } else if constexpr (kind == Kind::tensor || kind == Kind::fixed || kind == Kind::vector) {
    static_assert(kind == Kind::none,
                  "autovec: axes(...) stands for the fields of a struct, tuple or array; a tensor, "
                  "a static value or a std::vector takes an axis or av::shared");
  } else {
    tree::detail::with_children(t, [&](const auto&... children) {
      static_assert(sizeof...(Specs) == sizeof...(children),
                    "autovec: axes(...) needs one spec for each field of the struct, tuple or "
                    "array, static fields too (av::shared)");
      if constexpr (sizeof...(Specs) == sizeof...(children)) {
        std::apply([&](const auto&... specs) { (expand_spec(specs, children, per_leaf), ...); },
                   fields.specs);
      }
    });
  }
}

template <class Spec, class T>
void expand_spec(const Spec& spec, const T& t, LeafAxes& per_leaf) {
  if constexpr (is_field_axes<Spec>) {
    expand_fields(spec, t, per_leaf);
  } else if constexpr (std::is_same_v<Spec, Shared>) {
    append_axis(per_leaf, tree::leaf_count(t), std::nullopt);
  } else {
    static_assert(tree::detail::kind<T> != tree::detail::Kind::fixed,
                  "autovec: a static value has no axis to map along: its spec is av::shared");
    append_axis(per_leaf, tree::leaf_count(t), std::int64_t{spec});
  }
}

template <class... Specs>
consteval void require_specs() {
  static_assert((AxisSpec<Specs> && ...),
                "autovec: an axis spec is an integer, av::shared or av::axes(...)");
}

}  // namespace detail

/// Specs of the arguments; none stands for axis 0 of every argument.
template <class... Specs>
struct InAxes {
  std::tuple<Specs...> specs;

  /// Appends one entry for each leaf of the arguments. A wrong number of specs does not compile.
  template <class... Args>
  void expand(const std::tuple<Args...>& args, LeafAxes& per_leaf) const {
    if constexpr (sizeof...(Specs) == 0) {
      detail::append_axis(per_leaf, tree::leaf_count(args), std::int64_t{0});
    } else {
      static_assert(sizeof...(Specs) == sizeof...(Args),
                    "autovec: in(...) needs one spec for each argument of the mapped function");
      if constexpr (sizeof...(Specs) == sizeof...(Args)) {
        detail::expand_fields(FieldAxes<Specs...>{specs}, args, per_leaf);
      }
    }
  }
};

/// Specs of the result: one for the whole of it, several for the fields of a struct, tuple or array
/// (`out(0, 1)` is `out(axes(0, 1))`); none stands for axis 0.
template <class... Specs>
struct OutAxes {
  std::tuple<Specs...> specs;

  /// Appends one entry for each leaf of the result. A wrong number of specs does not compile.
  template <class T>
  void expand(const T& result, LeafAxes& per_leaf) const {
    if constexpr (sizeof...(Specs) == 0) {
      detail::expand_spec(0, result, per_leaf);
    } else if constexpr (sizeof...(Specs) == 1) {
      detail::expand_spec(std::get<0>(specs), result, per_leaf);
    } else {
      detail::expand_fields(FieldAxes<Specs...>{specs}, result, per_leaf);
    }
  }
};

namespace detail {

// Function objects, so that argument-dependent lookup never finds these short names.
template <template <class...> class Result>
struct MakeAxes {
  template <class... Specs>
  constexpr Result<Specs...> operator()(Specs... specs) const {
    require_specs<Specs...>();
    return {std::tuple<Specs...>(specs...)};
  }
};

}  // namespace detail

inline constexpr detail::MakeAxes<InAxes> in{};
inline constexpr detail::MakeAxes<OutAxes> out{};
inline constexpr detail::MakeAxes<FieldAxes> axes{};

}  // namespace autovec::inline v1
