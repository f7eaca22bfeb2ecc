// Bits do not depend on the number of threads: work is cut by shape alone.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "laws.hpp"

namespace {

using namespace laws;

/// Enough lanes that work is given to several threads.
constexpr std::int64_t lanes = 20000;

/// A hash of the elements; all NaN are one.
std::uint64_t digest(const Tensor& x) {
  const Array a = to_contiguous(x.array("laws", Where::unknown()));
  Hasher h;
  dispatch(
      a.type.dtype,
      [&]<class T>() {
        for (std::int64_t i = 0; i < a.type.size(); ++i) {
          const T v = a.as<T>()[i];
          std::uint64_t bits = 0;
          std::memcpy(&bits, &v, sizeof v);
          h.add(v != v ? ~std::uint64_t{0} : bits);
        }
      },
      [&] {
        for (std::int64_t i = 0; i < a.type.size(); ++i) {
          const std::uint16_t v = a.as<std::uint16_t>()[i];
          h.add(half_is_nan(v, a.type.dtype) ? 0xFFFFu : v);
        }
      });
  return h.value();
}

/// The digest of one sample of each row, over many lanes.
std::vector<std::uint64_t> digests() {
  std::vector<std::uint64_t> out;
  const WithExecutor scope(Executor::simd);
  std::size_t r = 0;
  for (const OpInfo* row : op_table().rows()) {
    if (row->samples == nullptr) continue;
    const std::vector<Sample> samples = row->samples();
    SampleBits bits(++r);
    const Application f(*row, samples[bits.below(samples.size())]);
    const LeafAxes axes = draw_axes(f.types(), draw_mapped(f.types().size(), bits), bits);
    Leaves in;
    for (std::size_t i = 0; i < f.types().size(); ++i) {
      SampleOperand operand = f.operands()[i];
      if (axes[i]) operand.type = Stack(operand.type, lanes, *axes[i]).whole_type();
      in.push_back(Tensor(sample_values(operand, r)));
    }
    Hasher h;
    for (const Tensor& y : vmapped(f, in, axes, LeafAxes(f.results().size(), 0), lanes))
      h.add(digest(y));
    out.push_back(h.value());
  }
  return out;
}

/// What `digests` gives in a process of its own that has this many threads.
std::vector<std::uint64_t> digests_with(int threads) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    setenv("AUTOVEC_THREADS", std::to_string(threads).c_str(), 1);
    int status = 1;
    try {
      const std::vector<std::uint64_t> own = digests();
      const std::size_t size = own.size() * sizeof own[0];
      if (write(ends[1], own.data(), size) == static_cast<ssize_t>(size)) status = 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(status);
  }
  close(ends[1]);
  std::vector<std::uint64_t> out;
  std::uint64_t value;
  while (read(ends[0], &value, sizeof value) == static_cast<ssize_t>(sizeof value))
    out.push_back(value);
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  return out;
}

}  // namespace

TEST_CASE("one thread, two and five give the same bits") {
  const std::vector<std::uint64_t> one = digests_with(1);
  CHECK(one.size() > 80);
  for (const int threads : {2, 5}) CHECK(digests_with(threads) == one);
}
