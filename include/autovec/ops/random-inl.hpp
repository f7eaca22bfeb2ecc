// Random numbers from counters: Threefry-2x32, with the numbers of jax.random for the same key.
//
// A key is u32[2]. Nothing is stateful: the same key gives the same numbers, so split it. Under
// vmap a mapped key gives every lane its own numbers, those of a loop over the lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autovec/ops/index-inl.hpp"
#include "autovec/ops/random.hpp"

namespace autovec::inline v1 {

namespace ops {

/// Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
/// 2011) of counter (c0, c1) under key (k0, k1): word 0 or 1 of the result, 2 for their exclusive
/// or.
struct Threefry {
  static constexpr std::string_view name = "threefry";
  static constexpr Kind kind = Kind::map;
  static constexpr int arity = 4;
  static constexpr Accept accept = Accept::bits;
  static constexpr bool predicate = false;
  struct Params {
    std::int64_t word = 0;
    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("word", self.word);
    }
  };
  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    std::vector<Type> results = detail::infer_map<Threefry>(x, 0, where);
    const std::int64_t word = params.as<Params>().word;
    if (x[0].dtype != DType::u32 || word < 0 || word > 2) {
      fail<TypeError>(name,
                      "expected u32 and a word from 0 to 2, got " + autovec::detail::types_text(x),
                      where);
    }
    return results;
  }
  static std::int32_t record(lane::Recorder& r, std::span<const std::int32_t> operands, LaneTypes,
                             const autovec::Params& params) {
    using V = lane::Lane<std::uint32_t>;
    const auto rotated = [](V x, std::uint32_t by) {
      return lane::shl(x, by) | lane::shr(x, 32 - by);
    };
    const V k0(r, operands[0]);
    const V k1(r, operands[1]);
    const V keys[3] = {k0, k1, k0 ^ k1 ^ V(0x1BD11BDAu)};
    constexpr std::uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    V x0 = V(r, operands[2]) + k0;
    V x1 = V(r, operands[3]) + k1;
    for (std::uint32_t group = 0; group < 5; ++group) {
      for (const std::uint32_t by : rotations[group % 2]) {
        x0 += x1;
        x1 = rotated(x1, by) ^ x0;
      }
      x0 += keys[(group + 1) % 3];
      x1 += keys[(group + 2) % 3] + V(group + 1);
    }
    const std::int64_t word = params.as<Params>().word;
    return (word == 0 ? x0 : word == 1 ? x1 : x0 ^ x1).id_in(r);
  }
  static void batch(BatchCall& call) { batch_map(call); }
  static std::vector<Sample> samples() {
    std::vector<Sample> out;
    for (std::int64_t word = 0; word < 3; ++word) {
      const auto takes = [](DType t) { return t == DType::u32; };
      for (Sample& sample :
           autovec::detail::map_samples(4, takes, autovec::Params::of(Params{word}))) {
        out.push_back(std::move(sample));
      }
    }
    return out;
  }
};

/// The inverse error function.
struct Erfinv : FunctionMap<Erfinv, math::Erfinv> {};
/// A normal variate from a uniform one in (-1, 1).
struct NormalFromUniform : FunctionMap<NormalFromUniform, math::NormalFromUniform> {};

using RandomOps = List<Threefry, Erfinv, NormalFromUniform>;

}  // namespace ops

namespace detail {

/// The two words of a key. Throws TypeError unless it is u32[2].
inline std::pair<Tensor, Tensor> key_words(std::string_view op, const Operand& key) {
  if (!(key.type().with_dtype(DType::u32) == Type{DType::u32, false, {2}}) ||
      key.type().dtype != DType::u32) {
    fail<TypeError>(op, "expected a key u32[2], got " + type_text(key.type()), key.where(),
                    "make one with random::key(seed)");
  }
  return {take_known(op, key, 0, 0, key.where()), take_known(op, key, 1, 0, key.where())};
}

inline Tensor threefry(const std::pair<Tensor, Tensor>& key, const Tensor& high, const Tensor& low,
                       std::int64_t word, Where where) {
  const Extents& shape = low.rank() == 0 ? high.shape() : low.shape();
  Tensor operands[4] = {key.first, key.second, high, low};
  for (Tensor& x : operands) {
    if (x.rank() != 0) x = broadcast_to(Operand(x, where), shape);
  }
  return emit_one(row_of<ops::Threefry>, Params::of(ops::Threefry::Params{word}), operands, where);
}

/// Number as u32 data or literal.
inline Tensor word_of(std::uint32_t value) {
  return Tensor::from_number(Number(value), DType::u32, false);
}

/// Threefry of the numbers 0, 1, 2, ... in row-major order of `shape`.
inline Tensor threefry_of_counts(std::string_view op, const Operand& key, const Extents& shape,
                                 std::int64_t word) {
  const Where where = key.where();
  const At at(where);
  check_size(op, Type{DType::u32, false, shape}, where);
  const std::int64_t size = extent_product(shape, 0, shape.size());
  const auto words = key_words(op, key);
  if (size <= std::numeric_limits<std::uint32_t>::max()) {
    const Tensor low = reshape(at(iota(size, DType::u32, where)), shape);
    return threefry(words, word_of(0), low, word, where);
  }
  const Tensor count = reshape(at(iota(size, DType::i64, where)), shape);
  return threefry(words, cast(at(at(count) >> 32), DType::u32), cast(at(count), DType::u32), word,
                  where);
}

/// Random bits as an unsigned dtype of any width.
inline Tensor random_bits(std::string_view op, const Operand& key, const Extents& shape,
                          DType dtype) {
  const At at(key.where());
  if (dtype != DType::u64) return cast(at(threefry_of_counts(op, key, shape, 2)), dtype);
  const Tensor high = cast(at(threefry_of_counts(op, key, shape, 0)), DType::u64);
  const Tensor low = cast(at(threefry_of_counts(op, key, shape, 1)), DType::u64);
  return at(at(high) << 32) | low;
}

/// Uniform floats in [0, 1): random mantissas.
inline Tensor unit_uniform(std::string_view op, const Operand& key, const Extents& shape,
                           DType dtype) {
  const At at(key.where());
  switch (dtype) {
    case DType::f32: {
      const Tensor mantissa = at(random_bits(op, key, shape, DType::u32)) >> 9;
      return at(bitcast(at(at(mantissa) | word_of(0x3F800000u)), DType::f32)) - 1.0;
    }
    case DType::f64: {
      const Tensor mantissa = at(random_bits(op, key, shape, DType::u64)) >> 12;
      const Tensor one =
          Tensor::from_number(Number(std::uint64_t{0x3FF0000000000000}), DType::u64, false);
      return at(bitcast(at(at(mantissa) | one), DType::f64)) - 1.0;
    }
    case DType::f16: {
      const Tensor mantissa = at(random_bits(op, key, shape, DType::u16)) >> 6;
      return cast(at(at(cast(at(mantissa), DType::f32)) * 0x1p-10), DType::f16);
    }
    case DType::bf16: {
      const Tensor mantissa = at(random_bits(op, key, shape, DType::u8)) >> 1;
      return cast(at(at(cast(at(mantissa), DType::f32)) * 0x1p-7), DType::bf16);
    }
    default:
      fail<TypeError>(op, "expected a float dtype, got " + std::string(name_of(dtype)),
                      key.where());
  }
}

/// A bound of a distribution at the shape of its samples.
inline Tensor bound(std::string_view op, const Operand& x, DType dtype, const Extents& shape,
                    Where where) {
  const Tensor typed = with_element(x, {dtype, false}, where);
  bool fits = true;
  if (!(broadcast_shapes(shape, typed.shape(), fits) == shape) || !fits) {
    fail<ShapeError>(op, type_text(x.type()) + " does not broadcast to " + shape_text(shape),
                     where);
  }
  return typed.rank() == 0 ? typed : broadcast_to(Operand(typed, where), shape);
}

inline bool is_number_equal(const Operand& x, double value) {
  return x.tensor().is_number() && x.tensor().state().number.real() == value;
}

}  // namespace detail

namespace random {

AUTOVEC_API Tensor KeyFunction::operator()(Operand seed) const {
  const Where where = seed.where();
  const detail::At at(where);
  if (!is_int(seed.type().dtype))
    fail<TypeError>("key", "a seed is an integer, got " + type_text(seed.type()), where);
  if (seed.rank() != 0)
    fail<ShapeError>("key", "a seed is one number, got " + type_text(seed.type()), where);
  const Tensor& x = seed.tensor();
  Tensor words[2];
  if (x.is_number()) {
    const auto bits = x.state().number.as<std::uint64_t>();
    words[0] = detail::word_of(static_cast<std::uint32_t>(bits >> 32));
    words[1] = detail::word_of(static_cast<std::uint32_t>(bits));
  } else {
    words[0] = size_of(x.dtype()) == 8 ? cast(at(seed >> Operand(32, where)), DType::u32)
                                       : detail::word_of(0);
    words[1] = cast(seed, DType::u32);
  }
  return detail::join_indices(words, where);
}

AUTOVEC_API Tensor SplitFunction::operator()(Operand key, std::int64_t n) const {
  const Tensor words[2] = {detail::threefry_of_counts("split", key, {n}, 0),
                           detail::threefry_of_counts("split", key, {n}, 1)};
  return detail::join_indices(words, key.where());
}

AUTOVEC_API Tensor FoldInFunction::operator()(Operand key, Operand i) const {
  const Where where = key.where();
  autovec::detail::check_index("fold_in", i, where);
  if (i.rank() != 0)
    fail<ShapeError>("fold_in", "expected one number, got " + type_text(i.type()), where);
  const auto words = detail::key_words("fold_in", key);
  const Tensor low = detail::with_element(i, {DType::u32, false}, where);
  const Tensor out[2] = {detail::threefry(words, detail::word_of(0), low, 0, where),
                         detail::threefry(words, detail::word_of(0), low, 1, where)};
  return detail::join_indices(out, where);
}

AUTOVEC_API Tensor BitsFunction::operator()(Operand key, Extents shape) const {
  return detail::random_bits("bits", key, shape, DType::u32);
}

AUTOVEC_API Tensor UniformFunction::operator()(Operand key, Extents shape, DType dtype, Operand lo,
                                               Operand hi) const {
  const Where where = key.where();
  const detail::At at(where);
  const Tensor unit = detail::unit_uniform("uniform", key, shape, dtype);
  if (detail::is_number_equal(lo, 0) && detail::is_number_equal(hi, 1)) return unit;
  const Tensor low = detail::bound("uniform", lo, dtype, shape, where);
  const Tensor high = detail::bound("uniform", hi, dtype, shape, where);
  return maximum(at(low), at(at(unit) * (at(high) - low)) + low);
}

AUTOVEC_API Tensor NormalFunction::operator()(Operand key, Extents shape, DType dtype) const {
  const detail::At at(key.where());
  // Just above -1, so that no sample is infinite.
  const double lowest = dtype == DType::f32    ? -1 + 0x1p-24
                        : dtype == DType::f64  ? -1 + 0x1p-53
                        : dtype == DType::bf16 ? -1 + 0x1p-8
                                               : -1 + 0x1p-11;
  const Tensor u = uniform(key, std::move(shape), dtype, at(Tensor(lowest)), at(Tensor(1.0)));
  return emit_map<ops::NormalFromUniform>(at(u));
}

AUTOVEC_API Tensor BernoulliFunction::operator()(Operand key, Operand p, Extents shape) const {
  const DType dtype = to_inexact(element_of(p.type())).dtype;
  const Tensor chance = detail::bound("bernoulli", p, dtype, shape, key.where());
  return Operand(uniform(key, shape, dtype), key.where()) < chance;
}

AUTOVEC_API Tensor RandintFunction::operator()(Operand key, Extents shape, Operand lo, Operand hi,
                                               DType dtype) const {
  const Where where = key.where();
  const detail::At at(where);
  if (!is_int(dtype))
    fail<TypeError>("randint", "expected an integer dtype, got " + std::string(name_of(dtype)),
                    where);
  autovec::detail::check_index("randint", lo, where);
  autovec::detail::check_index("randint", hi, where);
  constexpr DType natural[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  const std::size_t log_bytes = size_of(dtype) == 1   ? 0
                                : size_of(dtype) == 2 ? 1
                                : size_of(dtype) == 4 ? 2
                                                      : 3;
  const DType u = natural[log_bytes];
  // The greatest value in the dtype, and hi - 1 clipped to it, so that hi itself needs no room.
  const Number greatest = dispatch(
      dtype, [&]<class T>() { return Number(std::numeric_limits<T>::max()); },
      [] { return Number(); });
  const Number least = dispatch(
      dtype, [&]<class T>() { return Number(std::numeric_limits<T>::lowest()); },
      [] { return Number(); });
  const auto clipped = [&](const Operand& x) {
    // Bounds that the dtype of the samples does not hold are clipped in their own.
    const DType own =
        x.tensor().is_number() && !is_unsigned_int(x.type().dtype) ? DType::i64 : x.type().dtype;
    const Tensor wide = detail::bound("randint", x, own, shape, where);
    Tensor y = wide;
    if (dispatch(
            own, [&]<class T>() { return Number(std::numeric_limits<T>::max()); },
            [] { return Number(); })
            .real() > greatest.real()) {
      y = minimum(at(y), at(Tensor::from_number(greatest, own, false)));
    }
    if (dispatch(
            own, [&]<class T>() { return Number(std::numeric_limits<T>::lowest()); },
            [] { return Number(); })
            .real() < least.real()) {
      y = maximum(at(y), at(Tensor::from_number(least, own, false)));
    }
    return std::pair(wide, cast(at(y), dtype));
  };
  const auto [wide_lo, low] = clipped(lo);
  const auto [wide_hi, high] = clipped(hi);
  const Tensor beyond = at(wide_hi) > cast(at(high), wide_hi.dtype());
  const Tensor some = at(high) > low;
  Tensor span = at(cast(at(high), u)) - cast(at(low), u);
  const Tensor one = detail::with_element(Tensor(1), {u, false}, where);
  span = detail::emit_select(at(some), span, one);
  span = detail::emit_select(at(at(beyond) & some), at(span) + one, span);
  // A span of all values wraps to 0 and leaves the bits as they are.
  const auto modulo = [&](const Tensor& x) {
    return detail::emit_select(at(at(span) == 0), x, at(x) % span);
  };
  const Tensor keys = split(key, 2);
  const Tensor high_bits = detail::random_bits("randint", at(keys[0]), shape, u);
  const Tensor low_bits = detail::random_bits("randint", at(keys[1]), shape, u);
  // 2^width modulo the span, as the square of its root.
  const std::uint64_t root = std::uint64_t{1} << (4 * size_of(dtype));
  Tensor multiplier = modulo(Tensor::from_number(Number(root), u, false));
  multiplier = modulo(at(multiplier) * multiplier);
  const Tensor offset = modulo(at(at(modulo(high_bits)) * multiplier) + modulo(low_bits));
  return at(low) + cast(at(offset), dtype);
}

}  // namespace random

}  // namespace autovec::inline v1
