// Functions are called as const.
// SPDX-License-Identifier: Apache-2.0
// expect: functions are called as const
#include <tuple>

#include "autovec/trace/callable.hpp"

template <class F>
void require(const F&) {
  autovec::tree::require_callable<F, autovec::Tensor>();
}

int main() {
#if defined(MUST_NOT_COMPILE)
  require([n = 0](autovec::Tensor) mutable { return ++n; });
#else
  require([n = 0](autovec::Tensor) { return n; });
#endif
}
