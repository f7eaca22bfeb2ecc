// Measures the errors of the functions in math/ against MPFR and prints a table.
// SPDX-License-Identifier: Apache-2.0
//
//   math_bounds [points per function and type, 200000] [name ...]

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

#include "autovec/base/list.hpp"
#include "autovec/math/functions.hpp"
#include "math_reference.hpp"

namespace {

using namespace autovec;

struct Worst {
  double error = 0;
  double x = 0, y = 0;
};

template <class T>
void note(Worst& worst, double error, T x, T y) {
  if (!(error <= worst.error)) worst = {error, static_cast<double>(x), static_cast<double>(y)};
}

std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
T any_float(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(std::uint32_t(bits >> 32));
  else return std::bit_cast<double>(bits);
}

/// Half the points have any bits, half are uniform in [-scale, scale] for some scale.
template <class T>
T sample(std::uint64_t& state) {
  std::uint64_t kind = next(state);
  std::uint64_t bits = next(state);
  if (kind % 2 == 0) return any_float<T>(bits);
  const T scales[] = {T(1), T(2), T(10), T(100), T(1000), T(0.1)};
  T unit = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63);
  return scales[(kind >> 8) % 6] * unit;
}

template <class F, class T>
Worst measure(std::uint64_t points) {
  UlpMeter meter(reference_of(F::name));
  Worst worst;
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < points; ++i) {
    if constexpr (requires(T x) { F::body(x); }) {
      // Every k-th float in order, so that no stretch is left out; doubles at random.
      T x = sample<T>(state);
      if (std::is_same_v<T, float> && i % 2 == 0) {
        x = any_float<T>(static_cast<std::uint64_t>(static_cast<double>(i) /
                                                    static_cast<double>(points) * 0x1p64));
      }
      note(worst, meter.error(F::body(x), x), x, T(0));
    } else {
      T x = sample<T>(state), y = sample<T>(state);
      note(worst, meter.error(F::body(x, y), x, y), x, y);
    }
  }
  return worst;
}

void print(std::string_view name, const char* type, double bound, Worst w) {
  std::printf("%-7.*s %s  %8.3f  %5.2f %s  at %a %a (%.9g)\n", int(name.size()), name.data(), type,
              w.error, bound, w.error <= bound ? "  " : "!!", w.x, w.y, w.x);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t points = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200000;
  std::printf("function type  error  bound\n");
  for_each_type(math::Functions{}, [&]<class F>() {
    bool wanted = argc < 3;
    for (int i = 2; i < argc; ++i) wanted = wanted || F::name == argv[i];
    if (!wanted) return;
    print(F::name, "f32", F::bound_f32, measure<F, float>(points));
    print(F::name, "f64", F::bound_f64, measure<F, double>(points));
  });
}
