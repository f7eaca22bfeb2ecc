// axes(...) has one spec for each field.
// SPDX-License-Identifier: Apache-2.0
// expect: axes(...) needs one spec for each field
#include <tuple>

#include "autovec/trace/axes.hpp"

struct Layer {
  autovec::Tensor w, b;
  int width = 0;
};
using Arguments = std::tuple<Layer, autovec::Tensor>;

int main() {
#if defined(MUST_NOT_COMPILE)
  autovec::LeafAxes axes;
  autovec::in(autovec::axes(0, autovec::shared), 0).expand(Arguments(), axes);
#else
  autovec::LeafAxes axes;
  autovec::in(autovec::axes(0, 0, autovec::shared), 0).expand(Arguments(), axes);
#endif
}
