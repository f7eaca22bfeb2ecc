// Graphs as text: golden texts, round trips, faults, the verifier, and mutated texts.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "autovec/autovec.hpp"
#include "autovec/ir/dot.hpp"
#include "autovec/ir/kinds.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/ir/print.hpp"
#include "autovec/ir/verify.hpp"
#include "autovec/ops/table.hpp"
#include "golden.hpp"

namespace {

using namespace autovec;
namespace av = autovec;

Graph parsed(std::string_view text) { return parse_graph(text, op_table()); }

/// Parses, verifies, prints; what is printed must read back as the same graph.
std::string canonical(std::string_view text) {
  const Graph graph = parsed(text);
  verify(graph);
  std::string printed = graph_text(graph);
  const Graph again = parsed(printed);
  CHECK(same_graph(graph, again));
  CHECK(same_graph(again, graph));
  CHECK(graph->hash == again->hash);
  CHECK(graph_text(again) == printed);
  return printed;
}

std::string fault(std::string_view text) {
  try {
    parsed(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "parsed";
}

/// A graph of every kind; seeds of the mutations.
const std::vector<std::string> valid = {
    R"((a: f32[3], b: f32[3]) {
  c: f32[3] = mul a b
  d: f32[] = sum c {axes=[0]}
  e: f32[] = mul d 2:f32
  return e
})",
    R"((a: f32[2,3], b: f32[3,4]) {
  c: f32[2,4] = contract a b {a="ij", b="jk", out="ik"}
  d: f32[4,2] = transpose c {axes=[1,0]}
  e: f32[8] = reshape d {shape=[8]}
  f: f32[5,8] = broadcast e {shape=[5,8], axes=[1]}
  return f, c
})",
    R"((a: f32[5,4], b: i32[2,1]) {
  c: f32[2,4] = gather a b {batch=0, axes=[0], sizes=[1,4], collapsed=[0]}
  d: f32[5,4] = scatter a b c {batch=0, axes=[0], sizes=[1,4], collapsed=[0], mode="add", clamp=false, masked=false}
  return d
})",
    R"((a: i32[4]) {
  b: i32[4] = bitwise_not a
  c: b8[4] = less a b
  d: b8[] = any c {axes=[0]}
  return d, a
})",
    R"((a: b8[], b: f32[2]) {
  c: f32[2] = branch a b {present=[0,0],
    sides=((a: f32[2]) {
      b: f32[2] = neg a
      return b
    }, (a: f32[2]) {
      return a
    })}
  return c
})",
    R"((a: f32[], b: f32[]) {
  c: i32[], d: f32[] = loop b 0:i32 a {condition_captures=0, body_captures=1, masked=false, present=[0,0],
    condition=(a: i32[], b: f32[]) {
      c: b8[] = less a 3:i32
      return c
    },
    body=(a: f32[], b: i32[], c: f32[]) {
      d: i32[] = add b 1:i32
      e: f32[] = mul c a
      return d, e
    }}
  return d
})",
    R"((a: f32[], b: f32[6,2]) {
  c: f32[], d: f32[2,6] = scan a b {length=6, captures=0, carries=1, reverse=true, in_axes=[0], out_axes=[1],
    body=(a: f32[], b: f32[2]) {
      c: f32[] = sum b {axes=[0]}
      d: f32[] = add a c
      return d, b
    }}
  return c, d
})",
};

}  // namespace

TEST_CASE("every kind of op prints in canonical form") {
  for (const std::string& text : valid) CHECK(canonical(text) == text);
}

TEST_CASE("text written by hand becomes canonical") {
  CHECK_TEXT(canonical("(x: f32[3], y: f32[3]) { p = mul x y; return p }"), R"(
    (a: f32[3], b: f32[3]) {
      c: f32[3] = mul a b
      return c
    })");
  CHECK_TEXT(canonical(R"(  # a comment
    (first.x: f32[], second_y: f32~[]) {
      u: f32[] = mul first.x 2e0:f32   # types may be given

      v = neg u; w = abs v; ; return w, first.x,
        -1.5:f64~ })"),
             R"(
    (a: f32[], b: f32~[]) {
      c: f32[] = mul a 2:f32
      d: f32[] = neg c
      e: f32[] = abs d
      return e, a, -1.5:f64~
    })");
  CHECK_TEXT(canonical("() { return }"), R"(
    () {
      return
    })");
}

TEST_CASE("neither dead nodes nor the order of tracing shows") {
  const std::string one = canonical(R"((a: f32[], b: f32[]) {
    dead = mul a b
    x = neg a
    y = abs b
    z = sub y x
    return z })");
  const std::string other = canonical(R"((a: f32[], b: f32[]) {
    y = abs b
    x = neg a
    z = sub y x
    return z })");
  CHECK(one == other);
  CHECK_TEXT(one, R"(
    (a: f32[], b: f32[]) {
      c: f32[] = abs b
      d: f32[] = neg a
      e: f32[] = sub c d
      return e
    })");
}

TEST_CASE("sharing counts, but for literals") {
  const Graph shared = parsed("(a: f32[]) { b = neg a; c = mul b b; return c }");
  const Graph twice = parsed("(a: f32[]) { b = neg a; d = neg a; c = mul b d; return c }");
  CHECK_FALSE(same_graph(shared, twice));
  CHECK_FALSE(same_graph(twice, shared));
  CHECK(graph_text(shared) != graph_text(twice));

  GraphBuilder builder;
  const Type f{DType::f32, false, {}};
  const Params two = Params::of(LiteralParams{Number(2.0f), DType::f32, false});
  const ValueId x = builder.add_node(literal_row, two, {}, std::span(&f, 1), Where::unknown());
  const ValueId y = builder.add_node(literal_row, two, {}, std::span(&f, 1), Where::unknown());
  const ValueId z =
      builder.add_node(*op_table().find("mul"), {}, {x, y}, std::span(&f, 1), Where::unknown());
  const Graph graph = builder.finish({z});
  verify(graph);
  CHECK(same_graph(graph, parsed(graph_text(graph))));
  CHECK(same_graph(parsed(graph_text(graph)), graph));
}

TEST_CASE("literals lose nothing") {
  const auto keeps = [](std::string_view literal) {
    std::string text("() {\n  return ");
    text += literal;
    text += "\n}";
    CHECK(canonical(text) == text);
  };
  for (const char* literal : {"0:f32",
                              "-0:f32",
                              "0.1:f32~",
                              "1e-45:f32",
                              "3.4028235e+38:f32",
                              "inf:f32",
                              "-inf:f64~",
                              "nan:f32",
                              "nan(9221120237041090561):f64",
                              "nan(18444492273895866368):f32",
                              "5e-324:f64",
                              "0.1:f64",
                              "1.7976931348623157e+308:f64",
                              "0.1:bf16",
                              "true:b8",
                              "false:b8",
                              "-128:i8",
                              "255:u8",
                              "-9223372036854775808:i64",
                              "18446744073709551615:u64",
                              "2:i32~",
                              "2:c64"}) {
    keeps(literal);
  }
}

TEST_CASE("a number in a parameter keeps its kind") {
  const auto round_trip = [](Number number) {
    std::string text;
    autovec::detail::print_field(text, number, 0);
    TextCursor in(text);
    Number back;
    autovec::detail::parse_field(in, op_table(), back);
    CHECK(back == number);
    CHECK(in.at_end());
    return text;
  };
  CHECK(round_trip(2) == "2");
  CHECK(round_trip(2.0) == "2.0");
  CHECK(round_trip(-0.0) == "-0.0");
  CHECK(round_trip(1e300) == "1e+300");
  CHECK(round_trip(true) == "true");
  CHECK(round_trip(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(round_trip(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(round_trip(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(round_trip(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(round_trip(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(round_trip(-std::numeric_limits<double>::quiet_NaN()) == "nan(18444492273895866368)");
}

TEST_CASE("names go on behind z") {
  GraphBuilder builder;
  std::string last;
  const Type f{DType::f32, false, {}};
  std::vector<ValueId> outputs;
  for (int i = 0; i < 800; ++i) outputs.push_back(builder.add_input(f));
  const Graph graph = builder.finish(std::move(outputs));
  CHECK(autovec::detail::value_name(25) == "z");
  CHECK(autovec::detail::value_name(26) == "aa");
  CHECK(autovec::detail::value_name(701) == "zz");
  CHECK(autovec::detail::value_name(702) == "aaa");
  CHECK(same_graph(graph, parsed(graph_text(graph))));
}

TEST_CASE("long chains neither exhaust the stack nor take long") {
  GraphBuilder builder;
  const Type f{DType::f32, false, {}};
  ValueId v = builder.add_input(f);
  for (int i = 0; i < 100000; ++i) {
    v = builder.add_node(*op_table().find("neg"), {}, {v}, std::span(&f, 1), Where::unknown());
  }
  const Graph graph = builder.finish({v});
  verify(graph);
  CHECK(same_graph(graph, parsed(graph_text(graph))));
}

TEST_CASE("a graph can be written to a stream") {
  std::ostringstream out;
  out << parsed("(x: i32[2]) { return x }");
  CHECK(out.str() == "(a: i32[2]) {\n  return a\n}");
}

TEST_CASE("faults of a text name line and column") {
  CHECK(fault("") == "parse: line 1, column 1: expected '('");
  CHECK(fault("(a: f32[3]) {\n  b = nag a\n  return b }") ==
        "parse: line 2, column 7: there is no op of this name");
  CHECK(fault("(a: f32[3]) {\n  b = neg c\n  return b }") ==
        "parse: line 2, column 11: there is no value of this name");
  CHECK(fault("(a: f32[3]) {\n  b: f32[4] = neg a\n  return b }") ==
        "parse: line 2, column 3: the result's type is f32[3]");
  CHECK(fault("(a: f32[3]) {\n  b, c = neg a\n  return b }") ==
        "parse: line 2, column 3: the op has 1 results, named are 2");
  CHECK(fault("(a: f32[3]) {\n  b = neg a a\n  return b }") ==
        "parse: line 2, column 7: the op takes 1 operands, given are 2");
  CHECK(fault("(a: f32[3]) {\n  a = neg a\n  return a }") ==
        "parse: line 2, column 3: a value of this name exists already");
  CHECK(fault("(a: f32[3], b: f32[4]) {\n  c = add a b\n  return c }")
            .starts_with("parse: line 2, column 7: add: "));
  CHECK(fault("(a: q32[3]) { return a }") == "parse: line 1, column 5: expected a dtype");
  CHECK(fault("(a: f32[-3]) { return a }") == "parse: line 1, column 5: no tensor has this shape");
  CHECK(fault("(a: f32[99999999,99999999]) { return a }") ==
        "parse: line 1, column 5: no tensor has this shape");
  CHECK(fault("(a: f32[99999999999999999999]) { return a }") ==
        "parse: line 1, column 9: integer out of range");
  CHECK(fault("(a: f32[3]) { b = reshape a {shape=[-3]}; return b }").find("reshape") !=
        std::string::npos);
  CHECK(fault("() { return 300:u8 }") == "parse: line 1, column 13: integer out of range");
  CHECK(fault("() { return 1x:f32 }") == "parse: line 1, column 14: expected ':'");
  CHECK(fault("() { return nan(7):f64 }") == "parse: line 1, column 17: not the pattern of a NaN");
  CHECK(fault("() { a = literal {value=2, dtype=f32, weak=false}; return a }") ==
        "parse: line 1, column 10: literals are written in place, as in 2:f32");
  CHECK(fault("() { return }\n\n  x") == "parse: line 3, column 3: expected the end");
  CHECK(fault("(return: f32[]) { return }") ==
        "parse: line 1, column 2: no value can have this name");
}

TEST_CASE("depth is limited") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "() { a = branch 0:i32 {present=[], sides=(";
  CHECK(fault(text).find("nested too deeply") != std::string::npos);
}

TEST_CASE("the verifier names the node") {
  const OpInfo& neg = *op_table().find("neg");
  const OpInfo& sum = *op_table().find("sum");
  const Type f{DType::f32, false, {3}};
  const Type scalar{DType::f32, false, {}};
  const auto message = [](GraphData data) {
    data.hash = structure_hash(data);
    try {
      verify(Graph(std::make_shared<const GraphData>(std::move(data))));
    } catch (const InternalError& error) {
      return std::string(error.what());
    }
    return std::string("verified");
  };
  GraphBuilder builder;
  const ValueId x = builder.add_input(f);
  const ValueId y = builder.add_node(neg, {}, {x}, std::span(&f, 1), Where::unknown());
  const ValueId z = builder.add_node(sum, Params::of(ReduceParams{{0}}), {y}, std::span(&scalar, 1),
                                     Where::unknown());
  const Graph good = builder.finish({z});
  CHECK(message(*good) == "verified");

  GraphData bad = *good;
  bad.types[2] = f;
  CHECK_TEXT(message(bad), R"(
    verify: the types of the results are not those inferred
        %1: f32[3] = neg %0
      > %2: f32[3] = sum %1 {axes=[0]})");
  bad = *good;
  bad.nodes[0].operands[0] = 2;
  CHECK(message(bad).starts_with("verify: an operand is made later\n  > %1: f32[3] = neg %2\n"));
  bad = *good;
  bad.nodes[1].params = {};
  CHECK(message(bad).starts_with("verify: the parameters are missing"));
  bad = *good;
  bad.nodes[0].params = bad.nodes[1].params;
  CHECK(message(bad).starts_with("verify: the op has no parameters"));
  bad = *good;
  bad.nodes[1].params = Params::of(LiteralParams{});
  CHECK(message(bad).starts_with("verify: the parameters are another op's"));
  bad = *good;
  bad.nodes[0].operands.push_back(0);
  CHECK(message(bad).starts_with("verify: a wrong number of operands"));
  bad = *good;
  bad.producers[1] = -1;
  CHECK(message(bad).starts_with("verify: values and their producers disagree"));
  bad = *good;
  bad.inputs.push_back(0);
  CHECK(message(bad).starts_with("verify: a value is made twice"));

  bad = *good;
  bad.hash = 7;
  CHECK_THROWS_AS(verify(Graph(std::make_shared<const GraphData>(bad))), InternalError);
  CHECK_THROWS_AS(verify(Graph()), InternalError);

  SUBCASE("inside of parameters too") {
    GraphData side = *good;
    side.types[2] = f;
    BranchParams p;
    p.present = {0};
    p.sides = {Graph(std::make_shared<const GraphData>(side))};
    GraphBuilder outer;
    const ValueId i = outer.add_input(Type{DType::i32, false, {}});
    const ValueId v = outer.add_input(f);
    const ValueId r = outer.add_node(*op_table().find("branch"), Params::of(p), {i, v},
                                     std::span(&f, 1), Where::unknown());
    const std::string text = message(*outer.finish({r}));
    CHECK(text.find("> %2: f32[3] = sum") != std::string::npos);
    CHECK(text.find("> %2: f32[3] = branch %0 %1 {...}") != std::string::npos);
  }
}

TEST_CASE("a picture for Graphviz") {
  CHECK_TEXT(graph_dot(parsed(valid[0])), R"(
    digraph autovec {
      rankdir=TB;
      node [shape=box, fontname="monospace"];
      n_in0 [shape=ellipse, label="input 0\nf32[3]"];
      n_in1 [shape=ellipse, label="input 1\nf32[3]"];
      n_0 [shape=box, label="mul\nf32[3]"];
      n_in0 -> n_0;
      n_in1 -> n_0;
      n_1 [shape=box, label="sum {axes=[0]}\nf32[]"];
      n_0 -> n_1;
      n_3 [shape=box, label="mul\nf32[]"];
      n_1 -> n_3;
      n_literal0 [shape=plaintext, label="2:f32"];
      n_literal0 -> n_3;
      n_out0 [shape=ellipse, label="output 0"];
      n_3 -> n_out0;
    })");
  CHECK(graph_dot(parsed(valid[4])).find("subgraph cluster_n_0_1 {") != std::string::npos);
}

/// One graph of ops with parameters of all sorts.
std::string many_ops() {
  const auto f = [](av::Tensor x, av::Tensor i) {
    const auto [best, places] = av::top_k(x, 2);
    return std::vector<av::Tensor>{
        av::concatenate({x, av::flip(x, 0)}, 1),
        av::pad(x, {{1, 2}, {0, 1}}),
        x.slice({av::range(0, 4, 2), -1}),
        av::diagonal(x),
        av::cumsum(x, 0),
        av::sort(x, 1),
        av::argsort(x, 0),
        best + av::cast(places, av::f32),
        av::where(x[i] > 0.5, 1.0, av::pow(x, 2.5)),
        x.at(i).add(1.0),
        av::einsum("ij,kj->ik", x, x),
        av::random::uniform(av::random::key(7), {2}),
        av::one_hot(i, 3),
    };
  };
  return av::str(av::trace(f, av::zeros({4, 3}), av::zeros({4}, av::i32)));
}

TEST_CASE("a mutated text is a graph or an error") {
  std::vector<std::string> valid = ::valid;
  valid.push_back(many_ops());
  CHECK(canonical(valid.back()) == valid.back());
  std::mt19937_64 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string alphabet = "abcxyz0123456789.,:;=~()[]{}\"\\ \n#-+_fiub\0\xff";
  int graphs = 0;
  int errors = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = valid[below(valid.size())];
    for (std::size_t edits = 1 + below(3); edits != 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(6)) {
        case 0: text[at] = alphabet[below(alphabet.size())]; break;
        case 1: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
        case 2: text.erase(at, 1 + below(3)); break;
        case 3: text.erase(at, below(text.size() - at)); break;
        case 4: {
          const std::string& other = valid[below(valid.size())];
          const std::size_t from = below(other.size());
          text.insert(at, other.substr(from, below(40)));
          break;
        }
        default: {
          // Another number, name or axis: more often still a text.
          const std::size_t digit = text.find_first_of("0123456789", at);
          const char* const numbers[] = {"0",
                                         "1",
                                         "2",
                                         "-1",
                                         "7",
                                         "4294967296",
                                         "9223372036854775807",
                                         "-9223372036854775808"};
          if (digit != std::string::npos) text.replace(digit, 1, numbers[below(8)]);
        }
      }
      if (text.empty()) text = "(";
    }
    CAPTURE(text);
    try {
      const Graph graph = parsed(text);
      verify(graph);
      const std::string printed = graph_text(graph);
      REQUIRE(graph_text(parsed(printed)) == printed);
      REQUIRE(same_graph(parsed(printed), graph));
      ++graphs;
    } catch (const ParseError&) {
      ++errors;
    }
  }
  CHECK(graphs > 50);
  CHECK(errors > 1000);
}
