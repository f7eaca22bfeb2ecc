// A const field cannot be rebuilt.
// SPDX-License-Identifier: Apache-2.0
// expect: a field of a tree cannot be const or a reference
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Constant {
  autovec::Tensor x;
  const int n = 0;
};
struct Variable {
  autovec::Tensor x;
  int n = 0;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(std::tuple<Constant>());
#else
  use(std::tuple<Variable>());
#endif
}
