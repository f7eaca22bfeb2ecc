// An inherited tree_fields does not know the fields of the derived class.
// SPDX-License-Identifier: Apache-2.0
// expect: tree_fields of a base class misses the fields of the derived class
#include <tuple>

#include "autovec/trace/tree.hpp"

class Base {
 public:
  explicit Base(int n) : n_(n) {}
  friend auto tree_fields(Base& m) { return std::tie(m.n_); }
  friend auto tree_fields(const Base& m) { return std::tie(m.n_); }

 private:
  int n_;
};
class Derived : public Base {
 public:
  using Base::Base;
  autovec::Tensor x;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(Derived(1));
#else
  use(Base(1));
#endif
}
