// The lane vocabulary as the functions of math/ see it. Using-declarations and not a directive: the
// library's own functions of the same names (autovec::fma ...) stand one namespace further out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autovec/lane/scalar.hpp"

namespace autovec::inline v1 {
namespace math {

using lane::abs;
using lane::apply;
using lane::ceil;
using lane::convert;
using lane::element_t;
using lane::floor;
using lane::fma;
using lane::from_bits;
using lane::int_t;
using lane::invert;
using lane::mask_t;
using lane::max;
using lane::min;
using lane::rebind_t;
using lane::round_even;
using lane::select;
using lane::shl;
using lane::shr;
using lane::sqrt;
using lane::to_bits;
using lane::trunc;
using lane::uint_t;
using lane::when_any;

}  // namespace math
}  // namespace autovec::inline v1
