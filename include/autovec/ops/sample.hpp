// Typed applications of ops, from which the laws make their cases: see `OpInfo::samples`.
//
// An op's kind makes its samples wherever parameters do not matter. An op with parameters of its
// own lists a few forms, and `for_dtypes` repeats them for the dtypes that the op takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/ir/array.hpp"
#include "autovec/ir/params.hpp"
#include "autovec/ir/type.hpp"

namespace autovec::inline v1 {

/// How the elements of a sample's operand are drawn.
enum class Draw : std::uint8_t {
  any,     ///< all bit patterns, extremes and special values more often than others
  tame,    ///< numbers whose sums and products neither overflow nor underflow; some infinite or NaN
  between  ///< integers in [low, high]
};

/// One operand of a sample.
struct SampleOperand {
  Type type;
  Draw draw = Draw::any;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// An application of an op that its `infer` accepts.
struct Sample {
  Params params;
  std::vector<SampleOperand> operands;
};

/// A stream of random bits: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014).
class SampleBits {
 public:
  explicit SampleBits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// A number in [0, n); n > 0.
  std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }
  /// A number in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

 private:
  std::uint64_t state_;
};

namespace detail {

template <class T>
T any_element(SampleBits& bits) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return bits.below(2) != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T special[] = {T(0),
                         -T(0),
                         T(1),
                         T(-1),
                         T(0.5),
                         T(2),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::min(),
                         Limits::denorm_min(),
                         -Limits::denorm_min(),
                         Limits::min() / 2,
                         Limits::epsilon()};
    switch (bits.below(4)) {
      case 0: return special[bits.below(std::size(special))];
      case 1: return std::bit_cast<T>(static_cast<U>(bits.next()));
      case 2: return static_cast<T>(bits.between(-9, 9));
      default:
        return static_cast<T>(static_cast<double>(bits.between(-(1 << 30), 1 << 30)) * 0x1p-26);
    }
  } else {
    const T special[] = {T(0),
                         T(1),
                         T(-1),
                         T(2),
                         Limits::min(),
                         Limits::max(),
                         T(Limits::min() + 1),
                         T(sizeof(T) * 8),
                         T(sizeof(T) * 8 - 1)};
    switch (bits.below(3)) {
      case 0: return special[bits.below(std::size(special))];
      case 1: return static_cast<T>(bits.next());
      default: return static_cast<T>(bits.between(-9, 9));
    }
  }
}

template <class T>
T tame_element(SampleBits& bits) {
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const T special[] = {T(0), -T(0), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
    if (bits.below(64) == 0) return special[bits.below(std::size(special))];
    return static_cast<T>(static_cast<double>(bits.between(-(1 << 30), 1 << 30)) * 0x1p-28);
  } else {
    return any_element<T>(bits);
  }
}

}  // namespace detail

/// Values for an operand; the same seed gives the same values.
inline Array sample_values(const SampleOperand& operand, std::uint64_t seed) {
  SampleBits bits(seed);
  Array out = Array::allocate(operand.type);
  const std::int64_t n = operand.type.size();
  dispatch(
      operand.type.dtype,
      [&]<class T>() {
        T* to = out.as<T>();
        for (std::int64_t i = 0; i < n; ++i) {
          if (operand.draw == Draw::any) to[i] = detail::any_element<T>(bits);
          else if (operand.draw == Draw::tame) to[i] = detail::tame_element<T>(bits);
          else to[i] = static_cast<T>(bits.between(operand.low, operand.high));
        }
      },
      [&] {
        auto* to = out.as<std::uint16_t>();
        for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::uint16_t>(bits.next());
      });
  return out;
}

namespace detail {

/// Which dtypes an op takes.
using TakesDType = bool (*)(DType);

/// The real dtypes and b8; those that the laws try in all shapes come first.
inline constexpr DType sample_dtypes[] = {
    DType::f32, DType::f64, DType::i32, DType::i64, DType::u32, DType::b8,  DType::i8,
    DType::u8,  DType::i16, DType::u16, DType::u64, DType::f16, DType::bf16};
inline constexpr std::size_t main_sample_dtypes = 6;

inline bool takes_real(DType) { return true; }
inline bool takes_plain_numbers(DType t) { return is_int(t) || t == DType::f32 || t == DType::f64; }

/// Parameters and shapes of operands that share one dtype.
struct SampleForm {
  Params params;
  std::vector<Extents> shapes;
};

template <class P>
SampleForm form(P params, std::vector<Extents> shapes) {
  return {Params::of(std::move(params)), std::move(shapes)};
}

/// Each form in each dtype that `takes` holds for; dtypes beyond the main ones take turns.
inline std::vector<Sample> for_dtypes(TakesDType takes, const std::vector<SampleForm>& forms,
                                      Draw draw = Draw::any) {
  std::vector<Sample> out;
  for (std::size_t d = 0; d < std::size(sample_dtypes); ++d) {
    if (!takes(sample_dtypes[d])) continue;
    for (std::size_t f = 0; f < forms.size(); ++f) {
      if (d >= main_sample_dtypes && f != d % forms.size()) continue;
      Sample sample{forms[f].params, {}};
      for (const Extents& shape : forms[f].shapes) {
        sample.operands.push_back({Type{sample_dtypes[d], false, shape}, draw});
      }
      out.push_back(std::move(sample));
    }
  }
  return out;
}

/// Forms of a map: one shape, or rank 0 beside one.
inline std::vector<Sample> map_samples(std::size_t arity, TakesDType takes,
                                       const Params& params = {}) {
  std::vector<SampleForm> forms;
  for (const Extents& shape :
       {Extents{}, Extents{3}, Extents{2, 3}, Extents{0}, Extents{1, 5}, Extents{3, 0, 2}}) {
    forms.push_back({params, std::vector<Extents>(arity, shape)});
  }
  for (std::size_t i = 0; arity > 1 && i < arity; ++i) {
    forms.push_back({params, std::vector<Extents>(arity, Extents{2, 2})});
    forms.back().shapes[i] = {};
  }
  return for_dtypes(takes, forms);
}

}  // namespace detail

}  // namespace autovec::inline v1
