// The recorder: builds programs and functions one instruction at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autovec/base/dtype.hpp"
#include "autovec/base/error.hpp"
#include "autovec/base/hash.hpp"
#include "autovec/base/small_vector.hpp"
#include "autovec/lane/instruction.hpp"
#include "autovec/lane/normalize.hpp"
#include "autovec/lane/program.hpp"

namespace autovec::inline v1 {
namespace lane {

/// Whether a float multiply may feed an add or a subtract. Math functions and op bodies are
/// strict: they write fma, so that no compiler can contract them differently.
enum class Rounding : std::uint8_t { free, strict };

/// A list of operands: `{a, b}`, a vector or a span of ids. For parameters only: it owns nothing.
class Operands {
 public:
  Operands() noexcept = default;
  Operands(std::initializer_list<ValueId> ids) noexcept : size_(ids.size()) {
    data_ = ids.begin();  // lives as long as the call this is an argument of
  }
  Operands(std::span<const ValueId> ids) noexcept : data_(ids.data()), size_(ids.size()) {}
  Operands(const std::vector<ValueId>& ids) noexcept : data_(ids.data()), size_(ids.size()) {}
  template <std::size_t N>
  Operands(const SmallVector<ValueId, N>& ids) noexcept : data_(ids.data()), size_(ids.size()) {}

  std::size_t size() const noexcept { return size_; }
  const ValueId* begin() const noexcept { return data_; }
  const ValueId* end() const noexcept { return data_ + size_; }
  ValueId operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  const ValueId* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Records instructions into nested blocks. A pure instruction on the same operands, in the same
/// or an enclosing block, is recorded once. Regions open with `begin_...` and close in order.
class Recorder {
 public:
  explicit Recorder(Extents domain = {}, Rounding rounding = Rounding::free) : rounding_(rounding) {
    program_.domain = std::move(domain);
    frames_.emplace_back();
  }
  // Handles point here.
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Number of the new buffer.
  std::int32_t add_buffer(DType dtype, bool written) {
    program_.buffers.push_back({dtype, written});
    return static_cast<std::int32_t>(program_.buffers.size() - 1);
  }
  /// A parameter of the function being recorded; in order.
  ValueId parameter(DType dtype) {
    const ValueId v = new_value(dtype);
    frames_.front().block.parameters.push_back(v);
    return v;
  }

  DType dtype_of(ValueId v) const { return program_.value_dtypes[checked(v)]; }
  const Extents& domain() const noexcept { return program_.domain; }
  const std::vector<Buffer>& buffers() const noexcept { return program_.buffers; }
  /// Loops around the point of recording; an access takes one stride for each.
  std::size_t loop_depth() const noexcept { return loop_depth_; }

  // -- Instructions -----------------------------------------------------------------------------

  /// An instruction without regions that gives one value of `dtype`.
  ValueId emit(Op op, DType dtype, Operands operands, std::int64_t immediate = 0) {
    if (rounding_ == Rounding::strict) refuse_contraction(op, dtype, operands);
    return number({op, dtype, immediate, ids(operands), nullptr}, is_pure(op));
  }
  /// An instruction whose dtype follows from its operands: arithmetic, comparison, select.
  ValueId emit(Op op, Operands operands) {
    ensure(operands.size() > 0, "lane: this instruction needs an explicit dtype");
    const DType operand = dtype_of(operands[operands.size() - 1]);
    return emit(op, info(op).form == Form::compare ? DType::b8 : operand, operands);
  }
  template <class T>
  ValueId constant(T value) {
    return emit(Op::constant, autovec::dtype_of<T>, {}, to_immediate(value));
  }
  /// Domain coordinate along `axis`, i64.
  ValueId index(std::size_t axis) {
    ensure(axis < program_.domain.size(), "lane: index along an axis that is not there");
    return emit(Op::index, DType::i64, {}, static_cast<std::int64_t>(axis));
  }
  /// `v` as `dtype`; `v` itself if it is one.
  ValueId convert(ValueId v, DType dtype) {
    return dtype_of(v) == dtype ? v : emit(Op::convert, dtype, {v});
  }
  ValueId call(std::shared_ptr<const Function> callee, Operands arguments) {
    ensure(callee != nullptr && callee->arity() == arguments.size(), "lane: bad call");
    const DType dtype = callee->result;
    return number({Op::call, dtype, 0, ids(arguments), std::move(callee)}, true);
  }

  // Strides that are left out at the end of an access are 0.
  ValueId load(Access access) {
    const Buffer& buffer = buffer_of(access);
    return number({Op::load, buffer.dtype, intern(std::move(access)), {}, nullptr},
                  !buffer.written);
  }
  ValueId gather(Access access, ValueId offset) {
    const Buffer& buffer = buffer_of(access);
    return number({Op::gather, buffer.dtype, intern(std::move(access)), {offset}, nullptr},
                  !buffer.written);
  }
  void store(Access access, ValueId value) {
    append({Op::store, dtype_of(value), intern(std::move(access)), {value}, nullptr});
  }
  void scatter(Access access, ValueId offset, ValueId value) {
    append({Op::scatter, dtype_of(value), intern(std::move(access)), {offset, value}, nullptr});
  }
  /// Writes only where `mask` holds; elsewhere the offset may be anything.
  void scatter(Access access, ValueId offset, ValueId value, ValueId mask) {
    append(
        {Op::scatter, dtype_of(value), intern(std::move(access)), {offset, value, mask}, nullptr});
  }

  /// A local array of zeros, made anew each time this point is passed.
  ValueId array_new(DType element, std::int64_t length) {
    ensure(length > 0, "lane: a local array needs a length");
    return number({Op::array_new, element, length, {}, nullptr}, false);
  }
  ValueId array_get(ValueId array, ValueId at) {
    return number({Op::array_get, dtype_of(array), 0, {array, at}, nullptr}, false);
  }
  void array_set(ValueId array, ValueId at, ValueId value) {
    append({Op::array_set, dtype_of(value), 0, {array, at, value}, nullptr});
  }

  // -- Regions ----------------------------------------------------------------------------------

  struct Loop {
    ValueId index;  ///< i64, 0 ... trips - 1
    ValueIds carries;
  };
  /// Opens the body of a loop; `end_loop` takes the carries' next values and gives the last ones.
  Loop begin_loop(std::int64_t trips, Operands initial) {
    open(Op::loop, initial, trips);
    ++loop_depth_;
    Loop loop;
    loop.index = region_parameter(DType::i64);
    loop.carries = carry_parameters();
    return loop;
  }
  ValueIds end_loop(Operands next) {
    --loop_depth_;
    return close(Op::loop, 1, next);
  }

  /// Opens the condition of a while and gives its parameters; then `begin_body(condition)` opens
  /// the body and gives its own, `end_while` takes the next values and gives the last ones.
  ValueIds begin_while(Operands initial) {
    open(Op::while_, initial, 0);
    return carry_parameters();
  }
  ValueIds begin_body(ValueId condition) {
    next_region(Op::while_, {condition});
    return carry_parameters();
  }
  ValueIds end_while(Operands next) { return close(Op::while_, 2, next); }

  /// Opens the side that runs where `condition` holds; then `begin_else`, then `end_if`.
  void begin_if(ValueId condition) { open(Op::if_, {condition}, 0); }
  void begin_else(Operands yields) { next_region(Op::if_, yields); }
  ValueIds end_if(Operands yields) { return close(Op::if_, 2, yields); }

  /// Copies the instructions of `block`, whose values have `dtypes`, with `arguments` for its
  /// parameters, and gives what it yields. The block reads no memory.
  ValueIds inline_block(const Block& block, const std::vector<DType>& dtypes, Operands arguments) {
    std::vector<ValueId> map(dtypes.size(), -1);
    bind(map, block.parameters, arguments);
    replay(block, map);
    return mapped(map, block.yields);
  }
  ValueId inline_function(const Function& function, Operands arguments) {
    return inline_block(function.body, function.value_dtypes, arguments)[0];
  }

  // -- Results ----------------------------------------------------------------------------------

  /// The program in normal form, with `yields` as each point's value; the recorder is used up.
  Program finish(Operands yields = {}) {
    ensure(frames_.size() == 1, "lane: a region is still open");
    program_.body = std::move(frames_.front().block);
    for (const ValueId v : yields) {
      checked(v);
      program_.body.yields.push_back(v);
    }
    normalize(program_);
    return std::move(program_);
  }
  std::shared_ptr<const Function> finish_function(std::string_view name, ValueId result) {
    ensure(frames_.size() == 1, "lane: a region is still open");
    auto function = std::make_shared<Function>();
    function->name = name;
    function->result = dtype_of(result);
    function->body = std::move(frames_.front().block);
    function->body.yields = {result};
    function->value_dtypes = std::move(program_.value_dtypes);
    normalize(*function);
    return function;
  }

 private:
  /// A region-free instruction without its results: what value numbering compares.
  struct Key {
    Op op;
    DType dtype;
    std::int64_t immediate;
    ValueIds operands;
    std::shared_ptr<const Function> callee;

    friend bool operator==(const Key& a, const Key& b) noexcept {
      return a.op == b.op && a.dtype == b.dtype && a.immediate == b.immediate &&
             a.operands == b.operands && a.callee == b.callee;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      Hasher hash;
      hash.add(static_cast<std::uint64_t>(key.op) << 8 | static_cast<std::uint64_t>(key.dtype));
      hash.add(static_cast<std::uint64_t>(key.immediate));
      for (const ValueId v : key.operands) hash.add(static_cast<std::uint64_t>(v));
      return static_cast<std::size_t>(hash.value());
    }
  };
  /// An open block and, for a region, the instruction it belongs to.
  struct Frame {
    Block block;
    Instruction owner;
    std::unordered_map<Key, ValueId, KeyHash> known;
  };

  static ValueIds ids(Operands operands) { return ValueIds(operands.begin(), operands.end()); }
  std::size_t checked(ValueId v) const {
    ensure(v >= 0 && static_cast<std::size_t>(v) < program_.value_dtypes.size(),
           "lane: a value that is not there");
    return static_cast<std::size_t>(v);
  }
  ValueId new_value(DType dtype) {
    program_.value_dtypes.push_back(dtype);
    is_product_.push_back(false);
    return static_cast<ValueId>(program_.value_dtypes.size() - 1);
  }

  Instruction& append(Key key) {
    for (const ValueId v : key.operands) checked(v);
    Instruction& i = frames_.back().block.instructions.emplace_back();
    i.op = key.op;
    i.dtype = key.dtype;
    i.immediate = key.immediate;
    i.operands = std::move(key.operands);
    i.callee = std::move(key.callee);
    return i;
  }
  ValueId number(Key key, bool pure) {
    if (pure) {
      for (std::size_t f = frames_.size(); f-- > 0;) {
        const auto found = frames_[f].known.find(key);
        if (found != frames_[f].known.end()) return found->second;
      }
    }
    const ValueId v = new_value(key.dtype);
    is_product_.back() = key.op == Op::mul;
    append(key).results.push_back(v);
    if (pure) frames_.back().known.emplace(std::move(key), v);
    return v;
  }
  void refuse_contraction(Op op, DType dtype, Operands operands) const {
    if ((op != Op::add && op != Op::sub) || !is_float(dtype)) return;
    for (const ValueId v : operands) {
      ensure(!is_product_[checked(v)],
             op == Op::add ? "lane: a mul feeds an add (write fma)"
                           : "lane: a mul feeds a sub (write fma, negate a factor)");
    }
  }

  const Buffer& buffer_of(const Access& access) const {
    ensure(access.buffer >= 0 && static_cast<std::size_t>(access.buffer) < program_.buffers.size(),
           "lane: an access to a buffer that is not there");
    return program_.buffers[static_cast<std::size_t>(access.buffer)];
  }
  std::int64_t intern(Access access) {
    buffer_of(access);
    const std::size_t rank = program_.domain.size() + loop_depth_;
    ensure(access.strides.size() <= rank, "lane: an access with too many strides");
    access.strides.resize(rank, 0);
    for (std::size_t i = program_.accesses.size(); i-- > 0;) {
      if (program_.accesses[i] == access) return static_cast<std::int64_t>(i);
    }
    program_.accesses.push_back(std::move(access));
    return static_cast<std::int64_t>(program_.accesses.size() - 1);
  }

  void open(Op op, Operands operands, std::int64_t immediate) {
    for (const ValueId v : operands) checked(v);
    Frame& frame = frames_.emplace_back();
    frame.owner.op = op;
    frame.owner.operands = ids(operands);
    frame.owner.immediate = immediate;
  }
  ValueId region_parameter(DType dtype) {
    const ValueId v = new_value(dtype);
    frames_.back().block.parameters.push_back(v);
    return v;
  }
  ValueIds carry_parameters() {
    ValueIds out;
    for (const ValueId v : ValueIds(frames_.back().owner.operands)) {
      out.push_back(region_parameter(dtype_of(v)));
    }
    return out;
  }
  void end_region(Op op, Operands yields) {
    ensure(frames_.size() > 1 && frames_.back().owner.op == op, "lane: regions close in order");
    Frame& frame = frames_.back();
    for (const ValueId v : yields) {
      checked(v);
      frame.block.yields.push_back(v);
    }
    frame.owner.regions.push_back(std::move(frame.block));
    frame.block = Block();
    frame.known.clear();
  }
  void next_region(Op op, Operands yields) {
    end_region(op, yields);
    ensure(frames_.back().owner.regions.size() == 1, "lane: regions close in order");
  }
  ValueIds close(Op op, std::size_t regions, Operands yields) {
    end_region(op, yields);
    ensure(frames_.back().owner.regions.size() == regions, "lane: regions close in order");
    Instruction instruction = std::move(frames_.back().owner);
    frames_.pop_back();
    const std::size_t wanted =
        op == Op::if_ ? instruction.regions[0].yields.size() : instruction.operands.size();
    ensure(yields.size() == wanted, "lane: the regions of an instruction yield different counts");
    ValueIds results;
    for (const ValueId v : instruction.regions.back().yields) {
      results.push_back(new_value(dtype_of(v)));
    }
    instruction.results.append(results.begin(), results.end());
    instruction.dtype = results.empty() ? DType::b8 : dtype_of(results[0]);
    frames_.back().block.instructions.push_back(std::move(instruction));
    return results;
  }

  static ValueId at(const std::vector<ValueId>& map, ValueId v) {
    return map[static_cast<std::size_t>(v)];
  }
  template <class Ids>
  static ValueIds mapped(const std::vector<ValueId>& map, const Ids& ids) {
    ValueIds out;
    for (const ValueId v : ids) out.push_back(at(map, v));
    return out;
  }
  template <class Ids>
  static void bind(std::vector<ValueId>& map, const Ids& from, Operands to) {
    ensure(from.size() == to.size(), "lane: wrong number of arguments");
    for (std::size_t i = 0; i < to.size(); ++i) map[static_cast<std::size_t>(from[i])] = to[i];
  }
  void replay(const Block& block, std::vector<ValueId>& map) {
    for (const Instruction& i : block.instructions) bind(map, i.results, replay(i, map));
  }
  ValueIds replay(const Instruction& i, std::vector<ValueId>& map) {
    const ValueIds operands = mapped(map, i.operands);
    switch (i.op) {
      case Op::loop: {
        const Loop loop = begin_loop(i.immediate, operands);
        ValueIds parameters{loop.index};
        parameters.append(loop.carries.begin(), loop.carries.end());
        return end_loop(replay_region(i.regions[0], map, parameters));
      }
      case Op::while_: {
        const ValueIds seen = begin_while(operands);
        const ValueIds parameters = begin_body(replay_region(i.regions[0], map, seen)[0]);
        return end_while(replay_region(i.regions[1], map, parameters));
      }
      case Op::if_:
        begin_if(operands[0]);
        begin_else(replay_region(i.regions[0], map, {}));
        return end_if(replay_region(i.regions[1], map, {}));
      case Op::call: return {call(i.callee, operands)};
      case Op::array_new: return {array_new(i.dtype, i.immediate)};
      case Op::array_get: return {array_get(operands[0], operands[1])};
      case Op::array_set: array_set(operands[0], operands[1], operands[2]); return {};
      default:
        ensure(!accesses_memory(i.op), "lane: a block that is inlined reads no memory");
        return {emit(i.op, i.dtype, operands, i.immediate)};
    }
  }
  ValueIds replay_region(const Block& region, std::vector<ValueId>& map, Operands parameters) {
    bind(map, region.parameters, parameters);
    replay(region, map);
    return mapped(map, region.yields);
  }

  Program program_;
  std::vector<Frame> frames_;
  std::vector<bool> is_product_;
  std::size_t loop_depth_ = 0;
  Rounding rounding_;
};

}  // namespace lane
}  // namespace autovec::inline v1
