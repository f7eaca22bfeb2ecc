// The type of a value: dtype, weakness and shape; promotion and broadcasting of types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "autovec/base/dtype.hpp"
#include "autovec/base/hash.hpp"
#include "autovec/base/small_vector.hpp"
#include "autovec/base/text.hpp"

namespace autovec::inline v1 {

/// dtype, weakness and shape. A weak type came from a C++ number and never widens a strong one.
struct Type {
  DType dtype = DType::f32;
  bool weak = false;
  Extents shape;

  std::size_t rank() const noexcept { return shape.size(); }
  /// Number of elements, modulo 2^64.
  std::int64_t size() const noexcept {
    std::uint64_t n = 1;
    for (const std::int64_t extent : shape) n *= static_cast<std::uint64_t>(extent);
    return static_cast<std::int64_t>(n);
  }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(size()) * size_of(dtype); }
  Type with_shape(Extents other) const { return Type{dtype, weak, std::move(other)}; }
  Type with_dtype(DType other) const { return Type{other, false, shape}; }

  friend bool operator==(const Type& a, const Type& b) noexcept {
    return a.dtype == b.dtype && a.weak == b.weak && a.shape == b.shape;
  }
};

/// `[2,3]`
inline std::string shape_text(const Extents& shape) {
  std::string out("[");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) out += ',';
    out += number_text(shape[i]);
  }
  out += ']';
  return out;
}

/// `f32[2,3]`; a weak type is `f32~[]`.
inline std::string type_text(const Type& type) {
  std::string out(name_of(type.dtype));
  if (type.weak) out += '~';
  out += shape_text(type.shape);
  return out;
}

namespace detail {
/// `f32[3] and f32[4]`, `a, b and c`.
inline std::string types_text(std::span<const Type> types) {
  std::string out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i != 0) out += i + 1 == types.size() ? " and " : ", ";
    out += type_text(types[i]);
  }
  return out;
}
}  // namespace detail

/// Whether a tensor can have this type: few enough axes, elements whose bytes can be counted.
inline bool is_sizeable(const Type& type) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  if (type.rank() > 32) return false;
  std::int64_t n = 1;
  for (const std::int64_t extent : type.shape) {
    if (extent < 0 || extent > most) return false;
    if (extent != 0 && (__builtin_mul_overflow(n, extent, &n) || n > most)) return false;
  }
  return true;
}

/// Throws ShapeError for a negative extent, and where no tensor can have this type.
inline void check_size(std::string_view op, const Type& type, Where where) {
  if (is_sizeable(type)) return;
  for (const std::int64_t extent : type.shape) {
    if (extent < 0) fail<ShapeError>(op, "a negative extent in " + shape_text(type.shape), where);
  }
  fail<ShapeError>(op, type_text(type) + " is too large", where);
}

inline void hash_type(Hasher& hasher, const Type& type) {
  hasher.add(static_cast<std::uint64_t>(type.dtype) * 2 + (type.weak ? 1 : 0) +
             type.shape.size() * 64);
  for (const std::int64_t extent : type.shape) hasher.add(static_cast<std::uint64_t>(extent));
}

namespace detail {
inline std::atomic<DType>& default_float_setting() {
  static std::atomic<DType> setting{DType::f32};
  return setting;
}
}  // namespace detail

/// The dtype of a C++ floating number that meets no typed tensor: f32 unless set otherwise.
inline DType default_float() {
  return detail::default_float_setting().load(std::memory_order_relaxed);
}

/// Sets what `default_float()` gives, for the whole process. Throws TypeError unless f32 or f64.
inline void set_default_float(DType dtype, Where where = Where::here()) {
  if (dtype != DType::f32 && dtype != DType::f64) {
    fail<TypeError>("set_default_float", "expected f32 or f64", where);
  }
  detail::default_float_setting().store(dtype, std::memory_order_relaxed);
}

/// dtype and weakness without the shape.
struct Element {
  DType dtype = DType::f32;
  bool weak = false;
  friend bool operator==(Element, Element) noexcept = default;
};

/// The least upper bound in JAX's lattice of dtypes: b8 < weak integer < integers < weak float <
/// floats < weak complex < complex; unsigned and signed meet at the next wider signed type, and
/// u64 with a signed type at the default float.
inline Element promote(Element a, Element b) {
  if (a.dtype == b.dtype) return {a.dtype, a.weak && b.weak};
  const auto rank = [](Element e) {
    if (is_bool(e.dtype)) return 0;
    if (is_int(e.dtype)) return e.weak ? 1 : 2;
    if (is_float(e.dtype)) return e.weak ? 3 : 4;
    return e.weak ? 5 : 6;
  };
  if (rank(a) > rank(b)) std::swap(a, b);
  if (rank(a) != rank(b)) {
    if (rank(b) == 5 && rank(a) == 4) {  // f64 and a weak complex meet at c128
      return {a.dtype == DType::f64 ? DType::c128 : DType::c64, false};
    }
    if (rank(b) == 6 && a.dtype == DType::f64 && !a.weak) return {DType::c128, false};
    return b;
  }
  if (is_int(a.dtype)) {
    if (is_signed_int(a.dtype) == is_signed_int(b.dtype)) {
      return {size_of(a.dtype) > size_of(b.dtype) ? a.dtype : b.dtype, a.weak && b.weak};
    }
    const Element s = is_signed_int(a.dtype) ? a : b;
    const Element u = is_signed_int(a.dtype) ? b : a;
    if (size_of(s.dtype) > size_of(u.dtype)) return s;
    if (u.dtype == DType::u8) return {DType::i16, false};
    if (u.dtype == DType::u16) return {DType::i32, false};
    if (u.dtype == DType::u32) return {DType::i64, false};
    return {default_float(), true};
  }
  if (is_float(a.dtype)) {
    if (size_of(a.dtype) == 2 && size_of(b.dtype) == 2) return {DType::f32, false};
    return size_of(a.dtype) > size_of(b.dtype) ? a : b;
  }
  return {DType::c128, a.weak && b.weak};
}

inline Element element_of(const Type& type) { return {type.dtype, type.weak}; }

/// The dtype in which a function of real numbers computes for this argument: floats stay, b8 and
/// integers become the default float.
inline Element to_inexact(Element e) {
  if (is_inexact(e.dtype)) return e;
  return {default_float(), e.weak};
}

/// NumPy's broadcast of two shapes; `fits` tells whether there is one.
inline Extents broadcast_shapes(const Extents& a, const Extents& b, bool& fits) {
  const Extents& longer = a.size() >= b.size() ? a : b;
  const Extents& shorter = a.size() >= b.size() ? b : a;
  Extents out = longer;
  const std::size_t lead = longer.size() - shorter.size();
  fits = true;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& x = out[lead + i];
    const std::int64_t y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1) {
      x = y;
    } else {
      fits = false;
    }
  }
  return out;
}

/// Axis in [0, rank): negative ones count from the back. Throws ShapeError naming axis and rank.
inline std::int64_t wrap_axis(std::int64_t axis, std::size_t rank, std::string_view op,
                              Where where) {
  const auto r = static_cast<std::int64_t>(rank);
  const std::int64_t wrapped = axis < 0 ? axis + r : axis;
  if (wrapped < 0 || wrapped >= r) {
    std::string what("axis ");
    what += number_text(axis);
    what += " is out of range for rank ";
    what += number_text(r);
    fail<ShapeError>(op, what, where);
  }
  return wrapped;
}

/// Product of the extents in [first, last).
inline std::int64_t extent_product(const Extents& shape, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t i = first; i < last; ++i) n *= shape[i];
  return n;
}

}  // namespace autovec::inline v1
