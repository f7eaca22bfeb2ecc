// tree_fields comes for const and for non-const objects.
// SPDX-License-Identifier: Apache-2.0
// expect: a tree needs both friends, tree_fields(M&) and tree_fields(const M&)
#include <tuple>

#include "autovec/trace/tree.hpp"

class One {
 public:
  explicit One(int n) : n_(n) {}
  friend auto tree_fields(One& m) { return std::tie(m.n_); }

 private:
  int n_;
};
class Two {
 public:
  explicit Two(int n) : n_(n) {}
  friend auto tree_fields(Two& m) { return std::tie(m.n_); }
  friend auto tree_fields(const Two& m) { return std::tie(m.n_); }

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
  use(One(1));
#else
  use(Two(1));
#endif
}
