// Plans: fusion, shared memory, masks and updates in place change no bit, and cost what they
// should.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"
#include "autovec/exec/backend.hpp"
#include "autovec/exec/run.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/ops/table.hpp"
#include "autovec/plan/lower.hpp"
#include "autovec/plan/lower_control.hpp"
#include "autovec/plan/parse.hpp"
#include "autovec/plan/pipeline.hpp"
#include "autovec/plan/text.hpp"
#include "golden.hpp"

namespace {

using namespace autovec;
namespace av = autovec;

constexpr std::string_view all_passes = "simplify,fold,captures,hoist,cse";

PlanOptions plain() { return {false, false, all_passes}; }

std::vector<Array> data_of(const std::vector<Tensor>& tensors) {
  std::vector<Array> out;
  for (const Tensor& x : tensors) out.push_back(x.array("test", Where::unknown()));
  return out;
}

bool same_bits(const Array& a, const Array& b) {
  return a.type == b.type && std::memcmp(a.data, b.data, a.type.bytes()) == 0;
}

/// The functions that kernels of a plan call, by name and dtypes.
lane::Lookup functions_of(const plan::Plan& p) {
  std::vector<std::shared_ptr<const lane::Function>> known;
  const auto collect = [&](const lane::Block& block, auto&& self) -> void {
    lane::for_each_instruction(block, [&](const lane::Instruction& i) {
      if (i.callee == nullptr) return;
      known.push_back(i.callee);
      self(i.callee->body, self);
    });
  };
  for (const plan::Kernel& kernel : p.kernels) {
    if (const auto* r = std::get_if<Reduction>(&kernel)) {
      collect(r->value.body, collect);
      collect(r->combine->body, collect);
    } else if (const auto* program = std::get_if<lane::Program>(&kernel)) {
      collect(program->body, collect);
    }
  }
  return [known](std::string_view name,
                 std::span<const DType> dtypes) -> std::shared_ptr<const lane::Function> {
    for (const auto& f : known) {
      bool same = f->name == name && f->arity() == dtypes.size();
      for (std::size_t i = 0; same && i < dtypes.size(); ++i)
        same = f->parameter_dtype(i) == dtypes[i];
      if (same) return f;
    }
    return nullptr;
  };
}

/// The plan's text, read back and printed again.
void reads_back(const Graph& graph, bool fuse) {
  std::vector<Extents> strides;
  for (std::size_t i = 0; i < graph.input_count(); ++i)
    strides.push_back(row_major(graph.input_type(i).shape));
  const plan::Plan p = plan::lower(plan::run_passes(graph), strides, {fuse, true});
  const std::string text = plan::plan_text(p);
  const plan::Plan again = plan::parse_plan(text, op_table(), functions_of(p));
  CHECK(plan::plan_text(again) == text);
  CHECK(plan::fault_of(again).empty());
}

/// Runs the graph with each pass left out in turn, fused or not, sharing memory or not: all agree
/// bit for bit. Gives the counts of a node-by-node run and of the best plan's second run.
std::pair<RunCounts, RunCounts> all_agree(const Graph& graph, const std::vector<Tensor>& inputs) {
  const std::vector<Array> in = data_of(inputs);
  reads_back(graph, true);
  reads_back(graph, false);
  RunCounts base_counts;
  const std::vector<Array> base =
      Executable::make(graph, reference_backend(), plain()).run(in, &base_counts);
  std::vector<PlanOptions> all = {
      {true, true, ""}, {false, true, ""}, {true, false, ""}, {true, true, all_passes}};
  for (const plan::Pass& pass : plan::pipeline) all.push_back({true, true, pass.name});
  const std::vector<Array> simd = Executable::make(graph, simd_backend()).run(in);
  for (std::size_t i = 0; i < simd.size() && base_counts.contractions == 0; ++i) {
    INFO("output " << i << " of simd");
    CHECK(same_bits(simd[i], base[i]));
  }
  RunCounts best;
  for (const PlanOptions& options : all) {
    const Executable e = Executable::make(graph, reference_backend(), options);
    for (int repeat = 0; repeat < 2; ++repeat) {
      RunCounts counts;
      const std::vector<Array> out = e.run(in, &counts);
      REQUIRE(out.size() == base.size());
      for (std::size_t i = 0; i < out.size(); ++i) {
        INFO("output " << i << ", fuse " << options.fuse << ", share " << options.share_memory
                       << ", without " << options.skip);
        CHECK(same_bits(out[i], base[i]));
      }
      if (&options == &all.front()) best = counts;
    }
  }
  return {base_counts, best};
}

template <class F, class... Args>
std::pair<RunCounts, RunCounts> agrees(const F& f, const Args&... args) {
  return all_agree(av::trace(f, args...), {Tensor(args)...});
}

Graph parsed(std::string_view text) { return av::parse(text); }

Tensor ramp(Extents shape, double step = 0.37) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i)
    values.push_back(static_cast<float>(step * static_cast<double>(i % 23) + 0.1));
  return av::tensor(values, std::move(shape));
}

}  // namespace

TEST_CASE("a chain of maps and views is one kernel") {
  const auto [node_by_node, fused] = agrees(
      [](Tensor a) { return av::exp(a * 0.5) + av::transpose(av::transpose(a)); }, ramp({3, 4}));
  CHECK(node_by_node.launches == 3);
  CHECK(fused.launches == 1);
  CHECK(fused.workspaces == 0);
}

TEST_CASE("a value that kernels share is stored once, a cheap one is computed again") {
  const auto softmax = [](Tensor a) {
    const Tensor e = av::exp(a - av::max(a, 1, keepdims));
    return e / av::sum(e, 1, keepdims);
  };
  CHECK(agrees(softmax, ramp({3, 5})).second.launches == 4);  // max, exp, sum, divide
  const auto centred = [](Tensor a) {
    const Tensor d = a - 1.0;
    return d / av::sum(d, 1, keepdims);
  };
  CHECK(agrees(centred, ramp({3, 5})).second.launches == 2);
}

TEST_CASE("a map chain runs inside the reduction that it feeds") {
  const auto distances = [](Tensor a, Tensor b) {
    const Tensor d = av::expand_dims(a, 1) - av::expand_dims(b, 0);
    return av::sum(d * d, 2);
  };
  const auto [base, fused] = agrees(distances, ramp({4, 3}), ramp({5, 3}));
  CHECK(fused.launches == 1);
  CHECK(fused.launch_bytes < base.launch_bytes);
}

TEST_CASE("views of computed values that strides can't say") {
  agrees([](Tensor a) { return av::reshape(av::transpose(a) + 1.0, {6}) * 2.0; }, ramp({2, 3}));
  agrees([](Tensor a) { return av::reshape(av::transpose(a), {6}) * 2.0; }, ramp({2, 3}));
  agrees([](Tensor a) { return std::pair(av::transpose(av::exp(a)), av::exp(a)); }, ramp({2, 3}));
  agrees([](Tensor a) { return std::tuple(a, av::transpose(a), a); }, ramp({2, 3}));
  agrees([](Tensor a) { return std::pair(av::reshape(av::matmul(a, a), {9}), av::flip(a, 0)); },
         ramp({3, 3}));
}

TEST_CASE("extents 0 and 1") {
  for (const Extents& shape : {Extents{0, 3}, Extents{3, 0}, Extents{1, 1}, Extents{1, 4}}) {
    agrees(
        [](Tensor a) {
          return std::tuple(av::exp(a) + 1.0, av::sum(a, 0), av::sum(a, 1),
                            av::matmul(a, av::transpose(a)));
        },
        ramp(shape));
  }
}

TEST_CASE("loops whose state is a number a lane are one kernel") {
  const auto newton = [](Tensor x) {
    return av::while_loop(
        std::tuple(x, Tensor(0)),
        [](auto s) { return (std::get<0>(s) < 10.0) & (std::get<1>(s) < 50); },
        [](auto s) { return std::tuple(std::get<0>(s) * 1.3 + 0.1, std::get<1>(s) + 1); });
  };
  CHECK(agrees(av::vmap(newton), ramp({7})).second.launches == 1);
  CHECK(agrees(av::vmap(av::vmap(newton)), ramp({3, 4})).second.launches == 1);
  CHECK(agrees(newton, Tensor(0.5f)).second.launches == 1);
  CHECK(agrees(av::vmap(newton), ramp({0})).second.trips == 0);
}

TEST_CASE("loops and branches nest inside one kernel") {
  const auto nested = [](Tensor x) {
    return av::while_loop(
        std::tuple(x, Tensor(0)),
        [](auto s) { return (std::get<0>(s) < 100.0) & (std::get<1>(s) < 20); },
        [](auto s) {
          Tensor z = av::while_loop(
              std::get<0>(s), [](Tensor y) { return y < 7.0; }, [](Tensor y) { return y + 1.5; });
          z = av::cond(
              z > 8.0, [](Tensor y) { return y * 2.0; }, [](Tensor y) { return y + 0.25; }, z);
          return std::tuple(z, std::get<1>(s) + 1);
        });
  };
  CHECK(agrees(av::vmap(nested), ramp({9})).second.launches == 1);
  const auto choice = [](Tensor x) {
    return av::switch_case(av::cast(x, i32),
                           std::tuple([](Tensor y) { return y; }, [](Tensor y) { return y * 3.0; },
                                      [](Tensor y) { return -y; }),
                           x);
  };
  CHECK(agrees(av::vmap(choice), ramp({9})).second.launches == 1);
}

TEST_CASE("a lane-local loop reads captured arrays") {
  const Tensor table = ramp({6});
  const Tensor rows = ramp({9, 6});
  const auto walk = [](Tensor x, Tensor table, Tensor row) {
    return av::while_loop(
        std::tuple(x, Tensor(0)), [](auto s) { return std::get<0>(s) < 12.0; },
        [=](auto s) {
          const Tensor i = std::get<1>(s);
          return std::tuple(std::get<0>(s) + table[i % 6] + row[i % 5], i + 1);
        });
  };
  const auto f = av::vmap(walk, in(0, shared, 0));
  CHECK(agrees(f, ramp({9}), table, rows).second.launches == 1);
}

TEST_CASE("loops with bigger state run step by step, each lane frozen when it stops") {
  const auto grow = [](Tensor x) {
    return av::while_loop(
        std::tuple(x, Tensor(0), x[0]), [](auto s) { return av::sum(std::get<0>(s)) < 40.0; },
        [](auto s) {
          return std::tuple(std::get<0>(s) * 1.5, std::get<1>(s) + 1,
                            std::get<0>(s)[1] - std::get<2>(s));
        });
  };
  const auto [base, fused] = agrees(av::vmap(grow), ramp({5, 3}));
  CHECK(base.trips > 1);
  CHECK(fused.launches < base.launches);
  agrees(av::vmap(av::vmap(grow)), ramp({2, 3, 3}));
  agrees(av::vmap(grow), ramp({0, 3}));
}

TEST_CASE("branches with bigger results run the sides that lanes take") {
  const auto choose = [](Tensor x) {
    return av::cond(
        av::sum(x) > 7.0, [](Tensor y) { return av::sqrt(y); },
        [](Tensor y) { return av::flip(y, 0) * 3.0; }, x);
  };
  CHECK(agrees(av::vmap(choose), ramp({4, 3})).second.branches == 2);
  CHECK(agrees(av::vmap(choose), ramp({4, 3}, 0.0)).second.branches == 1);
  CHECK(agrees(choose, ramp({3})).second.branches == 1);
}

TEST_CASE("scans") {
  const auto running = [](Tensor xs) {
    return av::scan(Tensor(0.0f), xs, [](Tensor c, Tensor x) {
      const Tensor n = c + av::sum(x);
      return std::pair(n, x * n);
    });
  };
  CHECK(agrees(running, ramp({4, 3})).second.trips == 4);
  agrees(av::vmap(running), ramp({2, 4, 3}));
  agrees(av::vmap(running, in(1), out(0)), ramp({4, 2, 3}));
  agrees(running, ramp({0, 3}));
}

TEST_CASE("carries that change places") {
  agrees(
      [](Tensor x) {
        return av::fori_loop(0, 5, std::tuple(x, x * 2.0, x * 3.0), [](Tensor, auto s) {
          return std::tuple(std::get<1>(s), std::get<2>(s), std::get<0>(s) + 1.0);
        });
      },
      ramp({4}));
  agrees(
      [](Tensor x) {
        return av::fori_loop(0, 5, std::tuple(x, x), [](Tensor, auto s) {
          return std::tuple(std::get<1>(s), std::get<0>(s));
        });
      },
      ramp({4}));
}

TEST_CASE("an update of a carry moves as much as is updated, not as much as is carried") {
  const auto bytes_a_trip = [](auto f, Tensor x) {
    const Executable e = Executable::make(av::trace(f, x), reference_backend());
    RunCounts counts;
    const std::vector<Array> in = data_of({x});
    e.run(in, &counts);
    return (counts.launch_bytes + counts.scatter_bytes) / counts.trips;
  };
  const auto smooth = [](Tensor x) {
    return av::fori_loop(0, 16, x, [](Tensor i, Tensor s) { return s.at(i).set(s[i] + s[i + 1]); });
  };
  CHECK(bytes_a_trip(smooth, ramp({20})) == bytes_a_trip(smooth, ramp({5000})));
  // Two updates a trip, reads in between, an inner loop that passes the array through.
  const auto more = [](Tensor x) {
    return av::fori_loop(0, 4, x, [](Tensor i, Tensor s) {
      s = s.at(i).add(s[i + 1]).at(i + 1).set(0.5);
      return av::fori_loop(0, 3, s, [=](Tensor j, Tensor t) { return t.at(j).mul(t[i] + 1.0); });
    });
  };
  CHECK(bytes_a_trip(more, ramp({20})) == bytes_a_trip(more, ramp({5000})));
  // Lanes that stop at different trips: the freeze goes into the update.
  const auto until = [](Tensor x) {
    return std::get<0>(av::while_loop(
        std::tuple(x, Tensor(0)),
        [](auto s) { return (std::get<0>(s)[0] < 9.0) & (std::get<1>(s) < 6); },
        [](auto s) {
          const auto [y, i] = s;
          return std::tuple(y.at(i).set(1.0).at(0).add(y[1]), i + 1);
        }));
  };
  CHECK(bytes_a_trip(av::vmap(until), ramp({3, 46})) ==
        bytes_a_trip(av::vmap(until), ramp({3, 4600})));
  agrees(smooth, ramp({20}));
  agrees(more, ramp({20}));
  agrees(until, ramp({20}));
  agrees(av::vmap(until), ramp({5, 20}));
  agrees(av::vmap(smooth), ramp({5, 20}));
  agrees(av::vmap(more, in(1), out(1)), ramp({20, 3}));
}

TEST_CASE("updates copy where the old value is still needed") {
  agrees(
      [](Tensor x) {
        const Tensor y = x + 1.0;
        return std::pair(y.at(0).set(5.0), y.at(1).add(3.0));
      },
      ramp({4}));
  agrees(
      [](Tensor x) {
        const Tensor y = x + 1.0;
        return y.at(0).set(5.0) * y;
      },
      ramp({4}));
  agrees([](Tensor x) { return x.at(2).max(1.0); }, ramp({4}));
  const auto shift = [](Tensor x) {
    return av::fori_loop(0, 3, x,
                         [](Tensor i, Tensor s) { return s.at(i).set(1.0) + av::flip(s, 0); });
  };
  agrees(shift, ramp({4}));
}

TEST_CASE("vmap over a matrix that is shared is one product") {
  const auto f = av::vmap([](Tensor x, Tensor w) { return av::matmul(w, x); }, in(0, shared));
  const auto [base, fused] = agrees(f, ramp({6, 4}), ramp({3, 4}));
  CHECK(fused.contractions == 1);
  CHECK(fused.launches == 0);
  CHECK(fused.copies == 0);
}

TEST_CASE("einsums of every arrangement") {
  const auto value = [](const Tensor& x, std::initializer_list<std::int64_t> at) {
    std::int64_t offset = 0;
    std::size_t axis = 0;
    for (const std::int64_t i : at)
      offset = offset * x.extent(static_cast<std::int64_t>(axis++)) + i;
    return x.to_vector<double>()[static_cast<std::size_t>(offset)];
  };
  const Tensor a = ramp({2, 3, 4}, 0.21);  // b i k
  for (const std::string order : {"bik", "bki", "kbi", "ibk"}) {
    for (const std::string other : {"bkj", "jkb", "kj", "jk"}) {
      for (const std::string out : {"bij", "jib", "ibj", "jbi"}) {
        const bool batched = other.find('b') != std::string::npos;
        const Tensor b = batched ? ramp({2, 4, 5}, 0.13) : ramp({4, 5}, 0.13);
        const auto arrange = [](Tensor x, const std::string& from, const std::string& to) {
          Extents axes;
          for (const char c : to) axes.push_back(static_cast<std::int64_t>(from.find(c)));
          return av::permute(x, axes);
        };
        const auto f = [=](Tensor a, Tensor b) {
          return av::einsum(order + "," + other + "->" + out, arrange(a, "bik", order),
                            arrange(b, batched ? "bkj" : "kj", other));
        };
        const Graph g = av::trace(f, a, b);
        const Executable e = Executable::make(g, reference_backend());
        const Tensor y = av::permute(
            Tensor(e.run(data_of({a, b}))[0]),
            {static_cast<std::int64_t>(out.find('b')), static_cast<std::int64_t>(out.find('i')),
             static_cast<std::int64_t>(out.find('j'))});
        const Tensor dense = Tensor(to_contiguous(y.array("test", Where::unknown())));
        double worst = 0;
        for (std::int64_t n = 0; n < 2; ++n) {
          for (std::int64_t i = 0; i < 3; ++i) {
            for (std::int64_t j = 0; j < 5; ++j) {
              double want = 0;
              for (std::int64_t k = 0; k < 4; ++k) {
                want += value(a, {n, i, k}) * (batched ? value(b, {n, k, j}) : value(b, {k, j}));
              }
              worst = std::max(worst, std::abs(want - value(dense, {n, i, j})));
            }
          }
        }
        INFO(order << "," << other << "->" << out);
        CHECK(worst < 1e-4);
      }
    }
  }
}

TEST_CASE("inputs with any strides are read where they lie") {
  const Tensor x = ramp({3, 4});
  const Tensor t = av::transpose(x);
  const auto f = [](Tensor a) {
    return std::tuple(av::exp(a), av::sum(a, 1), av::matmul(a, av::transpose(a)), a.at(1).set(0.0));
  };
  const Graph g = av::trace(f, t);
  const std::vector<Array> strided = data_of({t});
  REQUIRE_FALSE(strided[0].is_contiguous());
  const std::vector<Extents> strides{strided[0].strides};
  const std::vector<Array> a = Executable::make(g, strides, reference_backend()).run(strided);
  const std::vector<Array> dense{to_contiguous(strided[0])};
  const std::vector<Array> b = Executable::make(g, reference_backend()).run(dense);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(same_bits(a[i], b[i]));
}

TEST_CASE("buffers that do not live together share memory") {
  const auto layers = [](Tensor x) {
    for (int i = 0; i < 6; ++i) x = av::sum(av::expand_dims(x, 0) * av::expand_dims(x, 1), 0);
    return x;
  };
  const Graph g = av::trace(layers, ramp({64}, 0.01));
  const Executable lean = Executable::make(g, reference_backend());
  const Executable wide = Executable::make(g, reference_backend(), {true, false, ""});
  CHECK(lean.workspace_bytes() <= 2 * 256);
  CHECK(wide.workspace_bytes() >= 5 * 256);
}

TEST_CASE("one plan runs from many threads at once") {
  const auto f = [](Tensor x) {
    return av::vmap([](Tensor y) {
      return av::while_loop(
          y, [](Tensor z) { return av::sum(z) < 50.0; }, [](Tensor z) { return z * 1.25; });
    })(x);
  };
  const Tensor x = ramp({5, 3});
  const std::vector<Array> in = data_of({x});
  const Executable e = Executable::make(av::trace(f, x), reference_backend());
  const std::vector<Array> want = e.run(in);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) wrong[t] += same_bits(e.run(in)[0], want[0]) ? 0 : 1;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int w : wrong) CHECK(w == 0);
}

namespace {
/// A library routine that refuses negative numbers.
struct Picky {
  static std::vector<Type> infer(std::span<const Type> x, const Params&, Where) { return {x[0]}; }
  static void kernel(std::span<const Array> operands, std::span<Array> results, const Params&) {
    for (std::int64_t i = 0; i < operands[0].type.size(); ++i) {
      if (operands[0].as<float>()[i] < 0)
        fail<ShapeError>("picky", "a negative number", Where::unknown());
      results[0].as<float>()[i] = operands[0].as<float>()[i];
    }
  }
  static OpInfo make() {
    OpInfo row;
    row.name = "picky";
    row.kind = Kind::call;
    row.infer = infer;
    row.kernel = kernel;
    return row;
  }
};
}  // namespace

TEST_CASE("a library call that throws names the user's place and leaves the plan usable") {
  const OpInfo row = Picky::make();
  GraphBuilder builder;
  const Type type{DType::f32, false, {2}};
  const ValueId x = builder.add_input(type);
  const Where here = Where::here();
  const ValueId y = builder.add_node(row, Params(), {x}, std::span(&type, 1), here);
  const Executable e = Executable::make(builder.finish({y}), reference_backend());
  const std::vector<Array> good = data_of({av::tensor<float>({1, 2})});
  const std::vector<Array> bad = data_of({av::tensor<float>({1, -2})});
  CHECK(e.run(good)[0].as<float>()[1] == 2);
  std::string what;
  try {
    e.run(bad);
  } catch (const ShapeError& error) {
    what = error.what();
  }
  CHECK(what.find("picky: a negative number\n  at ") == 0);
  CHECK(what.find("plan_test.cpp") != std::string::npos);
  RunCounts counts;
  CHECK(e.run(good, &counts)[0].as<float>()[1] == 2);
  CHECK(counts.workspaces == 0);
}

TEST_CASE("passes") {
  SUBCASE("simplify") {
    CHECK_TEXT(
        av::str(plan::simplify(parsed(
            "(a: f32[3]) { b: f32[3] = reshape a {shape=[3]}; c: f32[3] = exp b; return c }"))),
        R"(
      (a: f32[3]) {
        b: f32[3] = exp a
        return b
      })");
  }
  SUBCASE("fold") {
    CHECK_TEXT(av::str(plan::fold(parsed(
                   "(a: f32[]) { b: f32[] = add 1:f32 2:f32; c: f32[] = mul a b; return c }"))),
               R"(
      (a: f32[]) {
        b: f32[] = mul a 3:f32
        return b
      })");
  }
  SUBCASE("cse") {
    CHECK_TEXT(av::str(plan::merge_equal(parsed("(a: f32[3]) { b: f32[3] = exp a; c: f32[3] = exp "
                                                "a; d: f32[3] = add b c; return d }"))),
               R"(
      (a: f32[3]) {
        b: f32[3] = exp a
        c: f32[3] = add b b
        return c
      })");
  }
  SUBCASE("captures and hoist") {
    const Tensor x = ramp({3});
    const Tensor w = ramp({3});
    const Graph g = av::trace(
        [](Tensor x, Tensor w) {
          const Tensor half = Tensor(0.5f);
          return av::while_loop(
              x, [](Tensor y) { return av::sum(y) < 9.0; },
              [=](Tensor y) { return y * av::exp(w) + half; });
        },
        x, w);
    CHECK_TEXT(av::str(plan::tidy_captures(plan::hoist(plan::tidy_captures(g)))), R"(
        (a: f32[3], b: f32[3]) {
          c: f32[3] = exp b
          d: f32[3] = loop c a {condition_captures=0, body_captures=1, masked=false, present=[0],
            condition=(a: f32[3]) {
              b: f32[] = sum a {axes=[0]}
              c: b8[] = less b 9:f32
              return c
            },
            body=(a: f32[3], b: f32[3]) {
              c: f32[3] = mul b a
              d: f32[3] = add c 0.5:f32
              return d
            }}
          return d
        })");
  }
}

TEST_CASE("plans print") {
  const Graph g = parsed(
      "(a: f32[2,3], b: f32[3]) { c: f32[2,3] = exp a; d: f32[2] = contract c b {a=\"ij\", "
      "b=\"j\", out=\"i\"}; return d }");
  CHECK_TEXT(Executable::make(g, reference_backend()).text(), R"(
      plan {
        input b0: f32[2,3]
        input b1: f32[3]
        output b2: f32[2]
        buffer b3: f32 x 6 at 0
        workspace 64
        launch exp "map chain of 1 node" (b0, b3)
          program [2, 3] {
            buffer 0: f32
            buffer 1: f32 written
            %0: f32 = load 0 [3, 1] + 0
            %1: f32 = call exp %0
            store 1 [3, 1] + 0, %1
          }
        contract contract "matrix product 2x3x1" (f32[2,3] b3 + 0 [3,1], f32[3] b1 + 0 [1]) -> f32[2] b2 + 0 [1]
          batch [] m 2 n 1 k 3 a [] 3 1 b [] 1 0 c [] 1 0
      })");
}

TEST_CASE("mutated plan texts are refused or read, never a crash") {
  const Graph graphs[] = {
      parsed("(a: f32[2,3], b: f32[3]) { c: f32[2,3] = exp a; d: f32[2] = contract c b {a=\"ij\", "
             "b=\"j\", out=\"i\"}; return d }"),
      av::trace(
          av::vmap([](Tensor x) {
            return av::while_loop(
                std::tuple(x, Tensor(0)), [](auto s) { return av::sum(std::get<0>(s)) < 9.0; },
                [](auto s) {
                  return std::tuple(std::get<0>(s).at(std::get<1>(s)).add(1.0), std::get<1>(s) + 1);
                });
          }),
          ramp({2, 3}))};
  std::mt19937 random(7);
  int read = 0;
  for (const Graph& g : graphs) {
    std::vector<Extents> strides;
    for (std::size_t i = 0; i < g.input_count(); ++i)
      strides.push_back(row_major(g.input_type(i).shape));
    const plan::Plan p = plan::lower(plan::run_passes(g), strides, {});
    const std::string text = plan::plan_text(p);
    const lane::Lookup lookup = functions_of(p);
    for (int i = 0; i < 500; ++i) {
      std::string mutated = text;
      for (int k = 0; k < 1 + i % 3; ++k) {
        const std::size_t at = random() % mutated.size();
        const std::size_t length = random() % 6;
        switch (random() % 3) {
          case 0: mutated.erase(at, length); break;
          case 1: mutated[at] = " {}()[],:b0123456789-x"[random() % 22]; break;
          default: mutated.insert(at, text.substr(random() % text.size(), length)); break;
        }
      }
      try {
        plan::parse_plan(mutated, op_table(), lookup);
        ++read;
      } catch (const ParseError&) {
      }
    }
  }
  CHECK(read < 600);
}
