// Writes docs/ops.md: what the op table promises of each op. `op_table > docs/ops.md`
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>

#include "autovec/base/text.hpp"
#include "autovec/ops/table.hpp"

namespace {

using namespace autovec;

struct Section {
  Kind kind;
  std::string_view title, meaning;
};

constexpr Section sections[] = {
    {Kind::map, "Map", "Element by element; operands have one shape or rank 0."},
    {Kind::view, "View",
     "The same elements in another arrangement; nothing is copied where strides can say it."},
    {Kind::reduce, "Reduce", "Combines elements along axes by a fixed tree."},
    {Kind::contract, "Contract",
     "Products summed over shared labels: matrix products and their kin."},
    {Kind::gather, "Gather",
     "Reads at computed places: negative ones count from the end, then are clamped."},
    {Kind::scatter, "Scatter",
     "Writes at computed places: negative ones count from the end, others outside are dropped."},
    {Kind::branch, "Branch", "Each lane takes its own side."},
    {Kind::loop, "Loop", "Each lane runs its own number of trips."},
    {Kind::scan, "Scan", "A counted loop over slices."},
    {Kind::source, "Source", "Makes values from nothing."},
    {Kind::call, "Call", "Library routines on whole arrays."},
    {Kind::call, "Collective",
     "Lanes of a named axis talk; resolved by the vmap that owns the name."},
};

std::string_view accepted_dtypes(const OpInfo& op) {
  switch (op.accept) {
    case Accept::floats: return "floats";
    case Accept::numbers: return "numbers";
    case Accept::bits: return "integers, b8";
    case Accept::scalars: return "numbers, b8";
  }
  return "";
}

/// How far an element may be from the exact value.
std::string error_bound(const OpInfo& op) {
  if (op.bound_f32 == 0) return "rounded once";
  std::string out = number_text(op.bound_f32);
  if (op.bound_f64 != op.bound_f32) {
    out += ", f64 ";
    out += number_text(op.bound_f64);
  }
  return out + " ulp";
}

bool is_in(const OpInfo& op, const Section& section) {
  return op.collective ? section.title == "Collective"
                       : op.kind == section.kind && section.title != "Collective";
}

void print_section(const Section& section) {
  std::string rows;
  for (const OpInfo* op : op_table().rows()) {
    if (!is_in(*op, section)) continue;
    rows += "| `";
    rows += op->name;
    rows += "` | ";
    rows += op->arity < 0 ? std::string("any") : number_text(op->arity);
    rows += " | ";
    if (section.kind == Kind::map) {
      rows += accepted_dtypes(*op);
      rows += " | ";
      rows += error_bound(*op);
      rows += " | ";
    }
    rows += op->sums ? "within rounding |\n" : "bit for bit |\n";
  }
  if (rows.empty()) return;
  const bool map = section.kind == Kind::map;
  std::string text("\n## ");
  text += section.title;
  text += "\n\n";
  text += section.meaning;
  text +=
      map ? "\n\n| op | operands | dtypes | error | lanes equal the loop |\n|---|---|---|---|---|\n"
          : "\n\n| op | operands | lanes equal the loop |\n|---|---|---|\n";
  std::printf("%s%s", text.c_str(), rows.c_str());
}

}  // namespace

int main() {
  std::printf(
      "# Ops\n\n"
      "Written by `tools/op_table.cpp` from the op table; a test compares. These are the %zu "
      "primitive ops that graphs\n"
      "are made of. The functions you call (`mean`, `logsumexp`, `argmax`, `einsum`, `where` ...) "
      "are composed of them\n"
      "and need no rules of their own.\n\n"
      "Every op works under `vmap`, in loops, branches and scans, and on every executor. *Lanes "
      "equal the loop* compares\n"
      "`vmap(f)(xs)` with `f` of each lane: *within rounding* where elements are summed, perhaps "
      "in another order. *Error*\n"
      "is the distance to the exact value; numbers are integers and floats. Runs, threads and lane "
      "counts change no bit of any op.\n",
      op_table().rows().size());
  for (const Section& section : sections) print_section(section);
}
