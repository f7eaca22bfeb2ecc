// A row of the op table: what the library knows of one op, as plain function pointers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "autovec/ir/array.hpp"
#include "autovec/ir/graph.hpp"
#include "autovec/ir/params.hpp"
#include "autovec/ir/type.hpp"

namespace autovec::inline v1 {

namespace lane {
class Recorder;
}
struct BatchCall;  // transform/vmap.hpp
struct Sample;     // ops/sample.hpp

/// How an op relates its results to its operands; lowering knows kinds, never single ops.
enum class Kind : std::uint8_t {
  map,       ///< element by element: one lane body
  view,      ///< the same elements in another arrangement: a change of layout
  reduce,    ///< an associative combination along axes
  contract,  ///< an einsum of two operands
  gather,    ///< reads at computed places
  scatter,   ///< writes at computed places
  branch,    ///< switch over graphs, each lane its own
  loop,      ///< while over graphs, each lane its own number of trips
  scan,      ///< a counted loop over slices
  source,    ///< no tensor operand that matters: constants, iota
  call       ///< a named library routine on whole arrays
};

/// Element types that a map or reduction takes; operands of others are promoted into it, or
/// refused.
enum class Accept : std::uint8_t {
  floats,   ///< integers and b8 become the default float
  numbers,  ///< integers and floats; b8 becomes i32
  bits,     ///< integers and b8; floats are refused
  scalars   ///< all real types and b8
};

constexpr bool accepts(Accept accept, DType t) {
  switch (accept) {
    case Accept::floats: return is_float(t);
    case Accept::numbers: return is_int(t) || is_float(t);
    case Accept::bits: return is_int(t) || is_bool(t);
    default: return !is_complex(t);
  }
}

/// What a lane body takes and gives besides values: the dtypes it is recorded for.
struct LaneTypes {
  std::span<const DType> operands;
  DType result;
};

/// One row. Columns that make no sense for a kind are null; `ops/derive.hpp` fills the rest.
struct OpInfo {
  std::string_view name;
  Kind kind = Kind::map;
  const ParamsInfo* params = nullptr;

  /// Number of tensor operands; -1: any.
  int arity = 1;

  /// map, reduce: the element types it takes.
  Accept accept = Accept::scalars;

  /// Result types from operand types. Throws ShapeError or TypeError that names the op and `where`.
  std::vector<Type> (*infer)(std::span<const Type> operands, const Params& params,
                             Where where) = nullptr;

  /// Rule of vmap: emits what the op does to operands of which some carry a lane axis in front.
  void (*batch)(BatchCall& call) = nullptr;

  /// map: records the body for one point; operand and result are values of the recorder.
  /// source: the operands are the element's coordinates, i64, one an axis.
  std::int32_t (*lane)(lane::Recorder& recorder, std::span<const std::int32_t> operands,
                       LaneTypes types, const Params& params) = nullptr;

  /// reduce: records `accumulator (+) x`, and the value that starts it.
  std::int32_t (*combine)(lane::Recorder& recorder, std::int32_t accumulator, std::int32_t x,
                          DType dtype) = nullptr;
  Number (*identity)(DType dtype) = nullptr;

  /// view: the layout of the result in the operand's block, or false where strides can't say it.
  bool (*layout)(const Type& operand, const Layout& from, const Type& result, const Params& params,
                 Layout& to) = nullptr;

  /// call: computes contiguous results from contiguous operands.
  void (*kernel)(std::span<const Array> operands, std::span<Array> results,
                 const Params& params) = nullptr;

  /// Identities of the op itself (`x + 0 -> x`): the operand that the result equals, or -1.
  std::int32_t (*simplify)(const Graph& graph, const Node& node) = nullptr;

  /// Typed applications for the laws; see ops/sample.hpp.
  std::vector<Sample> (*samples)() = nullptr;

  /// Talks across the lanes of a named axis: its batching rule is asked even where no operand is
  /// mapped. Every such op has the axis name as first field of its parameters.
  bool collective = false;

  /// Stated error in ulp where the op rounds more than once; 0: exactly rounded or exact.
  double bound_f32 = 0;
  double bound_f64 = 0;
  /// Sums or multiplies across elements: b8 and small integers are widened to i32 or u32 first.
  bool widens = false;
  /// Whether results depend on sums across elements (law 1 then holds within the bound).
  bool sums = false;
};

/// The rows of all ops; looks them up by name.
class OpTable {
 public:
  explicit OpTable(std::vector<const OpInfo*> rows) : rows_(std::move(rows)) {}
  std::span<const OpInfo* const> rows() const { return rows_; }
  const OpInfo* find(std::string_view name) const {
    for (const OpInfo* row : rows_) {
      if (row->name == name) return row;
    }
    return nullptr;
  }

 private:
  std::vector<const OpInfo*> rows_;
};

/// Rows compare by name: two shared objects may each have their own.
inline bool same_op(const OpInfo* a, const OpInfo* b) { return a == b || a->name == b->name; }

}  // namespace autovec::inline v1
