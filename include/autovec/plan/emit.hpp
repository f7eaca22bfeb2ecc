// Emits graph values as lane instructions: a fused kernel is what its stored values need.
//
// Emission is driven by demand: a value at some coordinates is loaded where it lies in memory, else
// its operands are emitted at the coordinates that its kind asks for. Views only change
// coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autovec/base/hash.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/literal.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/plan/affine.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

/// How an input of a lane-local region is known: as a value of the scope around it, or as a lane
/// value at the point's own coordinates.
struct Binding {
  ValueId outer = -1;
  lane::ValueId value = -1;
  AffineMap at;  // where `value` stands for the input
};

/// The values a kernel may use: of a block's graph, some of them in memory, or of a region's.
struct Scope {
  Graph graph;
  std::vector<Place> places;      // by value; block scopes only
  const Scope* outer = nullptr;   // around a region
  std::vector<Binding> bindings;  // by value; region scopes only
};

/// Where `v` lies in memory; no place where it must be computed.
inline Place place_of(const Scope& scope, ValueId v) {
  if (!scope.places.empty()) {
    if (const Place& place = scope.places[static_cast<std::size_t>(v)]) return place;
  }
  const Node* node = scope.graph.producer(v);
  if (node == nullptr) {
    if (scope.outer == nullptr) return {};
    const Binding& b = scope.bindings[static_cast<std::size_t>(v)];
    if (b.outer < 0) return {};
    return place_of(*scope.outer, b.outer);
  }
  if (node->op->kind != Kind::view) return {};
  const Place from = place_of(scope, node->operands[0]);
  Place out{from.buffer, {}};
  if (!from || !node->op->layout(scope.graph.type(node->operands[0]), from.layout,
                                 scope.graph.type(v), node->params, out.layout)) {
    return {};
  }
  return out;
}

class LaneInfos;

/// Notes what a control flow node reads of the scope around it.
struct Probe {
  struct Read {
    ValueId value = -1;
    AffineMap at;
  };
  const Scope* scope = nullptr;
  const Node* node = nullptr;
  std::vector<Read> scalars;
  std::vector<ValueId> placed;
};

/// The value of the outermost scope in whose memory `v` lies; -1 where it lies in none.
inline ValueId base_of(const Scope& scope, ValueId v) {
  const Node* node = scope.graph.producer(v);
  if (scope.outer == nullptr) {
    while (!scope.places[static_cast<std::size_t>(v)] && node != nullptr &&
           node->op->kind == Kind::view) {
      v = node->operands[0];
      node = scope.graph.producer(v);
    }
    return v;
  }
  if (node == nullptr) {
    const ValueId outer = scope.bindings[static_cast<std::size_t>(v)].outer;
    return outer < 0 ? -1 : base_of(*scope.outer, outer);
  }
  return node->op->kind == Kind::view ? base_of(scope, node->operands[0]) : -1;
}

/// Builds one kernel.
class Emitter {
 public:
  /// Without `infos` control flow can't be part of the kernel.
  explicit Emitter(Extents domain, LaneInfos* infos = nullptr)
      : recorder_(std::move(domain)), infos_(infos) {
    known_.emplace_back();
  }

  /// `v` at coordinates `at`, whose columns are the domain's axes.
  lane::ValueId value(const Scope& scope, ValueId v, const AffineMap& at);

  /// The element of `place` at coordinates `at`.
  lane::ValueId load(const Place& place, DType dtype, const AffineMap& at) {
    return recorder_.load(access(place, dtype, at, false));
  }
  void store(const Place& place, DType dtype, const AffineMap& at, lane::ValueId value) {
    recorder_.store(access(place, dtype, at, true), value);
  }
  /// Stores where `mask` holds.
  void store_masked(const Place& place, DType dtype, const AffineMap& at, lane::ValueId value,
                    lane::ValueId mask) {
    recorder_.scatter(access(place, dtype, at, true), recorder_.constant(std::int64_t{0}), value,
                      mask);
  }
  /// Makes `value` compute `v` although it has a place: the kernel itself fills that place.
  void compute(ValueId v) { computed_.push_back(v); }
  void probe(Probe& probe) { probe_ = &probe; }
  /// Whether something was asked for that lane programs can't say; the program is then useless.
  bool failed() const { return failed_; }
  std::int32_t node_count() const { return nodes_; }
  lane::Program finish(lane::Operands yields = {}) { return recorder_.finish(yields); }
  /// The plan's buffers by the program's buffer number.
  const SmallVector<BufferId, 8>& buffers() const { return buffers_; }
  lane::Recorder& recorder() { return recorder_; }
  /// Number in the program of the plan's buffer.
  std::int32_t use_buffer(BufferId buffer, DType dtype, bool written) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i] == buffer && written_[i] == written) return static_cast<std::int32_t>(i);
    }
    buffers_.push_back(buffer);
    written_.push_back(written);
    return recorder_.add_buffer(dtype, written);
  }

 private:
  struct Key {
    const Scope* scope;
    ValueId value;
    AffineMap at;
    friend bool operator==(const Key& a, const Key& b) noexcept {
      return a.scope == b.scope && a.value == b.value && a.at == b.at;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      Hasher h;
      h.add(static_cast<std::uint64_t>(key.value));
      key.at.hash(h);
      return static_cast<std::size_t>(h.value());
    }
  };
  using Known = std::unordered_map<Key, lane::ValueId, KeyHash>;

  lane::Access access(const Place& place, DType dtype, const AffineMap& at, bool written) {
    Layout l = compose(place.layout, at);
    return {use_buffer(place.buffer, dtype, written), l.offset, std::move(l.strides)};
  }
  lane::ValueId fail(DType dtype) {
    failed_ = true;
    return recorder_.emit(lane::Op::constant, contains_scalar(dtype) ? dtype : DType::f32, {}, 0);
  }
  static bool contains_scalar(DType dtype) { return lane::contains(lane::Domain::scalars, dtype); }
  /// Whether `v` lies in memory that this kernel fills, and so must not be loaded from there.
  bool is_computed(const Scope& scope, ValueId v) const {
    return std::find(computed_.begin(), computed_.end(), base_of(scope, v)) != computed_.end();
  }
  void remember(const Scope& scope, ValueId v, const AffineMap& at, lane::ValueId id) {
    known_.back().insert_or_assign(Key{&scope, v, at}, id);
  }

  lane::ValueId fresh_value(const Scope& scope, ValueId v, const AffineMap& at);
  lane::ValueId input_value(const Scope& scope, ValueId v, const AffineMap& at);
  lane::ValueId literal_value(const LiteralParams& literal);
  lane::ValueId map_value(const Scope& scope, const Node& node, const AffineMap& at);
  lane::ValueId view_value(const Scope& scope, const Node& node, const AffineMap& at);
  lane::ValueId source_value(const Scope& scope, const Node& node, const AffineMap& at);
  lane::ValueId gather_value(const Scope& scope, const Node& node, const AffineMap& at);
  lane::ValueId window_offset(const Scope& scope, const Node& node, const AffineMap& at,
                              const Layout& layout);
  lane::ValueId coordinate(const AffineMap& at, std::size_t row);
  lane::ValueId times(lane::ValueId v, std::int64_t factor) {
    if (factor == 1) return v;
    return recorder_.emit(lane::Op::mul, {v, recorder_.constant(factor)});
  }

  // Control flow within the kernel; emit_control.hpp.
  lane::ValueId control_value(const Scope& scope, const Node& node, ValueId v, const AffineMap& at);
  lane::ValueIds branch_values(const Scope& scope, const Node& node, const AffineMap& at);
  lane::ValueIds loop_values(const Scope& scope, const Node& node, const AffineMap& at);
  Scope region(const Scope& scope, const Graph& graph);
  void bind_outer(Scope& region, std::size_t input, ValueId outer);
  void bind_lane(Scope& region, std::size_t input, lane::ValueId value, AffineMap at);

  lane::Recorder recorder_;
  LaneInfos* infos_ = nullptr;
  Probe* probe_ = nullptr;
  SmallVector<BufferId, 8> buffers_;
  SmallVector<bool, 8> written_;
  std::vector<Known> known_;  // one for each open region
  std::vector<ValueId> computed_;
  std::int32_t nodes_ = 0;
  bool failed_ = false;
};

inline lane::ValueId Emitter::value(const Scope& scope, ValueId v, const AffineMap& at) {
  const Key key{&scope, v, at};
  for (std::size_t i = known_.size(); i-- > 0;) {
    const auto found = known_[i].find(key);
    if (found != known_[i].end()) return found->second;
  }
  const lane::ValueId id = fresh_value(scope, v, at);
  known_.back().insert_or_assign(key, id);
  return id;
}

inline lane::ValueId Emitter::fresh_value(const Scope& scope, ValueId v, const AffineMap& at) {
  const Type& type = scope.graph.type(v);
  if (failed_) return fail(type.dtype);
  const Node* node = scope.graph.producer(v);
  if (const LiteralParams* literal = as_literal(node)) return literal_value(*literal);
  if (scope.outer != nullptr) {
    if (node == nullptr) return input_value(scope, v, at);
  } else if (!is_computed(scope, v)) {
    if (const Place place = place_of(scope, v)) return load(place, type.dtype, at);
    if (node == nullptr) return fail(type.dtype);
  }
  ++nodes_;
  switch (node->op->kind) {
    case Kind::map: return map_value(scope, *node, at);
    case Kind::view: return view_value(scope, *node, at);
    case Kind::gather: return gather_value(scope, *node, at);
    case Kind::source:
      if (node->op->lane != nullptr) return source_value(scope, *node, at);
      return fail(type.dtype);
    case Kind::branch:
    case Kind::loop: return control_value(scope, *node, v, at);
    default: return fail(type.dtype);
  }
}

inline lane::ValueId Emitter::literal_value(const LiteralParams& literal) {
  if (contains_scalar(literal.dtype)) {
    return recorder_.emit(lane::Op::constant, literal.dtype, {},
                          static_cast<std::int64_t>(literal.value.bits_as(literal.dtype)));
  }
  const lane::ValueId wide = recorder_.constant(literal.value.as<float>());
  return recorder_.convert(wide, literal.dtype);
}

inline lane::ValueId Emitter::map_value(const Scope& scope, const Node& node, const AffineMap& at) {
  SmallVector<lane::ValueId, 4> ids;
  SmallVector<DType, 4> dtypes;
  for (const ValueId v : node.operands) {
    const Type& type = scope.graph.type(v);
    ids.push_back(value(scope, v, type.rank() == 0 ? at.without_rows() : at));
    dtypes.push_back(type.dtype);
  }
  const DType result = scope.graph.type(node.result()).dtype;
  if (failed_) return fail(result);
  return node.op->lane(recorder_, {ids.data(), ids.size()},
                       LaneTypes{{dtypes.data(), dtypes.size()}, result}, node.params);
}

inline lane::ValueId Emitter::view_value(const Scope& scope, const Node& node,
                                         const AffineMap& at) {
  AffineMap map;
  if (!view_map(scope.graph, node, map)) return fail(scope.graph.type(node.result()).dtype);
  return value(scope, node.operands[0], compose(map, at));
}

inline lane::ValueId Emitter::coordinate(const AffineMap& at, std::size_t row) {
  lane::ValueId sum = -1;
  for (std::size_t c = 0; c < at.columns(); ++c) {
    if (at.at(row, c) == 0) continue;
    const lane::ValueId term = times(recorder_.index(c), at.at(row, c));
    sum = sum < 0 ? term : recorder_.emit(lane::Op::add, {sum, term});
  }
  const lane::ValueId offset = recorder_.constant(at.offset(row));
  if (sum < 0) return offset;
  return at.offset(row) == 0 ? sum : recorder_.emit(lane::Op::add, {sum, offset});
}

// The lane column of a source takes the coordinates of the element, i64, one an axis.
inline lane::ValueId Emitter::source_value(const Scope& scope, const Node& node,
                                           const AffineMap& at) {
  SmallVector<lane::ValueId, 4> ids;
  SmallVector<DType, 4> dtypes;
  for (std::size_t r = 0; r < at.rows(); ++r) {
    ids.push_back(coordinate(at, r));
    dtypes.push_back(DType::i64);
  }
  return node.op->lane(
      recorder_, {ids.data(), ids.size()},
      LaneTypes{{dtypes.data(), dtypes.size()}, scope.graph.type(node.result()).dtype},
      node.params);
}

/// The sum over the indexed axes of start * stride, starts wrapped and clamped (see GatherParams).
inline lane::ValueId Emitter::window_offset(const Scope& scope, const Node& node,
                                            const AffineMap& at, const Layout& layout) {
  const auto& p = node.params.as<GatherParams>();
  const Type& x = scope.graph.type(node.operands[0]);
  const Type& starts = scope.graph.type(node.operands[1]);
  lane::ValueId sum = -1;
  for (std::size_t k = 0; k < p.axes.size(); ++k) {
    AffineMap start_at = at.without_rows();
    for (std::size_t r = 0; r + 1 < starts.rank(); ++r) start_at.add_row(at, r);
    start_at.add_constant_row(static_cast<std::int64_t>(k));
    lane::ValueId s = value(scope, node.operands[1], start_at);
    if (failed_) return s;
    const auto axis = static_cast<std::size_t>(p.axes[k]);
    const std::int64_t extent = x.shape[axis];
    const std::int64_t last = extent - p.sizes[axis - static_cast<std::size_t>(p.batch)];
    if (last <= 0) continue;
    if (starts.dtype == DType::u64) {  // above the range of i64 there is no index either
      s = recorder_.emit(lane::Op::min, {s, recorder_.constant(static_cast<std::uint64_t>(last))});
    }
    s = recorder_.convert(s, DType::i64);
    const lane::ValueId zero = recorder_.constant(std::int64_t{0});
    if (is_signed_int(starts.dtype)) {
      const lane::ValueId wrapped = recorder_.emit(lane::Op::add, {s, recorder_.constant(extent)});
      s = recorder_.emit(lane::Op::select, {recorder_.emit(lane::Op::lt, {s, zero}), wrapped, s});
      s = recorder_.emit(lane::Op::max, {s, zero});
    }
    s = recorder_.emit(lane::Op::min, {s, recorder_.constant(last)});
    const lane::ValueId term = times(s, layout.strides[axis]);
    sum = sum < 0 ? term : recorder_.emit(lane::Op::add, {sum, term});
  }
  return sum < 0 ? recorder_.constant(std::int64_t{0}) : sum;
}

inline lane::ValueId Emitter::gather_value(const Scope& scope, const Node& node,
                                           const AffineMap& at) {
  const auto& p = node.params.as<GatherParams>();
  const Type& x = scope.graph.type(node.operands[0]);
  const Place place = place_of(scope, node.operands[0]);
  if (!place) return fail(x.dtype);
  if (probe_ != nullptr) probe_->placed.push_back(base_of(scope, node.operands[0]));
  const auto batch = static_cast<std::size_t>(p.batch);
  // Rows of `at`: batch, index, then the window's axes that are not collapsed.
  AffineMap inside = at.without_rows();
  for (std::size_t r = 0; r < batch; ++r) inside.add_row(at, r);
  std::size_t window = scope.graph.type(node.operands[1]).rank() - 1;
  for (std::size_t axis = batch; axis < x.rank(); ++axis) {
    const bool collapsed = std::find(p.collapsed.begin(), p.collapsed.end(),
                                     static_cast<std::int64_t>(axis)) != p.collapsed.end();
    if (collapsed) {
      inside.add_constant_row(0);
    } else {
      inside.add_row(at, window++);
    }
  }
  const lane::ValueId offset = window_offset(scope, node, at, place.layout);
  if (failed_) return fail(x.dtype);
  return recorder_.gather(access(place, x.dtype, inside, false), offset);
}

}  // namespace plan
}  // namespace autovec::inline v1
