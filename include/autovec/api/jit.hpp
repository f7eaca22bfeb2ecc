// jit: traces a function once for each signature, then only runs the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autovec/exec/executor.hpp"
#include "autovec/ops/control_flow.hpp"
#include "autovec/trace/tree_key.hpp"

namespace autovec::inline v1 {

/// `freeze_captures`: data that the function captured is taken as it is at the first call;
/// otherwise a function that captures data is traced again at each call, and stays right when it
/// changes.
struct JitOptions {
  bool freeze_captures = false;
};

namespace detail {

/// Buffers of one call, kept between calls so that a warm call allocates none.
struct CallFrame {
  Leaves leaves;
  std::vector<Array> inputs;
  std::vector<Array> outputs;
};

/// Frames that no call is using.
class FramePool {
 public:
  std::unique_ptr<CallFrame> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<CallFrame>();
    std::unique_ptr<CallFrame> frame = std::move(free_.back());
    free_.pop_back();
    return frame;
  }
  void give(std::unique_ptr<CallFrame> frame) {
    frame->leaves.clear();
    frame->inputs.clear();
    frame->outputs.clear();
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(frame));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<CallFrame>> free_;
};

/// Holds a frame for one call.
class FrameLease {
 public:
  explicit FrameLease(FramePool& pool) : pool_(pool), frame_(pool.take()) {}
  FrameLease(const FrameLease&) = delete;
  FrameLease& operator=(const FrameLease&) = delete;
  ~FrameLease() { pool_.give(std::move(frame_)); }
  CallFrame* operator->() const { return frame_.get(); }

 private:
  FramePool& pool_;
  std::unique_ptr<CallFrame> frame_;
};

/// One signature of a jitted function: what tracing gave.
struct JitEntry {
  virtual ~JitEntry() = default;
  std::shared_ptr<const Compiled> compiled;
  std::vector<Array> captures;
};
template <class Result>
struct TypedJitEntry : JitEntry {
  std::optional<Result> prototype;
};

/// Entries by signature; shared by the copies of a jitted function.
struct JitCache {
  std::shared_mutex mutex;
  std::unordered_map<tree::Key, std::shared_ptr<const JitEntry>, tree::KeyHash> entries;
  FramePool frames;
};

inline void append_type(const Type& type, tree::Key& key) {
  key.add(static_cast<std::uint64_t>(type.dtype) * 2 + (type.weak ? 1 : 0) + type.rank() * 64);
  for (const std::int64_t extent : type.shape) key.add(static_cast<std::uint64_t>(extent));
}

/// Throws TraceError for a leaf that is not data although no trace is open.
inline void append_inputs(const Leaves& leaves, std::vector<Array>& inputs, Where where) {
  for (const Tensor& x : leaves) inputs.push_back(x.array("jit", where));
}

}  // namespace detail

/// What jit returns. Calls from several threads at once are fine. Inside a trace it is just `F`.
template <class F>
class Jitted {
 public:
  Jitted(F f, JitOptions options, Where where)
      : f_(std::move(f)),
        options_(options),
        where_(where),
        cache_(std::make_shared<detail::JitCache>()) {}

  template <class... Args>
  auto operator()(Args&&... args) const {
    tree::require_callable<F, Args...>();
    const auto arguments = tree::arguments<F>(std::forward<Args>(args)...);
    using Result = ResultOf<decltype(arguments)>;
    if (Trace::current() != nullptr) return Result(tree::as_argument(std::apply(f_, arguments)));
    detail::FrameLease frame(cache_->frames);
    const auto entry = prepare<Result>(arguments, *frame.operator->());
    Leaves results;
    for (Array& a : entry->compiled->run(frame->inputs)) results.push_back(Tensor(std::move(a)));
    return detail::tree_from(*entry->prototype, results);
  }

  /// As a call, but the results go into the tensors of `result`, whose memory is written where no
  /// other handle shares it; a warm call then allocates nothing. `result` has the type and shapes
  /// of the call's result; a leaf of another type, or with shared memory, gets fresh memory.
  template <class R, class... Args>
  void call_into(R& result, Args&&... args) const {
    tree::require_callable<F, Args...>();
    if (Trace::current() != nullptr) {
      fail<TraceError>("call_into", "there is no memory to write while a function is traced",
                       where_, "call the function and use its result");
    }
    const auto arguments = tree::arguments<F>(std::forward<Args>(args)...);
    using Result = ResultOf<decltype(arguments)>;
    static_assert(std::is_same_v<R, Result>, "autovec: call_into takes the function's result type");
    detail::FrameLease frame(cache_->frames);
    const auto entry = prepare<Result>(arguments, *frame.operator->());
    frame->leaves.clear();
    tree::flatten(result, frame->leaves);
    const bool same_form = frame->leaves.size() == tree::leaf_count(*entry->prototype);
    bool in_place = same_form;
    const std::vector<Type>& types = entry->compiled->output_types();
    for (std::size_t i = 0; in_place && i < types.size(); ++i) {
      const Tensor& x = frame->leaves[i];
      in_place = !x.is_empty() && !x.is_traced() && !x.is_number() && x.type() == types[i] &&
                 x.state().array.is_contiguous() && x.state().array.storage.unique() &&
                 x.shared_state().use_count() == 2;  // the result's and the frame's
      if (in_place) frame->outputs.push_back(x.state().array);
    }
    if (!in_place) {
      detail::Leaves fresh;
      for (Array& a : entry->compiled->run(frame->inputs)) fresh.push_back(Tensor(std::move(a)));
      result = detail::tree_from(*entry->prototype, fresh);
      return;
    }
    entry->compiled->run_into(frame->inputs, frame->outputs);
  }

  const F& function() const { return f_; }

 private:
  using Leaves = detail::Leaves;
  template <class Arguments>
  using ResultOf =
      tree::map_type<decltype(std::apply(std::declval<const F&>(), std::declval<Arguments>()))>;

  /// Fills the frame's inputs and gives the entry, tracing where there is none yet.
  template <class Result, class Arguments>
  std::shared_ptr<const detail::TypedJitEntry<Result>> prepare(const Arguments& arguments,
                                                               detail::CallFrame& frame) const {
    using Entry = detail::TypedJitEntry<Result>;
    tree::flatten(arguments, frame.leaves);
    tree::Key key;
    key.add(static_cast<std::uint64_t>(executor()) * 2 + (default_float() == DType::f64 ? 1 : 0));
    key.add_type<Arguments>();
    tree::append_key(arguments, key);
    for (const Tensor& x : frame.leaves) {
      detail::check_alive("jit", x, where_);
      detail::append_type(x.type(), key);
    }
    std::shared_ptr<const detail::JitEntry> entry;
    {
      const std::shared_lock lock(cache_->mutex);
      const auto found = cache_->entries.find(key);
      if (found != cache_->entries.end()) entry = found->second;
    }
    detail::append_inputs(frame.leaves, frame.inputs, where_);
    if (entry == nullptr) {
      // A throw leaves the cache as it was, so a failed trace poisons nothing.
      auto fresh = std::make_shared<Entry>();
      TracedGraph traced = detail::trace_leaves(
          detail::types_of(frame.leaves),
          [&](const Leaves& in) {
            fresh->prototype.emplace(
                tree::as_argument(std::apply(f_, detail::tree_from(arguments, in))));
            return detail::leaves_of(*fresh->prototype);
          },
          where_);
      fresh->compiled = Eager<>::compile(traced.graph);
      detail::append_inputs(traced.captures, fresh->captures, where_);
      // The prototype keeps its form only: its leaves belong to a trace that has ended.
      const Leaves hollow(tree::leaf_count(*fresh->prototype));
      const Tensor* next = hollow.data();
      tree::assign(*fresh->prototype, next);
      if (fresh->captures.empty() || options_.freeze_captures) {
        const std::unique_lock lock(cache_->mutex);
        cache_->entries.insert_or_assign(key, fresh);
      }
      entry = std::move(fresh);
    }
    for (const Array& a : entry->captures) frame.inputs.push_back(a);
    return std::static_pointer_cast<const Entry>(std::move(entry));
  }

  F f_;
  JitOptions options_;
  Where where_;
  std::shared_ptr<detail::JitCache> cache_;
};

/// Compiles on the first call of each signature: form of the arguments, dtypes, weakness, extents,
/// static fields. C++ numbers that `f` captured are constants of the trace; captured tensors are
/// followed (see JitOptions).
struct JitFunction {
  template <class F>
  auto operator()(F f, Where where = Where::here()) const {
    return Jitted<F>(std::move(f), {}, where);
  }
  template <class F>
  auto operator()(F f, JitOptions options, Where where = Where::here()) const {
    return Jitted<F>(std::move(f), options, where);
  }
};
inline constexpr JitFunction jit;

}  // namespace autovec::inline v1
