// Keys of trees: equal when a trace of one tree serves the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "autovec/base/hash.hpp"
#include "autovec/base/small_vector.hpp"
#include "autovec/base/text.hpp"
#include "autovec/trace/tree.hpp"

namespace autovec::inline v1 {
namespace tree {

// The address names the type. It works without RTTI, and where two local structs print alike.
template <class T>
inline constexpr char tag = 0;

/// A sequence of words with a hash; short ones allocate nothing.
class Key {
 public:
  void add(std::uint64_t word) { words_.push_back(word); }
  void add(std::string_view text) {
    add(text.size());
    while (!text.empty()) {
      std::uint64_t word = 0;
      const std::size_t n = text.size() < sizeof word ? text.size() : sizeof word;
      std::memcpy(&word, text.data(), n);
      add(word);
      text.remove_prefix(n);
    }
  }
  template <class T>
  void add_type() {
    add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&tag<T>)));
  }
  void clear() noexcept { words_.clear(); }
  std::size_t size() const noexcept { return words_.size(); }

  std::uint64_t hash() const noexcept {
    Hasher hasher;
    for (const std::uint64_t word : words_) hasher.add(word);
    return hasher.value();
  }
  friend bool operator==(const Key&, const Key&) noexcept = default;

 private:
  SmallVector<std::uint64_t, 24> words_;
};

/// For unordered containers.
struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept {
    return static_cast<std::size_t>(key.hash());
  }
};

namespace detail {

/// Floats count by their bits: -0.0 is not 0.0, and a NaN is itself.
template <class T>
void append_fixed(const T& value, Key& key) {
  if constexpr (std::is_enum_v<T>) {
    append_fixed(static_cast<std::underlying_type_t<T>>(value), key);
  } else if constexpr (std::is_integral_v<T>) {
    key.add(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, float>) {
    key.add(std::uint64_t{std::bit_cast<std::uint32_t>(value)});
  } else if constexpr (std::is_same_v<T, double>) {
    key.add(std::bit_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, long double>) {
    key.add(number_text(value));  // its bytes hold padding
  } else if constexpr (std::is_same_v<T, std::string>) {
    key.add(std::string_view(value));
  } else if constexpr (requires { value.imag(); }) {
    append_fixed(value.real(), key);
    append_fixed(value.imag(), key);
  } else {  // std::vector<bool>
    key.add(value.size());
    for (const bool bit : value) key.add(bit ? 1u : 0u);
  }
}

struct AppendKey {
  Key& key;
  void tensor(const Tensor&) {}
  template <class T>
  void fixed(const T& value) {
    append_fixed(value, key);
  }
  void size(std::size_t n) { key.add(n); }
};

}  // namespace detail

/// Appends what a trace may depend on besides the leaves: the type, the sizes of vectors, which
/// optionals hold a value, and the static values. Leaves are the caller's to add.
template <class T>
void append_key(const T& t, Key& key) {
  if constexpr (Tree<T>) {
    key.template add_type<T>();
    detail::AppendKey visitor{key};
    visit(t, visitor);
  } else {
    require_tree<T>();
  }
}

}
}  // namespace autovec::inline v1::tree
