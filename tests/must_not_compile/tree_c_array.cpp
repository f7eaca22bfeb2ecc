// A C array is no field of a tree.
// SPDX-License-Identifier: Apache-2.0
// expect: a C array cannot be in a tree: use std::array
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Bare {
  int n;
  autovec::Tensor x[2];
};
struct Standard {
  int n;
  std::array<autovec::Tensor, 2> x;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(Bare{});
#else
  use(Standard{});
#endif
}
