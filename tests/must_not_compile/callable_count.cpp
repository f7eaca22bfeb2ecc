// A call with a wrong number of arguments.
// SPDX-License-Identifier: Apache-2.0
// expect: the function cannot be called with these arguments
#include <tuple>

#include "autovec/trace/callable.hpp"

template <class F>
void require(const F&) {
  autovec::tree::require_callable<F, autovec::Tensor, double>();
}

int main() {
#if defined(MUST_NOT_COMPILE)
  require([](autovec::Tensor) {});
#else
  require([](autovec::Tensor, autovec::Tensor) {});
#endif
}
