// A struct with a base class is no tree.
// SPDX-License-Identifier: Apache-2.0
// expect: a struct with base classes cannot be a tree: make the base a field
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Base {
  int n = 0;
};
struct Derived : Base {
  autovec::Tensor x;
};
struct Holder {
  Base base;
  autovec::Tensor x;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(Derived{});
#else
  use(Holder{});
#endif
}
