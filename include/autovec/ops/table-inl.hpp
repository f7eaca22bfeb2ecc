// Collects the op table from the lists at the foot of the op files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autovec/ir/literal.hpp"
#include "autovec/ops/arrange-inl.hpp"
#include "autovec/ops/collective-inl.hpp"
#include "autovec/ops/contract-inl.hpp"
#include "autovec/ops/control-inl.hpp"
#include "autovec/ops/create-inl.hpp"
#include "autovec/ops/cumulative-inl.hpp"
#include "autovec/ops/index-inl.hpp"
#include "autovec/ops/map-inl.hpp"
#include "autovec/ops/random-inl.hpp"
#include "autovec/ops/reduce-inl.hpp"
#include "autovec/ops/sort-inl.hpp"
#include "autovec/ops/table.hpp"
#include "autovec/ops/view-inl.hpp"

namespace autovec::inline v1 {

namespace detail {
template <class... Lists>
std::vector<const OpInfo*> collect_rows() {
  std::vector<const OpInfo*> rows{&literal_row};
  (for_each_type(Lists{}, [&]<class Op>() { rows.push_back(&detail::row<Op>()); }), ...);
  return rows;
}
}  // namespace detail

AUTOVEC_API const OpTable& op_table() {
  using namespace ops;
  static const OpTable table(
      autovec::detail::collect_rows<ConvertOps, MapOps, ViewOps, SourceOps, ReduceOps, ContractOps,
                                    IndexOps, ArrangeOps, SortOps, CumulativeOps, RandomOps,
                                    ControlOps, CollectiveOps>());
  return table;
}

}  // namespace autovec::inline v1
