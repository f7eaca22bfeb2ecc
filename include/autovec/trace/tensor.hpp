// Tensor, the handle of users: it holds data or stands for a value of the graph being traced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/base/error.hpp"
#include "autovec/ir/array.hpp"
#include "autovec/ir/number.hpp"
#include "autovec/ir/type.hpp"

namespace autovec::inline v1 {

class Operand;
class Index;
class IndexedUpdate;

template <class T>
concept CppNumber = std::is_arithmetic_v<std::remove_cvref_t<T>>;

namespace detail {
[[noreturn]] inline void fail_empty(std::string_view op, Where where) {
  fail<TraceError>(op, "an empty handle was used (a Tensor that was never assigned)", where);
}
}  // namespace detail

/// A cheap handle: copies share what it stands for, and nothing it stands for ever changes.
/// Three states: data (an Array), a C++ number (weak, rank 0), a value of an open trace.
class Tensor {
 public:
  /// Stands for nothing; every use throws TraceError.
  Tensor() = default;
  /// A rank-0 tensor of weak type that keeps the number's 64 bits until it meets a typed tensor.
  template <class T>
    requires std::is_arithmetic_v<T> Tensor(T number) : Tensor(from_number(Number(number))) {}
    explicit Tensor(Array data);

    Tensor(const Tensor&) = default;
    Tensor(Tensor&&) noexcept = default;
    // Assigning to a temporary (`x[0] = 5`) would change nothing, so it does not compile.
    Tensor& operator=(const Tensor&) & = default;
    Tensor& operator=(Tensor&&) & noexcept = default;
    ~Tensor() = default;

    Extents shape() const { return type().shape; }
    std::size_t rank() const { return state().type.rank(); }
    /// Extent along `axis`; negative axes count from the back. Throws ShapeError.
    std::int64_t extent(std::int64_t axis, Where where = Where::here()) const {
      const Type& t = state().type;
      return t.shape[static_cast<std::size_t>(wrap_axis(axis, t.rank(), "extent", where))];
    }
    std::int64_t size() const { return state().type.size(); }
    DType dtype() const { return state().type.dtype; }
    Type type() const { return state().type; }

    /// The element of a tensor of size 1, converted to T. Throws ShapeError, or TraceError in a
    /// trace.
    template <class T>
    T item(Where where = Where::here()) const;
    /// All elements in row-major order, converted to T. Throws TraceError in a trace.
    template <class T>
    std::vector<T> to_vector(Where where = Where::here()) const;
    /// The row-major elements, valid while a handle to this tensor lives; those of a view are
    /// copied at the first call. Throws TypeError unless T is the element type, TraceError in a
    /// trace.
    template <class T>
    const T* data(Where where = Where::here()) const;
    /// Rank-0 data only; a traced value throws TraceError with the hint to use cond, where or
    /// while_loop.
    explicit operator bool() const { return truth(); }

    // Indexing; defined with the ops (ops/index.hpp, ops/index_syntax.hpp).
    Tensor operator[](Operand index) const;
    Tensor slice(std::initializer_list<Index> indices, Where where = Where::here()) const;
    template <class... I>
    IndexedUpdate at(const I&... indices) const;
    IndexedUpdate at(std::initializer_list<Index> indices, Where where = Where::here()) const;

    friend Tensor operator+(Operand a, Operand b);
    friend Tensor operator-(Operand a, Operand b);
    friend Tensor operator*(Operand a, Operand b);
    friend Tensor operator/(Operand a, Operand b);
    friend Tensor operator%(Operand a, Operand b);
    friend Tensor operator-(Operand a);
    friend Tensor operator+(Operand a);
    friend Tensor operator~(Operand a);
    friend Tensor operator&(Operand a, Operand b);
    friend Tensor operator|(Operand a, Operand b);
    friend Tensor operator^(Operand a, Operand b);
    friend Tensor operator<<(Operand a, Operand b);
    friend Tensor operator>>(Operand a, Operand b);
    friend Tensor operator==(Operand a, Operand b);
    friend Tensor operator!=(Operand a, Operand b);
    friend Tensor operator<(Operand a, Operand b);
    friend Tensor operator<=(Operand a, Operand b);
    friend Tensor operator>(Operand a, Operand b);
    friend Tensor operator>=(Operand a, Operand b);
    Tensor& operator+=(const Tensor& other) &;
    Tensor& operator-=(const Tensor& other) &;
    Tensor& operator*=(const Tensor& other) &;
    Tensor& operator/=(const Tensor& other) &;
    friend std::ostream& operator<<(std::ostream& out, const Tensor& x);

    // For the library.
    struct State {
      Type type;
      Array array;              // data
      Number number;            // where is_number
      std::uint64_t trace = 0;  // id of the trace that the value belongs to, 0: none
      std::int32_t value = -1;
      bool is_number = false;
      mutable std::once_flag dense_once;
      mutable Array dense;  // the elements in row-major order, once data() was asked for them
    };
    explicit Tensor(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    static Tensor from_number(Number number);
    static Tensor from_number(Number number, DType dtype, bool weak);
    static Tensor from_value(Type type, std::uint64_t trace, std::int32_t value);
    bool is_empty() const { return state_ == nullptr; }
    bool is_traced() const { return state().trace != 0; }
    bool is_number() const { return state().is_number; }
    const State& state() const {
      if (state_ == nullptr) detail::fail_empty("tensor", Where::unknown());
      return *state_;
    }
    const std::shared_ptr<const State>& shared_state() const { return state_; }
    /// The data, a number as a rank-0 array. Throws TraceError for a traced value.
    Array array(std::string_view op, Where where) const;

   private:
    template <class T>
    std::vector<T> elements(std::string_view op, Where where) const;
    // Both in trace.hpp, which knows the line that made a traced value and whether its trace is
    // open.
    bool truth() const;
    [[noreturn]] void throw_traced(std::string_view op, Where where) const;
    std::shared_ptr<const State> state_;
};

inline Tensor::Tensor(Array data) {
  auto state = std::make_shared<State>();
  state->type = data.type;
  state->array = std::move(data);
  state_ = std::move(state);
}

inline Tensor Tensor::from_number(Number number) {
  const Element e = number.element();
  return from_number(number, e.dtype, e.weak);
}

inline Tensor Tensor::from_number(Number number, DType dtype, bool weak) {
  auto state = std::make_shared<State>();
  state->type = Type{dtype, weak, {}};
  state->number = number;
  state->is_number = true;
  return Tensor(std::shared_ptr<const State>(std::move(state)));
}

inline Tensor Tensor::from_value(Type type, std::uint64_t trace, std::int32_t value) {
  auto state = std::make_shared<State>();
  state->type = std::move(type);
  state->trace = trace;
  state->value = value;
  return Tensor(std::shared_ptr<const State>(std::move(state)));
}

inline Array Tensor::array(std::string_view op, Where where) const {
  const State& s = state();
  if (s.trace != 0) throw_traced(op, where);
  if (!s.is_number) return s.array;
  Array out = Array::allocate(s.type);
  const std::uint64_t bits = s.number.bits_as(s.type.dtype);
  std::memcpy(out.data, &bits, size_of(s.type.dtype));
  return out;
}

template <class T>
std::vector<T> Tensor::elements(std::string_view op, Where where) const {
  const State& s = state();
  if (s.is_number) return std::vector<T>{s.number.as<T>()};
  const Array a = to_contiguous(array(op, where));
  std::vector<T> out(static_cast<std::size_t>(a.type.size()));
  dispatch(
      a.type.dtype,
      [&]<class U>() {
        const U* from = a.as<U>();
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = Number(from[i]).as<T>();
      },
      [&] {
        fail<TypeError>(op, "elements of this dtype are not read as C++ numbers", where,
                        "cast to f32 first");
      });
  return out;
}

template <class T>
std::vector<T> Tensor::to_vector(Where where) const {
  return elements<T>("to_vector", where);
}

template <class T>
T Tensor::item(Where where) const {
  if (size() != 1) {
    std::string what("expected one element, got type ");
    what += type_text(type());
    fail<ShapeError>("item", what, where);
  }
  return static_cast<T>(elements<T>("item", where)[0]);
}

template <class T>
const T* Tensor::data(Where where) const {
  const State& s = state();
  if (s.trace != 0) throw_traced("data", where);
  if (dtype_of<T> != s.type.dtype) {
    std::string what("elements are ");
    what += name_of(s.type.dtype);
    what += ", asked for ";
    what += name_of(dtype_of<T>);
    fail<TypeError>("data", what, where, "cast the tensor, or use to_vector, which converts");
  }
  if (!s.is_number && s.array.is_contiguous()) return s.array.as<T>();
  // Elements of a view are copied into row-major order at the first call.
  std::call_once(s.dense_once, [&] { s.dense = to_contiguous(array("data", where)); });
  return s.dense.as<T>();
}

/// An argument of an op: a tensor or C++ number together with the place in the caller's source.
class Operand {
 public:
  /// Throws TraceError for an empty handle.
  Operand(const Tensor& tensor, Where where = Where::here()) : tensor_(tensor), where_(where) {
    if (tensor.is_empty()) detail::fail_empty("tensor", where);
  }
  template <class T>
    requires std::is_arithmetic_v<T> Operand(T number, Where where = Where::here())
        : tensor_(number), where_(where) {}

    const Tensor& tensor() const { return tensor_; }
    operator const Tensor&() const { return tensor_; }
    Where where() const { return where_; }
    Type type() const { return tensor_.type(); }
    std::size_t rank() const { return tensor_.rank(); }

   private:
    Tensor tensor_;
    Where where_;
};

/// Dense data from the caller's memory, row-major, not copied: the caller keeps it alive and
/// unchanged while tensors made of it are in use. Throws TypeError for a null pointer.
template <class T>
Tensor view(const T* pointer, Extents shape, Where where = Where::here()) {
  Type type{dtype_of<T>, false, std::move(shape)};
  check_size("view", type, where);
  if (pointer == nullptr && type.size() != 0) fail<TypeError>("view", "null pointer", where);
  Storage storage = Storage::borrow(const_cast<T*>(pointer));
  std::byte* data = storage.data();
  Extents strides = row_major(type.shape);
  return Tensor(Array{std::move(type), std::move(storage), data, std::move(strides)});
}

}  // namespace autovec::inline v1
