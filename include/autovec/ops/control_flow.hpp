// cond, switch_case, while_loop, fori_loop, scan, map: control flow as users write it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/base/function_ref.hpp"
#include "autovec/ops/convert.hpp"
#include "autovec/ops/map.hpp"
#include "autovec/trace/callable.hpp"
#include "autovec/trace/trace.hpp"
#include "autovec/trace/tree.hpp"
#include "autovec/trace/tree_key.hpp"

namespace autovec::inline v1 {

namespace detail {

using Leaves = std::vector<Tensor>;
using LeafFunction = FunctionRef<Leaves(const Leaves&)>;
using LeafName = FunctionRef<std::string(std::size_t)>;

/// Traces a function of leaves with arguments of these types.
TracedGraph trace_leaves(std::span<const Type> arguments, LeafFunction f, Where where);
/// The loop op on leaves.
Leaves while_leaves(std::string_view op, const Leaves& init, LeafFunction condition,
                    LeafFunction body, LeafName name, Where where);
/// The branch op on leaves: sides are functions of the same arguments; results meet at their
/// promoted dtype.
Leaves branch_leaves(std::string_view op, const Tensor& index, const Leaves& arguments,
                     std::span<const LeafFunction> sides, LeafName name, Where where);
/// The scan op on leaves: body takes carries then slices, gives carries then slices to stack.
Leaves scan_leaves(std::string_view op, const Leaves& init, const Leaves& sequences,
                   std::int64_t length, bool reverse, LeafFunction body, LeafName name,
                   Where where);

inline std::vector<Type> types_of(const Leaves& leaves) {
  std::vector<Type> types;
  for (const Tensor& x : leaves) types.push_back(x.type());
  return types;
}

/// Flattens what a user's function returned; numbers count as tensors.
template <class T>
Leaves leaves_of(const T& t) {
  Leaves out;
  tree::flatten(t, out);
  return out;
}

/// The state as a tree of tensors, with names for its leaves.
template <class T>
auto namer(const T& t) {
  return [&t](std::size_t leaf) { return tree::path(t, leaf); };
}

/// Whether two trees of one type agree in what is no leaf: static values, sizes, optionals.
template <class T>
bool same_form(const T& a, const T& b) {
  tree::Key key_a, key_b;
  tree::append_key(a, key_a);
  tree::append_key(b, key_b);
  return key_a == key_b;
}

[[noreturn]] inline void fail_form(std::string_view op, std::string_view what, Where where) {
  std::string text(what);
  text += " static values (numbers in a struct) or sizes (of vectors, optionals)";
  fail<TypeError>(op, text, where, "make a Tensor of what changes");
}

/// The leaves of what a body returned. Throws TypeError unless it has the form of the state.
template <class T>
Leaves next_leaves(std::string_view op, const T& state, const T& next, Where where) {
  if (!same_form(state, next)) fail_form(op, "the body changes the state's", where);
  return leaves_of(next);
}

/// The slice trees that a body gets: the prototype with other leaves.
template <class T>
T tree_from(const T& prototype, const Leaves& leaves, std::size_t first = 0) {
  const Tensor* next = leaves.data() + first;
  return tree::rebuild(prototype, next);
}

}  // namespace detail

/// Runs `body` on the state while `condition` holds. State: any tree; every leaf keeps shape and
/// dtype (one that starts as a C++ number takes the body's dtype). Under vmap each lane runs its
/// own number of trips and is then frozen. Throws ShapeError or TypeError that names the changed
/// field.
struct WhileFunction {
  template <class S, class C, class B>
  auto operator()(S&& state, const C& condition, const B& body, Where where = Where::here()) const {
    const auto prototype = tree::as_argument(std::forward<S>(state));
    using State = std::remove_cvref_t<decltype(prototype)>;
    static_assert(std::is_invocable_v<const C&, State>,
                  "autovec: while_loop's condition takes the state");
    static_assert(std::is_invocable_v<const B&, State>,
                  "autovec: while_loop's body takes the state");
    using Next = tree::map_type<std::invoke_result_t<const B&, State>>;
    static_assert(std::is_same_v<Next, State>,
                  "autovec: while_loop's body returns the type of its state");
    const detail::Leaves out = detail::while_leaves(
        "while_loop", detail::leaves_of(prototype),
        [&](const detail::Leaves& in) {
          return detail::Leaves{Tensor(condition(detail::tree_from(prototype, in)))};
        },
        [&](const detail::Leaves& in) {
          const State next = tree::as_argument(body(detail::tree_from(prototype, in)));
          return detail::next_leaves("while_loop", prototype, next, where);
        },
        detail::namer(prototype), where);
    return detail::tree_from(prototype, out);
  }
};
inline constexpr WhileFunction while_loop;

/// Runs `body(i, state)` for i = lo, lo + 1, ... below hi; lo and hi may be traced integers. The
/// counter stays shared under vmap unless a bound is mapped.
struct ForiFunction {
  template <class S, class B>
  auto operator()(Operand lo, Operand hi, S&& state, const B& body) const {
    const Where where = lo.where();
    const auto prototype = tree::as_argument(std::forward<S>(state));
    using State = std::remove_cvref_t<decltype(prototype)>;
    static_assert(std::is_invocable_v<const B&, Tensor, State>,
                  "autovec: fori_loop's body takes (i, state)");
    using Next = tree::map_type<std::invoke_result_t<const B&, Tensor, State>>;
    static_assert(std::is_same_v<Next, State>,
                  "autovec: fori_loop's body returns the type of its state");
    Element element = promote(element_of(lo.type()), element_of(hi.type()));
    if (!is_int(element.dtype) || lo.rank() != 0 || hi.rank() != 0) {
      const Type types[2] = {lo.type(), hi.type()};
      fail<TypeError>("fori_loop",
                      "the bounds are no scalar integers: " + detail::types_text(types), where);
    }
    element.weak = false;
    const Tensor last = detail::with_element(hi, element, where);
    detail::Leaves init{detail::with_element(lo, element, where)};
    tree::flatten(prototype, init);
    const auto name = [&](std::size_t leaf) { return tree::path(prototype, leaf - 1); };
    const detail::Leaves out = detail::while_leaves(
        "fori_loop", init,
        [&](const detail::Leaves& in) {
          return detail::Leaves{less(Operand(in[0], where), Operand(last, where))};
        },
        [&](const detail::Leaves& in) {
          const State next = tree::as_argument(body(in[0], detail::tree_from(prototype, in, 1)));
          detail::Leaves leaves = detail::next_leaves("fori_loop", prototype, next, where);
          leaves.insert(leaves.begin(), add(Operand(in[0], where), Operand(1, where)));
          return leaves;
        },
        name, where);
    return detail::tree_from(prototype, out, 1);
  }
};
inline constexpr ForiFunction fori_loop;

namespace detail {
/// Runs the sides as functions of the same arguments; gives the first side's tree.
template <class... Sides, class... Args, std::size_t... I>
auto branch_trees(std::string_view op, const Tensor& index, const std::tuple<Sides...>& sides,
                  Where where, const std::tuple<Args...>& arguments, std::index_sequence<I...>) {
  using First = std::tuple_element_t<0, std::tuple<Sides...>>;
  static_assert((std::is_invocable_v<const Sides&, Args...> && ...),
                "autovec: each side of a branch takes the branch's arguments");
  using Result = tree::map_type<std::invoke_result_t<const First&, Args...>>;
  static_assert(
      (std::is_same_v<tree::map_type<std::invoke_result_t<const Sides&, Args...>>, Result> && ...),
      "autovec: the sides of a branch return the same type");
  std::optional<Result> prototype;
  const auto run = [&](const auto& side, const Leaves& in) {
    const Tensor* next = in.data();
    const auto args = tree::rebuild(arguments, next);
    Result result = tree::as_argument(std::apply(side, args));
    Leaves out = leaves_of(result);
    if (!prototype) {
      prototype.emplace(std::move(result));
    } else if (!same_form(*prototype, result)) {
      fail_form(op, "the sides return different", where);
    }
    return out;
  };
  const auto functions =
      std::tuple([&](const Leaves& in) { return run(std::get<I>(sides), in); }...);
  const LeafFunction list[] = {LeafFunction(std::get<I>(functions))...};
  const auto name = [&](std::size_t leaf) {
    return prototype ? tree::path(*prototype, leaf) : std::string();
  };
  const Leaves out = branch_leaves(op, index, leaves_of(arguments), list, name, where);
  return tree_from(*prototype, out);
}
}  // namespace detail

/// `then_fn(args...)` where `pred` holds, else `else_fn(args...)`; only the side taken is run,
/// under vmap each lane takes its own. Results meet at their promoted dtype. `pred`: a scalar.
struct CondFunction {
  template <class Then, class Else, class... Args>
  auto operator()(Operand pred, const Then& then_fn, const Else& else_fn, Args&&... args) const {
    if (pred.rank() != 0) {
      fail<ShapeError>("cond",
                       "the predicate has type " + type_text(pred.type()) + ", expected a scalar",
                       pred.where(), "use where(...) to choose element by element, or vmap");
    }
    const Tensor index = detail::with_element(pred, {DType::b8, false}, pred.where());
    const auto arguments =
        std::tuple<tree::map_type<Args>...>(tree::as_argument(std::forward<Args>(args))...);
    return detail::branch_trees("cond", index, std::tuple<Else, Then>(else_fn, then_fn),
                                pred.where(), arguments, std::make_index_sequence<2>());
  }
};
inline constexpr CondFunction cond;

/// Runs the function that `index` names, clamped into range; otherwise as cond.
struct SwitchFunction {
  template <class... Sides, class... Args>
  auto operator()(Operand index, const std::tuple<Sides...>& sides, Args&&... args) const {
    static_assert(sizeof...(Sides) > 0, "autovec: switch_case needs at least one function");
    if (index.rank() != 0 || !is_int(index.type().dtype)) {
      fail<TypeError>(
          "switch_case",
          "the index has type " + type_text(index.type()) + ", expected a scalar integer",
          index.where());
    }
    // Clamped before it is narrowed, so that a wide index can't wrap into range.
    const Where where = index.where();
    constexpr auto last = static_cast<std::int64_t>(sizeof...(Sides)) - 1;
    const Operand up(maximum(index, Operand(0, where)), where);
    const Tensor clamped = minimum(up, Operand(last, where));
    const Tensor narrow = detail::with_element(clamped, {DType::i32, false}, where);
    const auto arguments =
        std::tuple<tree::map_type<Args>...>(tree::as_argument(std::forward<Args>(args))...);
    return detail::branch_trees("switch_case", narrow, sides, where, arguments,
                                std::make_index_sequence<sizeof...(Sides)>());
  }
};
inline constexpr SwitchFunction switch_case;

/// `length`: number of trips where there is no sequence to tell; `reverse`: from the last slice to
/// the first.
struct ScanOptions {
  std::int64_t length = -1;
  bool reverse = false;
};

/// Carries `state` along the slices (axis 0) of the leaves of `xs`: body(state, x) returns
/// pair(state, y); gives pair(last state, the ys stacked along axis 0).
struct ScanFunction {
  template <class S, class Xs, class B>
  auto operator()(S&& state, Xs&& xs, const B& body, ScanOptions options = {},
                  Where where = Where::here()) const {
    const auto first = tree::as_argument(std::forward<S>(state));
    const auto sequence = tree::as_argument(std::forward<Xs>(xs));
    using State = std::remove_cvref_t<decltype(first)>;
    using Slice = std::remove_cvref_t<decltype(sequence)>;
    static_assert(std::is_invocable_v<const B&, State, Slice>,
                  "autovec: scan's body takes (state, slice)");
    using Returned = std::invoke_result_t<const B&, State, Slice>;
    using Next = tree::map_type<std::remove_cvref_t<decltype(std::declval<Returned>().first)>>;
    using Stacked = tree::map_type<std::remove_cvref_t<decltype(std::declval<Returned>().second)>>;
    static_assert(std::is_same_v<Next, State>,
                  "autovec: scan's body returns pair(the type of its state, anything)");
    const std::size_t count = tree::leaf_count(first);
    std::optional<Stacked> stacked;
    const detail::Leaves out = detail::scan_leaves(
        "scan", detail::leaves_of(first), detail::leaves_of(sequence), options.length,
        options.reverse,
        [&](const detail::Leaves& in) {
          auto result = body(detail::tree_from(first, in), detail::tree_from(sequence, in, count));
          const State next = tree::as_argument(std::move(result.first));
          detail::Leaves leaves = detail::next_leaves("scan", first, next, where);
          Stacked y = tree::as_argument(std::move(result.second));
          tree::flatten(y, leaves);
          stacked.emplace(std::move(y));
          return leaves;
        },
        detail::namer(first), where);
    return std::pair<State, Stacked>(detail::tree_from(first, out),
                                     detail::tree_from(*stacked, out, count));
  }
};
inline constexpr ScanFunction scan;

/// `f` of each slice along axis 0, one after the other; results stacked along axis 0.
struct MapFunctionSequential {
  template <class F, class Xs>
  auto operator()(const F& f, Xs&& xs, Where where = Where::here()) const {
    return scan(
               std::tuple<>(), std::forward<Xs>(xs),
               [&](std::tuple<> none, auto x) {
                 return std::pair(none, tree::as_argument(f(std::move(x))));
               },
               ScanOptions{}, where)
        .second;
  }
};
inline constexpr MapFunctionSequential map;

}  // namespace autovec::inline v1
