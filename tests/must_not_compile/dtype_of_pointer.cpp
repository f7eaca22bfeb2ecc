// A pointer is no element of a tensor.
// SPDX-License-Identifier: Apache-2.0
// expect: this C++ type is no element type of tensors
#include "autovec/base/dtype.hpp"

static_assert(autovec::dtype_of<float> == autovec::f32);

#if defined(MUST_NOT_COMPILE)
static_assert(autovec::dtype_of<int*> == autovec::i64);
#endif

int main() {}
