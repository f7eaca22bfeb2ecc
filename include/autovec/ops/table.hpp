// The op table: every row of the library, from the lists at the foot of the op files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autovec/ir/literal.hpp"
#include "autovec/ops/arrange.hpp"
#include "autovec/ops/collective.hpp"
#include "autovec/ops/contract.hpp"
#include "autovec/ops/control.hpp"
#include "autovec/ops/create.hpp"
#include "autovec/ops/cumulative.hpp"
#include "autovec/ops/index.hpp"
#include "autovec/ops/map.hpp"
#include "autovec/ops/random.hpp"
#include "autovec/ops/reduce.hpp"
#include "autovec/ops/sort.hpp"
#include "autovec/ops/view.hpp"

namespace autovec::inline v1 {

namespace detail {
template <class... Lists>
std::vector<const OpInfo*> collect_rows() {
  std::vector<const OpInfo*> rows{&literal_row};
  (for_each_type(Lists{}, [&]<class Op>() { rows.push_back(&row_of<Op>); }), ...);
  return rows;
}
}  // namespace detail

/// All ops of the library, by name.
inline const OpTable& op_table() {
  using namespace ops;
  static const OpTable table(
      autovec::detail::collect_rows<ConvertOps, MapOps, ViewOps, SourceOps, ReduceOps, ContractOps, IndexOps, ArrangeOps,
                                    SortOps, CumulativeOps, RandomOps, ControlOps, CollectiveOps>());
  return table;
}

}  // namespace autovec::inline v1
