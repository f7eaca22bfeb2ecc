// An axis is an integer, not a bool.
// SPDX-License-Identifier: Apache-2.0
// expect: an axis spec is an integer, av::shared or av::axes(...)
#include <tuple>

#include "autovec/trace/axes.hpp"

struct Layer {
  autovec::Tensor w, b;
  int width = 0;
};
using Arguments = std::tuple<Layer, autovec::Tensor>;

int main() {
#if defined(MUST_NOT_COMPILE)
  autovec::in(true);
#else
  autovec::in(1);
#endif
}
