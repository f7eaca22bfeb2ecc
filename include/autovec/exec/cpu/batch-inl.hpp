// Batch<T> and Mask<N>: the lane vocabulary on one SIMD register; the one wrapper over xsimd.
// SPDX-License-Identifier: Apache-2.0
//
// Of xsimd only registers, loads, stores, float arithmetic, fma, sqrt and float comparisons are
// used: in 8.1 its integer, mask and NaN rules are wrong in places. Integers and masks are written
// as operators on the registers themselves, which GCC and Clang take on every machine.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// GCC 12 takes the undefined registers of its own AVX-512 headers for a mistake.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include "autovec/base/config.hpp"
#include "autovec/lane/scalar.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// Element types that have a register; narrower ones are handled by plain loops.
template <class T>
concept Batched = std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && !std::same_as<T, bool> && sizeof(T) >= 4);

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif
#if defined(__SSE4_1__) || defined(__aarch64__)
inline constexpr bool has_rounding = true;
#else
inline constexpr bool has_rounding = false;
#endif

template <std::size_t Bytes>
using Int = typename lane::detail::IntOf<Bytes>::type;

namespace detail {
template <class T, std::size_t Bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(Bytes)));
};
}  // namespace detail

/// The register of a batch as the compilers' own vector of T.
template <class T>
using Vector = typename detail::VectorOf<T, sizeof(typename xsimd::batch<T>::register_type)>::type;

/// Booleans for the lanes of a register of N-byte elements.
template <std::size_t N>
struct Mask {
  using Bool = xsimd::batch_bool<Int<N>>;
  using Register = typename Bool::register_type;
  using Lanes = Vector<Int<N>>;
  /// Are masks bit fields of their own (AVX-512), or vectors of 0 and -1?
  static constexpr bool bits = std::is_integral_v<Register>;
  static constexpr std::size_t size = xsimd::batch<Int<N>>::size;

  Register data;

  Mask() = default;
  Mask(bool all) : data(from_bool(all)) {}
  explicit Mask(Register r) : data(r) {}
  template <class T>
  explicit Mask(xsimd::batch_bool<T> b) : data((Register)b.data) {
    static_assert(sizeof(T) == N);
  }
  template <class T>
  xsimd::batch_bool<T> as() const {
    using To = typename xsimd::batch_bool<T>::register_type;
    return xsimd::batch_bool<T>((To)data);
  }
  static Mask from_lanes(Lanes lanes) requires(!bits) { return Mask((Register)lanes); }

  /// Bytes that are not 0 hold.
  static Mask load(const std::uint8_t* p) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if constexpr (size == 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      return Mask(static_cast<Register>(_mm_test_epi8_mask(bytes, bytes)));
    } else {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
      return Mask(static_cast<Register>(_mm_test_epi8_mask(bytes, bytes)));
    }
#else
    Int<N> lanes[size];
    for (std::size_t i = 0; i < size; ++i) lanes[i] = p[i] != 0 ? -1 : 0;
    Lanes v;
    std::memcpy(&v, lanes, sizeof(v));
    return from_lanes(v);
#endif
  }
  /// As bytes 0 and 1.
  void store(std::uint8_t* p) const {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const __m128i bytes = _mm_maskz_set1_epi8(data, 1);
    if constexpr (size == 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
    } else {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(p), bytes);
    }
#else
    Int<N> lanes[size];
    std::memcpy(lanes, &data, sizeof(data));
    for (std::size_t i = 0; i < size; ++i) p[i] = static_cast<std::uint8_t>(lanes[i] & 1);
#endif
  }

  friend Mask operator&(Mask a, Mask b) { return Mask(static_cast<Register>(a.data & b.data)); }
  friend Mask operator|(Mask a, Mask b) { return Mask(static_cast<Register>(a.data | b.data)); }
  friend Mask operator^(Mask a, Mask b) { return Mask(static_cast<Register>(a.data ^ b.data)); }
  friend Mask invert(Mask a) { return Mask(static_cast<Register>(~a.data)); }
  bool any() const {
    if constexpr (bits) {
      return data != 0;
    } else {
      return xsimd::any(as<std::conditional_t<N == 4, float, double>>());
    }
  }
  friend Mask operator==(Mask a, Mask b) { return invert(a ^ b); }
  friend Mask operator!=(Mask a, Mask b) { return a ^ b; }

 private:
  static Register from_bool(bool all) {
    if constexpr (bits) {
      return static_cast<Register>(all ? -1 : 0);
    } else {
      return (Register)(Lanes{} - (all ? Int<N>(1) : Int<N>(0)));
    }
  }
};

/// One register of T.
template <Batched T>
struct Batch {
  using Element = T;
  using Register = xsimd::batch<T>;
  using M = Mask<sizeof(T)>;
  using Unsigned =
      std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>;
  static constexpr std::size_t size = Register::size;

  Register data;

  Batch() = default;
  Batch(T all) : data(all) {}
  explicit Batch(Register r) : data(r) {}
  template <class U>
  static Batch from(Vector<U> v) {
    return Batch(Register((typename Register::register_type)v));
  }

  static Batch load(const T* p) { return Batch(Register::load_unaligned(p)); }
  void store(T* p) const { data.store_unaligned(p); }

  /// The register as a vector of U, an integer of the same size.
  template <class U>
  Vector<U> as() const {
    return (Vector<U>)data.data;
  }
  /// The bits as a batch of U.
  template <class U>
  Batch<U> cast() const {
    static_assert(sizeof(U) == sizeof(T));
    return Batch<U>(xsimd::batch<U>((typename xsimd::batch<U>::register_type)data.data));
  }

  friend Batch operator+(Batch a, Batch b) {
    if constexpr (std::is_integral_v<T>) {
      using U = typename Unsigned::type;
      return from<U>(a.template as<U>() + b.template as<U>());
    } else {
      return Batch(a.data + b.data);
    }
  }
  friend Batch operator-(Batch a, Batch b) {
    if constexpr (std::is_integral_v<T>) {
      using U = typename Unsigned::type;
      return from<U>(a.template as<U>() - b.template as<U>());
    } else {
      return Batch(a.data - b.data);
    }
  }
  friend Batch operator*(Batch a, Batch b) {
    if constexpr (std::is_integral_v<T>) {
      using U = typename Unsigned::type;
      return from<U>(a.template as<U>() * b.template as<U>());
    } else {
      Register product = a.data * b.data;
#if defined(__FMA__)
      // Hides that this is a product: whatever the flags, no compiler may fuse it with an addition.
#if defined(__AVX512F__)
      asm("" : "+v"(product.data));
#else
      asm("" : "+x"(product.data));
#endif
#elif defined(__aarch64__)
      asm("" : "+w"(product.data));
#endif
      return Batch(product);
    }
  }
  friend Batch operator/(Batch a, Batch b) requires std::floating_point<T> {
    return Batch(a.data / b.data);
  }
  friend Batch operator-(Batch a) {
    if constexpr (std::is_integral_v<T>) {
      return Batch(T(0)) - a;
    } else {
      using U = std::make_unsigned_t<Int<sizeof(T)>>;
      return (a.template cast<U>() ^ Batch<U>(U(1) << (8 * sizeof(T) - 1))).template cast<T>();
    }
  }
  friend Batch operator&(Batch a, Batch b) requires std::integral<T> {
    return from<T>(a.template as<T>() & b.template as<T>());
  }
  friend Batch operator|(Batch a, Batch b) requires std::integral<T> {
    return from<T>(a.template as<T>() | b.template as<T>());
  }
  friend Batch operator^(Batch a, Batch b) requires std::integral<T> {
    return from<T>(a.template as<T>() ^ b.template as<T>());
  }
  friend Batch operator~(Batch a) requires std::integral<T> { return from<T>(~a.template as<T>()); }

  friend M operator==(Batch a, Batch b) {
    if constexpr (std::is_floating_point_v<T> || M::bits) {
      return M(a.data == b.data);
    } else {
      return M::from_lanes((typename M::Lanes)(a.template as<T>() == b.template as<T>()));
    }
  }
  friend M operator<(Batch a, Batch b) {
    if constexpr (std::is_floating_point_v<T> || M::bits) {
      return M(a.data < b.data);
    } else {
      return M::from_lanes((typename M::Lanes)(a.template as<T>() < b.template as<T>()));
    }
  }
  friend M operator<=(Batch a, Batch b) {
    if constexpr (std::is_floating_point_v<T>) {
      return M(a.data <= b.data);
    } else {
      return invert(b < a);
    }
  }
  friend M operator!=(Batch a, Batch b) { return invert(a == b); }
  friend M operator>(Batch a, Batch b) { return b < a; }
  friend M operator>=(Batch a, Batch b) { return b <= a; }
};

/// f(element) for each lane: for what this machine has no instruction for.
template <class R, class F, class T, class... Ts>
inline Batch<R> lane_by_lane(F f, Batch<T> first, Ts... rest) {
  constexpr std::size_t n = Batch<T>::size;
  T x[n];
  first.store(x);
  R r[n];
  if constexpr (sizeof...(Ts) == 0) {
    for (std::size_t i = 0; i < n; ++i) r[i] = f(x[i]);
  } else {
    T more[sizeof...(Ts)][n];
    std::size_t k = 0;
    (rest.store(more[k++]), ...);
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (sizeof...(Ts) == 1) {
        r[i] = f(x[i], more[0][i]);
      } else {
        r[i] = f(x[i], more[0][i], more[1][i]);
      }
    }
  }
  return Batch<R>::load(r);
}

// -- The vocabulary of lane/scalar.hpp ----------------------------------------------------------

using lane::abs, lane::ceil, lane::convert, lane::floor, lane::fma, lane::max, lane::min,
    lane::round_even, lane::select, lane::shl, lane::shr, lane::sqrt, lane::trunc;

template <class T>
using SameBatch = std::type_identity_t<Batch<T>>;

template <std::floating_point T>
inline Batch<T> fma(Batch<T> a, SameBatch<T> b, SameBatch<T> c) {
#if defined(__AVX512F__)
  // xsimd 8.1 has none here: it multiplies, then adds.
  if constexpr (sizeof(T) == 4) {
    return Batch<T>(xsimd::batch<T>(_mm512_fmadd_ps(a.data, b.data, c.data)));
  } else {
    return Batch<T>(xsimd::batch<T>(_mm512_fmadd_pd(a.data, b.data, c.data)));
  }
#else
  if constexpr (has_fma) {
    return Batch<T>(xsimd::fma(a.data, b.data, c.data));
  } else {
    return lane_by_lane<T>([](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
  }
#endif
}
template <std::floating_point T>
inline Batch<T> sqrt(Batch<T> x) {
  return Batch<T>(xsimd::sqrt(x.data));
}
template <class T>
inline Batch<T> abs(Batch<T> x) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::make_unsigned_t<Int<sizeof(T)>>;
    return (x.template cast<U>() & Batch<U>(U(~U(0)) >> 1)).template cast<T>();
  } else if constexpr (std::is_signed_v<T>) {
    return select(x < Batch<T>(T(0)), -x, x);
  } else {
    return x;
  }
}
template <std::floating_point T>
inline Batch<T> floor(Batch<T> x) {
  if constexpr (has_rounding) return Batch<T>(xsimd::floor(x.data));
  else return lane_by_lane<T>([](T v) { return std::floor(v); }, x);
}
template <std::floating_point T>
inline Batch<T> ceil(Batch<T> x) {
  if constexpr (has_rounding) return Batch<T>(xsimd::ceil(x.data));
  else return lane_by_lane<T>([](T v) { return std::ceil(v); }, x);
}
template <std::floating_point T>
inline Batch<T> trunc(Batch<T> x) {
  if constexpr (has_rounding) return Batch<T>(xsimd::trunc(x.data));
  else return lane_by_lane<T>([](T v) { return std::trunc(v); }, x);
}
template <std::floating_point T>
inline Batch<T> round_even(Batch<T> x) {
  if constexpr (has_rounding) return Batch<T>(xsimd::nearbyint(x.data));
  else return lane_by_lane<T>([](T v) { return std::nearbyint(v); }, x);
}

template <class T>
inline Batch<T> select(Mask<sizeof(T)> m, Batch<T> a, SameBatch<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return Batch<T>(xsimd::select(m.template as<T>(), a.data, b.data));
  } else {
    using F = std::conditional_t<sizeof(T) == 4, float, double>;
    return select(m, a.template cast<F>(), b.template cast<F>()).template cast<T>();
  }
}
template <std::size_t N>
inline Mask<N> select(Mask<N> m, Mask<N> a, std::type_identity_t<Mask<N>> b) {
  return (m & a) | (invert(m) & b);
}
template <class T>
inline Batch<T> min(Batch<T> a, SameBatch<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return select((a <= b) | (a != a), a, b);
  } else {
    return select(b < a, b, a);
  }
}
template <class T>
inline Batch<T> max(Batch<T> a, SameBatch<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return select((b <= a) | (a != a), a, b);
  } else {
    return select(a < b, b, a);
  }
}

/// f() where the mask holds, else `fallback`; f runs only if some lane holds.
template <class T, class F>
inline Batch<T> when_any(Mask<sizeof(T)> mask, F f, Batch<T> fallback) {
  if (!mask.any()) return fallback;
  return select(mask, Batch<T>(f()), fallback);
}

template <std::floating_point T>
inline Batch<Int<sizeof(T)>> to_bits(Batch<T> x) {
  return x.template cast<Int<sizeof(T)>>();
}
template <class V, class T = typename V::Element>
  requires std::same_as<V, Batch<T>>
inline V from_bits(Batch<Int<sizeof(T)>> x) { return x.template cast<T>(); }

// Counts out of range give 0 or the sign, as the variable shifts of AVX2 and AVX-512 do.
template <std::integral T>
inline Batch<T> shl(Batch<T> x, SameBatch<T> n) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) return Batch<T>(xsimd::batch<T>(_mm512_sllv_epi32(x.data, n.data)));
  else return Batch<T>(xsimd::batch<T>(_mm512_sllv_epi64(x.data, n.data)));
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) return Batch<T>(xsimd::batch<T>(_mm256_sllv_epi32(x.data, n.data)));
  else return Batch<T>(xsimd::batch<T>(_mm256_sllv_epi64(x.data, n.data)));
#else
  return lane_by_lane<T>([](T v, T k) { return lane::shl(v, k); }, x, n);
#endif
}
template <std::integral T>
inline Batch<T> shr(Batch<T> x, SameBatch<T> n) {
#if defined(__AVX512F__)
  if constexpr (std::is_signed_v<T> && sizeof(T) == 4) {
    return Batch<T>(xsimd::batch<T>(_mm512_srav_epi32(x.data, n.data)));
  } else if constexpr (std::is_signed_v<T>) {
    return Batch<T>(xsimd::batch<T>(_mm512_srav_epi64(x.data, n.data)));
  } else if constexpr (sizeof(T) == 4) {
    return Batch<T>(xsimd::batch<T>(_mm512_srlv_epi32(x.data, n.data)));
  } else {
    return Batch<T>(xsimd::batch<T>(_mm512_srlv_epi64(x.data, n.data)));
  }
#elif defined(__AVX2__)
  if constexpr (std::is_signed_v<T> && sizeof(T) == 4) {
    return Batch<T>(xsimd::batch<T>(_mm256_srav_epi32(x.data, n.data)));
  } else if constexpr (std::is_signed_v<T>) {
    // Where x is negative, ~(~x >> n).
    using U = std::make_unsigned_t<T>;
    const Batch<T> sign = select(x < Batch<T>(T(0)), Batch<T>(T(-1)), Batch<T>(T(0)));
    return shr((x ^ sign).template cast<U>(), n.template cast<U>()).template cast<T>() ^ sign;
  } else if constexpr (sizeof(T) == 4) {
    return Batch<T>(xsimd::batch<T>(_mm256_srlv_epi32(x.data, n.data)));
  } else {
    return Batch<T>(xsimd::batch<T>(_mm256_srlv_epi64(x.data, n.data)));
  }
#else
  return lane_by_lane<T>([](T v, T k) { return lane::shr(v, k); }, x, n);
#endif
}
/// By a constant in [0, width).
template <std::integral T>
inline Batch<T> shl(Batch<T> x, int n) {
  return Batch<T>::template from<T>(x.template as<T>() << n);
}
template <std::integral T>
inline Batch<T> shr(Batch<T> x, int n) {
  return Batch<T>::template from<T>(x.template as<T>() >> n);
}

/// The value as U, of the same size: int to float rounds, float to int saturates, NaN gives 0.
template <class U, class T>
inline auto convert(Batch<T> x) {
  if constexpr (std::is_same_v<U, bool>) {
    return x != Batch<T>(T(0));
  } else {
    static_assert(sizeof(U) == sizeof(T), "a batch converts only to lanes of its own size");
    if constexpr (std::is_same_v<U, T>) {
      return x;
    } else if constexpr (std::is_integral_v<U> && std::is_integral_v<T>) {
      return x.template cast<U>();
    } else if constexpr (std::is_same_v<U, float> && std::is_same_v<T, std::int32_t>) {
      return Batch<U>(xsimd::batch_cast<float>(x.data));
    } else if constexpr (std::is_same_v<U, std::int32_t>) {
      // The hardware gives INT_MIN where the value does not fit: right below, to be mended above.
      const Batch<U> raw(xsimd::batch_cast<std::int32_t>(x.data));
      const Batch<U> capped = select(x >= Batch<T>(0x1p31f), Batch<U>(0x7fffffff), raw);
      return select(x != x, Batch<U>(0), capped);
    } else {
      return lane_by_lane<U>([](T v) { return lane::convert<U>(v); }, x);
    }
  }
}

template <class T, class U>
struct Rebound {
  using type = Batch<U>;
};
template <class T>
struct Rebound<T, bool> {
  using type = Mask<sizeof(T)>;
};

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME

namespace lane {
template <class T>
struct Traits<cpu::Batch<T>> {
  using element = T;
  template <class U>
  using rebind = typename cpu::Rebound<T, U>::type;
};
template <std::size_t N>
struct Traits<cpu::Mask<N>> {
  using element = bool;
};
}  // namespace lane
}  // namespace autovec::inline v1
