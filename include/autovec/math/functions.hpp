// All functions of math/, as headers and as a list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/base/list.hpp"
#include "autovec/math/error_function.hpp"
#include "autovec/math/exp.hpp"
#include "autovec/math/hyperbolic.hpp"
#include "autovec/math/inverse_error_function.hpp"
#include "autovec/math/inverse_trigonometric.hpp"
#include "autovec/math/log.hpp"
#include "autovec/math/power.hpp"
#include "autovec/math/trigonometric.hpp"

namespace autovec::inline v1 {
namespace math {

using Functions = List<Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sin, Cos, Tan, Asin, Acos, Atan,
                       Atan2, Sinh, Cosh, Tanh, Pow, Cbrt, Hypot, Erf, Erfc, Erfinv>;

}  // namespace math
}  // namespace autovec::inline v1
