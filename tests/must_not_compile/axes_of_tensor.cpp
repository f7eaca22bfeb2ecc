// A tensor has no fields for axes(...).
// SPDX-License-Identifier: Apache-2.0
// expect: axes(...) stands for the fields of a struct, tuple or array
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
  autovec::in(0, autovec::axes(0)).expand(Arguments(), axes);
#else
  autovec::LeafAxes axes;
  autovec::in(0, 0).expand(Arguments(), axes);
#endif
}
