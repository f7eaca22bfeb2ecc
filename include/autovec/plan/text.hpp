// Plans as canonical text: buffers, then steps with their kernels; sub-plans are indented.
//
//   plan {
//     input b0: f32[3]
//     output b1: f32[3]
//     workspace 0
//     launch exp "map chain of 2 nodes" (b0, b1)
//       program [3] {
//         ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "autovec/base/text.hpp"
#include "autovec/lane/text.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Writes one plan.
class PlanPrinter {
 public:
  explicit PlanPrinter(const Plan& plan) : plan_(plan) {}

  std::string run() {
    line("plan {");
    ++indent_;
    print_buffers();
    print_block(plan_.root);
    --indent_;
    line("}");
    return std::move(out_);
  }

  // One overload a kind of step: what stands behind its op and reason.
  void operator()(const Launch& s) {
    const Kernel& kernel = plan_.kernels[static_cast<std::size_t>(s.kernel)];
    const auto* reduction = std::get_if<Reduction>(&kernel);
    head(reduction == nullptr ? "launch" : "reduce");
    list(s.buffers);
    if (reduction != nullptr) print_reduction(*reduction);
    end_line();
    if (reduction != nullptr) nested(lane::to_text(*reduction->combine));
    nested(
        lane::to_text(reduction == nullptr ? std::get<lane::Program>(kernel) : reduction->value));
  }
  void operator()(const Contract& s) {
    head("contract");
    const auto& c = std::get<Contraction>(plan_.kernels[static_cast<std::size_t>(s.kernel)]);
    port_list({&s.a, &s.b});
    out_ += " -> ";
    port(s.c);
    end_line();
    std::string shape("batch ");
    shape += shape_text(c.batch);
    for (const auto& [name, value] :
         {std::pair<std::string_view, std::int64_t>{" m ", c.m}, {" n ", c.n}, {" k ", c.k}}) {
      shape += name;
      shape += number_text(value);
    }
    matrix(shape, " a ", c.a_batch, c.a_row, c.a_column);
    matrix(shape, " b ", c.b_batch, c.b_row, c.b_column);
    matrix(shape, " c ", c.c_batch, c.c_row, c.c_column);
    nested(shape);
  }
  void operator()(const Copy& s) {
    head("copy");
    port(s.from);
    out_ += " -> ";
    place(s.to);
    end_line();
  }
  void operator()(const Call& s) {
    head("call");
    s.params.print(out_, indent_);
    if (!s.params.empty()) out_ += ' ';
    ports(s.operands);
    out_ += " -> ";
    ports(s.results);
    end_line();
  }
  void operator()(const Scatter& s) {
    head("scatter");
    Params::of(s.params).print(out_, indent_);
    out_ += ' ';
    if (s.params.masked) {
      port_list({&s.target, &s.starts, &s.updates, &s.mask});
    } else {
      port_list({&s.target, &s.starts, &s.updates});
    }
    end_line();
  }
  void operator()(const Branch& s) {
    head("branch");
    port(s.index);
    lanes(s.lanes);
    if (s.mask >= 0) field(" mask ", s.mask);
    out_ += " {";
    end_line();
    for (const Block& side : s.sides) block("side", side);
    line("}");
  }
  void operator()(const Loop& s) {
    head("loop");
    field("holds ", s.holds);
    field(" alive ", s.alive);
    if (s.died >= 0) field(" died ", s.died);
    lanes(s.lanes);
    carries(s.carries);
    out_ += " {";
    end_line();
    block("condition", s.condition);
    block(s.body_tests ? "body and test" : "body", s.body);
    if (!s.freeze.steps.empty()) block("freeze", s.freeze);
    line("}");
  }
  void operator()(const Scan& s) {
    head("scan");
    out_ += number_text(s.length);
    if (s.reverse) out_ += " reverse";
    carries(s.carries);
    for (const Slice& slice : s.slices) {
      field(" slice ", slice.bound);
      out_ += " of ";
      place(slice.whole);
      out_ += " by ";
      out_ += number_text(slice.stride);
    }
    out_ += " {";
    end_line();
    block("body", s.body);
    line("}");
  }

 private:
  void start_line() { out_.append(static_cast<std::size_t>(2 * indent_), ' '); }
  void end_line() { out_ += '\n'; }
  void line(std::string_view text) {
    start_line();
    out_ += text;
    end_line();
  }
  /// A text of several lines, one level deeper.
  void nested(std::string_view text) {
    ++indent_;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end != 0) line(text.substr(0, end));
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    --indent_;
  }

  void print_buffers() {
    constexpr std::string_view names[] = {"input", "output", "buffer", "bound"};
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const Buffer& b = plan_.buffers[i];
      start_line();
      out_ += names[static_cast<std::size_t>(b.role)];
      field(" ", static_cast<BufferId>(i));
      out_ += ": ";
      const auto index = static_cast<std::size_t>(b.index);
      if (b.role == Role::input || b.role == Role::output) {
        const Type& type = b.role == Role::input ? plan_.inputs[index] : plan_.outputs[index];
        out_ += type_text(type);
        if (b.role == Role::input &&
            !Layout{0, plan_.input_strides[index]}.is_contiguous(type.shape)) {
          out_ += " strides ";
          out_ += shape_text(plan_.input_strides[index]);
        }
      } else {
        out_ += name_of(b.dtype);
        out_ += " x ";
        out_ += number_text(b.size);
        if (b.role == Role::workspace) {
          out_ += " at ";
          out_ += number_text(b.offset);
        }
      }
      end_line();
    }
    start_line();
    out_ += "workspace ";
    out_ += number_text(plan_.workspace_bytes);
    end_line();
  }

  void print_block(const Block& b) {
    for (const Step& s : b.steps) {
      step_ = &s;
      std::visit(*this, s.what);
    }
  }
  void block(std::string_view name, const Block& b) {
    ++indent_;
    start_line();
    out_ += name;
    out_ += " {";
    end_line();
    ++indent_;
    print_block(b);
    --indent_;
    line("}");
    --indent_;
  }

  void head(std::string_view kind) {
    start_line();
    out_ += kind;
    out_ += ' ';
    out_ += step_->op;
    out_ += ' ';
    out_ += quoted_text(step_->reason);
    out_ += ' ';
  }
  void field(std::string_view name, BufferId b) {
    out_ += name;
    out_ += 'b';
    out_ += number_text(b);
  }
  void lanes(std::int64_t n) {
    out_ += " lanes ";
    out_ += number_text(n);
  }
  void list(const SmallVector<BufferId, 8>& buffers) {
    out_ += '(';
    for (std::size_t i = 0; i < buffers.size(); ++i) field(i == 0 ? "" : ", ", buffers[i]);
    out_ += ')';
  }
  void place(const Place& p) {
    field("", p.buffer);
    out_ += " + ";
    out_ += number_text(p.layout.offset);
    out_ += ' ';
    out_ += shape_text(p.layout.strides);
  }
  void port(const Port& p) {
    out_ += type_text(p.type);
    out_ += ' ';
    place(p.place);
  }
  void port_list(const std::vector<const Port*>& list) {
    out_ += '(';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_ += ", ";
      port(*list[i]);
    }
    out_ += ')';
  }
  void ports(const std::vector<Port>& list) {
    std::vector<const Port*> pointers;
    for (const Port& p : list) pointers.push_back(&p);
    port_list(pointers);
  }
  void carries(const std::vector<Carry>& list) {
    for (const Carry& c : list) {
      field(" carry ", c.current);
      field(" in ", c.home);
      if (c.next >= 0) field(" next ", c.next);
      if (c.spare >= 0) field(" spare ", c.spare);
    }
  }
  void print_reduction(const Reduction& r) {
    out_ += " rank ";
    out_ += number_text(r.reduced_rank);
    out_ += " into ";
    out_ += number_text(r.result_buffer);
    out_ += " from ";
    out_ += name_of(r.dtype);
    out_ += ' ';
    out_ += number_text(r.identity_bits);  // the bits: exact for every dtype
  }
  static void matrix(std::string& out, std::string_view name, const Extents& batch,
                     std::int64_t row, std::int64_t column) {
    out += name;
    out += shape_text(batch);
    for (const std::int64_t stride : {row, column}) {
      out += ' ';
      out += number_text(stride);
    }
  }

  const Plan& plan_;
  const Step* step_ = nullptr;
  std::string out_;
  int indent_ = 0;
};

/// Canonical text of a plan: equal plans print alike, wherever in a program they were traced.
inline std::string plan_text(const Plan& plan) { return PlanPrinter(plan).run(); }

}  // namespace plan
}  // namespace autovec::inline v1
