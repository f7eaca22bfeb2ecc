// vmap on leaves: counts the lanes, traces one, walks its graph, places the results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autovec/api/vmap.hpp"
#include "autovec/ops/arrange-inl.hpp"
#include "autovec/ops/control_flow-inl.hpp"
#include "autovec/transform/vmap.hpp"

namespace autovec::inline v1 {

namespace detail {

/// Number of lanes, from the mapped leaves and the options. Axes come wrapped into range.
inline std::int64_t count_lanes(const Leaves& leaves, LeafAxes& axes, LeafName name,
                                const VmapOptions& options, Where where) {
  std::int64_t lanes = options.axis_size;
  if (lanes < -1) fail<ShapeError>("vmap", "a negative axis_size", where);
  std::string first = "axis_size";
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    check_alive("vmap", leaves[i], where);
    if (!axes[i]) continue;
    const Type type = leaves[i].type();
    const std::int64_t rank = static_cast<std::int64_t>(type.rank());
    std::string what = name(i);
    what += " axis ";
    what += number_text(*axes[i]);
    if (*axes[i] < -rank || *axes[i] >= rank) {
      what += " is out of range for ";
      what += type_text(type);
      fail<ShapeError>("vmap", what, where,
                       rank == 0 ? "give av::shared for what all lanes see whole" : "");
    }
    axes[i] = *axes[i] < 0 ? *axes[i] + rank : *axes[i];
    const std::int64_t extent = type.shape[static_cast<std::size_t>(*axes[i])];
    what += " has size ";
    what += number_text(extent);
    if (lanes < 0) {
      lanes = extent;
      first = what;
    } else if (lanes != extent) {
      std::string text("the mapped axes differ: ");
      text += first == "axis_size" ? "axis_size is " + number_text(lanes) : first;
      text += ", ";
      text += what;
      fail<ShapeError>("vmap", text, where);
    }
  }
  if (lanes < 0) {
    fail<ShapeError>("vmap", "no argument is mapped and no axis_size is given", where,
                     "VmapOptions{.axis_size = n}");
  }
  return lanes;
}

/// Places a result's lane axis where `axis` says; none: the result must be the same for all lanes.
inline Tensor place_result(const Batched& result, std::optional<std::int64_t> axis,
                           std::int64_t lanes, std::size_t position, Where where) {
  const std::string name = "result " + number_text(position);
  if (!axis) {
    if (result.mapped) {
      fail<ShapeError>("vmap", name + " differs from lane to lane, but its out axis is shared",
                       where);
    }
    return result.value;
  }
  const auto rank = static_cast<std::int64_t>(result.lane_rank()) + 1;
  if (*axis < -rank || *axis >= rank) {
    fail<ShapeError>(
        "vmap",
        name + " axis " + number_text(*axis) + " is out of range for rank " + number_text(rank),
        where);
  }
  const Tensor mapped = ops::detail::to_mapped(result, lanes, where);
  return moveaxis(Operand(mapped, where), 0, *axis);
}

/// vmap on leaves. Inside a trace what it emits goes there, outside it is planned as one graph.
AUTOVEC_API Leaves vmap_leaves(const Leaves& arguments, LeafAxes axes, LeafName name,
                               LeafFunction f, FunctionRef<LeafAxes()> out_axes,
                               const VmapOptions& options, Where where) {
  const std::int64_t lanes = count_lanes(arguments, axes, name, options, where);
  if (options.chunk < 0) fail<ShapeError>("vmap", "a negative chunk", where);
  const bool chunked = options.chunk > 0 && options.chunk < lanes;
  if (chunked && !options.axis_name.empty()) {
    fail<Unsupported>("vmap", "lanes that are computed in chunks can't talk: axis_name with chunk",
                      where);
  }
  return staged(arguments, [&](std::span<const Tensor> handles) {
    std::vector<Batched> inputs;
    std::vector<Type> lane_types;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      Tensor x = handles[i];
      if (axes[i]) x = moveaxis(Operand(x, where), *axes[i], 0);
      Type type = x.type();
      if (axes[i]) type.shape.erase(0);
      lane_types.push_back(type);
      inputs.push_back({x, axes[i].has_value()});
    }
    TracedGraph traced = [&] {
      Trace trace;
      trace.name_axis(options.axis_name, lanes);
      Leaves in;
      for (const Type& type : lane_types) in.push_back(trace.add_argument(type));
      return trace.finish(f(in), where);
    }();
    for (Tensor& x : traced.captures) inputs.push_back({std::move(x), false});

    std::vector<Batched> results;
    if (!chunked) {
      results = VmapWalk(lanes, options.axis_name).run(traced.graph, std::move(inputs));
    } else {
      // Whole chunks by a scan, what is left by itself.
      const std::int64_t c = options.chunk;
      const std::int64_t trips = lanes / c;
      const auto take_lanes = [&](std::int64_t first, std::int64_t count) {
        Leaves out;
        for (const Batched& x : inputs) {
          if (x.mapped) out.push_back(slice_axis(x.value, 0, first, count, where));
        }
        return out;
      };
      std::vector<bool> result_mapped;
      const auto run_chunk = [&](const Leaves& mapped, std::int64_t count) {
        std::vector<Batched> in = inputs;
        std::size_t next = 0;
        for (Batched& x : in) {
          if (x.mapped) x.value = mapped[next++];
        }
        std::vector<Batched> out =
            VmapWalk(count, options.axis_name).run(traced.graph, std::move(in));
        Leaves values;
        result_mapped.clear();
        for (const Batched& y : out) {
          values.push_back(y.value);
          result_mapped.push_back(y.mapped);
        }
        return values;
      };
      Leaves sequences;
      for (const Tensor& x : take_lanes(0, trips * c)) {
        Extents shape = x.shape();
        shape[0] = c;
        shape.insert(0, trips);
        sequences.push_back(reshape(Operand(x, where), shape));
      }
      const Leaves stacked = scan_leaves(
          "vmap", {}, sequences, trips, false, [&](const Leaves& in) { return run_chunk(in, c); },
          [](std::size_t) { return std::string(); }, where);
      const std::int64_t left = lanes - trips * c;
      const Leaves rest = left > 0 ? run_chunk(take_lanes(trips * c, left), left) : Leaves{};
      for (std::size_t j = 0; j < stacked.size(); ++j) {
        if (!result_mapped[j]) {
          results.push_back({slice_axis(stacked[j], 0, 0, 1, where), false});
          results.back().value = squeeze(Operand(results.back().value, where), 0);
          continue;
        }
        Extents shape = stacked[j].shape();
        shape.erase(0);
        shape[0] = trips * c;
        Tensor all_lanes = reshape(Operand(stacked[j], where), shape);
        if (left > 0) all_lanes = concatenate({all_lanes, rest[j]}, 0);
        results.push_back({all_lanes, true});
      }
    }
    const LeafAxes placed = out_axes();
    Leaves out;
    for (std::size_t j = 0; j < results.size(); ++j) {
      out.push_back(place_result(results[j], placed[j], lanes, j, where));
    }
    return out;
  });
}

AUTOVEC_API Leaves staged_leaves(const Leaves& arguments, LeafFunction body) {
  return staged(arguments, [&](std::span<const Tensor> handles) {
    return body(Leaves(handles.begin(), handles.end()));
  });
}

}  // namespace detail
}  // namespace autovec::inline v1
