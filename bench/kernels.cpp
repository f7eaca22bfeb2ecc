// What do tiles cost beside hand-written loops over xsimd registers and plain Eigen products?
// SPDX-License-Identifier: Apache-2.0
//
// Contestants run in turn, five rounds or more, and the table shows medians and their ratio.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "autovec/exec/backend.hpp"
#include "autovec/exec/cpu/all-inl.hpp"
#include "autovec/exec/cpu/batch-inl.hpp"
#include "autovec/lane/record.hpp"
#include "autovec/lane/recorder.hpp"
#include "autovec/math/functions.hpp"

#include <Eigen/Core>

using namespace autovec;
using lane::Op;
using lane::Recorder;
using lane::ValueId;

namespace {

using Batch = cpu::Batch<float>;

/// Processor time of this thread in nanoseconds: on a shared machine it says more than the clock.
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}
/// Nanoseconds of one call.
double time_once(const std::function<void()>& f, int calls) {
  const double start = now();
  for (int i = 0; i < calls; ++i) f();
  return (now() - start) / calls;
}
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void compare(const std::string& name, const std::function<void()>& ours,
             const std::function<void()>& limit, int calls) {
  ours();
  limit();
  std::vector<double> a, b;
  for (int round = 0; round < 15; ++round) {
    a.push_back(time_once(ours, calls));
    b.push_back(time_once(limit, calls));
  }
  std::printf("%-44s %12.0f ns %12.0f ns %6.2f\n", name.c_str(), median(a), median(b),
              median(a) / median(b));
}

struct Vectors {
  std::vector<float> x, y, z;
  explicit Vectors(std::size_t n) : x(n), y(n), z(n) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i % 1000) * 0.003f - 1.5f;
      y[i] = static_cast<float>(i % 777) * 0.001f;
    }
  }
  std::byte* address(std::vector<float>& v) { return reinterpret_cast<std::byte*>(v.data()); }
};

/// y = f(x) by one program and by one loop over registers; `f` is generic.
template <class F>
void element_wise(const std::string& name, std::size_t n, F f) {
  Vectors v(n);
  Recorder r({static_cast<std::int64_t>(n)});
  const lane::Lane<float> x(r, r.load({r.add_buffer(f32, false), 0, {1}}));
  const lane::Lane<float> y(r, r.load({r.add_buffer(f32, false), 0, {1}}));
  r.store({r.add_buffer(f32, true), 0, {1}}, f(x, y).id_in(r));
  const PreparedKernel kernel = simd_backend().prepare(r.finish());
  const std::vector<std::byte*> buffers = {v.address(v.x), v.address(v.y), v.address(v.z)};
  compare(
      name, [&] { simd_backend().launch(kernel.get(), buffers); },
      [&] {
        for (std::size_t i = 0; i < n; i += Batch::size) {
          f(Batch::load(&v.x[i]), Batch::load(&v.y[i])).store(&v.z[i]);
        }
      },
      static_cast<int>(20000000 / (n * 20) + 1));
}

/// Trips until |z| > 2, at most 256, over [-2, 1] x [-1, 1].
void mandelbrot() {
  constexpr std::int64_t height = 512, width = 768;
  Recorder r({height, width});
  const std::int32_t re = r.add_buffer(f32, false), im = r.add_buffer(f32, false),
                     out = r.add_buffer(i32, true);
  const ValueId cr = r.load({re, 0, {0, 1}}), ci = r.load({im, 0, {1, 0}});
  const ValueId zero = r.constant(0.0f);
  lane::ValueIds z = r.begin_while({zero, zero, r.constant(std::int32_t(0))});
  const auto square = [&](ValueId v) { return r.emit(Op::mul, {v, v}); };
  const ValueId inside =
      r.emit(Op::le, {r.emit(Op::add, {square(z[0]), square(z[1])}), r.constant(4.0f)});
  z = r.begin_body(r.emit(Op::and_, {inside, r.emit(Op::lt, {z[2], r.constant(256)})}));
  const ValueId real = r.emit(Op::add, {r.emit(Op::sub, {square(z[0]), square(z[1])}), cr});
  const ValueId both = r.emit(Op::mul, {z[0], z[1]});
  const ValueId imaginary = r.emit(Op::add, {r.emit(Op::add, {both, both}), ci});
  z = r.end_while({real, imaginary, r.emit(Op::add, {z[2], r.constant(1)})});
  r.store({out, 0, {width, 1}}, z[2]);
  const PreparedKernel kernel = simd_backend().prepare(r.finish());
  std::vector<float> x(width), y(height);
  for (std::int64_t j = 0; j < width; ++j) x[j] = -2.0f + 3.0f * static_cast<float>(j) / width;
  for (std::int64_t i = 0; i < height; ++i) y[i] = -1.0f + 2.0f * static_cast<float>(i) / height;
  std::vector<std::int32_t> trips(height * width), expected(height * width);
  const std::vector<std::byte*> buffers = {reinterpret_cast<std::byte*>(x.data()),
                                           reinterpret_cast<std::byte*>(y.data()),
                                           reinterpret_cast<std::byte*>(trips.data())};
  using Int = cpu::Batch<std::int32_t>;
  compare(
      "Mandelbrot 768x512, 256 trips, f32", [&] { simd_backend().launch(kernel.get(), buffers); },
      [&] {
        for (std::int64_t i = 0; i < height; ++i) {
          for (std::int64_t j = 0; j < width; j += static_cast<std::int64_t>(Batch::size)) {
            const Batch a = Batch::load(&x[j]), b(y[i]);
            Batch zr(0.0f), zi(0.0f);
            Int n(0);
            auto alive = cpu::Mask<4>(true);
            for (int k = 0; k < 256; ++k) {
              const Batch rr = zr * zr, ii = zi * zi;
              alive = alive & (rr + ii <= Batch(4.0f));
              if (!alive.any()) break;
              const Batch ri = zr * zi;
              zr = rr - ii + a;
              zi = ri + ri + b;
              n = select(alive, n + Int(1), n);
            }
            n.store(&expected[i * width + j]);
          }
        }
      },
      1);
  if (trips != expected) std::puts("  the results differ");
}

void product(std::int64_t m, std::int64_t n, std::int64_t k) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows a = Rows::Random(m, k), b = Rows::Random(k, n);
  Rows c(m, n), d(m, n);
  Contraction x;
  x.m = m;
  x.n = n;
  x.k = k;
  x.a_row = k;
  x.b_row = x.c_row = n;
  const PreparedKernel kernel = simd_backend().prepare_contraction(x);
  compare(
      "product " + std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n),
      [&] {
        simd_backend().launch_contraction(
            kernel.get(), reinterpret_cast<const std::byte*>(a.data()),
            reinterpret_cast<const std::byte*>(b.data()), reinterpret_cast<std::byte*>(c.data()));
      },
      [&] { d.noalias() = a * b; }, static_cast<int>(1 + 20000000 / (m * n * k)));
}

/// Sums of rows or of columns of a [rows, columns] matrix.
void sums(std::int64_t rows, std::int64_t columns, bool of_rows) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows a = Rows::Random(rows, columns);
  Eigen::VectorXf expected;
  std::vector<float> result(static_cast<std::size_t>(of_rows ? rows : columns));
  Recorder r(of_rows ? Extents{rows, columns} : Extents{columns, rows});
  const ValueId v =
      r.load({r.add_buffer(f32, false), 0, of_rows ? Extents{columns, 1} : Extents{1, columns}});
  Reduction reduction;
  reduction.result_buffer = r.add_buffer(f32, true);
  reduction.value = r.finish({v});
  reduction.reduced_rank = 1;
  reduction.combine = lane::record_function<float, float>(
      "add", [](lane::Lane<float> p, lane::Lane<float> q) { return p + q; });
  const PreparedKernel kernel = simd_backend().prepare_reduction(reduction);
  const std::vector<std::byte*> buffers = {
      reinterpret_cast<std::byte*>(const_cast<float*>(a.data())),
      reinterpret_cast<std::byte*>(result.data())};
  compare(
      std::string(of_rows ? "sums of rows " : "sums of columns ") + std::to_string(rows) + "x" +
          std::to_string(columns),
      [&] { simd_backend().launch_reduction(kernel.get(), buffers); },
      [&] {
        if (of_rows) expected = a.rowwise().sum();
        else expected = a.colwise().sum();
      },
      static_cast<int>(1 + 5000000 / (rows * columns)));
}

}  // namespace

int main() {
  setenv("AUTOVEC_THREADS", "1", 1);
  std::printf("%-44s %15s %15s %6s\n", "", "autovec", "by hand", "ratio");
  const auto add = [](auto x, auto y) { return x + y; };
  element_wise("x + y, 4096", 4096, add);
  element_wise("x + y, 256 x 1000", 256000, add);
  element_wise("x + y, 16 million", 16000000, add);
  element_wise("exp, 4096", 4096, [](auto x, auto) { return math::exp(x); });
  element_wise("tanh, 4096", 4096, [](auto x, auto) { return math::tanh(x); });
  element_wise("tanh(exp(tanh(exp x))), 4096", 4096,
               [](auto x, auto) { return math::tanh(math::exp(math::tanh(math::exp(x)))); });
  element_wise("a x + b, 10 times, 4096", 4096, [](auto x, auto y) {
    using V = decltype(x);
    for (int i = 0; i < 10; ++i) x = fma(x, V(0.99f), y);
    return x;
  });
  element_wise("gelu by erf, 4096", 4096, [](auto x, auto) {
    using V = decltype(x);
    return V(0.5f) * x * (V(1.0f) + math::erf(x * V(0.70710678f)));
  });
  mandelbrot();
  product(1024, 1000, 1000);
  product(256, 256, 256);
  product(64, 64, 64);
  product(8, 8, 8);
  product(1, 1000, 1000);
  product(8, 1000, 1000);
  product(1000, 1, 1000);
  sums(256, 1000, true);
  sums(256, 1000, false);
  sums(10000, 8, true);
}
