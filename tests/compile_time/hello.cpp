// The smallest program that does what the library is for; the budgets are measured on it.
// SPDX-License-Identifier: Apache-2.0
#include <autovec/autovec.hpp>

namespace av = autovec;

int main() {
  const av::Tensor xs = av::tensor<float>({{3, 4}, {6, 8}});
  const av::Tensor lengths = av::vmap([](av::Tensor x) { return av::sqrt(av::sum(x * x)); })(xs);
  return lengths.to_vector<float>() == std::vector<float>{5, 10} ? 0 : 1;
}
