// No silent fallback: every row has the columns that its kind needs, and samples that try every
// dtype it takes and extents 0 and 1.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "autovec/ir/literal.hpp"
#include "laws.hpp"

namespace {

using namespace laws;

/// What a row lacks; empty where it is whole.
std::string missing_column(const OpInfo& row) {
  if (row.name.empty()) return "name";
  if (row.params == nullptr) return "params";
  if (row.infer == nullptr) return "infer";
  // A literal is an operand in place: no rule is ever asked.
  if (same_op(&row, &literal_row)) return {};
  if (row.batch == nullptr) return "batch";
  if (row.samples == nullptr) return "samples";
  switch (row.kind) {
    case Kind::map: return row.lane == nullptr ? "lane" : "";
    case Kind::source: return row.lane == nullptr ? "lane" : "";
    case Kind::view: return row.layout == nullptr ? "layout" : "";
    case Kind::reduce:
      return row.combine == nullptr ? "combine" : row.identity == nullptr ? "identity" : "";
    case Kind::call: return row.kernel == nullptr ? "kernel" : "";
    default: return {};  // the kind is all there is to know
  }
}

std::vector<Type> types_of(const Sample& sample) {
  std::vector<Type> out;
  for (const SampleOperand& x : sample.operands) out.push_back(x.type);
  return out;
}

bool accepted(const OpInfo& row, const std::vector<Type>& types, const Params& params) {
  try {
    row.infer(types, params, Where::unknown());
    return true;
  } catch (const Error&) {
    return false;
  }
}

constexpr DType law_dtypes[] = {DType::f32, DType::f64, DType::i32,
                                DType::i64, DType::u32, DType::b8};

/// A dtype that the row takes where its samples have another, but that no sample has there.
std::string missing_dtype(const OpInfo& row, const std::vector<Sample>& samples) {
  std::vector<std::set<DType>> seen;
  for (const Sample& sample : samples) {
    seen.resize(std::max(seen.size(), sample.operands.size()));
    for (std::size_t i = 0; i < sample.operands.size(); ++i)
      seen[i].insert(sample.operands[i].type.dtype);
  }
  for (const Sample& sample : samples) {
    for (const SampleOperand& of : sample.operands) {
      for (const DType dtype : law_dtypes) {
        std::vector<Type> types = types_of(sample);
        std::size_t unseen = types.size();
        for (std::size_t i = 0; i < types.size(); ++i) {
          if (types[i].dtype != of.type.dtype) continue;
          types[i].dtype = dtype;
          if (seen[i].count(dtype) == 0) unseen = i;
        }
        if (unseen == types.size() || !accepted(row, types, sample.params)) continue;
        return std::string(name_of(dtype)) + " as operand " + std::to_string(unseen);
      }
    }
  }
  return {};
}

bool has_extent(const std::vector<Sample>& samples, std::int64_t extent) {
  for (const Sample& sample : samples) {
    for (const SampleOperand& x : sample.operands) {
      for (const std::int64_t n : x.type.shape) {
        if (n == extent) return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("every row has the columns of its kind, and its name once") {
  std::set<std::string> names;
  for (const OpInfo* row : op_table().rows()) {
    const std::string name(row->name);
    CHECK_MESSAGE(missing_column(*row) == "", name);
    CHECK_MESSAGE(names.insert(name).second, name);
    CHECK_MESSAGE(op_table().find(name) == row, name);
    CHECK_MESSAGE(row->bound_f32 >= 0, name);
    CHECK_MESSAGE((row->bound_f32 > 0) == (row->bound_f64 > 0), name);
  }
  CHECK(names.size() > 80);
  CHECK(op_table().find("no such op") == nullptr);
}

TEST_CASE("every sample is a right application of its op") {
  for (const OpInfo* row : op_table().rows()) {
    if (row->samples == nullptr) continue;
    const std::vector<Sample> samples = row->samples();
    CHECK_MESSAGE(!samples.empty(), row->name);
    for (const Sample& sample : samples) {
      const std::vector<Type> results =
          row->infer(types_of(sample), sample.params, Where::unknown());
      CHECK_MESSAGE(!results.empty(), row->name);
      const bool fits =
          row->arity < 0 || sample.operands.size() == static_cast<std::size_t>(row->arity);
      CHECK_MESSAGE(fits, row->name);
      CHECK_MESSAGE(
          (sample.params.empty() || sample.params.info()->identity == row->params->identity),
          row->name);
    }
  }
}

TEST_CASE("samples have every dtype that the op takes, and extents 0 and 1") {
  for (const OpInfo* row : op_table().rows()) {
    if (row->samples == nullptr || row->arity == 0) continue;
    const std::vector<Sample> samples = row->samples();
    CHECK_MESSAGE(missing_dtype(*row, samples) == "", row->name);
    CHECK_MESSAGE(has_extent(samples, 0), row->name);
    CHECK_MESSAGE(has_extent(samples, 1), row->name);
  }
}

TEST_CASE("the same seed gives the same values") {
  const SampleOperand x{Type{DType::f64, false, {50}}};
  const Tensor a(sample_values(x, 7)), b(sample_values(x, 7)), c(sample_values(x, 8));
  CHECK(difference(a, b) == "");
  CHECK(difference(a, c) != "");
}
