// Tensors as text, in NumPy's form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "autovec/trace/tensor.hpp"

namespace autovec::inline v1 {

/// `[[1. 2.]\n [3. 4.]]`; a traced value gives its type.
std::string tensor_text(const Tensor& x);

std::ostream& operator<<(std::ostream& out, const Tensor& x);

}  // namespace autovec::inline v1
