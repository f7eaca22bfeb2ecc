// A map of a temporary tensor would lose its memory.
// SPDX-License-Identifier: Apache-2.0
// expect: deleted function
#include "autovec/eigen.hpp"

autovec::Tensor make() { return autovec::from_eigen(Eigen::VectorXf(3)); }

int main() {
#if defined(MUST_NOT_COMPILE)
  autovec::eigen_view<Eigen::VectorXf>(make());
#else
  const autovec::Tensor x = make();
  autovec::eigen_view<Eigen::VectorXf>(x);
#endif
}
