// A few worker threads, and a parallel loop over pieces that are cut by shape only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include "autovec/base/config.hpp"

namespace autovec::inline v1 {
inline namespace AUTOVEC_ISA_NAME {
namespace cpu {

/// The workers of the process. They start with the first parallel loop and, since they don't
/// survive a fork, start anew in a child. Never destroyed: static objects may still run loops.
class Threads {
 public:
  static Threads& instance() {
    static std::mutex mutex;
    static Threads* threads = nullptr;
    const std::lock_guard lock(mutex);
    if (threads == nullptr || threads->process_ != process()) threads = new Threads;
    return *threads;
  }

  /// Threads that take part, the caller's included: AUTOVEC_THREADS, or what the machine has.
  int count() const noexcept { return count_; }

  /// Calls f(i) for each i in [0, pieces), on several threads at once. Inside such a call, or while
  /// another thread's loop has the workers, the loop runs on this thread alone. The first exception
  /// is thrown again when all pieces are done or given up.
  template <class F>
  void for_each(std::int64_t pieces, const F& f) {
    if (pieces < 2 || count_ < 2 || inside() || !owner_.try_lock()) {
      for (std::int64_t i = 0; i < pieces; ++i) f(i);
      return;
    }
    const std::lock_guard own(owner_, std::adopt_lock);
    start();
    Job job;
    job.pieces = pieces;
    job.body = &f;
    job.call = [](const void* body, std::int64_t i) { (*static_cast<const F*>(body))(i); };
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++generation_;
    }
    wake_.notify_all();
    work(job);
    {
      std::unique_lock lock(mutex_);
      job_ = nullptr;
      done_.wait(lock, [this] { return running_ == 0; });
    }
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  struct Job {
    std::atomic<std::int64_t> next{0};
    std::int64_t pieces = 0;
    const void* body = nullptr;
    void (*call)(const void*, std::int64_t) = nullptr;
    std::mutex error_mutex;
    std::exception_ptr error;
  };

  Threads() : process_(process()), count_(wanted()) {}

  static long process() noexcept {
#if defined(__unix__) || defined(__APPLE__)
    return static_cast<long>(getpid());
#else
    return 0;
#endif
  }
  static int wanted() noexcept {
    int count = static_cast<int>(std::thread::hardware_concurrency());
    if (const char* text = std::getenv("AUTOVEC_THREADS")) count = std::atoi(text);
    return std::clamp(count, 1, 1024);
  }
  /// Is this thread running a piece?
  static bool& inside() noexcept {
    thread_local bool inside = false;
    return inside;
  }

  static void work(Job& job) {
    inside() = true;
    for (std::int64_t i; (i = job.next.fetch_add(1, std::memory_order_relaxed)) < job.pieces;) {
      try {
        job.call(job.body, i);
      } catch (...) {
        const std::lock_guard lock(job.error_mutex);
        if (!job.error) job.error = std::current_exception();
        job.next.store(job.pieces, std::memory_order_relaxed);
      }
    }
    inside() = false;
  }

  void start() {
    if (started_) return;
    started_ = true;
    for (int i = 1; i < count_; ++i) {
      try {
        std::thread([this] { serve(); }).detach();
      } catch (const std::exception&) {
        return;  // fewer workers do the same work
      }
    }
  }
  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return generation_ != seen; });
      seen = generation_;
      if (job_ == nullptr) continue;
      Job& job = *job_;
      ++running_;
      lock.unlock();
      work(job);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  const long process_;
  const int count_;
  bool started_ = false;
  std::mutex owner_;  // of the one loop that has the workers
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  std::uint64_t generation_ = 0;
  int running_ = 0;
};

}  // namespace cpu
}  // namespace AUTOVEC_ISA_NAME
}  // namespace autovec::inline v1
