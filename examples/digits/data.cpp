// Reads the digits from CSV and draws some of them as SVG.
// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include <fstream>
#include <stdexcept>

namespace av = autovec;

Digits read_digits(const std::string& path) {
  std::ifstream file(path);
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;
  int value = 0;
  char separator = 0;
  for (std::int64_t i = 0; file >> value; ++i) {
    if (i % 65 == 64) {
      labels.push_back(value);
    } else {
      pixels.push_back(static_cast<float>(value));
      file >> separator;
    }
  }
  const auto n = static_cast<std::int64_t>(labels.size());
  if (n == 0 || pixels.size() != 64 * labels.size())
    throw std::runtime_error("no digits in " + path);
  return {av::tensor(pixels, {n, 64}), av::tensor(labels, {n})};
}

void draw_mistakes(const std::string& path, const Digits& digits,
                   const std::vector<Mistake>& mistakes) {
  constexpr std::size_t cell = 10, tile = 8 * cell, gap = 16, text = 18, columns = 6;
  const std::size_t rows = (mistakes.size() + columns - 1) / columns;
  const std::vector<float> pixels = digits.pixels.to_vector<float>();
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' width='" << columns * (tile + gap) + gap
      << "' height='" << rows * (tile + text + gap) + gap
      << "' font-family='sans-serif' font-size='12' text-anchor='middle'>\n"
      << "<rect width='100%' height='100%' fill='white'/>\n";
  for (std::size_t m = 0; m < mistakes.size(); ++m) {
    const std::size_t left = gap + m % columns * (tile + gap),
                      top = gap + m / columns * (tile + text + gap);
    for (std::size_t i = 0; i < 64; ++i) {
      const int ink = 255 - static_cast<int>(pixels[64 * mistakes[m].digit + i] * 255 / 16);
      svg << "<rect x='" << left + i % 8 * cell << "' y='" << top + i / 8 * cell << "' width='"
          << cell << "' height='" << cell << "' fill='rgb(" << ink << ',' << ink << ',' << ink
          << ")'/>\n";
    }
    svg << "<text x='" << left + tile / 2 << "' y='" << top + tile + text - 4 << "'>said "
        << mistakes[m].said << ", true " << mistakes[m].truth << "</text>\n";
  }
  svg << "</svg>\n";
  if (!svg.flush()) throw std::runtime_error("can't write " + path);
}
