// in(...) has one spec for each argument.
// SPDX-License-Identifier: Apache-2.0
// expect: in(...) needs one spec for each argument
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
  autovec::in(0).expand(Arguments(), axes);
#else
  autovec::LeafAxes axes;
  autovec::in(0, 0).expand(Arguments(), axes);
#endif
}
