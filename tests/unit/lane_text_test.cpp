// The text of lane programs: round trips, refusals with line and column, mutated texts, verifier.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autovec/base/error.hpp"
#include "autovec/lane/parse.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/lane/text.hpp"
#include "autovec/lane/verify.hpp"

using namespace autovec;
using lane::Op;
using lane::Program;

namespace {

const std::shared_ptr<const lane::Function> half =
    std::make_shared<const lane::Function>(lane::parse_function("function half(%0: f32) -> f32 {\n"
                                                                "  %1: f32 = constant 0.5\n"
                                                                "  %2: f32 = mul %0, %1\n"
                                                                "  yield %2\n"
                                                                "}\n"));

std::shared_ptr<const lane::Function> find(std::string_view name,
                                           std::span<const DType> arguments) {
  const bool known = name == "half" && arguments.size() == 1 && arguments[0] == f32;
  return known ? half : nullptr;
}

/// Every form of instruction once.
constexpr std::string_view everything = R"(program [4, 3] {
  buffer 0: f32
  buffer 1: i64
  buffer 2: f32 written
  buffer 3: bf16 written
  %0: f32 = load 0 [3, 1] + -2
  %1: i64 = index 1
  %2: f32 = gather 0 [0, 0] + 7, %1
  %3: f32 = call half %2
  %4: b8 = lt %0, %3
  %5: f32 = select %4, %0, %3
  %6: f64 = convert %5
  %7: i32 = bitcast %5
  %8: i32 = constant 3
  %9: i32 = shl %7, %8
  %10: f32 = array_new 5
  %11: f32, %12: i32 = loop 10 (%13: i64, %14: f32 = %0, %15: i32 = %9) {
    %16: f32 = load 0 [3, 1, 12] + 0
    %17: f32 = fma %16, %14, %0
    %18: i32 = sub %15, %8
    array_set %10, %13, %17
    loop 2 (%19: i64) {
      %20: f32 = load 0 [0, 0, 1, 2] + 0
      store 2 [3, 1, 0, 0] + 0, %20
    }
    yield %17, %18
  }
  %21: i32 = while (%22: i32 = %12) {
    %23: b8 = gt %22, %8
    yield %23
  } do (%24: i32) {
    %25: i32 = shr %24, %8
    yield %25
  }
  %26: f32, %27: i32 = if %4 {
    %28: f32 = array_get %10, %1
    yield %28, %21
  } else {
    %29: i32 = neg %21
    yield %11, %29
  }
  if %4 {
    store 2 [3, 1] + 0, %26
  } else {
  }
  %30: bf16 = convert %27
  store 3 [3, 1] + 0, %30
  scatter 2 [0, 0] + 0, %1, %26
  scatter 2 [0, 0] + 0, %1, %26, %4
  yield %6
}
)";

Program parse(std::string_view text) { return lane::parse_program(text, find); }

/// A program of one axis, a read and a written f32 buffer, and these instructions.
std::string around(std::string_view instructions) {
  std::string text("program [4] {\n  buffer 0: f32\n  buffer 1: f32 written\n");
  text += instructions;
  text += "\n}\n";
  return text;
}

struct Random {
  std::uint64_t state;
  std::size_t operator()(std::size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % below;
  }
};

}  // namespace

TEST_CASE("text reads back to the same program and prints the same") {
  const Program p = parse(everything);
  CHECK(to_text(p) == everything);
  CHECK(parse(to_text(p)) == p);
  CHECK(p.accesses.size() == 8);  // equal ones are one
  CHECK(lane::parse_function(to_text(*half)) == *half);
}

TEST_CASE("values are renumbered by appearance; comments and blanks don't count") {
  const Program p = parse(
      "program[2]{ # two points\n buffer 0:f32 written\n%7:f32=constant 1"
      " store 0[1]+0,%7}");
  CHECK(to_text(p) ==
        "program [2] {\n  buffer 0: f32 written\n  %0: f32 = constant 1\n"
        "  store 0 [1] + 0, %0\n}\n");
}

TEST_CASE_TEMPLATE("constants read back bit for bit", T, bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float, double) {
  using L = std::numeric_limits<T>;
  lane::Recorder r;
  std::vector<lane::ValueId> ids;
  for (const T v : {T(0), T(1), L::max(), L::lowest(), L::min(), L::denorm_min(), L::infinity(),
                    L::quiet_NaN(), static_cast<T>(-L::infinity()), static_cast<T>(-L::quiet_NaN()),
                    static_cast<T>(0.1), static_cast<T>(-0.0)}) {
    ids.push_back(r.constant(v));
  }
  const Program p = r.finish(ids);
  CHECK(parse(to_text(p)) == p);
}

TEST_CASE("a NaN of other bits keeps them") {
  lane::Recorder r;
  const Program p = r.finish(lane::Operands{r.emit(Op::constant, f32, {}, 0x7fc12345)});
  CHECK(to_text(p) == "program [] {\n  %0: f32 = constant bits 2143363909\n  yield %0\n}\n");
  CHECK(parse(to_text(p)) == p);
}

TEST_CASE("bad texts are refused with line and column") {
  struct Case {
    std::string_view instructions, where, what;
  };
  const Case cases[] = {
      {"  %0: f32 = lode 0 [1] + 0", "line 4, column 13", "expected an operation"},
      {"  %0: f32 = load 2 [1] + 0", "line 4, column 18", "a buffer that is not there"},
      {"  %0: f32 = load 0 [1, 1] + 0", "line 4, column 3", "a wrong number of strides"},
      {"  %0: f64 = load 0 [1] + 0", "line 4, column 3", "another dtype than the buffer's"},
      {"  %0: f31 = constant 1", "line 4, column 7", "expected a dtype"},
      {"  %0: f32 = constant abc", "line 4, column 22", "expected a number"},
      {"  %0: u8 = constant 256", "line 4, column 21", "integer out of range"},
      {"  %0: i8 = constant -129", "line 4, column 21", "integer out of range"},
      {"  %0: f16 = constant 1", "line 4, column 22", "no constants of this dtype"},
      {"  %0: u8 = constant bits 256", "line 4, column 3", "bits beyond its dtype"},
      {"  %0: b8 = constant bits 2", "line 4, column 3", "neither 0 nor 1"},
      {"  %0: i64 = index 1", "line 4, column 3", "an axis that is not there"},
      {"  %0: i32 = index 0", "line 4, column 3", "an index that is not i64"},
      {"  %0: f32 = add %1, %1", "line 4, column 17", "used before it is defined"},
      {"  %0: f32 = add %0, %0", "line 4, column 17", "used before it is defined"},
      {"  %0: i64 = index 0\n  %0: i64 = index 0", "line 5, column 3", "defined twice"},
      {"  %0: i64 = index 0\n  %1: i64 = add %0", "line 5, column 3", "wrong number of operands"},
      {"  %0: i64 = index 0\n  %1: f32 = add %0, %0", "line 5, column 3", "different dtypes"},
      {"  %0: i64 = index 0\n  %1: i64 = sqrt %0", "line 5, column 3", "does not have"},
      {"  %0: i64 = index 0\n  %1: i64 = eq %0, %0", "line 5, column 3", "not b8"},
      {"  %0: i64 = index 0\n  %1: i32 = bitcast %0", "line 5, column 3", "different sizes"},
      {"  %0: i64 = index 0\n  %1: i64 = select %0, %0, %0", "line 5, column 3", "mask"},
      {"  %0: i64 = index 0\n  store 1 [1] + 0, %0", "line 5, column 3", "another dtype"},
      {"  %0: f32 = constant 1\n  store 0 [1] + 0, %0", "line 5, column 3", "declared written"},
      {"  %0: f32 = constant 1\n  %1: f32 = gather 0 [1] + 0, %0", "line 5, column 3", "offset"},
      {"  %0: f32 = constant 1\n  %1: f32 = store 1 [1] + 0, %0", "line 5, column 3", "results"},
      {"  %0: f32 = constant 1\n  %1: f32 = call exp %0", "line 5, column 18", "no function"},
      {"  %0: f32 = array_new 0", "line 4, column 3", "an array of this length"},
      {"  %0: f32 = array_new 4\n  %1: f32 = neg %0", "line 5, column 3", "used as a scalar"},
      {"  %0: i64 = index 0\n  %1: i64 = array_get %0, %0", "line 5, column 3", "no local array"},
      {"  %0: i64 = index 0\n  loop 3 (%1: i64) {\n    %2: i64 = neg %1\n  }\n  %3: i64 = neg %2",
       "line 8, column 3", "outside its region"},
      {"  loop 3 (%1: i32) {\n  }", "line 4, column 3", "a loop index that is not i64"},
      {"  loop -1 (%1: i64) {\n  }", "line 4, column 3", "a bad trip count"},
      {"  loop 1 (%1: i64) {\n    yield %1\n  }", "line 4, column 3", "wrong number of yields"},
      {"  %0: i64 = index 0\n  %1: i64 = while (%2: i64 = %0) {\n    yield %2\n  } do (%3: i64) {\n"
       "    yield %3\n  }",
       "line 5, column 3", "anything but one b8"},
      {"  %0: i64 = index 0\n  if %0 {\n  } else {\n  }", "line 5, column 3", "not b8"},
      {"  %0: b8 = constant true\n  %1: i64 = if %0 {\n    yield %0\n  } else {\n    yield %0\n  }",
       "line 5, column 3", "a yield of another dtype"},
      {"  }\n  x", "line 5, column 3", "expected the end"},
      {"  %0: f32 = constant", "line 5, column 1", "expected a number"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.instructions);
    std::string message;
    try {
      parse(around(c.instructions));
    } catch (const ParseError& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.find(c.where) != std::string::npos);
    CHECK(message.find(c.what) != std::string::npos);
  }
}

TEST_CASE("domains that make no sense") {
  CHECK_THROWS_AS(parse("program [-1] { }"), ParseError);
  CHECK_THROWS_AS(parse("program [4294967296, 4294967296] { }"), ParseError);
  CHECK_THROWS_AS(parse("program [1] { buffer 0: c64 }"), ParseError);
  CHECK_THROWS_AS(parse("program [1] { buffer 1: f32 }"), ParseError);
  CHECK_THROWS_AS(parse("program [99999999999999999999] { }"), ParseError);
  CHECK_THROWS_AS(parse(""), ParseError);
  CHECK_NOTHROW(parse("program [0, 3] { }"));
}

TEST_CASE("functions read no memory and yield one value of their dtype") {
  const auto function = [](std::string_view text) { return lane::parse_function(text, find); };
  CHECK_NOTHROW(function("function f() -> f32 { %0: f32 = constant 1 yield %0 }"));
  CHECK_THROWS_AS(function("function f() -> f32 { %0: f32 = load 0 [] + 0 yield %0 }"), ParseError);
  CHECK_THROWS_AS(function("function f() -> i64 { %0: i64 = index 0 yield %0 }"), ParseError);
  CHECK_THROWS_AS(function("function f(%0: f32) -> f64 { yield %0 }"), ParseError);
  CHECK_THROWS_AS(function("function f(%0: f32) -> f32 { }"), ParseError);
  CHECK_THROWS_AS(function("function f(%0: f32) -> f32 { yield %0, %0 }"), ParseError);
  CHECK_THROWS_AS(function("function f(%0: f16) -> f16 { yield %0 }"), ParseError);
  CHECK_THROWS_AS(function("function f(%0: f32, %0: f32) -> f32 { yield %0 }"), ParseError);
}

TEST_CASE("nesting is bounded") {
  const auto nested = [](int depth) {
    std::string text("%0: b8 = constant true\n");
    for (int i = 0; i < depth; ++i) text += "if %0 {\n";
    for (int i = 0; i < depth; ++i) text += "} else { }\n";
    return around(text);
  };
  CHECK_NOTHROW(parse(nested(60)));
  CHECK_THROWS_WITH_AS(parse(nested(100000)), doctest::Contains("nested too deeply"), ParseError);
}

TEST_CASE("2000 mutated texts parse to a right program or give a ParseError") {
  constexpr std::string_view alphabet = "%0123456789 :=,-+[](){}\n#abfilnswxy.\"";
  constexpr std::string_view tokens[] = {"%3",  "i64",  "f16",  "loop ",  "yield ", "{",   "}",
                                         "b8",  "else", "do (", "store ", "nan",    "[]",  "-1",
                                         "%99", "= ",   "f32",  "bits ",  "call ",  ", %0"};
  Random random{7};
  int parsed = 0, refused = 0;
  for (int n = 0; n < 2000; ++n) {
    std::string text(everything);
    for (std::size_t k = 1 + random(2); k-- > 0;) {
      const std::size_t at = random(text.size());
      switch (random(6)) {
        case 0: text[at] = alphabet[random(alphabet.size())]; break;
        case 1: text.erase(at, 1 + random(4)); break;
        case 2: text.insert(at, tokens[random(std::size(tokens))]); break;
        case 3: {
          const std::size_t from = random(text.size());
          text.insert(at, text.substr(from, random(40)));
          break;
        }
        case 4: text.resize(at + 1); break;
        default: text[at] = static_cast<char>(random(256)); break;
      }
    }
    try {
      const Program p = parse(text);
      lane::verify(p);
      const std::string printed = to_text(p);
      CHECK(parse(printed) == p);
      CHECK(to_text(parse(printed)) == printed);
      ++parsed;
    } catch (const ParseError& error) {
      CHECK(std::string_view(error.what()).substr(0, 12) == "parse: line ");
      ++refused;
    }
  }
  CHECK(parsed > 20);
  CHECK(refused > 500);
}

TEST_CASE("the verifier shows the instruction that breaks a rule") {
  // One break each of a right program; ids and instructions as in `everything`.
  struct Case {
    std::function<void(Program&)> damage;
    std::string_view what;
  };
  const auto at = [](Program& p, std::size_t i) -> lane::Instruction& {
    return p.body.instructions[i];
  };
  const Case cases[] = {
      {[&](Program& p) { at(p, 5).operands[0] = 99; },
       "not there in '%5: f32 = select %99, %0, %3'"},
      {[&](Program& p) { at(p, 5).operands[0] = -1; }, "a value that is not there"},
      {[&](Program& p) { at(p, 5).operands[0] = 30; }, "used before it is defined"},
      {[&](Program& p) { at(p, 5).operands.push_back(0); }, "wrong number of operands"},
      {[&](Program& p) { at(p, 5).results.push_back(6); }, "wrong number of results"},
      {[&](Program& p) { at(p, 5).results[0] = 4; }, "defined twice"},
      {[&](Program& p) { at(p, 5).immediate = 1; }, "an immediate where none belongs"},
      {[&](Program& p) { at(p, 5).dtype = f64; }, "different dtypes in '%5"},
      {[&](Program& p) { at(p, 5).callee = half; }, "a callee"},
      {[&](Program& p) { at(p, 5).op = static_cast<Op>(200); },
       "an unknown operation in '%5: f32 = ?"},
      {[&](Program& p) { at(p, 5).regions.emplace_back(); }, "wrong number of regions"},
      {[&](Program& p) { at(p, 3).callee = nullptr; }, "a callee"},
      {[&](Program& p) { at(p, 0).immediate = 17; },
       "an access that is not there in '%0: f32 = load ?"},
      {[&](Program& p) { p.accesses[0].buffer = 9; }, "a buffer that is not there"},
      {[&](Program& p) { p.buffers[2].written = false; }, "not declared written"},
      {[&](Program& p) { p.value_dtypes[14] = f64; }, "different dtypes"},
      {[&](Program& p) { p.value_dtypes.resize(10); }, "a value that is not there"},
      {[&](Program& p) { p.body.parameters.push_back(0); }, "a program has no parameters"},
      {[&](Program& p) { p.body.yields[0] = 17; }, "outside its region"},
      {[&](Program& p) { p.body.instructions.back().operands.push_back(4); }, "operands"},
      {[&](Program& p) { at(p, 11).regions[0].yields.pop_back(); }, "wrong number of yields"},
      {[&](Program& p) { at(p, 11).regions[0].parameters.pop_back(); },
       "wrong number of parameters"},
      {[&](Program& p) { at(p, 12).regions.pop_back(); }, "wrong number of regions"},
      {[&](Program& p) { at(p, 12).results.clear(); }, "wrong number of results"},
  };
  lane::verify(parse(everything));
  for (const Case& c : cases) {
    Program p = parse(everything);
    c.damage(p);
    CAPTURE(c.what);
    std::string message;
    try {
      lane::verify(p);
    } catch (const InternalError& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.find(c.what) != std::string::npos);
  }
}
