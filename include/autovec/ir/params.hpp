// Parameters of an op: a typed struct that lists its fields once; equality, hash and text follow.
//
//   struct AxisParams {
//     std::int64_t axis = 0;
//     template <class Self, class F> static void fields(Self& self, F&& f) { f("axis", self.axis);
//     }
//   };
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/hash.hpp"
#include "autovec/base/small_vector.hpp"
#include "autovec/base/text.hpp"
#include "autovec/ir/number.hpp"

namespace autovec::inline v1 {

class Graph;
class OpTable;
std::uint64_t hash_of(const Graph& graph);
bool same_graph(const Graph& a, const Graph& b);

/// What the library knows of a parameter struct without knowing its type.
struct ParamsInfo {
  const void* identity;
  bool (*equal)(const void* a, const void* b);
  void (*hash)(const void* p, Hasher& hasher);
  void (*print)(const void* p, std::string& out, int indent);
  std::shared_ptr<const void> (*parse)(TextCursor& in, const OpTable& table);
  void (*graphs)(const void* p, std::vector<const Graph*>& out);
};

// One overload for each kind of field; graphs come in with print.hpp and parse.hpp.
namespace detail {
inline void hash_field(Hasher& h, bool v) { h.add(v ? 1u : 0u); }
inline void hash_field(Hasher& h, std::int64_t v) { h.add(static_cast<std::uint64_t>(v)); }
inline void hash_field(Hasher& h, DType v) { h.add(static_cast<std::uint64_t>(v)); }
inline void hash_field(Hasher& h, const std::string& v) { h.add(std::string_view(v)); }
inline void hash_field(Hasher& h, const Number& v) {
  h.add(static_cast<std::uint64_t>(v.kind));
  h.add(v.bits);
}
inline void hash_field(Hasher& h, const Extents& v) {
  h.add(v.size());
  for (const std::int64_t x : v) h.add(static_cast<std::uint64_t>(x));
}
inline void hash_field(Hasher& h, const Type& v) { hash_type(h, v); }
inline void hash_field(Hasher& h, const Graph& v) { h.add(hash_of(v)); }
template <class T>
void hash_field(Hasher& h, const std::vector<T>& v) {
  h.add(v.size());
  for (const T& x : v) hash_field(h, x);
}

template <class T>
bool same_field(const T& a, const T& b) {
  return a == b;
}
inline bool same_field(const Graph& a, const Graph& b) { return same_graph(a, b); }
template <class T>
bool same_field(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_field(a[i], b[i])) return false;
  }
  return true;
}

inline void print_field(std::string& out, bool v, int) { out += v ? "true" : "false"; }
inline void print_field(std::string& out, std::int64_t v, int) { out += number_text(v); }
inline void print_field(std::string& out, DType v, int) { out += name_of(v); }
inline void print_field(std::string& out, const std::string& v, int) { out += quoted_text(v); }
inline void print_field(std::string& out, const Extents& v, int) { out += shape_text(v); }
inline void print_field(std::string& out, const Type& v, int) { out += type_text(v); }
void print_field(std::string& out, const Number& v, int);
void print_field(std::string& out, const Graph& v, int indent);
template <class T>
void print_field(std::string& out, const std::vector<T>& v, int indent) {
  out += '(';
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i != 0) out += ", ";
    print_field(out, v[i], indent);
  }
  out += ')';
}

DType parse_dtype(TextCursor& in);
Extents parse_extents(TextCursor& in);
Type parse_type(TextCursor& in);
inline void parse_field(TextCursor& in, const OpTable&, bool& v) {
  v = in.accept("true");
  if (!v) in.expect("false");
}
inline void parse_field(TextCursor& in, const OpTable&, std::int64_t& v) { v = in.integer(); }
inline void parse_field(TextCursor& in, const OpTable&, DType& v) { v = parse_dtype(in); }
inline void parse_field(TextCursor& in, const OpTable&, std::string& v) { v = in.quoted(); }
inline void parse_field(TextCursor& in, const OpTable&, Extents& v) { v = parse_extents(in); }
inline void parse_field(TextCursor& in, const OpTable&, Type& v) { v = parse_type(in); }
void parse_field(TextCursor& in, const OpTable&, Number& v);
void parse_field(TextCursor& in, const OpTable& table, Graph& v);
template <class T>
void parse_field(TextCursor& in, const OpTable& table, std::vector<T>& v) {
  in.expect("(");
  if (in.accept(")")) return;
  do {
    T x{};
    parse_field(in, table, x);
    v.push_back(std::move(x));
  } while (in.accept(","));
  in.expect(")");
}

template <class T>
void collect_graphs(const T&, std::vector<const Graph*>&) {}
inline void collect_graphs(const Graph& g, std::vector<const Graph*>& out) { out.push_back(&g); }
void collect_graphs(const std::vector<Graph>& gs, std::vector<const Graph*>& out);

template <class P>
struct ParamsRow {
  static constexpr char tag = 0;
  static const P& get(const void* p) { return *static_cast<const P*>(p); }
  static bool equal(const void* a, const void* b) {
    // fields() visits one struct; the other's field lies at the same place in it.
    bool same = true;
    P::fields(get(a), [&](std::string_view, const auto& x) {
      using F = std::remove_cvref_t<decltype(x)>;
      const auto at = reinterpret_cast<const char*>(&x) - static_cast<const char*>(a);
      same = same && same_field(x, *reinterpret_cast<const F*>(static_cast<const char*>(b) + at));
    });
    return same;
  }
  static void hash(const void* p, Hasher& hasher) {
    P::fields(get(p), [&](std::string_view, const auto& x) { hash_field(hasher, x); });
  }
  static void print(const void* p, std::string& out, int indent) {
    bool first = true;
    out += '{';
    P::fields(get(p), [&](std::string_view name, const auto& x) {
      using F = std::remove_cvref_t<decltype(x)>;
      if (!first) out += ',';
      if constexpr (std::is_same_v<F, Graph> || std::is_same_v<F, std::vector<Graph>>) {
        out += '\n';
        out.append(static_cast<std::size_t>(indent + 2), ' ');
      } else if (!first) {
        out += ' ';
      }
      first = false;
      out += name;
      out += '=';
      print_field(out, x, indent + 2);
    });
    out += '}';
  }
  static std::shared_ptr<const void> parse(TextCursor& in, const OpTable& table) {
    auto p = std::make_shared<P>();
    bool first = true;
    in.expect("{");
    P::fields(*p, [&](std::string_view name, auto& x) {
      if (!first) in.expect(",");
      first = false;
      in.expect(name);
      in.expect("=");
      x = std::remove_cvref_t<decltype(x)>{};
      parse_field(in, table, x);
    });
    in.expect("}");
    return p;
  }
  static void graphs(const void* p, std::vector<const Graph*>& out) {
    P::fields(get(p), [&](std::string_view, const auto& x) { collect_graphs(x, out); });
  }
};
}  // namespace detail

/// The columns of parameter struct P.
template <class P>
inline constexpr ParamsInfo params_info = {
    &detail::ParamsRow<P>::tag,  detail::ParamsRow<P>::equal, detail::ParamsRow<P>::hash,
    detail::ParamsRow<P>::print, detail::ParamsRow<P>::parse, detail::ParamsRow<P>::graphs};

/// The parameter struct of an op that has none.
struct NoParams {
  template <class Self, class F>
  static void fields(Self&, F&&) {}
};

/// Parameters of any op; immutable and shared.
class Params {
 public:
  Params() = default;
  template <class P>
  static Params of(P params) {
    Params out;
    out.data_ = std::make_shared<const P>(std::move(params));
    out.info_ = &params_info<P>;
    return out;
  }
  Params(std::shared_ptr<const void> data, const ParamsInfo* info)
      : data_(std::move(data)), info_(info) {}

  bool empty() const { return data_ == nullptr; }
  /// What is known of the struct inside; null where there is none.
  const ParamsInfo* info() const { return info_; }
  /// The struct inside; P must be the type it was made of.
  template <class P>
  const P& as() const {
    return *static_cast<const P*>(data_.get());
  }
  void hash(Hasher& hasher) const {
    if (data_ != nullptr) info_->hash(data_.get(), hasher);
  }
  void print(std::string& out, int indent) const {
    if (data_ != nullptr) info_->print(data_.get(), out, indent);
  }
  /// The graphs among the fields, in order.
  std::vector<const Graph*> graphs() const {
    std::vector<const Graph*> out;
    if (data_ != nullptr) info_->graphs(data_.get(), out);
    return out;
  }
  friend bool operator==(const Params& a, const Params& b) {
    if (a.data_ == b.data_) return true;
    if (a.data_ == nullptr || b.data_ == nullptr) return false;
    if (a.info_->identity != b.info_->identity) return false;
    return a.info_->equal(a.data_.get(), b.data_.get());
  }

 private:
  std::shared_ptr<const void> data_;
  const ParamsInfo* info_ = nullptr;
};

}  // namespace autovec::inline v1
