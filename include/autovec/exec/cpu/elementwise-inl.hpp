// One kernel per element-wise instruction and dtype: a loop of batches over a tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "autovec/base/dtype.hpp"
#include "autovec/base/list.hpp"
#include "autovec/exec/cpu/batch-inl.hpp"
#include "autovec/exec/cpu/tile-inl.hpp"
#include "autovec/lane/arithmetic.hpp"
#include "autovec/lane/half.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/scalar.hpp"
#include "autovec/math/functions.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

// -- Instructions on numbers and batches --------------------------------------------------------
//
// `any_sign`: the bits don't depend on the sign of integers, so one kernel serves i32 and u32.
// `one_by_one`, `ints_one_by_one`: there is no batch form.

struct Instr {
  static constexpr bool one_by_one = false, ints_one_by_one = false, any_sign = false,
                        floats_only = false;
};
struct AnySign : Instr {
  static constexpr bool any_sign = true;
};
struct FloatsOnly : Instr {
  static constexpr bool floats_only = true;
};

struct Add : AnySign {
  template <class V>
  static V run(V a, V b) {
    if constexpr (lane::Scalar<V>) return lane::arithmetic::add(a, b);
    else return a + b;
  }
};
struct Sub : AnySign {
  template <class V>
  static V run(V a, V b) {
    if constexpr (lane::Scalar<V>) return lane::arithmetic::sub(a, b);
    else return a - b;
  }
};
struct Mul : AnySign {
  template <class V>
  static V run(V a, V b) {
    if constexpr (lane::Scalar<V>) return lane::arithmetic::mul(a, b);
    else return a * b;
  }
};
struct Div : Instr {
  static constexpr bool ints_one_by_one = true;
  template <class V>
  static V run(V a, V b) {
    if constexpr (lane::Scalar<V>) return lane::arithmetic::div(a, b);
    else return a / b;
  }
};
struct Neg : AnySign {
  template <class V>
  static V run(V a) {
    if constexpr (lane::Scalar<V>) return lane::arithmetic::neg(a);
    else return -a;
  }
};
struct Abs : Instr {
  template <class V>
  static V run(V a) {
    return abs(a);
  }
};
struct Min : Instr {
  template <class V>
  static V run(V a, V b) {
    return min(a, b);
  }
};
struct Max : Instr {
  template <class V>
  static V run(V a, V b) {
    return max(a, b);
  }
};
struct Fma : FloatsOnly {
  template <class V>
  static V run(V a, V b, V c) {
    return fma(a, b, c);
  }
};
struct Sqrt : FloatsOnly {
  template <class V>
  static V run(V a) {
    return sqrt(a);
  }
};
struct Floor : FloatsOnly {
  template <class V>
  static V run(V a) {
    return floor(a);
  }
};
struct Ceil : FloatsOnly {
  template <class V>
  static V run(V a) {
    return ceil(a);
  }
};
struct Trunc : FloatsOnly {
  template <class V>
  static V run(V a) {
    return trunc(a);
  }
};
struct Round : FloatsOnly {
  template <class V>
  static V run(V a) {
    return round_even(a);
  }
};
struct Eq : AnySign {
  template <class V>
  static auto run(V a, V b) {
    return a == b;
  }
};
struct Ne : AnySign {
  template <class V>
  static auto run(V a, V b) {
    return a != b;
  }
};
struct Lt : Instr {
  template <class V>
  static auto run(V a, V b) {
    return a < b;
  }
};
struct Le : Instr {
  template <class V>
  static auto run(V a, V b) {
    return a <= b;
  }
};
struct And : AnySign {
  template <class V>
  static V run(V a, V b) {
    return static_cast<V>(a & b);
  }
};
struct Or : AnySign {
  template <class V>
  static V run(V a, V b) {
    return static_cast<V>(a | b);
  }
};
struct Xor : AnySign {
  template <class V>
  static V run(V a, V b) {
    return static_cast<V>(a ^ b);
  }
};
struct Not : AnySign {
  template <class V>
  static V run(V a) {
    return static_cast<V>(~a);
  }
};
/// Of b8.
struct NotByte : AnySign {
  template <class V>
  static V run(V a) {
    return static_cast<V>(a ^ V(1));
  }
};
struct Shl : Instr {
  template <class V>
  static V run(V a, V n) {
    return shl(a, n);
  }
};
struct Shr : Instr {
  template <class V>
  static V run(V a, V n) {
    return shr(a, n);
  }
};
struct Select : AnySign {
  template <class M, class V>
  static V run(M m, V a, V b) {
    return select(m, a, b);
  }
};
template <class To>
struct Convert : Instr {
  template <class V>
  static auto run(V a) {
    return convert<To>(a);
  }
};
struct FromF16 : Instr {
  static float run(std::uint16_t a) { return lane::f32_from_f16(a); }
};
struct FromBf16 : Instr {
  static float run(std::uint16_t a) { return lane::f32_from_bf16(a); }
};
struct ToF16 : Instr {
  static constexpr bool one_by_one = true;
  static std::uint16_t run(float a) { return lane::f16_from_f32(a); }
};
struct ToBf16 : Instr {
  static constexpr bool one_by_one = true;
  static std::uint16_t run(float a) { return lane::bf16_from_f32(a); }
};
/// A whole function of math/.
template <class F>
struct Whole : Instr {
  template <class... V>
  static auto run(V... x) {
    return F::body(x...);
  }
};

// -- The loop over a tile -----------------------------------------------------------------------

namespace detail {

/// Bytes of the batched types among Ts if they agree and all others are bool; else 0.
template <class... Ts>
constexpr std::size_t batch_bytes() {
  std::size_t bytes = 0;
  bool fits = true;
  (
      [&] {
        if constexpr (Batched<Ts>) {
          fits = fits && (bytes == 0 || bytes == sizeof(Ts));
          bytes = sizeof(Ts);
        } else if constexpr (!std::is_same_v<Ts, bool>) {
          fits = false;
        }
      }(),
      ...);
  return fits ? bytes : 0;
}

template <class T, std::size_t N>
inline auto load_batch(const std::byte* p, std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return Mask<N>::load(reinterpret_cast<const std::uint8_t*>(p) + i);
  } else {
    return Batch<T>::load(reinterpret_cast<const T*>(p) + i);
  }
}

/// `granule` elements in registers or on the stack, so that results may overwrite operands.
template <class T>
struct Group {
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  Stored v[granule];

  explicit Group(const std::byte* p, std::int64_t i) {
    std::memcpy(v, p + i * static_cast<std::int64_t>(sizeof(Stored)), sizeof(v));
  }
  T operator[](std::int64_t i) const {
    if constexpr (std::is_same_v<T, bool>) return v[i] != 0;
    else return v[i];
  }
};

template <class F, class R, class... Ts, std::size_t... I>
inline void over_tile(const Step& s, Tile& t, std::index_sequence<I...>) noexcept {
  const std::byte* const from[] = {t.slots[s.operands[I]]...};
  std::byte* const to = t.slots[s.result];
  const std::int64_t lanes = t.lanes;
  constexpr std::size_t bytes = batch_bytes<R, Ts...>();
  if constexpr (bytes != 0 && !F::one_by_one && !(F::ints_one_by_one && std::is_integral_v<R>)) {
    constexpr std::int64_t size = Mask<bytes>::size;
    for (std::int64_t i = 0; i < lanes; i += size) {
      const auto r = F::run(load_batch<Ts, bytes>(from[I], i)...);
      if constexpr (std::is_same_v<R, bool>) r.store(reinterpret_cast<std::uint8_t*>(to) + i);
      else r.store(reinterpret_cast<R*>(to) + i);
    }
  } else {
    using Stored = typename Group<R>::Stored;
    for (std::int64_t i = 0; i < lanes; i += granule) {
      const auto groups = std::tuple<Group<Ts>...>(Group<Ts>(from[I], i)...);
      Stored r[granule];
      for (std::int64_t j = 0; j < granule; ++j) {
        r[j] = static_cast<Stored>(F::run(std::get<I>(groups)[j]...));
      }
      std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Stored)), r, sizeof(r));
    }
  }
}

}  // namespace detail

template <class F, class R, class... Ts>
inline void elementwise(const Step& s, Tile& t) noexcept {
  detail::over_tile<F, R, Ts...>(s, t, std::index_sequence_for<Ts...>());
}

// -- Kernels by instruction and dtype -----------------------------------------------------------

namespace detail {

/// The element type whose kernel serves T.
template <class F, class T>
using Served = typename std::conditional_t<
    std::is_same_v<T, bool>, std::type_identity<std::uint8_t>,
    std::conditional_t<F::any_sign && std::is_integral_v<T> && !std::is_same_v<T, bool>,
                       std::make_unsigned<std::conditional_t<std::is_same_v<T, bool>, int, T>>,
                       std::type_identity<T>>>::type;

inline Kernel no_kernel() { return nullptr; }

template <class F, std::size_t Arity, bool Compare = false>
inline Kernel same(DType t) {
  return dispatch(
      t,
      []<class T>() -> Kernel {
        if constexpr (F::floats_only && !std::is_floating_point_v<T>) {
          return nullptr;
        } else {
          using U = Served<F, T>;
          using R = std::conditional_t<Compare, bool, U>;
          if constexpr (Arity == 1) return &elementwise<F, R, U>;
          else if constexpr (Arity == 2) return &elementwise<F, R, U, U>;
          else return &elementwise<F, R, U, U, U>;
        }
      },
      no_kernel);
}
template <class F>
inline Kernel integers(DType t) {
  return dispatch(
      t,
      []<class T>() -> Kernel {
        if constexpr (std::is_floating_point_v<T>) {
          return nullptr;
        } else {
          using U = Served<F, T>;
          return &elementwise<F, U, U, U>;
        }
      },
      no_kernel);
}

/// An unsigned integer of as many bytes.
template <class F>
inline Kernel by_size(std::size_t size, F f) {
  switch (size) {
    case 1: return f.template operator()<std::uint8_t>();
    case 2: return f.template operator()<std::uint16_t>();
    case 4: return f.template operator()<std::uint32_t>();
    case 8: return f.template operator()<std::uint64_t>();
    default: return nullptr;
  }
}

}  // namespace detail

/// Stores the constant `immediate`.
template <class U>
inline void fill(const Step& s, Tile& t) noexcept {
  U* to = t.at<U>(s.result);
  U value;
  std::memcpy(&value, &s.immediate, sizeof(U));
  for (std::int64_t i = 0; i < t.lanes; ++i) to[i] = value;
}
inline Kernel fill_kernel(std::size_t size) {
  return detail::by_size(size, []<class U>() -> Kernel { return &fill<U>; });
}
inline Kernel select_kernel(std::size_t size) {
  return detail::by_size(size,
                         []<class U>() -> Kernel { return &elementwise<Select, U, bool, U, U>; });
}

/// The kernel of an instruction on operands of dtype `t` (the result's for select), or nullptr.
inline Kernel find_kernel(lane::Op op, DType t) {
  using lane::Op;
  using namespace detail;
  switch (op) {
    case Op::add: return same<Add, 2>(t);
    case Op::sub: return same<Sub, 2>(t);
    case Op::mul: return same<Mul, 2>(t);
    case Op::div: return same<Div, 2>(t);
    case Op::neg: return same<Neg, 1>(t);
    case Op::abs: return same<Abs, 1>(t);
    case Op::min: return same<Min, 2>(t);
    case Op::max: return same<Max, 2>(t);
    case Op::fma: return same<Fma, 3>(t);
    case Op::sqrt: return same<Sqrt, 1>(t);
    case Op::floor: return same<Floor, 1>(t);
    case Op::ceil: return same<Ceil, 1>(t);
    case Op::trunc: return same<Trunc, 1>(t);
    case Op::round: return same<Round, 1>(t);
    case Op::eq: return same<Eq, 2, true>(t);
    case Op::ne: return same<Ne, 2, true>(t);
    case Op::lt:
    case Op::gt: return same<Lt, 2, true>(t);
    case Op::le:
    case Op::ge: return same<Le, 2, true>(t);
    case Op::and_: return integers<And>(t);
    case Op::or_: return integers<Or>(t);
    case Op::xor_: return integers<Xor>(t);
    case Op::not_:
      return t == b8 ? &elementwise<NotByte, std::uint8_t, std::uint8_t>
                     : dispatch(
                           t,
                           []<class T>() -> Kernel {
                             if constexpr (std::is_floating_point_v<T>) return nullptr;
                             else return &elementwise<Not, Served<Not, T>, Served<Not, T>>;
                           },
                           no_kernel);
    case Op::shl: return integers<Shl>(t);
    case Op::shr: return integers<Shr>(t);
    case Op::select: return select_kernel(size_of(t));
    default: return nullptr;
  }
}

/// Whether a conversion keeps the bytes as they are.
inline bool converts_in_place(DType from, DType to) {
  const auto plain = [](DType t) { return is_int(t) || is_bool(t); };
  return from == to || (plain(from) && is_int(to) && size_of(from) == size_of(to));
}

/// The kernel that converts; between f16 or bf16 and others than f32 there is none.
inline Kernel convert_kernel(DType from, DType to) {
  if (from == f16 && to == f32) return &elementwise<FromF16, float, std::uint16_t>;
  if (from == bf16 && to == f32) return &elementwise<FromBf16, float, std::uint16_t>;
  if (from == f32 && to == f16) return &elementwise<ToF16, std::uint16_t, float>;
  if (from == f32 && to == bf16) return &elementwise<ToBf16, std::uint16_t, float>;
  const auto from_any = [from]<class To>() -> Kernel {
    return dispatch(
        from,
        []<class From>() -> Kernel {
          if constexpr (std::is_same_v<From, bool>) {
            return &elementwise<Convert<detail::Served<Add, To>>, detail::Served<Add, To>,
                                std::uint8_t>;
          } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
            // For narrowing, and for `!= 0`, the sign does not matter.
            using Source =
                std::conditional_t<(sizeof(From) >= sizeof(To)), std::make_unsigned_t<From>, From>;
            using R = std::conditional_t<std::is_same_v<To, bool>, bool, detail::Served<Add, To>>;
            return &elementwise<Convert<R>, R, Source>;
          } else {
            return &elementwise<Convert<To>, To, From>;
          }
        },
        detail::no_kernel);
  };
  return dispatch(to, from_any, detail::no_kernel);
}

namespace detail {
template <class F, class T>
inline Kernel whole(std::size_t arity) {
  if constexpr (requires(T x) { F::body(x); }) {
    if (arity == 1) return &elementwise<Whole<F>, T, T>;
  } else if constexpr (requires(T x) { F::body(x, x); }) {
    if (arity == 2) return &elementwise<Whole<F>, T, T, T>;
  }
  return nullptr;
}
}  // namespace detail

/// The kernel of a function of math/ on `arity` arguments of dtype `t`, or nullptr.
inline Kernel math_kernel(std::string_view name, std::size_t arity, DType t) {
  Kernel found = nullptr;
  for_each_type(math::Functions(), [&]<class F>() {
    if (name != F::name) return;
    if (t == f32) found = detail::whole<F, float>(arity);
    if (t == f64) found = detail::whole<F, double>(arity);
  });
  return found;
}

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
