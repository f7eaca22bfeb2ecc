// Parameters of the kinds whose meaning the planner and the executors must know.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autovec/ir/graph.hpp"
#include "autovec/ir/params.hpp"

namespace autovec::inline v1 {

/// reduce: combines along `axes` (ascending, in range), which the result lacks.
struct ReduceParams {
  Extents axes;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("axes", self.axes);
  }
};

/// contract: an einsum of two operands, one label (a letter) an axis, no label twice in one
/// operand. A label that is not in `out` is summed over.
struct ContractParams {
  std::string a, b, out;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("a", self.a);
    f("b", self.b);
    f("out", self.out);
  }
};

/// gather(x, starts): reads windows of x at computed places.
///
/// The first `batch` axes of x and of starts correspond, as do those of the result. `starts` is an
/// integer tensor [batch..., index..., k]; its last axis holds one start for each of the k entries
/// of `axes` (axes of x behind the batch ones, ascending). `sizes` has the window's extent for each
/// axis of x behind the batch ones, in order: the full extent where the axis is not in `axes`.
/// `collapsed` lists the axes of x (ascending) that have window extent 1 and are left out of the
/// result. Result: [batch..., index..., window extents that are not collapsed...].
/// A start s along extent n: if s < 0, n is added; then s is clamped to [0, n - size].
struct GatherParams {
  std::int64_t batch = 0;
  Extents axes;
  Extents sizes;
  Extents collapsed;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("batch", self.batch);
    f("axes", self.axes);
    f("sizes", self.sizes);
    f("collapsed", self.collapsed);
  }
};

/// scatter(x, starts, updates): x with windows overwritten or combined, in row-major order of
/// [batch..., index...], so that the last of several writers of one element wins under `set`.
///
/// `updates` has the type that gather(x, starts) with the same numbers would have. With `clamp`
/// starts are treated as gather does; without, after wrapping negative ones, a window that does not
/// lie in x as a whole is dropped. With `masked` there is a fourth operand, b8
/// [batch..., index...]: false drops the window.
struct ScatterParams {
  std::int64_t batch = 0;
  Extents axes;
  Extents sizes;
  Extents collapsed;
  std::string mode = "set";  // set, add, mul, min, max
  bool clamp = false;
  bool masked = false;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("batch", self.batch);
    f("axes", self.axes);
    f("sizes", self.sizes);
    f("collapsed", self.collapsed);
    f("mode", self.mode);
    f("clamp", self.clamp);
    f("masked", self.masked);
  }
};

// Lane axes. The predicate of a branch or loop has shape L, the lane axes of the op: each lane
// takes its own side, or runs its own number of trips and is then frozen. L = [] is a plain branch
// or loop. An extent of 1 in L stands for an axis along which the predicate is shared.
//
// A value that the op carries or gives has lane axes in front: all of L, or a subset. Bit i of its
// `present` mask tells whether it has lane axis i; present axes stand in order in front of its own
// shape S. Where L has extent n > 1 a present axis has extent n; where L has 1 it may have any.
// The *full* type of a value adds the missing axes with L's extents:
//   full shape = [present(i) ? its extent : L[i] for i in L] ++ S.

/// branch(index, operands...): runs `sides[index]` (clamped into range) on the operands.
///
/// `index` is i32 (or b8 for two sides: false takes sides[0], true takes sides[1]) of shape L. All
/// sides take the operands as inputs and give results of the same full types; `present[s * r + j]`
/// is the mask of result j (of r) of side s. Result j of the node has the full type. A side that no
/// lane takes is not run; what a lane does not take can change nothing.
struct BranchParams {
  std::vector<Graph> sides;
  Extents present;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("present", self.present);
    f("sides", self.sides);
  }
};

/// loop(condition captures..., body captures..., carries...): while the condition holds.
///
/// condition(condition captures..., carries...) gives b8 of shape L. body(body captures...,
/// [alive], carries...) gives the next carries, with the types of the carries. `alive` (b8 of shape
/// L), the lanes that run this trip, is there if `masked`. The body runs while any lane is alive.
/// Result j has the full type of carry j: per lane, its value when the lane's condition first
/// failed. A carry that lacks a lane axis along which L > 1 is *uniform* along it: what it is
/// updated with does not vary along that axis, so it runs on unblended, and only its result is
/// frozen per lane.
struct LoopParams {
  std::int64_t condition_captures = 0;
  std::int64_t body_captures = 0;
  bool masked = false;
  Extents present;  // for each carry
  Graph condition, body;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("condition_captures", self.condition_captures);
    f("body_captures", self.body_captures);
    f("masked", self.masked);
    f("present", self.present);
    f("condition", self.condition);
    f("body", self.body);
  }
};

/// scan(captures..., carries..., sequences...): a counted loop over slices.
///
/// body(captures..., carries..., slices...) gives the next carries, then one slice for each stacked
/// result. Sequence i is sliced along axis `in_axes[i]`, stacked result j gains axis `out_axes[j]`.
/// Node results: the last carries, then the stacked results. `reverse` runs from the last slice to
/// the first (slice t of a stacked result still comes from slice t of the sequences).
struct ScanParams {
  std::int64_t length = 0;
  std::int64_t captures = 0;
  std::int64_t carries = 0;
  bool reverse = false;
  Extents in_axes;
  Extents out_axes;
  Graph body;
  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("length", self.length);
    f("captures", self.captures);
    f("carries", self.carries);
    f("reverse", self.reverse);
    f("in_axes", self.in_axes);
    f("out_axes", self.out_axes);
    f("body", self.body);
  }
};

}  // namespace autovec::inline v1
