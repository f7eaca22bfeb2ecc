// A class with a constructor needs tree_fields.
// SPDX-License-Identifier: Apache-2.0
// expect: needs friends to be a tree
#include <tuple>

#include "autovec/trace/tree.hpp"

class Closed {
 public:
  explicit Closed(int n) : n_(n) {}
  int n() const { return n_; }

 private:
  int n_;
};
class Open {
 public:
  explicit Open(int n) : n_(n) {}
  friend auto tree_fields(Open& m) { return std::tie(m.n_); }
  friend auto tree_fields(const Open& m) { return std::tie(m.n_); }

 private:
  int n_;
};

template <class T>
void use(const T& t) {
  std::vector<autovec::Tensor> leaves;
  autovec::tree::flatten(t, leaves);
}

int main() {
#if defined(MUST_NOT_COMPILE)
  use(Closed(1));
#else
  use(Open(1));
#endif
}
