// A reference is no field of a tree.
// SPDX-License-Identifier: Apache-2.0
// expect: a field of a tree cannot be const or a reference
#include <tuple>

#include "autovec/trace/tree.hpp"

struct Reference {
  autovec::Tensor& x;
};
struct Value {
  autovec::Tensor x;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  autovec::Tensor x;
  use(Reference{x});
#else
  autovec::Tensor x;
  use(Value{x});
#endif
}
