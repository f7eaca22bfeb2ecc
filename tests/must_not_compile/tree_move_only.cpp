// A move-only field cannot be in a tree, however deep.
// SPDX-License-Identifier: Apache-2.0
// expect: trees are copied, and this type cannot be
#include <memory>
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Owner {
  autovec::Tensor x;
  std::unique_ptr<int> p;
};
struct Value {
  autovec::Tensor x;
  int p;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(std::tuple<std::vector<Owner>>());
#else
  use(std::tuple<std::vector<Value>>());
#endif
}
