// vmap, pfor, vectorized_map: the transform as users call it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/ops/control_flow.hpp"
#include "autovec/ops/create.hpp"
#include "autovec/trace/axes.hpp"

namespace autovec::inline v1 {

/// `axis_size`: number of lanes where no argument tells; `axis_name`: lets lanes talk (psum ...);
/// `chunk`: lanes that are computed at a time, in sequence, to bound memory (0: all at once).
struct VmapOptions {
  std::int64_t axis_size = -1;
  std::string axis_name = {};
  std::int64_t chunk = 0;
};

namespace detail {

/// vmap on leaves. Inside a trace what it emits goes there, outside it is planned as one graph.
Leaves vmap_leaves(const Leaves& arguments, LeafAxes axes, LeafName name, LeafFunction f,
                   FunctionRef<LeafAxes()> out_axes, const VmapOptions& options, Where where);

/// Runs `body` on handles of the arguments and executes what it recorded as one graph; inside an
/// open trace it just runs `body`.
Leaves staged_leaves(const Leaves& arguments, LeafFunction body);

/// `argument 1`, `argument 0 W1`: the argument and, in a struct, the field of a leaf.
template <class... Args>
std::string argument_leaf(const std::tuple<Args...>& arguments, std::size_t leaf) {
  std::string out;
  std::size_t position = 0;
  std::apply(
      [&](const auto&... each) {
        (
            [&](const auto& x) {
              const std::size_t count = tree::leaf_count(x);
              if (out.empty() && leaf < count) {
                out = "argument " + number_text(position);
                const std::string path = tree::path(x, leaf);
                if (!path.empty()) out += " " + path;
              }
              leaf -= out.empty() ? count : 0;
              ++position;
            }(each),
            ...);
      },
      arguments);
  return out;
}

}  // namespace detail

/// What vmap returns: a callable that runs `F` once for each lane, in vector form.
template <class F, class In, class Out>
class Vmapped {
 public:
  Vmapped(F f, In in, Out out, VmapOptions options, Where where)
      : f_(std::move(f)),
        in_(std::move(in)),
        out_(std::move(out)),
        options_(std::move(options)),
        where_(where) {}

  template <class... Args>
  auto operator()(Args&&... args) const {
    tree::require_callable<F, Args...>();
    const auto arguments = tree::arguments<F>(std::forward<Args>(args)...);
    detail::Leaves leaves;
    tree::flatten(arguments, leaves);
    LeafAxes axes;
    in_.expand(arguments, axes);
    using Result = tree::map_type<decltype(std::apply(f_, arguments))>;
    std::optional<Result> prototype;
    const detail::Leaves out = detail::vmap_leaves(
        leaves, std::move(axes),
        [&](std::size_t leaf) { return detail::argument_leaf(arguments, leaf); },
        [&](const detail::Leaves& in) {
          prototype.emplace(tree::as_argument(std::apply(f_, detail::tree_from(arguments, in))));
          return detail::leaves_of(*prototype);
        },
        [&] {
          LeafAxes placed;
          out_.expand(*prototype, placed);
          return placed;
        },
        options_, where_);
    return detail::tree_from(*prototype, out);
  }

 private:
  F f_;
  In in_;
  Out out_;
  VmapOptions options_;
  Where where_;
};

/// Vectorizes a function of one example. By default axis 0 of every argument and result runs along
/// the lanes; `in(...)` and `out(...)` say otherwise (see trace/axes.hpp). Calling the result
/// throws ShapeError where mapped extents differ.
struct VmapFunction {
  template <class F>
  auto operator()(F f, Where where = Where::here()) const {
    return (*this)(std::move(f), in(), out(), VmapOptions{}, where);
  }
  template <class F, class... I>
  auto operator()(F f, InAxes<I...> in_axes, Where where = Where::here()) const {
    return (*this)(std::move(f), std::move(in_axes), out(), VmapOptions{}, where);
  }
  template <class F, class... I, class... O>
  auto operator()(F f, InAxes<I...> in_axes, OutAxes<O...> out_axes, VmapOptions options = {},
                  Where where = Where::here()) const {
    return Vmapped<F, InAxes<I...>, OutAxes<O...>>(std::move(f), std::move(in_axes),
                                                   std::move(out_axes), std::move(options), where);
  }
};
inline constexpr VmapFunction vmap;

/// The results of `f(i)` for i = 0 ... n - 1 (i32), stacked along axis 0 and computed together.
struct PforFunction {
  template <class F>
  auto operator()(std::int64_t n, const F& f, Where where = Where::here()) const {
    if (n < 0) fail<ShapeError>("pfor", "a negative number of trips", where);
    const auto call = [&f](Tensor i) { return f(std::move(i)); };
    const auto run = [&](Tensor lanes) { return vmap(call, where)(std::move(lanes)); };
    if (Trace::current() != nullptr) return run(iota(n, DType::i32, where));
    // The index is made inside the trace, so that `take(xs, i)` is seen to be `xs`.
    using Result = tree::map_type<decltype(f(std::declval<Tensor>()))>;
    std::optional<Result> prototype;
    const detail::Leaves out = detail::staged_leaves({}, [&](const detail::Leaves&) {
      prototype.emplace(run(iota(n, DType::i32, where)));
      return detail::leaves_of(*prototype);
    });
    return detail::tree_from(*prototype, out);
  }
};
inline constexpr PforFunction pfor;

/// `f` of each slice along axis 0 of the leaves of `xs`, computed together: `vmap(f)(xs)`.
struct VectorizedMapFunction {
  template <class F, class Xs>
  auto operator()(const F& f, Xs&& xs, Where where = Where::here()) const {
    return vmap([&f](auto x) { return f(std::move(x)); }, where)(std::forward<Xs>(xs));
  }
};
inline constexpr VectorizedMapFunction vectorized_map;

}  // namespace autovec::inline v1
