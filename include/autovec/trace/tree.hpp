// Trees: C++ values made of tensors, taken apart into a flat list of leaves and put together again.
// SPDX-License-Identifier: Apache-2.0
//
// A tree is a Tensor; a plain struct of trees (no macro, up to 32 fields); a std::tuple, pair,
// array, vector or optional of trees; or a class with the friends `tree_fields(M&)` and
// `tree_fields(const M&)`, which return `std::tie(...)` of its fields. Numbers, bools, enums and
// strings inside a tree are *static*: no leaves, but part of the prototype and of the key.
//
// Leaves come in the order of declaration.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "autovec/base/error.hpp"
#include "autovec/trace/field_names.hpp"
#include "autovec/trace/tensor.hpp"
#include "autovec/trace/tree_kind.hpp"

namespace autovec::inline v1 {
namespace tree {

/// Calls `visitor.tensor(x)`, `.fixed(value)` and `.size(n)` (before the elements of a vector or
/// an optional) over all of `t`, in the order of declaration.
template <class T, class Visitor>
constexpr void visit(T& t, Visitor& visitor) {
  using detail::Kind;
  constexpr Kind kind = detail::kind<T>;
  if constexpr (kind == Kind::tensor) {
    visitor.tensor(t);
  } else if constexpr (kind == Kind::fixed) {
    visitor.fixed(t);
  } else if constexpr (kind == Kind::optional) {
    visitor.size(t.has_value() ? 1 : 0);
    if (t.has_value()) visit(*t, visitor);
  } else if constexpr (kind == Kind::vector || kind == Kind::array) {
    if constexpr (kind == Kind::vector) visitor.size(t.size());
    for (auto& element : t) visit(element, visitor);
  } else {
    detail::with_children(t, [&visitor](auto&... children) { (visit(children, visitor), ...); });
  }
}

namespace detail {

struct Ignore {
  template <class T>
  constexpr void fixed(const T&) {}
  constexpr void size(std::size_t) {}
};

struct Collect : Ignore {
  explicit Collect(std::vector<Tensor>& to) : leaves(to) {}
  void tensor(const Tensor& x) { leaves.push_back(x); }
  std::vector<Tensor>& leaves;
};

struct Count : Ignore {
  void tensor(const Tensor&) { ++leaves; }
  std::size_t leaves = 0;
};

struct Assign : Ignore {
  explicit Assign(const Tensor*& from) : next(from) {}
  void tensor(Tensor& x) { x = *next++; }
  const Tensor*& next;
};

}  // namespace detail

/// Appends the leaves of `t`.
template <class T>
void flatten(const T& t, std::vector<Tensor>& leaves) {
  if constexpr (Tree<T>) {
    detail::Collect collect(leaves);
    visit(t, collect);
  } else {
    require_tree<T>();
  }
}

/// How many leaves `t` has.
template <class T>
std::size_t leaf_count(const T& t) {
  if constexpr (Tree<T>) {
    detail::Count count;
    visit(t, count);
    return count.leaves;
  } else {
    require_tree<T>();
    return 0;
  }
}

/// Overwrites the leaves of `t` by `*next`, `*(next + 1)`, ...; moves `next` past the last one
/// used.
template <class T>
void assign(T& t, const Tensor*& next) {
  if constexpr (Tree<T>) {
    detail::Assign assign_leaf(next);
    visit(t, assign_leaf);
  } else {
    require_tree<T>();
  }
}

/// The prototype with other leaves: `*next`, `*(next + 1)`, ...; moves `next` past the last one
/// used. Static fields, sizes and engaged optionals are the prototype's.
template <class T>
T rebuild(const T& prototype, const Tensor*& next) {
  T out = prototype;
  assign(out, next);
  return out;
}

/// The tree that has the prototype's form and exactly these leaves.
template <class T>
T rebuild(const T& prototype, const std::vector<Tensor>& leaves) {
  const Tensor* next = leaves.data();
  T out = rebuild(prototype, next);
  ensure(next == leaves.data() + leaves.size(), "rebuild: a tree got leaves of another form");
  return out;
}

namespace detail {

inline void append_step(std::string& path, std::string_view name, std::size_t i) {
  if (!path.empty()) path += '.';
  if (name.empty()) {
    path += "field ";
    path += std::to_string(i);
  } else {
    path += name;
  }
}

inline void append_index(std::string& path, std::size_t i) {
  path += '[';
  path += std::to_string(i);
  path += ']';
}

// Whether leaf number `left` is in `t`; if not, `left` becomes its number behind `t`.
template <class T>
bool find_leaf(const T& t, std::size_t& left, std::string& path) {
  if constexpr (kind<T> == Kind::tensor) {
    return left-- == 0;
  } else if constexpr (kind<T> == Kind::fixed) {
    return false;
  } else if constexpr (kind<T> == Kind::optional) {
    return t.has_value() && find_leaf(*t, left, path);
  } else {
    const std::size_t length = path.size();
    std::size_t i = 0;
    const auto look_into = [&](const auto& child) {
      path.resize(length);
      if constexpr (kind<T> == Kind::aggregate) append_step(path, field_name<T>(i), i);
      else if constexpr (kind<T> == Kind::opted) append_step(path, {}, i);
      else append_index(path, i);
      ++i;
      return find_leaf(child, left, path);
    };
    if constexpr (kind<T> == Kind::vector || kind<T> == Kind::array) {
      for (const auto& element : t) {
        if (look_into(element)) return true;
      }
      return false;
    } else {
      return with_children(t,
                           [&](const auto&... children) { return (look_into(children) || ...); });
    }
  }
}

}  // namespace detail

/// Names a leaf for messages, as C++ would reach it: `w`, `layers[1].w`; elements of tuples and
/// pairs are numbered like those of arrays (`[0].x`), and `field 1` stands for a field whose name
/// is not known. The path of a lone Tensor is empty.
template <class T>
std::string path(const T& prototype, std::size_t leaf) {
  std::string out;
  if constexpr (Tree<T>) {
    const bool found = detail::find_leaf(prototype, leaf, out);
    ensure(found, "path: the tree has fewer leaves");
  } else {
    require_tree<T>();
  }
  return out;
}

}
}  // namespace autovec::inline v1::tree
