// Shapes and graphs of control flow with predicates per lane: present axes, frozen carries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "autovec/ir/builder.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/plan/affine.hpp"
#include "autovec/plan/rewrite.hpp"
#include "autovec/plan/rows.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Number of lanes of a predicate of shape `lanes`.
inline std::int64_t lane_count(const Extents& lanes) {
  return extent_product(lanes, 0, lanes.size());
}

inline bool has_axis(std::int64_t present, std::size_t axis) { return (present >> axis & 1) != 0; }

/// The full type of a value of type `own` (see kinds.hpp).
inline Type full_type(const Type& own, const Extents& lanes, std::int64_t present) {
  Extents shape;
  std::size_t next = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    shape.push_back(has_axis(present, i) ? own.shape[next++] : lanes[i]);
  }
  for (; next < own.rank(); ++next) shape.push_back(own.shape[next]);
  return own.with_shape(std::move(shape));
}

/// Whether the value lacks a lane axis along which lanes differ: it runs on unblended.
inline bool is_uniform(const Extents& lanes, std::int64_t present) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] != 1 && !has_axis(present, i)) return true;
  }
  return false;
}

/// Coordinates of a value with these present axes, from coordinates `full` of its full type.
inline AffineMap present_rows(const AffineMap& full, std::size_t lane_rank, std::int64_t present) {
  AffineMap out = full.without_rows();
  for (std::size_t r = 0; r < full.rows(); ++r) {
    if (r >= lane_rank || has_axis(present, r)) out.add_row(full, r);
  }
  return out;
}

/// Coordinates of the predicate, from coordinates of a full type.
inline AffineMap lane_rows(const AffineMap& full, const Extents& lanes) {
  AffineMap out = full.without_rows();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] == 1) {
      out.add_constant_row(0);
    } else {
      out.add_row(full, i);
    }
  }
  return out;
}

/// The body of a loop over `lanes` with the freeze made explicit: dead lanes keep their carries.
///
/// Inputs: the captures, alive (b8 of shape `lanes`), the carries, then, where `tests`, the
/// captures of the condition, which the new carries are tested with at once; the last output is
/// then whether it holds. A carry that was made by indexed updates of its old value is frozen by
/// masking the updates, so that it can change in place: freeze(m, scatter(x, i, v), x) ->
/// scatter(x, i, v, where m).
class FrozenBody {
 public:
  FrozenBody(const LoopParams& p, const Extents& lanes, bool tests)
      : body_(p.body), lanes_(lanes), copy_(builder_, body_) {
    const auto captures = static_cast<std::size_t>(p.body_captures);
    for (std::size_t i = 0; i < captures; ++i) add_input(i);
    alive_ = builder_.add_input(Type{DType::b8, false, lanes});
    if (p.masked) copy_.bind(body_->inputs[captures], alive_);
    first_carry_ = captures + (p.masked ? 1 : 0);
    for (std::size_t i = first_carry_; i < body_.input_count(); ++i) add_input(i);
    for (const Node& node : body_->nodes) copy_.copy_node(node);
    const bool blends = lane_count(lanes) != 1;
    std::vector<ValueId> outputs;
    for (std::size_t j = 0; j < body_.output_count(); ++j) {
      present_ = p.present[j];
      old_ = body_->inputs[first_carry_ + j];
      const bool frozen = blends && !is_uniform(lanes, present_);
      outputs.push_back(frozen ? freeze(body_->outputs[j]) : copy_[body_->outputs[j]]);
    }
    if (tests) outputs.push_back(test(p, outputs));
    result_ = builder_.finish(std::move(outputs));
  }
  const Graph& graph() const { return result_; }

 private:
  void add_input(std::size_t i) {
    copy_.bind(body_->inputs[i], builder_.add_input(body_.input_type(i)));
  }

  /// The condition on the new carries.
  ValueId test(const LoopParams& p, const std::vector<ValueId>& carries) {
    GraphCopy copy(builder_, p.condition);
    const auto captures = static_cast<std::size_t>(p.condition_captures);
    for (std::size_t i = 0; i < p.condition.input_count(); ++i) {
      copy.bind(p.condition->inputs[i], i < captures ? builder_.add_input(p.condition.input_type(i))
                                                     : carries[i - captures]);
    }
    for (const Node& node : p.condition->nodes) copy.copy_node(node);
    return copy[p.condition->outputs[0]];
  }

  /// alive as a value of shape `shape`, whose first axes are the carry's lane axes.
  ValueId spread_mask(const Extents& shape) {
    SpreadParams p{shape, Extents(shape.size(), -1)};
    std::size_t next = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (has_axis(present_, i)) p.axes[next++] = static_cast<std::int64_t>(i);
    }
    if (shape == lanes_ && lane_axes() == static_cast<std::int64_t>(lanes_.size())) return alive_;
    const Type type{DType::b8, false, shape};
    return builder_.add_node(spread_row, Params::of(std::move(p)), {alive_}, std::span(&type, 1),
                             Where::unknown());
  }
  std::int64_t lane_axes() const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) n += has_axis(present_, i) ? 1 : 0;
    return n;
  }

  /// `updated` (a value of the body) where alive, else the old carry.
  ValueId freeze(ValueId updated) {
    if (updated == old_) return copy_[old_];
    const Node* node = body_.producer(updated);
    if (node != nullptr && node->op->kind == Kind::scatter && is_update_of_old(updated)) {
      return masked_update(*node);
    }
    const Type& type = body_.type(old_);
    const ValueId mask = spread_mask(type.shape);
    return builder_.add_node(freeze_row, Params(), {mask, copy_[updated], copy_[old_]},
                             std::span(&type, 1), node == nullptr ? Where::unknown() : node->where);
  }
  /// Whether a chain of updates, each of all lanes alike, leads from the old carry to `v`.
  bool is_update_of_old(ValueId v) const {
    while (v != old_) {
      const Node* node = body_.producer(v);
      if (node == nullptr || node->op->kind != Kind::scatter || !covers_lanes(*node)) return false;
      v = node->operands[0];
    }
    return true;
  }
  /// Whether each lane axis is a batch axis of the update, or one that its window holds as a whole.
  bool covers_lanes(const Node& update) const {
    const auto& p = update.params.as<ScatterParams>();
    const auto within = [](const Extents& list, std::int64_t axis) {
      return std::find(list.begin(), list.end(), axis) != list.end();
    };
    for (std::int64_t axis = p.batch; axis < lane_axes(); ++axis) {
      const std::int64_t extent = body_.type(old_).shape[static_cast<std::size_t>(axis)];
      if (p.sizes[static_cast<std::size_t>(axis - p.batch)] != extent) return false;
      if (within(p.axes, axis) || within(p.collapsed, axis)) return false;
    }
    return !(p.masked && p.batch < lane_axes());
  }
  ValueId spread(ValueId x, Extents shape, Extents axes, Where where) {
    const Type type = builder_.type(x).with_shape(shape);
    return builder_.add_node(spread_row,
                             Params::of(SpreadParams{std::move(shape), std::move(axes)}), {x},
                             std::span(&type, 1), where);
  }
  /// The same update with all lane axes as batch axes: starts repeat along them, and in the updates
  /// they move in front of the index axes.
  void batch_lanes(ScatterParams& p, ValueId& starts, ValueId& updates, Where where) {
    const auto more = static_cast<std::size_t>(lane_axes() - p.batch);
    const auto batch = static_cast<std::size_t>(p.batch);
    const Extents from = builder_.type(starts).shape;
    const Extents given = builder_.type(updates).shape;
    const std::size_t index = from.size() - 1 - batch;
    Extents shape, axes, update_shape, update_axes;
    const auto take = [](Extents& to, Extents& to_axes, const Extents& source, std::size_t axis) {
      to.push_back(source[axis]);
      to_axes.push_back(static_cast<std::int64_t>(axis));
    };
    for (std::size_t i = 0; i < batch; ++i) {
      take(shape, axes, from, i);
      take(update_shape, update_axes, given, i);
    }
    for (std::size_t i = 0; i < more; ++i) {
      shape.push_back(given[batch + index + i]);
      axes.push_back(-1);
      take(update_shape, update_axes, given, batch + index + i);
    }
    for (std::size_t i = batch; i < from.size(); ++i) take(shape, axes, from, i);
    for (std::size_t i = batch; i < given.size(); ++i) {
      if (i < batch + index || i >= batch + index + more) take(update_shape, update_axes, given, i);
    }
    starts = spread(starts, std::move(shape), std::move(axes), where);
    updates = spread(updates, std::move(update_shape), std::move(update_axes), where);
    p.batch += static_cast<std::int64_t>(more);
    for (std::size_t i = 0; i < more; ++i) p.sizes.erase(0);
  }
  ValueId masked_update(const Node& node) {
    ScatterParams p = node.params.as<ScatterParams>();
    ValueId starts = copy_[node.operands[1]];
    ValueId updates = copy_[node.operands[2]];
    if (p.batch < lane_axes()) batch_lanes(p, starts, updates, node.where);
    Extents shape = builder_.type(starts).shape;
    shape.pop_back();
    ValueId mask = spread_mask(shape);
    if (p.masked) {
      const Type type{DType::b8, false, shape};
      mask = builder_.add_node(both_row, Params(), {mask, copy_[node.operands[3]]},
                               std::span(&type, 1), node.where);
    }
    p.masked = true;
    const ValueId base = freeze(node.operands[0]);
    return copy_.copy_node(node, Params::of(std::move(p)), {base, starts, updates, mask});
  }

  Graph body_;
  Extents lanes_;
  GraphBuilder builder_;
  GraphCopy copy_;
  ValueId alive_ = -1;
  ValueId old_ = -1;
  std::int64_t present_ = 0;
  std::size_t first_carry_ = 0;
  Graph result_;
};

}  // namespace plan
}  // namespace autovec::inline v1
