// A static field has no axis.
// SPDX-License-Identifier: Apache-2.0
// expect: a static value has no axis to map along
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
  autovec::out(0, 0, 1).expand(Layer(), axes);
#else
  autovec::LeafAxes axes;
  autovec::out(0, 0, autovec::shared).expand(Layer(), axes);
#endif
}
