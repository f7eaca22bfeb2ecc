// Loops whose number of trips differs from lane to lane: the Mandelbrot set and Kepler's equation.
// SPDX-License-Identifier: Apache-2.0
#include <autovec/autovec.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "../common/median.hpp"
#include "plain.hpp"

namespace av = autovec;

constexpr int most_trips = 256;

struct Orbit {
  av::Tensor x, y, trips;
};

// ONE pixel: how often z <- z^2 + c before |z| > 2, from z = 0.
static av::Tensor escape_time(av::Tensor cx, av::Tensor cy) {
  const Orbit last = av::while_loop(
      Orbit{0.0, 0.0, 0},
      [](const Orbit& z) { return z.trips < most_trips && z.x * z.x + z.y * z.y <= 4; },
      [=](const Orbit& z) {
        return Orbit{z.x * z.x - z.y * z.y + cx, 2 * z.x * z.y + cy, z.trips + 1};
      });
  return last.trips;
}

struct Kepler {
  av::Tensor anomaly, step, trips;
};

// ONE orbit: E with E - e sin E = M, by Newton's method until the step is small.
static Kepler kepler(av::Tensor mean, av::Tensor eccentricity) {
  return av::while_loop(
      Kepler{mean + eccentricity, 1.0, 0}, [](const Kepler& k) { return av::abs(k.step) > 1e-12; },
      [=](const Kepler& k) {
        av::Tensor step = (k.anomaly - eccentricity * av::sin(k.anomaly) - mean) /
                          (1 - eccentricity * av::cos(k.anomaly));
        return Kepler{k.anomaly - step, step, k.trips + 1};
      });
}

// A picture as PPM; points that never escape are black.
static void draw(const std::string& path, const std::vector<std::int32_t>& trips,
                 std::int64_t width) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << width << ' ' << static_cast<std::int64_t>(trips.size()) / width << "\n255\n";
  for (const std::int32_t t : trips) {
    const double tone = t == most_trips ? 0 : std::sqrt(double(t) / most_trips);
    for (const double power : {1.6, 0.9, 0.4})
      file.put(static_cast<char>(255 * std::pow(tone, power)));
  }
  if (!file.flush()) throw std::runtime_error("can't write " + path);
}

static void print_times(double plain_ms, double lanes_ms) {
  std::printf(
      "  plain C++ loop, -O3 -march=native %8.1f ms\n  jit(vmap(...))                    %8.1f "
      "ms\n\n",
      plain_ms, lanes_ms);
}

static bool mandelbrot() {
  const av::Tensor xs = av::linspace(-2.2, 0.8, 768), ys = av::linspace(-1, 1, 512);
  // Rows of pixels, then the pixels of a row: f(cx, cy) has become f(xs, ys) -> i32[512,768].
  const auto row = av::vmap(escape_time, av::in(0, av::shared));
  const auto picture = av::jit(av::vmap(row, av::in(av::shared, 0)));
  const auto trips = picture(xs, ys).to_vector<std::int32_t>();
  draw("mandelbrot.ppm", trips, xs.size());

  const auto x = xs.to_vector<float>(), y = ys.to_vector<float>();
  const auto plain = escape_times_by_loop(x, y, most_trips);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) differ += plain[i] != trips[i];
  std::printf("Mandelbrot, 768 x 512 pixels, up to %d trips, f32 (mandelbrot.ppm)\n", most_trips);
  // The border is chaotic: it shows whether a * b + c is rounded once or twice, which is the
  // compiler's choice in the plain loop and fixed in the library.
  std::printf("  %.2f %% of the pixels differ from the plain loop\n",
              100.0 * double(differ) / double(plain.size()));
  print_times(median_ms(3, [&] { escape_times_by_loop(x, y, most_trips); }),
              median_ms(5, [&] { picture(xs, ys); }));
  return differ * 100 < plain.size();
}

static bool orbits() {
  constexpr std::int64_t n = 200'000;
  const av::Tensor mean = av::linspace(0, 3.141592653589793, n, av::f64);
  const av::Tensor eccentricity = 0.95 / n * av::cast(av::arange(n) * 7919 % n, av::f64);
  const auto solve = av::jit(av::vmap(kepler));
  const Kepler solved = solve(mean, eccentricity);

  const av::Tensor& e = solved.anomaly;
  const double worst = av::max(av::abs(e - eccentricity * av::sin(e) - mean)).item<double>();
  std::printf("Kepler's equation for %lld orbits, f64: |E - e sin E - M| <= %.1e\n",
              static_cast<long long>(n), worst);
  const av::Tensor histogram = av::zeros({16}, av::i32).at(av::minimum(solved.trips, 15)).add(1);
  std::cout << "  lanes that ran 0, 1, 2 ... trips: " << histogram << '\n';

  const auto m = mean.to_vector<double>(), ecc = eccentricity.to_vector<double>();
  print_times(median_ms(3, [&] { kepler_by_loop(m, ecc); }),
              median_ms(5, [&] { solve(mean, eccentricity); }));
  return worst < 1e-11;
}

int main() try {
  const bool pixels_right = mandelbrot(), orbits_right = orbits();
  return pixels_right && orbits_right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
