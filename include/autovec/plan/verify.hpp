// Checks that a plan's steps fit their kernels and stay within their buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "autovec/plan/memory.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Walks a plan and keeps the first fault.
class PlanVerifier {
 public:
  explicit PlanVerifier(const Plan& plan) : plan_(plan) {}

  std::string run() {
    for (const Buffer& b : plan_.buffers) {
      require(b.size >= 0, "a buffer of negative size");
      if (b.role == Role::workspace) {
        require(b.offset >= 0 && b.offset + b.bytes() <= plan_.workspace_bytes,
                "a buffer outside the workspace");
      }
    }
    block(plan_.root);
    return fault_;
  }

 private:
  void require(bool holds, std::string_view what) {
    if (!holds && fault_.empty()) fault_ = what;
  }
  bool exists(BufferId b) const {
    return b >= 0 && b < static_cast<BufferId>(plan_.buffers.size());
  }
  const Buffer& buffer(BufferId b) const { return plan_.buffers[static_cast<std::size_t>(b)]; }

  void block(const Block& b) {
    for (const Step& s : b.steps) {
      for_each_buffer(s, [&](BufferId id) {
        require(id < static_cast<BufferId>(plan_.buffers.size()), "a buffer that is not there");
      });
      if (!fault_.empty()) return;
      std::visit([&](const auto& what) { check(what); }, s.what);
      for_each_child(s, [&](const Block& child) { block(child); });
    }
  }

  /// Elements that strides over extents reach must lie in the buffer; slices and the caller's own
  /// strided arrays are bigger than one buffer tells.
  void within(BufferId id, std::int64_t offset, const Extents& shape, const Extents& strides) {
    const Buffer& b = buffer(id);
    if (b.role != Role::workspace && b.role != Role::output) return;
    std::int64_t low = offset;
    std::int64_t high = offset;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0) return;
      (strides[i] < 0 ? low : high) += strides[i] * (shape[i] - 1);
    }
    require(low >= 0 && high < b.size, "an access outside its buffer");
  }
  void port(const Port& p) {
    require(exists(p.place.buffer), "an operand without a buffer");
    if (!fault_.empty()) return;
    require(buffer(p.place.buffer).dtype == p.type.dtype,
            "an operand of another dtype than its buffer");
    require(p.place.layout.strides.size() == p.type.rank(), "strides of another rank");
    if (fault_.empty())
      within(p.place.buffer, p.place.layout.offset, p.type.shape, p.place.layout.strides);
  }

  void check(const Launch& s) {
    require(s.kernel >= 0 && s.kernel < static_cast<std::int32_t>(plan_.kernels.size()),
            "no such kernel");
    if (!fault_.empty()) return;
    const Kernel& kernel = plan_.kernels[static_cast<std::size_t>(s.kernel)];
    require(!std::holds_alternative<Contraction>(kernel), "a launch of a contraction");
    if (!fault_.empty()) return;
    const auto* reduction = std::get_if<Reduction>(&kernel);
    const lane::Program& program =
        reduction != nullptr ? reduction->value : std::get<lane::Program>(kernel);
    require(program.buffers.size() == s.buffers.size(), "a kernel with another number of buffers");
    for (std::size_t i = 0; fault_.empty() && i < s.buffers.size(); ++i) {
      require(exists(s.buffers[i]), "a kernel without a buffer");
      if (!fault_.empty()) return;
      require(buffer(s.buffers[i]).dtype == program.buffers[i].dtype,
              "a kernel's buffer of another dtype");
      for (std::size_t j = 0; j < i; ++j) {
        require(s.buffers[i] != s.buffers[j] ||
                    !(program.buffers[i].written || program.buffers[j].written),
                "a kernel reads memory that it writes");
      }
    }
    if (!fault_.empty()) return;
    if (reduction != nullptr) {
      require(reduction->result_buffer >= 0 &&
                  reduction->result_buffer < static_cast<std::int32_t>(s.buffers.size()),
              "a reduction without a result");
    }
    lane::for_each_instruction(program.body, [&](const lane::Instruction& i) {
      if (i.op != lane::Op::load && i.op != lane::Op::store) return;
      const lane::Access& a = program.accesses[static_cast<std::size_t>(i.immediate)];
      if (a.strides.size() != program.domain.size()) return;  // within a loop of the kernel
      within(s.buffers[static_cast<std::size_t>(a.buffer)], a.offset, program.domain, a.strides);
    });
  }
  void check(const Contract& s) {
    require(
        s.kernel >= 0 && s.kernel < static_cast<std::int32_t>(plan_.kernels.size()) &&
            std::holds_alternative<Contraction>(plan_.kernels[static_cast<std::size_t>(s.kernel)]),
        "no such contraction");
    for (const Port* p : {&s.a, &s.b, &s.c}) port(*p);
  }
  void check(const Copy& s) {
    port(s.from);
    port({s.from.type, s.to});
  }
  void check(const Call& s) {
    require(s.op != nullptr && s.op->kernel != nullptr, "a call of nothing");
    for (const Port& p : s.operands) port(p);
    for (const Port& p : s.results) port(p);
  }
  void check(const Scatter& s) {
    for (const Port* p : {&s.target, &s.starts, &s.updates}) port(*p);
    if (s.params.masked) port(s.mask);
    require(s.starts.type.rank() > 0, "an update without starts");
  }
  void check(const Branch& s) {
    port(s.index);
    require(s.index.type.size() == s.lanes && s.lanes >= 0,
            "a branch with another number of lanes");
    require(!s.sides.empty(), "a branch without sides");
    require(s.lanes == 1 || exists(s.mask), "a branch of lanes without a mask");
  }
  void check(const Loop& s) {
    for (const BufferId b : {s.holds, s.alive}) {
      require(exists(b) && buffer(b).size == s.lanes && buffer(b).dtype == DType::b8,
              "a loop without its masks");
    }
    require(s.freeze.steps.empty() || exists(s.died), "a loop that freezes without a mask");
    carries(s.carries);
  }
  void check(const Scan& s) {
    require(s.length >= 0, "a scan of negative length");
    carries(s.carries);
    for (const Slice& slice : s.slices) {
      require(exists(slice.bound) && buffer(slice.bound).role == Role::bound,
              "a slice that is not bound");
      require(exists(slice.whole.buffer), "a slice of nothing");
    }
  }
  void carries(const std::vector<Carry>& list) {
    for (const Carry& c : list) {
      const bool there = exists(c.current) && exists(c.home) &&
                         c.next < static_cast<BufferId>(plan_.buffers.size());
      require(there && (c.next < 0 || exists(c.spare)), "a carry without its buffers");
      if (!fault_.empty()) return;
      require(buffer(c.current).role == Role::bound, "a carry that is not bound");
      require(buffer(c.current).bytes() == buffer(c.home).bytes(),
              "a carry of another size than its home");
      require(c.next < 0 || buffer(c.spare).bytes() == buffer(c.home).bytes(),
              "a carry of another size than its home");
    }
  }

  const Plan& plan_;
  std::string fault_;
};

/// What is wrong with the plan; empty if nothing is.
inline std::string fault_of(const Plan& plan) { return PlanVerifier(plan).run(); }

}  // namespace plan
}  // namespace autovec::inline v1
