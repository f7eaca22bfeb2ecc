// Tensor data: a shared block of memory, a type, and strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <utility>

#include "autovec/base/memory.hpp"
#include "autovec/ir/type.hpp"

namespace autovec::inline v1 {

/// Row-major strides of a contiguous array, in elements.
inline Extents row_major(const Extents& shape) {
  Extents strides(shape.size(), 1);
  std::int64_t run = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = run;
    run *= shape[i];
  }
  return strides;
}

/// Where the elements of a tensor lie in a block: element (i0, i1, ...) is at
/// `offset + sum of strides[k] * ik`, in elements.
struct Layout {
  std::int64_t offset = 0;
  Extents strides;

  static Layout contiguous(const Extents& shape) { return {0, row_major(shape)}; }
  /// Whether the elements lie one after the other in row-major order (extents 1 do not count).
  bool is_contiguous(const Extents& shape) const {
    std::int64_t run = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (shape[i] == 0) return true;
      if (shape[i] != 1 && strides[i] != run) return false;
      run *= shape[i];
    }
    return true;
  }
  friend bool operator==(const Layout& a, const Layout& b) noexcept {
    return a.offset == b.offset && a.strides == b.strides;
  }
};

/// Data with a type. Cheap to copy: the memory is shared and never written once others see it.
struct Array {
  Type type;
  Storage storage;
  std::byte* data = nullptr;  // of element (0, 0, ...)
  Extents strides;            // in elements

  bool empty() const noexcept { return !storage; }
  bool is_contiguous() const { return Layout{0, strides}.is_contiguous(type.shape); }

  /// Fresh contiguous memory of this type; contents undefined.
  static Array allocate(const Type& type) {
    Storage storage = Storage::allocate(type.bytes());
    std::byte* data = storage.data();
    return Array{type, std::move(storage), data, row_major(type.shape)};
  }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(data);
  }
};

/// Copies the elements of `from` in row-major order to contiguous memory at `to`.
inline void copy_elements(const Array& from, std::byte* to) {
  const std::size_t width = size_of(from.type.dtype);
  const Extents& shape = from.type.shape;
  const std::int64_t total = from.type.size();
  if (total == 0) return;
  if (from.is_contiguous()) {
    std::memcpy(to, from.data, static_cast<std::size_t>(total) * width);
    return;
  }
  // Axes whose elements are contiguous from the back form one run that memcpy takes.
  std::size_t outer = shape.size();
  std::int64_t run = 1;
  while (outer > 0 && (shape[outer - 1] == 1 || from.strides[outer - 1] == run)) {
    run *= shape[--outer];
  }
  Extents index(outer, 0);
  const std::byte* source = from.data;
  while (true) {
    std::memcpy(to, source, static_cast<std::size_t>(run) * width);
    to += static_cast<std::size_t>(run) * width;
    std::size_t axis = outer;
    while (axis > 0) {
      --axis;
      source += from.strides[axis] * static_cast<std::int64_t>(width);
      if (++index[axis] < shape[axis]) break;
      source -= from.strides[axis] * shape[axis] * static_cast<std::int64_t>(width);
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

/// The same elements in contiguous row-major memory; the array itself where it already is so.
inline Array to_contiguous(const Array& array) {
  if (array.is_contiguous()) return array;
  Array out = Array::allocate(array.type);
  copy_elements(array, out.data);
  return out;
}

}  // namespace autovec::inline v1
