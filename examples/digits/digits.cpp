// Recognises handwritten digits with two classifiers written for ONE digit and run on 360.
// SPDX-License-Identifier: Apache-2.0
#include <autovec/autovec.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <limits>

#include "../common/median.hpp"
#include "data.hpp"
#include "plain.hpp"

namespace av = autovec;

// Squared distances of one digit to all known ones: f32[n]. |k - d|^2 = |k|^2 - 2 k.d + |d|^2,
// where the first term is the same for every digit and the middle one is a matrix times this digit.
static av::Tensor distances(av::Tensor known, av::Tensor digit) {
  return av::sum(known * known, {1}) - 2 * av::matmul(known, digit) + av::sum(digit * digit);
}

struct Ballot {
  av::Tensor distances, votes;
};

// The label that most of the three known digits nearest to this one have.
static av::Tensor nearest(const Digits& known, av::Tensor digit) {
  const Ballot start{distances(known.pixels, digit), av::zeros({10}, av::i32)};
  const Ballot end = av::fori_loop(0, 3, start, [&](av::Tensor, Ballot ballot) {
    av::Tensor i = av::argmin(ballot.distances);
    return Ballot{ballot.distances.at(i).set(std::numeric_limits<float>::infinity()),
                  ballot.votes.at(known.labels[i]).add(1)};
  });
  return av::argmax(end.votes);
}

struct Guess {
  av::Tensor label, certainty;
};

// The class that is densest here, if every known digit is the middle of a Gaussian of this width.
static Guess densest(const Digits& known, av::Tensor digit, av::Tensor width) {
  av::Tensor d = distances(known.pixels, digit);
  av::Tensor kernels = av::exp((av::min(d) - d) / (2 * width * width));
  av::Tensor classes = av::matmul(kernels, av::one_hot(known.labels, 10));
  return {av::argmax(classes), av::max(classes) / av::sum(classes)};
}

static double accuracy(const av::Tensor& said, const av::Tensor& truth) {
  return av::mean(said == truth).item<double>();
}

static void print_confusion(const av::Tensor& said, const av::Tensor& truth) {
  // One 1 for each digit, added at (truth, said).
  av::Tensor counts = av::zeros({10, 10}, av::i32).at(truth, said).add(1);
  std::cout << "\nconfusion of the nearest neighbour (row: true, column: said)\n" << counts << '\n';
}

static std::vector<Mistake> mistakes_of(const av::Tensor& said, const av::Tensor& truth) {
  const std::vector<std::int32_t> s = said.to_vector<std::int32_t>(),
                                  t = truth.to_vector<std::int32_t>();
  std::vector<Mistake> out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != t[i]) out.push_back({i, s[i], t[i]});
  }
  return out;
}

int main() try {
  const Digits all = read_digits(AUTOVEC_EXAMPLE_DATA "/digits.csv");
  const auto rows = [&](av::Index which) {
    return Digits{all.pixels.slice({which}), all.labels.slice({which})};
  };
  const Digits known = rows(av::range({}, 1437)), fresh = rows(av::range(1437, {}));

  // From one digit to all: the known digits are shared, axis 0 of the fresh ones runs along the
  // lanes.
  const auto nearest_of_all = av::vmap(nearest, av::in(av::shared, 0));
  const auto densest_of_all = av::vmap(densest, av::in(av::shared, 0, av::shared));
  const av::Tensor said = nearest_of_all(known, fresh.pixels);
  const Guess guess = densest_of_all(known, fresh.pixels, 5.0);

  std::cout << "the distances of one digit as a graph\n"
            << av::trace(distances, known.pixels, fresh.pixels[0]);
  std::cout << "\n\n... and of all: a matrix times a vector has become a matrix times a matrix\n"
            << av::trace(av::vmap(distances, av::in(av::shared, 0)), known.pixels, fresh.pixels);
  std::cout << "\n\nhow the nearest neighbours of all digits are found\n"
            << av::explain(nearest_of_all, known, fresh.pixels);
  print_confusion(said, fresh.labels);

  const double right = accuracy(said, fresh.labels);
  std::printf("nearest neighbour: %.1f %% of %d digits are recognised\n", 100 * right,
              int(fresh.labels.size()));
  std::printf("kernel density:    %.1f %%, mean certainty %.3f\n",
              100 * accuracy(guess.label, fresh.labels), av::mean(guess.certainty).item<double>());

  const std::vector<Mistake> mistakes = mistakes_of(said, fresh.labels);
  draw_mistakes("mistakes.svg", fresh, mistakes);
  std::printf("mistakes.svg shows the %zu digits that are not\n\n", mistakes.size());

  const auto k = known.pixels.to_vector<float>(), d = fresh.pixels.to_vector<float>();
  const auto labels = known.labels.to_vector<std::int32_t>();
  const auto one = av::jit(nearest);
  const auto batch = av::jit(nearest_of_all);
  const bool agree = nearest_by_loop(k, labels, d) == said.to_vector<std::int32_t>();
  const double plain_ms = median_ms(5, [&] { nearest_by_loop(k, labels, d); });
  const double one_ms = median_ms(5, [&] {
    for (std::int64_t i = 0; i < fresh.labels.size(); ++i) one(known, fresh.pixels[i]);
  });
  const double batch_ms = median_ms(15, [&] { batch(known, fresh.pixels); });
  std::printf("time, median of several calls\n");
  std::printf("  plain C++ loop, -O3 -march=native    %8.2f ms\n", plain_ms);
  std::printf("  loop of jit(nearest)                 %8.2f ms\n", one_ms);
  std::printf("  jit(vmap(nearest))                   %8.2f ms\n", batch_ms);
  std::printf("loop and vmap %s\n", agree ? "agree on every digit" : "DIFFER");
  return right >= 0.96 && agree ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
