// Only structs of up to 32 fields are taken apart.
// SPDX-License-Identifier: Apache-2.0
// expect: a struct of more than 32 fields cannot be a tree
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Wide {
  int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2,
      c3, c4, c5, c6, c7, c8, c9, d0, d1;
};
struct Wider {
  int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2,
      c3, c4, c5, c6, c7, c8, c9, d0, d1, d2;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(Wider{});
#else
  use(Wide{});
#endif
}
