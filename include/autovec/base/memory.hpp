// A caching pool of aligned memory blocks behind everything that holds tensor data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "autovec/base/config.hpp"
#include "autovec/base/error.hpp"

namespace autovec::inline v1 {

/// Every block starts on a cache line, which is also the widest vector.
inline constexpr std::size_t block_alignment = 64;

/// Keeps released blocks by size class, because a fresh page costs far more than a warm one.
/// Classes are powers of two with three steps between, so at most a quarter of a block is unused.
class MemoryPool {
 public:
  /// The pool of the process. Never destroyed: static tensors may outlive every other static.
  static MemoryPool& instance() {
    static MemoryPool* pool = new MemoryPool;
    return *pool;
  }

  /// Throws DeviceError where the system has no memory left.
  void* allocate(std::size_t bytes) {
    const std::size_t c = class_of(bytes);
    {
      const std::lock_guard lock(mutex_);
      auto& free = free_[c];
      if (!free.empty()) {
        void* block = free.back();
        free.pop_back();
        cached_bytes_ -= bytes_of(c);
        live_bytes_ += bytes_of(c);
        return block;
      }
    }
    void* block = fresh(bytes_of(c));
    const std::lock_guard lock(mutex_);
    live_bytes_ += bytes_of(c);
    ++system_allocations_;
    return block;
  }

  void release(void* block, std::size_t bytes) noexcept {
    const std::size_t c = class_of(bytes);
    const std::lock_guard lock(mutex_);
    live_bytes_ -= bytes_of(c);
    cached_bytes_ += bytes_of(c);
    try {
      free_[c].push_back(block);
    } catch (...) {
      cached_bytes_ -= bytes_of(c);
      ::operator delete(block, std::align_val_t(alignment_of(bytes_of(c))));
    }
  }

  /// Gives cached blocks back to the system.
  void trim() noexcept {
    const std::lock_guard lock(mutex_);
    for (std::size_t c = 0; c < free_.size(); ++c) {
      for (void* block : free_[c]) {
        ::operator delete(block, std::align_val_t(alignment_of(bytes_of(c))));
      }
      free_[c].clear();
    }
    cached_bytes_ = 0;
  }

  std::size_t live_bytes() const {
    const std::lock_guard lock(mutex_);
    return live_bytes_;
  }
  std::size_t cached_bytes() const {
    const std::lock_guard lock(mutex_);
    return cached_bytes_;
  }
  /// How many blocks were taken from the system so far.
  std::uint64_t system_allocations() const {
    const std::lock_guard lock(mutex_);
    return system_allocations_;
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  static std::size_t class_of(std::size_t bytes) noexcept {
    const std::size_t lines = (bytes + block_alignment - 1) / block_alignment;
    if (lines <= 4) return lines == 0 ? 0 : lines - 1;
    const std::size_t log = static_cast<std::size_t>(std::bit_width(lines - 1)) - 1;  // >= 2
    const std::size_t step = std::size_t{1} << (log - 2);
    return 4 * (log - 1) + (lines - 1 - (std::size_t{1} << log)) / step;
  }
  static std::size_t bytes_of(std::size_t c) noexcept {
    if (c < 4) return (c + 1) * block_alignment;
    const std::size_t log = c / 4 + 1;
    const std::size_t step = std::size_t{1} << (log - 2);
    return ((std::size_t{1} << log) + (c % 4 + 1) * step) * block_alignment;
  }
  static std::size_t alignment_of(std::size_t bytes) noexcept {
    return bytes >= huge_page ? huge_page : block_alignment;
  }
  static void* fresh(std::size_t bytes) {
    void* block = ::operator new(bytes, std::align_val_t(alignment_of(bytes)), std::nothrow);
    if (block == nullptr) {
      std::string what("no memory for ");
      what += std::to_string(bytes);
      what += " bytes";
      fail<DeviceError>("allocate", what, Where::unknown());
    }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= huge_page) madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
  }

  mutable std::mutex mutex_;
  std::array<std::vector<void*>, 256> free_;
  std::size_t live_bytes_ = 0;
  std::size_t cached_bytes_ = 0;
  std::uint64_t system_allocations_ = 0;
};

/// Gives the memory that the library keeps for reuse back to the system.
inline void trim_memory() { MemoryPool::instance().trim(); }

/// A shared block of memory: from the pool (header and data in one block) or the caller's own.
class Storage {
 public:
  Storage() noexcept = default;
  /// A block of the pool for `bytes` bytes; contents undefined.
  static Storage allocate(std::size_t bytes) {
    const std::size_t whole = bytes + block_alignment;
    void* block = MemoryPool::instance().allocate(whole);
    return Storage(new (block)
                       Header{{1}, static_cast<std::byte*>(block) + block_alignment, whole});
  }
  /// The caller's memory; not owned.
  static Storage borrow(void* data) {
    void* block = MemoryPool::instance().allocate(block_alignment);
    return Storage(new (block) Header{{1}, static_cast<std::byte*>(data), block_alignment});
  }
  Storage(const Storage& other) noexcept : header_(other.header_) {
    if (header_ != nullptr) header_->count.fetch_add(1, std::memory_order_relaxed);
  }
  Storage(Storage&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~Storage() {
    if (header_ == nullptr) return;
    if (header_->count.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      MemoryPool::instance().release(header_, header_->bytes);
    }
  }

  std::byte* data() const noexcept { return header_ == nullptr ? nullptr : header_->data; }
  explicit operator bool() const noexcept { return header_ != nullptr; }
  /// Whether this is the only handle of a block of the pool, which may then be written. The
  /// caller's memory never is.
  bool unique() const noexcept {
    return header_ != nullptr &&
           header_->data == reinterpret_cast<std::byte*>(header_) + block_alignment &&
           header_->count.load(std::memory_order_acquire) == 1;
  }

 private:
  struct Header {
    std::atomic<std::uint32_t> count;
    std::byte* data;
    std::size_t bytes;
  };
  static_assert(sizeof(Header) <= block_alignment);
  explicit Storage(Header* header) noexcept : header_(header) {}
  Header* header_ = nullptr;
};

}  // namespace autovec::inline v1
