// Runs ops and graphs on data at once, through caches of what was planned before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autovec/exec/cpu/all-inl.hpp"
#include "autovec/exec/executor.hpp"
#include "autovec/exec/reference-inl.hpp"
#include "autovec/exec/run-inl.hpp"
#include "autovec/ir/builder.hpp"
#include "autovec/trace/trace.hpp"

namespace autovec::inline v1 {
namespace detail {

/// The reference executor goes node by node: it is what fusion is tested against.
inline PlanOptions plan_options(const Backend& backend) {
  PlanOptions options;
  options.fuse = &backend != &reference_backend();
  return options;
}

/// Whether the executable was planned for arrays laid out like these.
inline bool fits(const std::vector<Extents>& strides, std::span<const Array> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!(strides[i] == inputs[i].strides)) return false;
  }
  return true;
}

/// A graph planned for one backend, once for each layout of inputs that was seen.
class CompiledGraph final : public Compiled {
 public:
  CompiledGraph(Graph graph, const Backend& backend) : graph_(std::move(graph)), backend_(backend) {
    for (std::size_t i = 0; i < graph_.input_count(); ++i) {
      dense_strides_.push_back(row_major(graph_.input_type(i).shape));
    }
    dense_ = Executable::make(graph_, dense_strides_, backend_, plan_options(backend_));
    for (const Type& type : dense_.output_types()) output_types_.push_back(type);
  }
  std::vector<Array> run(std::span<const Array> inputs) const override {
    return executable_for(inputs).run(inputs);
  }
  void run_into(std::span<const Array> inputs, std::span<const Array> outputs) const override {
    executable_for(inputs).run_into(inputs, outputs);
  }
  const std::vector<Type>& output_types() const override { return output_types_; }
  std::string text() const override { return dense_.text(); }
  std::string explain() const override { return dense_.explain(); }
  Profile profile(std::span<const Array> inputs, int runs) const override {
    return executable_for(inputs).profile(inputs, runs);
  }
  const Graph& graph() const { return graph_; }
  const Backend& backend() const { return backend_; }
  /// The plan for inputs laid out like these.
  const Executable& executable_for(std::span<const Array> inputs) const {
    ensure(inputs.size() == dense_strides_.size(), "run: wrong number of inputs");
    if (fits(dense_strides_, inputs)) return dense_;
    const std::lock_guard lock(mutex_);
    for (const auto& other : others_) {
      if (fits(other->strides, inputs)) return other->executable;
    }
    auto fresh = std::make_unique<Strided>();
    for (const Array& a : inputs) fresh->strides.push_back(a.strides);
    fresh->executable = Executable::make(graph_, fresh->strides, backend_, plan_options(backend_));
    others_.push_back(std::move(fresh));
    return others_.back()->executable;
  }

 private:
  struct Strided {
    std::vector<Extents> strides;
    Executable executable;
  };
  Graph graph_;
  const Backend& backend_;
  std::vector<Extents> dense_strides_;
  std::vector<Type> output_types_;
  Executable dense_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Strided>> others_;
};

/// Compiled graphs by structure and backend.
class GraphCache {
 public:
  static GraphCache& instance() {
    static GraphCache* cache = new GraphCache;  // outlives static tensors
    return *cache;
  }

  std::shared_ptr<const CompiledGraph> find_or_make(const Graph& graph, const Backend& backend) {
    {
      const std::shared_lock lock(mutex_);
      if (auto found = find(graph, backend)) return found;
    }
    auto fresh = std::make_shared<const CompiledGraph>(graph, backend);
    const std::unique_lock lock(mutex_);
    if (auto found = find(graph, backend)) return found;
    if (entries_.size() >= most_entries) entries_.clear();
    entries_.emplace(graph->hash, fresh);
    return fresh;
  }

 private:
  // Extents are part of the key, so a program that never repeats a shape would fill the memory.
  static constexpr std::size_t most_entries = 4096;

  std::shared_ptr<const CompiledGraph> find(const Graph& graph, const Backend& backend) const {
    const auto [first, last] = entries_.equal_range(graph->hash);
    for (auto it = first; it != last; ++it) {
      if (&it->second->backend() == &backend && same_graph(it->second->graph(), graph))
        return it->second;
    }
    return nullptr;
  }

  std::shared_mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const CompiledGraph>> entries_;
};

/// Executables of single ops, found without building a graph.
class OpCache {
 public:
  static OpCache& instance() {
    static OpCache* cache = new OpCache;
    return *cache;
  }

  Executable find_or_make(const OpInfo& op, const Params& params, std::span<const Array> operands,
                          const Backend& backend, Where where) {
    Hasher h;
    h.add(op.name);
    params.hash(h);
    for (const Array& a : operands) {
      hash_type(h, a.type);
      for (const std::int64_t s : a.strides) h.add(static_cast<std::uint64_t>(s));
    }
    const std::uint64_t key = h.value();
    {
      const std::shared_lock lock(mutex_);
      if (const Executable* found = find(key, op, params, operands, backend)) return *found;
    }
    Entry entry{&op, params, {}, {}, &backend, {}};
    GraphBuilder builder;
    SmallVector<ValueId, 4> inputs;
    for (const Array& a : operands) {
      entry.types.push_back(a.type);
      entry.strides.push_back(a.strides);
      inputs.push_back(builder.add_input(a.type));
    }
    const std::vector<Type> results = op.infer(entry.types, params, where);
    for (const Type& type : results) check_size(op.name, type, where);
    const ValueId first = builder.add_node(op, params, std::move(inputs), results, where);
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < results.size(); ++i)
      outputs.push_back(first + static_cast<ValueId>(i));
    entry.executable = Executable::make(builder.finish(std::move(outputs)), entry.strides, backend,
                                        plan_options(backend));
    const std::unique_lock lock(mutex_);
    if (const Executable* found = find(key, op, params, operands, backend)) return *found;
    if (entries_.size() >= most_entries) entries_.clear();
    return entries_.emplace(key, std::move(entry))->second.executable;
  }

 private:
  struct Entry {
    const OpInfo* op;
    Params params;
    std::vector<Type> types;
    std::vector<Extents> strides;
    const Backend* backend;
    Executable executable;
  };
  static constexpr std::size_t most_entries = 4096;

  const Executable* find(std::uint64_t key, const OpInfo& op, const Params& params,
                         std::span<const Array> operands, const Backend& backend) const {
    const auto [first, last] = entries_.equal_range(key);
    for (auto it = first; it != last; ++it) {
      const Entry& e = it->second;
      bool same = e.backend == &backend && same_op(e.op, &op) && e.types.size() == operands.size();
      for (std::size_t i = 0; same && i < operands.size(); ++i) {
        same = e.types[i] == operands[i].type && e.strides[i] == operands[i].strides;
      }
      if (same && (params.empty() ? e.params.empty() : e.params == params)) return &e.executable;
    }
    return nullptr;
  }

  std::shared_mutex mutex_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
};

}  // namespace detail

template <class Unused>
std::vector<Array> Eager<Unused>::apply(const OpInfo& op, const Params& params,
                                        std::span<const Array> operands, Where where) {
  if (op.kind == Kind::view) {  // no data moves
    const std::vector<Type> types{operands[0].type};
    const Type result = op.infer(types, params, where)[0];
    check_size(op.name, result, where);
    Layout to;
    Array x = operands[0];
    if (!op.layout(x.type, {0, x.strides}, result, params, to)) {
      x = to_contiguous(x);
      ensure(op.layout(x.type, {0, x.strides}, result, params, to),
             "a view of contiguous elements");
    }
    x.data += to.offset * static_cast<std::int64_t>(size_of(x.type.dtype));
    return {Array{result, x.storage, x.data, to.strides}};
  }
  return detail::OpCache::instance()
      .find_or_make(op, params, operands, backend_of(executor()), where)
      .run(operands);
}

template <class Unused>
std::shared_ptr<const Compiled> Eager<Unused>::compile(const Graph& graph) {
  return detail::GraphCache::instance().find_or_make(graph, backend_of(executor()));
}

template <class Unused>
std::vector<Array> Eager<Unused>::run(const Graph& graph, std::span<const Array> inputs) {
  return compile(graph)->run(inputs);
}

}  // namespace autovec::inline v1
