// A raw pointer is no field of a tree.
// SPDX-License-Identifier: Apache-2.0
// expect: a raw pointer cannot be in a tree
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Borrowed {
  const autovec::Tensor* x = nullptr;
};
struct Maybe {
  std::optional<autovec::Tensor> x;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(Borrowed{});
#else
  use(Maybe{});
#endif
}
