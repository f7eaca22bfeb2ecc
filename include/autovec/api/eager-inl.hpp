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

#include "autovec/exec/executor.hpp"
#include "autovec/exec/reference-inl.hpp"
#include "autovec/exec/run-inl.hpp"
#include "autovec/ir/builder.hpp"
#include "autovec/trace/trace.hpp"

namespace autovec::inline v1 {
namespace detail {

/// Executables by structure: of the graph, of its inputs' strides, of the backend.
class ExecutableCache {
 public:
  static ExecutableCache& instance() {
    static ExecutableCache* cache = new ExecutableCache;  // outlives static tensors
    return *cache;
  }

  Executable find_or_make(const Graph& graph, std::span<const Array> inputs, const Backend& backend) {
    Hasher h;
    h.add(graph->hash);
    for (const Array& a : inputs) {
      for (const std::int64_t s : a.strides) h.add(static_cast<std::uint64_t>(s));
    }
    const std::uint64_t key = h.value();
    {
      const std::shared_lock lock(mutex_);
      if (const Executable* found = find(key, graph, inputs, backend)) return *found;
    }
    std::vector<Extents> strides;
    for (const Array& a : inputs) strides.push_back(a.strides);
    Executable fresh = Executable::make(graph, strides, backend);
    const std::unique_lock lock(mutex_);
    if (const Executable* found = find(key, graph, inputs, backend)) return *found;
    if (entries_.size() >= most_entries) entries_.clear();
    entries_.emplace(key, Entry{graph, std::move(strides), &backend, fresh});
    return fresh;
  }

 private:
  struct Entry {
    Graph graph;
    std::vector<Extents> strides;
    const Backend* backend;
    Executable executable;
  };
  // Extents are part of the key, so a program that never repeats a shape would fill the memory.
  static constexpr std::size_t most_entries = 4096;

  const Executable* find(std::uint64_t key, const Graph& graph, std::span<const Array> inputs,
                         const Backend& backend) const {
    const auto [first, last] = entries_.equal_range(key);
    for (auto it = first; it != last; ++it) {
      const Entry& e = it->second;
      bool same = e.backend == &backend && e.strides.size() == inputs.size();
      for (std::size_t i = 0; same && i < inputs.size(); ++i) same = e.strides[i] == inputs[i].strides;
      if (same && same_graph(e.graph, graph)) return &e.executable;
    }
    return nullptr;
  }

  std::shared_mutex mutex_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
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
    const ValueId first = builder.add_node(op, params, std::move(inputs), results, where);
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < results.size(); ++i) outputs.push_back(first + static_cast<ValueId>(i));
    entry.executable = Executable::make(builder.finish(std::move(outputs)), entry.strides, backend);
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
    Layout to;
    Array x = operands[0];
    if (!op.layout(x.type, {0, x.strides}, result, params, to)) {
      x = to_contiguous(x);
      ensure(op.layout(x.type, {0, x.strides}, result, params, to), "a view of contiguous elements");
    }
    x.data += to.offset * static_cast<std::int64_t>(size_of(x.type.dtype));
    return {Array{result, x.storage, x.data, to.strides}};
  }
  return detail::OpCache::instance()
      .find_or_make(op, params, operands, current_backend(), where)
      .run(operands);
}

template <class Unused>
std::vector<Array> Eager<Unused>::run(const Graph& graph, std::span<const Array> inputs) {
  return detail::ExecutableCache::instance()
      .find_or_make(graph, inputs, current_backend())
      .run(inputs);
}

}  // namespace autovec::inline v1
