// A vector of trivially copyable elements that keeps the first N in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace autovec::inline v1 {

/// Contiguous, growable; no allocation up to N elements. Converts from and to std::vector.
template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() noexcept {}
  SmallVector(std::initializer_list<T> init) { append(init.begin(), init.end()); }
  SmallVector(const std::vector<T>& init) { append(init.data(), init.data() + init.size()); }
  SmallVector(std::size_t count, T value) { resize(count, value); }
  template <class Iterator>
    requires(!std::is_arithmetic_v<Iterator>)
  SmallVector(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      append(other.begin(), other.end());
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T& front() noexcept { return data_[0]; }
  const T& front() const noexcept { return data_[0]; }
  T& back() noexcept { return data_[size_ - 1]; }
  const T& back() const noexcept { return data_[size_ - 1]; }

  void clear() noexcept { size_ = 0; }
  void pop_back() noexcept { --size_; }
  void push_back(T value) {
    reserve(size_ + 1);
    data_[size_++] = value;
  }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t capacity = std::max(count, 2 * capacity_);
    T* fresh = new T[capacity];
    std::copy(begin(), end(), fresh);
    const std::size_t size = size_;
    release();
    data_ = fresh;
    size_ = size;
    capacity_ = capacity;
  }
  void resize(std::size_t count, T value = T{}) {
    reserve(count);
    for (std::size_t i = size_; i < count; ++i) data_[i] = value;
    size_ = count;
  }
  void insert(std::size_t at, T value) {
    reserve(size_ + 1);
    for (std::size_t i = size_; i > at; --i) data_[i] = data_[i - 1];
    data_[at] = value;
    ++size_;
  }
  void erase(std::size_t at) {
    for (std::size_t i = at; i + 1 < size_; ++i) data_[i] = data_[i + 1];
    --size_;
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(*first);
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void take(SmallVector& other) noexcept {
    if (other.data_ == other.in_place()) {
      std::memcpy(static_cast<void*>(in_place()), other.data_, other.size_ * sizeof(T));
      data_ = in_place();
      capacity_ = N;
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
    }
    size_ = other.size_;
    other.data_ = other.in_place();
    other.size_ = 0;
    other.capacity_ = N;
  }
  void release() noexcept {
    if (data_ != in_place()) delete[] data_;
    data_ = in_place();
    size_ = 0;
    capacity_ = N;
  }
  T* in_place() noexcept { return reinterpret_cast<T*>(storage_); }
  const T* in_place() const noexcept { return reinterpret_cast<const T*>(storage_); }

  alignas(T) unsigned char storage_[N * sizeof(T)];
  T* data_ = in_place();
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
};

/// Extents, strides, axes: one entry an axis.
using Extents = SmallVector<std::int64_t, 6>;

}  // namespace autovec::inline v1
