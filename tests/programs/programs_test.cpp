// Random programs mean the same run lane by lane, vectorized, vectorized twice and jitted, on every
// executor, and as a scalar interpreter that knows nothing of the library: bit for bit.
//
// AUTOVEC_PROGRAMS=n runs n programs, AUTOVEC_SEED=s begins at that seed; a failure names its own.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"
#include "generate.hpp"
#include "interpret.hpp"
#include "program.hpp"
#include "record.hpp"
#include "shrink.hpp"

namespace {

using namespace programs;

/// Inputs of all lanes of a grid (outer x inner), each input varying along some of its axes.
struct Inputs {
  int outer = 1;
  int inner = 1;
  int chunk = 0;                          // of one vmap; 0: all lanes at once
  std::vector<bool> by_outer, by_inner;   // of each input
  std::vector<bool> behind;               // of each input: whether vmap's axis is the last one
  std::vector<std::vector<Value>> lanes;  // outer * inner sets of inputs

  const std::vector<Value>& at(int o, int i) const {
    return lanes[static_cast<std::size_t>(o * inner + i)];
  }
};

Value draw(Dice& dice, Type type, int extent) {
  Value v;
  v.real = dice.between(-20, 20) * 0.25;
  v.integer = dice.one_in(20) ? 2147483647 : dice.between(-4, 9);
  v.truth = dice.one_in(2);
  if (type == Type::vector) {
    for (int k = 0; k < extent; ++k) v.vector.push_back(dice.between(-20, 20) * 0.25);
  }
  return v;
}

Inputs draw_inputs(const Program& program, std::uint64_t seed) {
  Dice dice(seed * 2 + 1);
  Inputs out;
  out.outer = dice.between(1, 2);
  // More lanes than fit into a register, now and then.
  out.inner = dice.one_in(10) ? dice.between(6, 70) : dice.between(1, 5);
  out.chunk = dice.one_in(6) ? dice.between(1, 4) : 0;
  const std::size_t count = program.body.parameters.size();
  for (std::size_t k = 0; k < count; ++k) {
    out.by_outer.push_back(dice.one_in(2));
    out.by_inner.push_back(!dice.one_in(3));
    out.behind.push_back(dice.one_in(3));
  }
  for (int lane = 0; lane < out.outer * out.inner; ++lane) {
    const int o = lane / out.inner;
    const int i = lane % out.inner;
    std::vector<Value> values;
    for (std::size_t k = 0; k < count; ++k) {
      const Type type = program.types[static_cast<std::size_t>(program.body.parameters[k])];
      Value fresh = draw(dice, type, program.extent);
      if (!out.by_outer[k] && o > 0) {
        fresh = out.at(0, i)[k];
      } else if (!out.by_inner[k] && i > 0) {
        fresh = out.at(o, 0)[k];
      }
      values.push_back(fresh);
    }
    out.lanes.push_back(values);
  }
  return out;
}

/// One tensor of the values of several lanes, the axes of the lanes in front.
av::Tensor tensor_of(const Program& program, Type type, const std::vector<const Value*>& lanes,
                     autovec::Extents shape) {
  std::vector<double> numbers;
  for (const Value* v : lanes) {
    switch (type) {
      case Type::real: numbers.push_back(v->real); break;
      case Type::integer: numbers.push_back(v->integer); break;
      case Type::truth: numbers.push_back(v->truth ? 1 : 0); break;
      case Type::vector: numbers.insert(numbers.end(), v->vector.begin(), v->vector.end());
    }
  }
  if (type == Type::vector) shape.push_back(program.extent);
  const av::Tensor all = av::tensor(numbers, shape);
  if (type == Type::integer) return av::cast(all, av::i32);
  if (type == Type::truth) return av::cast(all, av::b8);
  return av::cast(all, program.single ? av::f32 : av::f64);
}

/// Inputs of one call, grouped by how vmap maps them, and the way back to their order.
struct Groups {
  std::vector<int> group_of;
  std::vector<Tensors> tensors;

  explicit Groups(std::size_t count) : tensors(count) {}
  void add(int group, const av::Tensor& x) {
    group_of.push_back(group);
    tensors[static_cast<std::size_t>(group)].push_back(x);
  }
  template <class... T>
  Tensors in_order(const T&... groups) const {
    const Tensors* all[] = {&groups...};
    std::vector<std::size_t> next(sizeof...(T), 0);
    Tensors out;
    for (const int g : group_of) {
      const auto at = static_cast<std::size_t>(g);
      out.push_back((*all[at])[next[at]++]);
    }
    return out;
  }
};

bool same_bits(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<double> numbers_of(Type type, const Value& v) {
  switch (type) {
    case Type::real: return {v.real};
    case Type::integer: return {static_cast<double>(v.integer)};
    case Type::truth: return {v.truth ? 1.0 : 0.0};
    default: return v.vector;
  }
}

void write(std::ostream& out, const std::vector<double>& numbers) {
  out << '[';
  for (std::size_t k = 0; k < numbers.size(); ++k) out << (k == 0 ? "" : ", ") << numbers[k];
  out << ']';
}

/// One program with its inputs; `check` tells how it fails, if it does.
class Trial {
 public:
  Trial(const Program& program, std::uint64_t seed)
      : program_(program), inputs_(draw_inputs(program, seed)) {
    for (const std::vector<Value>& lane : inputs_.lanes) {
      expected_.push_back(interpret(program, lane));
    }
  }

  std::string check() {
    av::set_default_float(program_.single ? av::f32 : av::f64);
    for (const av::Executor executor : {av::Executor::reference, av::Executor::simd}) {
      av::set_executor(executor);
      executor_ = executor == av::Executor::reference ? "reference" : "simd";
      const std::string fault = check_executor();
      if (!fault.empty()) return fault;
    }
    return {};
  }

 private:
  std::string check_executor() {
    return attempt("one lane on data", [&] { one_by_one(); }) +
           attempt("vmap", [&] { vectorized(false); }) +
           attempt("jit of vmap", [&] { vectorized(true); }) +
           attempt("vmap of vmap", [&] { vectorized_twice(false); }) +
           attempt("jit of vmap of vmap", [&] { vectorized_twice(true); });
  }

  template <class F>
  std::string attempt(const char* what, F&& run) {
    difference_.clear();
    try {
      run();
    } catch (const std::exception& error) {
      difference_ = error.what();
    }
    if (difference_.empty()) return {};
    return std::string(what) + ", executor " + executor_ + ": " + difference_ + '\n';
  }

  Type input_type(std::size_t k) const { return type_of(program_.body.parameters[k]); }
  Type type_of(int v) const { return program_.types[static_cast<std::size_t>(v)]; }

  void one_by_one() {
    for (int i = 0; i < std::min(inputs_.inner, 2); ++i) {
      Tensors arguments;
      for (std::size_t k = 0; k < program_.body.parameters.size(); ++k) {
        arguments.push_back(tensor_of(program_, input_type(k), {&inputs_.at(0, i)[k]}, {}));
      }
      compare(record(program_, arguments), 0, i, 0);
    }
  }

  void vectorized(bool jitted) {
    Groups groups(3);
    for (std::size_t k = 0; k < program_.body.parameters.size(); ++k) {
      const Type type = input_type(k);
      if (!inputs_.by_inner[k]) {
        groups.add(2, tensor_of(program_, type, {&inputs_.at(0, 0)[k]}, {}));
        continue;
      }
      std::vector<const Value*> lanes;
      for (int i = 0; i < inputs_.inner; ++i) lanes.push_back(&inputs_.at(0, i)[k]);
      const av::Tensor x = tensor_of(program_, type, lanes, {inputs_.inner});
      groups.add(inputs_.behind[k] ? 1 : 0, inputs_.behind[k] ? av::moveaxis(x, 0, -1) : x);
    }
    const auto f = av::vmap(
        [this, &groups](const Tensors& a, const Tensors& b, const Tensors& c) {
          return record(program_, groups.in_order(a, b, c));
        },
        av::in(0, -1, av::shared), av::out(0),
        av::VmapOptions{.axis_size = inputs_.inner, .chunk = inputs_.chunk});
    const std::vector<Tensors>& x = groups.tensors;
    const Tensors results = jitted ? av::jit(f)(x[0], x[1], x[2]) : f(x[0], x[1], x[2]);
    for (int i = 0; i < inputs_.inner; ++i) compare(results, 0, i, i);
  }

  void vectorized_twice(bool jitted) {
    Groups groups(4);
    for (std::size_t k = 0; k < program_.body.parameters.size(); ++k) {
      autovec::Extents shape;
      if (inputs_.by_outer[k]) shape.push_back(inputs_.outer);
      if (inputs_.by_inner[k]) shape.push_back(inputs_.inner);
      std::vector<const Value*> lanes;
      for (int o = 0; o < (inputs_.by_outer[k] ? inputs_.outer : 1); ++o) {
        for (int i = 0; i < (inputs_.by_inner[k] ? inputs_.inner : 1); ++i) {
          lanes.push_back(&inputs_.at(o, i)[k]);
        }
      }
      groups.add((inputs_.by_outer[k] ? 0 : 2) + (inputs_.by_inner[k] ? 0 : 1),
                 tensor_of(program_, input_type(k), lanes, shape));
    }
    const auto f = [this, &groups](const Tensors& both, const Tensors& outer, const Tensors& inner,
                                   const Tensors& none) {
      return record(program_, groups.in_order(both, outer, inner, none));
    };
    const auto g = av::vmap(av::vmap(f, av::in(0, av::shared, 0, av::shared), av::out(0),
                                     av::VmapOptions{.axis_size = inputs_.inner}),
                            av::in(0, 0, av::shared, av::shared), av::out(0),
                            av::VmapOptions{.axis_size = inputs_.outer});
    const std::vector<Tensors>& x = groups.tensors;
    const Tensors results = jitted ? av::jit(g)(x[0], x[1], x[2], x[3]) : g(x[0], x[1], x[2], x[3]);
    for (int o = 0; o < inputs_.outer; ++o) {
      for (int i = 0; i < inputs_.inner; ++i) compare(results, o, i, o * inputs_.inner + i);
    }
  }

  /// Notes the first difference between part `lane` of the results and what is expected of (o, i).
  void compare(const Tensors& results, int o, int i, int lane) {
    const std::vector<Value>& expected = expected_[static_cast<std::size_t>(o * inputs_.inner + i)];
    for (std::size_t r = 0; r < expected.size() && difference_.empty(); ++r) {
      const Type type = program_.body.results[r].type;
      const std::vector<double> want = numbers_of(type, expected[r]);
      const std::vector<double> all = results[r].to_vector<double>();
      const std::size_t first = static_cast<std::size_t>(lane) * want.size();
      std::vector<double> got;
      bool same = first + want.size() <= all.size();
      for (std::size_t k = 0; same && k < want.size(); ++k) got.push_back(all[first + k]);
      for (std::size_t k = 0; same && k < want.size(); ++k) same = same_bits(got[k], want[k]);
      if (same) continue;
      std::ostringstream text;
      text << "result " << r << " of lane (" << o << ", " << i << ") is ";
      write(text, got);
      text << ", expected ";
      write(text, want);
      text << "; inputs";
      for (std::size_t k = 0; k < program_.body.parameters.size(); ++k) {
        text << ' ';
        write(text, numbers_of(input_type(k), inputs_.at(o, i)[k]));
        text << (inputs_.by_outer[k] ? " by outer" : "") << (inputs_.by_inner[k] ? " by inner" : "")
             << (inputs_.behind[k] ? " behind" : "");
      }
      text << "; lanes " << inputs_.outer << " x " << inputs_.inner << ", chunk " << inputs_.chunk;
      difference_ = text.str();
    }
  }

  const Program& program_;
  Inputs inputs_;
  std::vector<std::vector<Value>> expected_;
  std::string executor_;
  std::string difference_;
};

std::string fault_of(const Program& program, std::uint64_t seed) {
  return Trial(program, seed).check();
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("random programs mean the same everywhere") {
  const std::uint64_t count = from_environment("AUTOVEC_PROGRAMS", 5000);
  const std::uint64_t first = from_environment("AUTOVEC_SEED", 1);
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    const Program program = generate(seed);
    const std::string fault = fault_of(program, seed);
    if (fault.empty()) {
      CHECK(true);  // counts the programs
      continue;
    }
    ++failures;
    const Program least =
        shrink(program, [seed](const Program& p) { return !fault_of(p, seed).empty(); });
    FAIL_CHECK("AUTOVEC_SEED=" << seed << " AUTOVEC_PROGRAMS=1\n"
                               << to_text(least) << fault_of(least, seed) << "as generated:\n"
                               << to_text(program) << fault);
  }
  av::set_default_float(av::f32);
  av::set_executor(av::Executor::automatic);
}
