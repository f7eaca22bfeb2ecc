// The simd backend against the meaning of lane programs, bit for bit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "autovec/exec/backend.hpp"
#include "autovec/lane/evaluate.hpp"
#include "autovec/lane/record.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/lane/text.hpp"
#include "autovec/math/functions.hpp"

using namespace autovec;
using lane::Access;
using lane::Op;
using lane::Program;
using lane::Recorder;
using lane::ValueId;

namespace {

/// Splitmix64: the same numbers everywhere.
struct Random {
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
  }
  bool one_in(std::int64_t n) { return below(n) == 0; }
};

constexpr DType all_scalars[] = {b8, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64};

/// Bits of a value of dtype `t`: often a corner, else a small number or anything.
std::int64_t sample(Random& random, DType t) {
  return dispatch(
      t,
      [&]<class T>() -> std::int64_t {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_same_v<T, bool>) {
          return lane::to_immediate(random.one_in(2));
        } else if constexpr (std::is_floating_point_v<T>) {
          const T corners[] = {T(0),
                               -T(0),
                               T(1),
                               T(-1),
                               T(0.5),
                               T(2.5),
                               T(-2.5),
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::quiet_NaN(),
                               Limits::max(),
                               Limits::lowest(),
                               Limits::min(),
                               Limits::denorm_min(),
                               T(2147483648.0),
                               T(-2147483648.0),
                               T(4294967296.0),
                               T(1e19),
                               T(255.5)};
          switch (random.below(4)) {
            case 0: return lane::to_immediate(corners[random.below(std::size(corners))]);
            case 1: return lane::to_immediate(static_cast<T>(random.below(200) - 100) / T(8));
            case 2:
              return lane::to_immediate(static_cast<T>(random.below(2000001) - 1000000) * T(1e-6));
            default: {
              T x;
              const std::uint64_t bits = random.bits();
              std::memcpy(&x, &bits, sizeof(T));
              return lane::to_immediate(x);
            }
          }
        } else {
          const T corners[] = {T(0),
                               T(1),
                               T(2),
                               Limits::min(),
                               Limits::max(),
                               static_cast<T>(Limits::min() + 1),
                               static_cast<T>(-1),
                               static_cast<T>(sizeof(T) * 8),
                               static_cast<T>(sizeof(T) * 8 - 1)};
          if (random.one_in(2))
            return lane::to_immediate(corners[random.below(std::size(corners))]);
          if (random.one_in(2)) return lane::to_immediate(static_cast<T>(random.below(20)));
          return lane::to_immediate(static_cast<T>(random.bits()));
        }
      },
      [&]() -> std::int64_t { return static_cast<std::int64_t>(random.bits() & 0xffff); });
}

/// A buffer between guards that nobody may touch.
struct Memory {
  static constexpr std::size_t guard = 256;
  DType dtype;
  std::vector<std::byte> bytes;

  Memory(DType t, std::int64_t length) : dtype(t) {
    bytes.assign(2 * guard + static_cast<std::size_t>(length) * size_of(t), std::byte{0x5a});
  }
  Memory(DType t, std::int64_t length, Random& random) : Memory(t, length) {
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t bits = sample(random, t);
      std::memcpy(data() + static_cast<std::size_t>(i) * size_of(t), &bits, size_of(t));
    }
  }
  std::byte* data() { return bytes.data() + guard; }
  std::int64_t length() const {
    return static_cast<std::int64_t>((bytes.size() - 2 * guard) / size_of(dtype));
  }
};

/// Equal bits, all NaNs alike, guards included; gives the first byte that differs or -1.
std::int64_t difference(const Memory& a, const Memory& b) {
  const std::size_t size = size_of(a.dtype);
  for (std::size_t i = 0; i < a.bytes.size(); i += size) {
    if (std::memcmp(&a.bytes[i], &b.bytes[i], size) == 0) continue;
    if (a.dtype == f32) {
      float x, y;
      std::memcpy(&x, &a.bytes[i], 4);
      std::memcpy(&y, &b.bytes[i], 4);
      if (x != x && y != y) continue;
    }
    if (a.dtype == f64) {
      double x, y;
      std::memcpy(&x, &a.bytes[i], 8);
      std::memcpy(&y, &b.bytes[i], 8);
      if (x != x && y != y) continue;
    }
    return static_cast<std::int64_t>(i) - static_cast<std::int64_t>(Memory::guard);
  }
  return -1;
}

std::vector<std::byte*> addresses(std::vector<Memory>& memory) {
  std::vector<std::byte*> out;
  for (Memory& m : memory) out.push_back(m.data());
  return out;
}

/// Runs the program on both sides, on copies of `memory`, and compares all buffers.
void agree(const Program& program, const std::vector<Memory>& memory) {
  std::vector<Memory> expected = memory, actual = memory;
  std::vector<void*> base;
  for (Memory& m : expected) base.push_back(m.data());
  lane::run(program, base, 0, lane::point_count(program));
  const Backend& simd = simd_backend();
  const PreparedKernel kernel = simd.prepare(program);
  simd.launch(kernel.get(), addresses(actual));
  for (std::size_t b = 0; b < memory.size(); ++b) {
    const std::int64_t at = difference(expected[b], actual[b]);
    if (at < 0) continue;
    INFO(lane::to_text(program));
    INFO("buffer ", b, " differs at byte ", at);
    FAIL_CHECK("simd differs from the interpreter");
    return;
  }
}

/// y[i] = op(x...) on n points, operands of dtype `t`.
void check_op(Op op, DType t, DType result, std::size_t arity, std::int64_t n, Random& random) {
  Recorder r({n});
  std::vector<Memory> memory;
  std::vector<ValueId> operands;
  for (std::size_t k = 0; k < arity; ++k) {
    const DType from = op == Op::select && k == 0 ? b8 : t;
    memory.emplace_back(from, n, random);
    operands.push_back(r.load({r.add_buffer(from, false), 0, {1}}));
  }
  const std::int32_t out = r.add_buffer(result, true);
  memory.emplace_back(result, n);
  r.store({out, 0, {1}}, r.emit(op, result, operands));
  agree(r.finish(), memory);
}

}  // namespace

TEST_CASE("simd: every element-wise instruction and dtype") {
  Random random{1};
  for (std::size_t o = 0; o < lane::op_count; ++o) {
    const lane::OpInfo& row = lane::info(static_cast<Op>(o));
    if (row.form != lane::Form::same && row.form != lane::Form::compare &&
        row.form != lane::Form::select) {
      continue;
    }
    for (const DType t : all_scalars) {
      if (!lane::contains(row.domain, t)) continue;
      CAPTURE(row.name);
      CAPTURE(name_of(t));
      for (const std::int64_t n : {1, 15, 16, 77, 512, 2000}) {
        const DType result = row.form == lane::Form::compare ? b8 : t;
        check_op(row.op, t, result, static_cast<std::size_t>(row.operands), n, random);
      }
    }
  }
}

TEST_CASE("simd: every conversion and bitcast") {
  constexpr DType stored[] = {b8, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64};
  Random random{2};
  for (const DType from : stored) {
    for (const DType to : stored) {
      CAPTURE(name_of(from));
      CAPTURE(name_of(to));
      if (from != to) check_op(Op::convert, from, to, 1, 1500, random);
      const bool bits =
          lane::contains(lane::Domain::numbers, from) && lane::contains(lane::Domain::numbers, to);
      // A NaN's payload may change on the way through a register, so only integers start.
      if (bits && is_int(from) && size_of(from) == size_of(to)) {
        check_op(Op::bitcast, from, to, 1, 100, random);
      }
    }
  }
}

namespace {

template <class F, class T>
void check_function(Random& random) {
  CAPTURE(F::name);
  CAPTURE(name_of(dtype_of<T>));
  constexpr std::int64_t n = 4000;
  Recorder r({n});
  std::vector<Memory> memory;
  const auto input = [&] {
    memory.emplace_back(dtype_of<T>, n, random);
    return lane::Lane<T>(r, r.load({r.add_buffer(dtype_of<T>, false), 0, {1}}));
  };
  ValueId y;
  if constexpr (requires(T x) { F::body(x); }) {
    y = lane::apply<F>(input()).id_in(r);
  } else {
    const auto a = input();
    y = lane::apply<F>(a, input()).id_in(r);
  }
  r.store({r.add_buffer(dtype_of<T>, true), 0, {1}}, y);
  memory.emplace_back(dtype_of<T>, n);
  agree(r.finish(), memory);
}

}  // namespace

TEST_CASE("simd: math functions have the interpreter's bits") {
  Random random{3};
  for_each_type(math::Functions(), [&]<class F>() {
    check_function<F, float>(random);
    check_function<F, double>(random);
  });
}

TEST_CASE("simd: a function that is no kernel is expanded") {
  const auto softplus = lane::record_function<float>("softplus_by_hand", [](lane::Lane<float> x) {
    return lane::when_any(
        x < lane::Lane<float>(20.0f), [=] { return math::log1p(math::exp(x)); }, x);
  });
  Random random{4};
  Recorder r({300});
  std::vector<Memory> memory{{f32, 300, random}, {f32, 300}};
  const ValueId x = r.load({r.add_buffer(f32, false), 0, {1}});
  r.store({r.add_buffer(f32, true), 0, {1}}, r.call(softplus, {x}));
  agree(r.finish(), memory);
}

namespace {

/// An access that covers the domain with axes permuted, broadcast, reversed or spread; `length`
/// becomes what the buffer needs.
Access random_access(Random& random, const Extents& domain, std::int32_t buffer, bool distinct,
                     std::int64_t& length) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < domain.size(); ++i) order.push_back(i);
  if (random.one_in(2)) {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
  }
  Access access{buffer, 0, Extents(domain.size(), 0)};
  std::int64_t step = random.one_in(4) ? 1 + random.below(3) : 1, low = 0, high = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::int64_t extent = domain[order[i]];
    if (!distinct && random.one_in(4)) continue;
    const bool reversed = random.one_in(6);
    access.strides[order[i]] = reversed ? -step : step;
    if (extent > 0) (reversed ? low : high) += access.strides[order[i]] * (extent - 1);
    step *= std::max<std::int64_t>(extent, 1);
    if (random.one_in(6)) step += random.below(3);
  }
  access.offset = -low;
  length = std::max<std::int64_t>(high - low + 1, 1);
  return access;
}

Extents random_domain(Random& random, std::int64_t most) {
  constexpr std::int64_t extents[] = {0, 1, 1, 2, 3, 4, 5, 7, 16, 17, 33, 64, 70, 130, 300, 1500};
  for (;;) {
    Extents domain;
    for (std::int64_t rank = random.below(5); rank > 0; --rank) {
      domain.push_back(extents[random.below(std::size(extents))]);
    }
    std::int64_t held = 1;  // extents 0 count as 1, or buffers grow
    for (const std::int64_t e : domain) held *= std::max<std::int64_t>(e, 1);
    if (held <= most) return domain;
  }
}

}  // namespace

TEST_CASE("simd: loads, stores, gathers, scatters and indices over all kinds of strides") {
  Random random{5};
  for (int trial = 0; trial < 1500; ++trial) {
    const Extents domain = random_domain(random, 2200);
    Recorder r(domain);
    std::vector<Memory> memory;
    const auto add = [&](DType t, bool written, std::int64_t length) {
      memory.emplace_back(t, length, random);
      return r.add_buffer(t, written);
    };
    std::vector<std::pair<ValueId, DType>> values;
    for (std::int64_t k = 1 + random.below(3); k > 0; --k) {
      std::int64_t length = 0;
      Access access = random_access(random, domain, 0, false, length);
      const DType t = all_scalars[random.below(std::size(all_scalars))];
      access.buffer = add(t, false, length);
      values.emplace_back(r.load(access), t);
    }
    if (!domain.empty()) {
      const ValueId at =
          r.index(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(domain.size()))));
      values.emplace_back(at, i64);
      std::int64_t length = 0;
      Access access = random_access(random, domain, 0, false, length);
      const DType t = all_scalars[random.below(std::size(all_scalars))];
      const std::int64_t spread = 1 + random.below(5);
      access.buffer = add(t, false, length + spread - 1);
      const ValueId extra = r.emit(
          Op::sub,
          {at, r.emit(Op::mul, {r.emit(Op::div, {at, r.constant(spread)}), r.constant(spread)})});
      values.emplace_back(r.gather(access, extra), t);
    }
    for (const auto& [value, t] : values) {
      std::int64_t length = 0;
      Access access = random_access(random, domain, 0, true, length);
      access.buffer = add(t, true, length);
      switch (random.below(3)) {
        case 0: r.store(access, value); break;
        case 1: r.scatter(access, r.constant(std::int64_t(0)), value); break;
        default:
          r.scatter(access, r.constant(std::int64_t(0)), value,
                    r.emit(Op::ne, {value, r.emit(Op::constant, t, {}, 0)}));
      }
    }
    agree(r.finish(), memory);
  }
}

TEST_CASE("simd: a buffer that is read and written point by point") {
  for (const std::int64_t n : {5, 64, 1000, 5000}) {
    Random random{6};
    Recorder r({n});
    std::vector<Memory> memory{{f32, n, random}, {f32, n, random}};
    const std::int32_t x = r.add_buffer(f32, true), y = r.add_buffer(f32, true);
    const ValueId a = r.load({x, 0, {1}});
    const ValueId b = r.emit(Op::mul, {a, a});
    r.store({x, 0, {1}}, b);
    const ValueId c = r.emit(Op::sub, {a, r.load({x, 0, {1}})});
    r.store({y, 0, {1}}, c);
    r.store({x, 0, {1}}, r.emit(Op::max, {c, a}));
    agree(r.finish(), memory);
  }
}

namespace {

/// Writes random programs: arithmetic on all dtypes, nested loops, whiles, ifs, local arrays, loads
/// and gathers under masks that would leave their buffer where the mask does not hold.
class Writer {
 public:
  Writer(Random& random, std::vector<Memory>& memory)
      : random_(random), memory_(memory), domain_(random_domain(random, 700)), r_(domain_) {}

  Program write() {
    for (const DType t : {f32, f64, i32, i64, u8, b8}) {
      std::int64_t length = 0;
      Access access = random_access(random_, domain_, 0, false, length);
      access.buffer = add(t, false, length);
      scope_.emplace_back(r_.load(access), t);
    }
    table_ = add(f32, false, table_length);
    block(6 + random_.below(12), 3);
    for (int k = 0; k < 5; ++k) {
      const auto [value, t] = scope_[scope_.size() - 1 -
                                     static_cast<std::size_t>(random_.below(std::min<std::int64_t>(
                                         12, static_cast<std::int64_t>(scope_.size()))))];
      std::int64_t length = 0;
      Access access = random_access(random_, domain_, 0, true, length);
      access.buffer = add(t, true, length);
      r_.store(access, value);
    }
    return r_.finish();
  }

 private:
  static constexpr std::int64_t table_length = 50;

  std::int32_t add(DType t, bool written, std::int64_t length) {
    memory_.emplace_back(t, length, random_);
    return r_.add_buffer(t, written);
  }
  /// A value of dtype `t` that is in scope, or a constant.
  ValueId any(DType t) {
    std::vector<ValueId> found;
    for (const auto& [v, dtype] : scope_) {
      if (dtype == t) found.push_back(v);
    }
    if (found.empty() || random_.one_in(8)) {
      return r_.emit(Op::constant, t, {}, sample(random_, t));
    }
    const auto n = static_cast<std::int64_t>(found.size());
    return found[static_cast<std::size_t>(random_.one_in(2) ? n - 1 : random_.below(n))];
  }
  DType any_dtype() {
    constexpr DType common[] = {f32, f64, i32, i64, b8};
    if (random_.one_in(4)) return all_scalars[random_.below(std::size(all_scalars))];
    return common[random_.below(std::size(common))];
  }

  void block(std::int64_t length, int depth) {
    for (; length > 0; --length) {
      switch (random_.below(depth > 0 ? 12 : 6)) {
        case 6:
        case 7: a_while(depth - 1); break;
        case 8:
        case 9: an_if(depth - 1); break;
        case 10: a_loop(depth - 1); break;
        case 11: an_array(); break;
        case 5: a_gather(); break;
        default: an_instruction();
      }
    }
  }
  void an_instruction() {
    const DType t = any_dtype();
    const auto op = static_cast<Op>(random_.below(lane::op_count));
    const lane::OpInfo& row = lane::info(op);
    if (row.form == lane::Form::convert) {
      DType from = any_dtype();
      if (from != t) scope_.emplace_back(r_.emit(Op::convert, t, {any(from)}), t);
      return;
    }
    if ((row.form != lane::Form::same && row.form != lane::Form::compare &&
         row.form != lane::Form::select) ||
        !lane::contains(row.domain, t)) {
      if (t == f32) {
        const lane::Lane<float> x(r_, any(f32));
        scope_.emplace_back((random_.one_in(2) ? math::log(x) : math::exp(x)).id_in(r_), f32);
      }
      return;
    }
    std::vector<ValueId> operands;
    for (int k = 0; k < row.operands; ++k) {
      operands.push_back(any(op == Op::select && k == 0 ? b8 : t));
    }
    const DType result = row.form == lane::Form::compare ? b8 : t;
    scope_.emplace_back(r_.emit(op, result, operands), result);
  }
  /// table[x] under an if that x is in range; x is anything.
  void a_gather() {
    const ValueId x = any(i64);
    const ValueId ok = r_.emit(Op::and_, {r_.emit(Op::ge, {x, r_.constant(std::int64_t(0))}),
                                          r_.emit(Op::lt, {x, r_.constant(table_length)})});
    r_.begin_if(ok);
    const ValueId y = r_.gather({table_, 0, Extents(domain_.size(), 0)}, x);
    r_.begin_else({y});
    scope_.emplace_back(r_.end_if({any(f32)})[0], f32);
  }
  void a_while(int depth) {
    std::vector<DType> dtypes{i32};
    std::vector<ValueId> initial{
        r_.emit(Op::convert, i32,
                {r_.emit(Op::and_, {r_.convert(any(i32), u8), r_.constant(std::uint8_t(7))})})};
    for (std::int64_t k = random_.below(4); k > 0; --k) {
      dtypes.push_back(any_dtype());
      initial.push_back(any(dtypes.back()));
    }
    const auto saved = scope_;
    const auto enter = [&](const lane::ValueIds& carries) {
      for (std::size_t k = 0; k < carries.size(); ++k) scope_.emplace_back(carries[k], dtypes[k]);
    };
    lane::ValueIds carries = r_.begin_while(initial);
    enter(carries);
    if (random_.one_in(3)) block(random_.below(3), depth);
    ValueId go = r_.emit(Op::gt, {carries[0], r_.constant(std::int32_t(0))});
    if (random_.one_in(2)) go = r_.emit(Op::and_, {go, any(b8)});
    scope_ = saved;
    carries = r_.begin_body(go);
    enter(carries);
    block(1 + random_.below(5), depth);
    // Carries may change places.
    std::vector<ValueId> next{r_.emit(Op::sub, {carries[0], r_.constant(std::int32_t(1))})};
    for (std::size_t k = 1; k < dtypes.size(); ++k) next.push_back(any(dtypes[k]));
    scope_ = saved;
    enter(r_.end_while(next));
  }
  void an_if(int depth) {
    std::vector<DType> dtypes;
    for (std::int64_t k = 1 + random_.below(3); k > 0; --k) dtypes.push_back(any_dtype());
    const auto side = [&] {
      const auto saved = scope_;
      block(random_.below(5), depth);
      std::vector<ValueId> yields;
      for (const DType t : dtypes) yields.push_back(any(t));
      scope_ = saved;
      return yields;
    };
    r_.begin_if(any(b8));
    r_.begin_else(side());
    const lane::ValueIds results = r_.end_if(side());
    for (std::size_t k = 0; k < dtypes.size(); ++k) scope_.emplace_back(results[k], dtypes[k]);
  }
  void a_loop(int depth) {
    std::vector<DType> dtypes;
    std::vector<ValueId> initial;
    for (std::int64_t k = random_.below(4); k > 0; --k) {
      dtypes.push_back(any_dtype());
      initial.push_back(any(dtypes.back()));
    }
    const auto saved = scope_;
    const Recorder::Loop loop = r_.begin_loop(random_.below(5), initial);
    scope_.emplace_back(loop.index, i64);
    for (std::size_t k = 0; k < dtypes.size(); ++k) scope_.emplace_back(loop.carries[k], dtypes[k]);
    Access access{table_, 3, Extents(domain_.size() + r_.loop_depth(), 0)};
    access.strides.back() = random_.below(3);
    scope_.emplace_back(r_.load(access), f32);
    block(1 + random_.below(4), depth);
    std::vector<ValueId> next;
    for (const DType t : dtypes) next.push_back(any(t));
    scope_ = saved;
    const lane::ValueIds results = r_.end_loop(next);
    for (std::size_t k = 0; k < dtypes.size(); ++k) scope_.emplace_back(results[k], dtypes[k]);
  }
  /// A local array, set and read under a mask at indices that may be out of range.
  void an_array() {
    const DType t = any_dtype();
    const ValueId array = r_.array_new(t, 1 + random_.below(4));
    r_.array_set(array, any(i64), any(t));
    r_.begin_if(any(b8));
    r_.array_set(array, any(i64), any(t));
    r_.begin_else({});
    r_.end_if({});
    scope_.emplace_back(r_.array_get(array, any(i64)), t);
  }

  Random& random_;
  std::vector<Memory>& memory_;
  Extents domain_;
  Recorder r_;
  std::int32_t table_ = 0;
  std::vector<std::pair<ValueId, DType>> scope_;
};

}  // namespace

TEST_CASE("simd: random programs with nested control flow") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random{seed * 77 + 7};
    std::vector<Memory> memory;
    CAPTURE(seed);
    agree(Writer(random, memory).write(), memory);
  }
}

namespace {

/// The pinned tree, said as plainly as possible.
std::vector<std::uint64_t> reduce_plainly(const Reduction& reduction, std::vector<Memory>& memory) {
  std::int64_t outer = 1, reduced = 1;
  const Extents& domain = reduction.value.domain;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    (i < domain.size() - static_cast<std::size_t>(reduction.reduced_rank) ? outer : reduced) *=
        domain[i];
  }
  Recorder r;
  const std::int32_t a = r.add_buffer(reduction.dtype, false),
                     x = r.add_buffer(reduction.dtype, false);
  const std::int32_t to = r.add_buffer(reduction.dtype, true);
  r.store({to, 0, {}},
          r.inline_function(*reduction.combine, {r.load({a, 0, {}}), r.load({x, 0, {}})}));
  const Program combine = r.finish();
  const lane::Evaluator evaluator(combine);
  const auto combined = [&](std::uint64_t p, std::uint64_t q) {
    std::uint64_t y = 0;
    void* const buffers[] = {&p, &q, &y};
    evaluator.run(buffers, 0, 1);
    return y;
  };
  std::vector<void*> base;
  for (Memory& m : memory) base.push_back(m.data());
  const lane::Evaluator value(reduction.value);
  std::vector<std::uint64_t> results;
  for (std::int64_t o = 0; o < outer; ++o) {
    std::array<std::uint64_t, 32> acc{};
    std::int64_t i = 0;
    value.run(base, o * reduced, (o + 1) * reduced,
              [&](std::int64_t, std::span<const std::uint64_t> v) {
                std::uint64_t& slot = acc[static_cast<std::size_t>(i % 32)];
                slot = i < 32 ? v[0] : combined(slot, v[0]);
                ++i;
              });
    for (std::int64_t w = 16, held = std::min<std::int64_t>(i, 32); w > 0; w /= 2) {
      for (std::int64_t j = 0; j < w && j + w < held; ++j) {
        acc[static_cast<std::size_t>(j)] =
            combined(acc[static_cast<std::size_t>(j)], acc[static_cast<std::size_t>(j + w)]);
      }
      held = std::min(held, w);
    }
    results.push_back(reduced == 0 ? static_cast<std::uint64_t>(reduction.identity_bits) : acc[0]);
  }
  return results;
}

std::shared_ptr<const lane::Function> combine_of(Op op, DType t) {
  Recorder r;
  const ValueId a = r.parameter(t), x = r.parameter(t);
  return r.finish_function(lane::name_of(op), r.emit(op, t, {a, x}));
}
/// x - a * a: not symmetric, several instructions.
std::shared_ptr<const lane::Function> odd_combine(DType t) {
  Recorder r;
  const ValueId a = r.parameter(t), x = r.parameter(t);
  return r.finish_function("odd", r.emit(Op::sub, {x, r.emit(Op::mul, {a, a})}));
}

}  // namespace

TEST_CASE("simd: reductions follow the pinned tree") {
  Random random{8};
  for (int trial = 0; trial < 1500; ++trial) {
    Extents domain = random_domain(random, 3000);
    Reduction reduction;
    reduction.reduced_rank = random.below(static_cast<std::int64_t>(domain.size()) + 1);
    reduction.dtype = all_scalars[random.below(std::size(all_scalars))];
    const DType t = reduction.dtype;
    constexpr Op numbers[] = {Op::add, Op::mul, Op::min, Op::max};
    constexpr Op bits[] = {Op::and_, Op::or_};
    if (t == b8 || (is_int(t) && random.one_in(3))) {
      reduction.combine = combine_of(bits[random.below(2)], t);
    } else if (random.one_in(3)) {
      reduction.combine = odd_combine(t);
    } else {
      reduction.combine = combine_of(numbers[random.below(4)], t);
    }
    reduction.identity_bits = sample(random, t);
    Recorder r(domain);
    std::vector<Memory> memory;
    std::int64_t length = 0;
    Access access = random_access(random, domain, 0, false, length);
    access.buffer = r.add_buffer(t, false);
    memory.emplace_back(t, length, random);
    ValueId v = r.load(access);
    if (t != b8 && random.one_in(2)) v = r.emit(Op::mul, {v, v});
    reduction.result_buffer = r.add_buffer(t, true);
    const Program value = r.finish({v});
    std::int64_t outer = 1;
    for (std::size_t i = 0; i + static_cast<std::size_t>(reduction.reduced_rank) < domain.size();
         ++i) {
      outer *= domain[i];
    }
    reduction.value = value;
    memory.emplace_back(t, outer);
    std::vector<Memory> expected = memory, actual = memory;
    const std::vector<std::uint64_t> results = reduce_plainly(reduction, expected);
    for (std::size_t o = 0; o < results.size(); ++o) {
      std::memcpy(expected[1].data() + o * size_of(t), &results[o], size_of(t));
    }
    const PreparedKernel kernel = simd_backend().prepare_reduction(reduction);
    simd_backend().launch_reduction(kernel.get(), addresses(actual));
    CAPTURE(trial);
    CAPTURE(name_of(t));
    CAPTURE(lane::to_text(value));
    CAPTURE(reduction.reduced_rank);
    REQUIRE(difference(expected[1], actual[1]) == -1);
  }
}

namespace {

/// A contraction with contiguous or odd strides on random or given numbers.
struct Product {
  Contraction c;
  std::vector<Memory> memory;

  Product(Random& random, DType t, std::int64_t batches, std::int64_t m, std::int64_t n,
          std::int64_t k, bool plain) {
    c.dtype = t;
    c.m = m;
    c.n = n;
    c.k = k;
    const auto layout = [&](std::int64_t rows, std::int64_t columns, Extents& batch,
                            std::int64_t& row, std::int64_t& column) {
      const bool by_columns = !plain && random.one_in(2);
      const std::int64_t gap = plain || random.one_in(2) ? 0 : 1 + random.below(3);
      row = by_columns ? 1 : columns + gap;
      column = by_columns ? rows + gap : 1;
      if (!plain && random.one_in(4)) {
        row *= 2;
        column *= 2;
      }
      const std::int64_t whole = std::max<std::int64_t>(std::max(row * rows, column * columns), 1);
      if (batches != 1) batch.push_back(whole);
      memory.emplace_back(t, batches * whole);
    };
    if (batches != 1) c.batch.push_back(batches);
    layout(m, k, c.a_batch, c.a_row, c.a_column);
    layout(k, n, c.b_batch, c.b_row, c.b_column);
    layout(m, n, c.c_batch, c.c_row, c.c_column);
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::int64_t i = 0; i < memory[side].length(); ++i) {
        const std::int64_t bits = dispatch(
            t,
            [&]<class T>() -> std::int64_t {
              if constexpr (std::is_floating_point_v<T>) {
                return lane::to_immediate(
                    static_cast<T>(static_cast<double>(random.below(2000001) - 1000000) * 1e-6));
              } else {
                return sample(random, t);
              }
            },
            [] { return std::int64_t(0); });
        std::memcpy(memory[side].data() + static_cast<std::size_t>(i) * size_of(t), &bits,
                    size_of(t));
      }
    }
  }
  void run() {
    const PreparedKernel kernel = simd_backend().prepare_contraction(c);
    simd_backend().launch_contraction(kernel.get(), memory[0].data(), memory[1].data(),
                                      memory[2].data());
  }
  template <class T>
  T at(std::size_t side, std::int64_t offset) {
    T x;
    std::memcpy(&x, memory[side].data() + static_cast<std::size_t>(offset) * sizeof(T), sizeof(T));
    return x;
  }
};

}  // namespace

TEST_CASE("simd: contractions over dtypes, sizes and strides") {
  Random random{9};
  constexpr std::int64_t sizes[] = {0, 1, 2, 3, 5, 7, 12, 13, 16, 31, 33, 64, 100, 300};
  for (int trial = 0; trial < 600; ++trial) {
    const DType t = all_scalars[random.below(std::size(all_scalars))];
    const auto size = [&] { return sizes[random.below(std::size(sizes))]; };
    const std::int64_t batches = random.one_in(2) ? 1 : random.below(4);
    Product p(random, t, batches, size(), size(), size(), false);
    if (p.c.m * p.c.n * p.c.k > 300000) continue;
    p.run();
    CAPTURE(trial);
    CAPTURE(name_of(t));
    dispatch(
        t,
        [&]<class T>() {
          bool right = true;
          for (std::int64_t b = 0; b < batches; ++b) {
            const auto base = [&](const Extents& strides) {
              return strides.empty() ? 0 : b * strides[0];
            };
            for (std::int64_t i = 0; i < p.c.m; ++i) {
              for (std::int64_t j = 0; j < p.c.n; ++j) {
                std::conditional_t<std::is_floating_point_v<T>, double, T> sum = 0;
                for (std::int64_t k = 0; k < p.c.k; ++k) {
                  const T x = p.at<T>(0, base(p.c.a_batch) + i * p.c.a_row + k * p.c.a_column);
                  const T y = p.at<T>(1, base(p.c.b_batch) + k * p.c.b_row + j * p.c.b_column);
                  if constexpr (std::is_same_v<T, bool>) sum = sum || (x && y);
                  else if constexpr (std::is_floating_point_v<T>) sum += static_cast<double>(x) * y;
                  else sum = lane::arithmetic::add(sum, lane::arithmetic::mul(x, y));
                }
                const T got = p.at<T>(2, base(p.c.c_batch) + i * p.c.c_row + j * p.c.c_column);
                if constexpr (std::is_floating_point_v<T>) {
                  const double bound =
                      static_cast<double>(p.c.k + 1) * 2 * std::numeric_limits<T>::epsilon();
                  right = right && std::abs(static_cast<double>(got) - sum) <= bound;
                } else {
                  right = right && got == sum;
                }
              }
            }
          }
          REQUIRE(right);
        },
        [] {});
    Memory guards(t, p.memory[2].length());
    REQUIRE(std::equal(guards.bytes.begin(), guards.bytes.begin() + Memory::guard,
                       p.memory[2].bytes.begin()));
    REQUIRE(std::equal(guards.bytes.end() - Memory::guard, guards.bytes.end(),
                       p.memory[2].bytes.end() - Memory::guard));
  }
}

TEST_CASE("simd: a row of a product has the same bits whatever the number of rows and its place") {
  Random random{10};
  for (const DType t : {f32, f64}) {
    for (const std::int64_t n : {1, 2, 17, 40, 130}) {
      constexpr std::int64_t k = 300, most = 200;
      Product all(random, t, 1, most, n, k, true);
      all.run();
      const auto row = static_cast<std::size_t>(n) * size_of(t);
      for (std::int64_t m = 1; m <= most; m += m < 30 ? 1 : 13) {
        Product some(random, t, 1, m, n, k, true);
        const std::int64_t first = random.below(most - m + 1);
        std::memcpy(some.memory[1].data(), all.memory[1].data(), row * k);
        std::memcpy(some.memory[0].data(),
                    all.memory[0].data() + static_cast<std::size_t>(first * k) * size_of(t),
                    static_cast<std::size_t>(m * k) * size_of(t));
        some.run();
        CAPTURE(m);
        CAPTURE(n);
        REQUIRE(std::memcmp(some.memory[2].data(),
                            all.memory[2].data() + static_cast<std::size_t>(first) * row,
                            static_cast<std::size_t>(m) * row) == 0);
      }
    }
  }
}

TEST_CASE("simd: work on several threads, from several threads, has the same bits") {
  Random random{11};
  constexpr std::int64_t n = 300000;
  Recorder r({n});
  std::vector<Memory> memory{{f32, n, random}, {f32, n}};
  const lane::Lane<float> x(r, r.load({r.add_buffer(f32, false), 0, {1}}));
  r.store({r.add_buffer(f32, true), 0, {1}}, math::exp(math::log(x)).id_in(r));
  const Program program = r.finish();
  const PreparedKernel kernel = simd_backend().prepare(program);
  agree(program, memory);
  std::vector<std::vector<Memory>> copies(4, memory);
  std::vector<std::thread> callers;
  for (std::vector<Memory>& copy : copies) {
    callers.emplace_back([&] { simd_backend().launch(kernel.get(), addresses(copy)); });
  }
  for (std::thread& caller : callers) caller.join();
  for (std::size_t i = 1; i < copies.size(); ++i) {
    CHECK(difference(copies[0][1], copies[i][1]) == -1);
  }
}
