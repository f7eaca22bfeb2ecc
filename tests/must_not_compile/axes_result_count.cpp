// Several specs of a result are one for each of its fields.
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
  autovec::out(0, 0, 0).expand(Arguments(), axes);
#else
  autovec::LeafAxes axes;
  autovec::out(0, 0).expand(Arguments(), axes);
#endif
}
