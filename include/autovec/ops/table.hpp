// The op table: the row of every op of the library, by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/ir/op_info.hpp"

namespace autovec::inline v1 {

/// All ops of the library.
const OpTable& op_table();

}  // namespace autovec::inline v1
