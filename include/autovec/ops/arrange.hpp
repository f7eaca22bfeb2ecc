// Putting tensors together and taking them apart: concatenate and pad, and what is made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

/// Tensors one after the other along an axis that all of them have; the other extents are equal.
/// dtypes are promoted. Throws ShapeError.
struct ConcatenateFunction {
  Tensor operator()(std::initializer_list<Operand> parts, std::int64_t axis = 0) const;
  Tensor operator()(std::vector<Tensor> parts, std::int64_t axis = 0,
                    Where where = Where::here()) const;
};
inline constexpr ConcatenateFunction concatenate;

/// Tensors of one shape side by side along a new axis at position `axis` of the result.
struct StackFunction {
  Tensor operator()(std::initializer_list<Operand> parts, std::int64_t axis = 0) const;
  Tensor operator()(std::vector<Tensor> parts, std::int64_t axis = 0,
                    Where where = Where::here()) const;
};
inline constexpr StackFunction stack;

/// split(x, n): n parts of equal extent along `axis`. split(x, {i, j}): the parts [0, i), [i, j),
/// [j, end). All of them are views. Throws ShapeError.
struct SplitFunction {
  std::vector<Tensor> operator()(Operand x, std::int64_t parts, std::int64_t axis = 0) const;
  std::vector<Tensor> operator()(Operand x, std::initializer_list<std::int64_t> places,
                                 std::int64_t axis = 0) const;

 private:
  static std::vector<Tensor> at(const Operand& x, const Extents& places, std::int64_t axis);
};
inline constexpr SplitFunction split;

/// How many elements `pad` adds in front of and behind an axis.
struct PadWidth {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// What `pad` fills with, besides a constant: the nearest element, the mirror image (the edge not
/// repeated), or the other end.
enum class PadMode : std::uint8_t { edge, reflect, wrap };

/// pad(x, {{before, after}, ...}, value = 0): one pair an axis, or one number for all sides;
/// pad(x, widths, PadMode::edge) and so on fill from x. The value is converted to the dtype of x.
/// Throws ShapeError for negative widths, or where there is nothing to fill from.
struct PadFunction {
  Tensor operator()(Operand x, std::vector<PadWidth> widths,
                    Operand value = Operand(0, Where::unknown())) const;
  Tensor operator()(Operand x, std::vector<PadWidth> widths, PadMode mode) const;
  Tensor operator()(Operand x, std::int64_t width,
                    Operand value = Operand(0, Where::unknown())) const;
  Tensor operator()(Operand x, std::int64_t width, PadMode mode) const;

 private:
  static void check(const Operand& x, const std::vector<PadWidth>& widths);
};
inline constexpr PadFunction pad;

/// x repeated as a whole `counts[i]` times along axis i; counts correspond to axes from the back.
struct TileFunction {
  Tensor operator()(Operand x, Extents counts) const;
};
inline constexpr TileFunction tile;

/// repeat(x, n, axis): every element n times in a row along `axis`; without an axis of all elements
/// in row-major order.
struct RepeatFunction {
  Tensor operator()(Operand x, std::int64_t count) const;
  Tensor operator()(Operand x, std::int64_t count, std::int64_t axis) const;
};
inline constexpr RepeatFunction repeat;

/// roll(x, shift, axis): element i moves to i + shift, around the end; without an axis in row-major
/// order of all elements. The shift may be an integer tensor of rank 0.
struct RollFunction {
  Tensor operator()(Operand x, Operand shift) const;
  Tensor operator()(Operand x, Operand shift, std::int64_t axis) const;
};
inline constexpr RollFunction roll;

/// The last two axes' entries on and below diagonal k; 0 above. Throws ShapeError below rank 2.
struct TrilFunction {
  Tensor operator()(Operand x, std::int64_t k = 0) const;
};
inline constexpr TrilFunction tril;

/// The last two axes' entries on and above diagonal k; 0 below. Throws ShapeError below rank 2.
struct TriuFunction {
  Tensor operator()(Operand x, std::int64_t k = 0) const;
};
inline constexpr TriuFunction triu;

/// Of a vector the matrix that has it on diagonal k and is 0 elsewhere; of a matrix its diagonal k.
/// Throws ShapeError for another rank.
struct DiagFunction {
  Tensor operator()(Operand x, std::int64_t k = 0) const;
};
inline constexpr DiagFunction diag;

}  // namespace autovec::inline v1
