// A pointer is no element of a tensor.
// SPDX-License-Identifier: Apache-2.0
// expect: this C++ type is no element type of tensors
#include "autovec/base/dtype.hpp"

#if defined(MUST_NOT_COMPILE)
constexpr auto refused = autovec::dtype_of<int*>;
#else
constexpr auto accepted = autovec::dtype_of<int>;
#endif

int main() {}
