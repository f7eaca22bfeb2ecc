// Reads plans from their text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/base/text.hpp"
#include "autovec/ir/op_info.hpp"
#include "autovec/ir/parse.hpp"
#include "autovec/lane/parse.hpp"
#include "autovec/plan/plan.hpp"
#include "autovec/plan/verify.hpp"

namespace autovec::inline v1 {
namespace plan {

/// One text, one walk.
class PlanParser {
 public:
  PlanParser(std::string_view text, const OpTable& table, const lane::Lookup& lookup)
      : in_(text), table_(table), lookup_(lookup) {}

  Plan run() {
    in_.expect("plan");
    in_.expect("{");
    parse_buffers();
    plan_.root = steps();
    if (!in_.at_end()) in_.fail_here("expected the end of the text");
    const std::string fault = fault_of(plan_);
    if (!fault.empty()) in_.fail_here(fault);
    return std::move(plan_);
  }

 private:
  void parse_buffers() {
    while (!in_.accept("workspace")) {
      Buffer b;
      if (in_.accept("input")) b.role = Role::input;
      else if (in_.accept("output")) b.role = Role::output;
      else if (in_.accept("bound")) b.role = Role::bound;
      else in_.expect("buffer");
      if (buffer() != static_cast<BufferId>(plan_.buffers.size()))
        in_.fail_here("buffers are numbered in order");
      in_.expect(":");
      if (b.role == Role::input || b.role == Role::output) {
        std::vector<Type>& types = b.role == Role::input ? plan_.inputs : plan_.outputs;
        types.push_back(type());
        b.index = static_cast<std::int32_t>(types.size() - 1);
        b.dtype = types.back().dtype;
        b.size = types.back().size();
        if (b.role == Role::input) {
          plan_.input_strides.push_back(in_.accept("strides") ? extents()
                                                              : row_major(types.back().shape));
          if (plan_.input_strides.back().size() != types.back().rank())
            in_.fail_here("strides of another rank");
        }
      } else {
        b.dtype = dtype();
        in_.expect("x");
        b.size = in_.integer();
        if (b.role == Role::workspace) {
          in_.expect("at");
          b.offset = in_.integer();
        }
      }
      plan_.buffers.push_back(b);
    }
    plan_.workspace_bytes = in_.integer();
    declared_ = true;
  }

  /// Steps up to the closing brace.
  Block steps() {
    in_.enter();
    Block out;
    while (!in_.accept("}")) out.steps.push_back(step());
    in_.leave();
    return out;
  }

  Step step() {
    Step s;
    const std::string_view kind = in_.word();
    s.op = in_.word();
    s.reason = in_.quoted();
    if (kind == "launch") s.what = launch();
    else if (kind == "reduce") s.what = reduce();
    else if (kind == "contract") s.what = contract();
    else if (kind == "copy") s.what = copy();
    else if (kind == "call") s.what = call(s.op);
    else if (kind == "scatter") s.what = scatter();
    else if (kind == "branch") s.what = branch();
    else if (kind == "loop") s.what = loop();
    else if (kind == "scan") s.what = scan();
    else in_.fail_here("unknown kind of step");
    return s;
  }

  std::int32_t add_kernel(Kernel kernel) {
    plan_.kernels.push_back(std::move(kernel));
    return static_cast<std::int32_t>(plan_.kernels.size() - 1);
  }
  /// The text from here to the brace that closes the next one.
  std::string_view braced() {
    in_.skip_space();
    const std::size_t from = in_.position();
    int depth = 0;
    do {
      const char c = in_.peek_raw();
      if (c == '\0') in_.fail_here("a brace does not close");
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      in_.rewind(in_.position() + 1);
      if (depth == 0 && c == '}') return in_.slice(from, in_.position());
    } while (true);
  }
  Launch launch() {
    Launch out;
    out.buffers = buffers();
    out.kernel = add_kernel(lane::parse_program(braced(), lookup_));
    out.bytes = moved_bytes(plan_.kernels.back());
    return out;
  }
  Launch reduce() {
    Launch out;
    out.buffers = buffers();
    Reduction r;
    in_.expect("rank");
    r.reduced_rank = in_.integer();
    in_.expect("into");
    r.result_buffer = static_cast<std::int32_t>(in_.integer());
    in_.expect("from");
    r.dtype = dtype();
    r.identity_bits = in_.integer();
    r.combine = std::make_shared<lane::Function>(lane::parse_function(braced(), lookup_));
    r.value = lane::parse_program(braced(), lookup_);
    if (r.reduced_rank < 0 || r.reduced_rank > static_cast<std::int64_t>(r.value.domain.size())) {
      in_.fail_here("a reduction over more axes than there are");
    }
    out.kernel = add_kernel(std::move(r));
    out.bytes = moved_bytes(plan_.kernels.back());
    return out;
  }
  Contract contract() {
    Contract out;
    const std::vector<Port> operands = ports();
    if (operands.size() != 2) in_.fail_here("a contraction has two operands");
    out.a = operands[0];
    out.b = operands[1];
    in_.expect("->");
    out.c = port();
    Contraction c;
    c.dtype = out.c.type.dtype;
    in_.expect("batch");
    c.batch = extents();
    const auto number = [&](std::string_view name) {
      in_.expect(name);
      return in_.integer();
    };
    c.m = number("m");
    c.n = number("n");
    c.k = number("k");
    const auto matrix = [&](std::string_view name, Extents& batch, std::int64_t& row,
                            std::int64_t& column) {
      in_.expect(name);
      batch = extents();
      row = in_.integer();
      column = in_.integer();
    };
    matrix("a", c.a_batch, c.a_row, c.a_column);
    matrix("b", c.b_batch, c.b_row, c.b_column);
    matrix("c", c.c_batch, c.c_row, c.c_column);
    out.kernel = add_kernel(std::move(c));
    return out;
  }
  Copy copy() {
    Copy out;
    out.from = port();
    in_.expect("->");
    out.to = place();
    return out;
  }
  Call call(const std::string& op) {
    Call out;
    out.op = table_.find(op);
    if (out.op == nullptr || out.op->kernel == nullptr) in_.fail_here("unknown library routine");
    if (in_.peek() == '{') out.params = Params(out.op->params->parse(in_, table_), out.op->params);
    out.number = plan_.call_count++;
    out.operands = ports();
    in_.expect("->");
    out.results = ports();
    return out;
  }
  Scatter scatter() {
    Scatter out;
    const auto params = params_info<ScatterParams>.parse(in_, table_);
    out.params = *static_cast<const ScatterParams*>(params.get());
    const std::vector<Port> list = ports();
    if (list.size() != (out.params.masked ? 4u : 3u)) in_.fail_here("a wrong number of operands");
    out.target = list[0];
    out.starts = list[1];
    out.updates = list[2];
    if (out.params.masked) out.mask = list[3];
    return out;
  }
  Branch branch() {
    Branch out;
    out.index = port();
    in_.expect("lanes");
    out.lanes = in_.integer();
    if (in_.accept("mask")) out.mask = buffer();
    in_.expect("{");
    while (in_.accept("side")) out.sides.push_back(block());
    in_.expect("}");
    return out;
  }
  Loop loop() {
    Loop out;
    in_.expect("holds");
    out.holds = buffer();
    in_.expect("alive");
    out.alive = buffer();
    if (in_.accept("died")) out.died = buffer();
    in_.expect("lanes");
    out.lanes = in_.integer();
    out.carries = carries();
    in_.expect("{");
    in_.expect("condition");
    out.condition = block();
    in_.expect("body");
    out.body_tests = in_.accept("and");
    if (out.body_tests) in_.expect("test");
    out.body = block();
    if (in_.accept("freeze")) out.freeze = block();
    in_.expect("}");
    return out;
  }
  Scan scan() {
    Scan out;
    out.length = in_.integer();
    out.reverse = in_.accept("reverse");
    out.carries = carries();
    while (in_.accept("slice")) {
      Slice s;
      s.bound = buffer();
      s.dtype = plan_.buffers[static_cast<std::size_t>(s.bound)].dtype;
      in_.expect("of");
      s.whole = place();
      in_.expect("by");
      s.stride = in_.integer();
      out.slices.push_back(std::move(s));
    }
    in_.expect("{");
    in_.expect("body");
    out.body = block();
    in_.expect("}");
    return out;
  }
  Block block() {
    in_.expect("{");
    return steps();
  }
  std::vector<Carry> carries() {
    std::vector<Carry> out;
    while (in_.accept("carry")) {
      Carry c;
      c.current = buffer();
      in_.expect("in");
      c.home = buffer();
      if (in_.accept("next")) c.next = buffer();
      if (in_.accept("spare")) c.spare = buffer();
      out.push_back(c);
    }
    return out;
  }

  BufferId buffer() {
    const std::string_view name = in_.word();
    std::int64_t id = -1;
    if (name.size() > 1 && name.size() < 10 && name[0] == 'b') {
      id = 0;
      for (const char c : name.substr(1))
        id = c >= '0' && c <= '9' && id >= 0 ? 10 * id + (c - '0') : -1;
    }
    // While buffers are declared, the next one is not in the table yet.
    const auto count = static_cast<std::int64_t>(plan_.buffers.size());
    if (id < 0 || id > (declared_ ? count - 1 : count)) in_.fail_here("expected a buffer");
    return static_cast<BufferId>(id);
  }
  SmallVector<BufferId, 8> buffers() {
    SmallVector<BufferId, 8> out;
    in_.expect("(");
    if (in_.accept(")")) return out;
    do out.push_back(buffer());
    while (in_.accept(","));
    in_.expect(")");
    return out;
  }
  Place place() {
    Place p;
    p.buffer = buffer();
    in_.expect("+");
    p.layout.offset = in_.integer();
    p.layout.strides = extents();
    return p;
  }
  Port port() {
    Port p;
    p.type = type();
    p.place = place();
    if (p.place.layout.strides.size() != p.type.rank()) in_.fail_here("strides of another rank");
    return p;
  }
  std::vector<Port> ports() {
    std::vector<Port> out;
    in_.expect("(");
    if (in_.accept(")")) return out;
    do out.push_back(port());
    while (in_.accept(","));
    in_.expect(")");
    return out;
  }
  Type type() { return autovec::detail::parse_type(in_); }
  Extents extents() { return autovec::detail::parse_extents(in_); }
  DType dtype() { return autovec::detail::parse_dtype(in_); }

  TextCursor in_;
  bool declared_ = false;  // whether all buffers are known
  const OpTable& table_;
  const lane::Lookup& lookup_;
  Plan plan_;
};

/// The plan in this text, verified. Throws ParseError. `lookup` finds the functions that kernels
/// call.
inline Plan parse_plan(std::string_view text, const OpTable& table, const lane::Lookup& lookup) {
  return PlanParser(text, table, lookup).run();
}

}  // namespace plan
}  // namespace autovec::inline v1
