#include "tracedeck/base/growing_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tracedeck {
namespace {

constexpr std::size_t kFirstHeap = 4096;
constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 4;

#if defined(__linux__)
// From here on one huge page costs no more than the faults on small ones.
constexpr std::size_t kHeapLimit = std::size_t{256} << 10;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kFirstMapping = std::size_t{32} << 20;

std::size_t round_to_huge_page(std::size_t size) {
  return (size + kHugePage - 1) & ~(kHugePage - 1);
}

// Address space of `length` bytes (a multiple of the huge page) that begins on a huge page.
std::uint8_t* map_aligned(std::size_t length) {
  const std::size_t span = length + kHugePage;
  void* const raw = mmap(nullptr, span, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::uint8_t*>(raw);
  const std::size_t head = round_to_huge_page(reinterpret_cast<std::uintptr_t>(begin)) -
                           reinterpret_cast<std::uintptr_t>(begin);
  if (head != 0) munmap(begin, head);
  munmap(begin + head + length, kHugePage - head);
  return begin + head;
}
#else
constexpr std::size_t kHeapLimit = kMost;
#endif

}  // namespace

std::uint8_t* GrowingBuffer::reserve(std::size_t used, std::size_t extra) {
  if (extra > kMost || used > kMost) throw std::bad_alloc();
  const std::size_t needed = used + extra;
  if (needed <= ready_) return data_;
  if (mapped_ == 0 && needed <= kHeapLimit) {
    grow_heap(std::min(kHeapLimit, std::max({needed, 2 * ready_, kFirstHeap})));
  } else {
    grow_mapping(used, needed);
  }
  return data_;
}

void GrowingBuffer::grow_heap(std::size_t capacity) {
  void* const grown = std::realloc(data_, capacity);
  if (grown == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(grown);
  ready_ = capacity;
}

#if defined(__linux__)

void GrowingBuffer::grow_mapping(std::size_t used, std::size_t needed) {
  if (needed > mapped_)
    move_to_mapping(used, round_to_huge_page(std::max({2 * needed, 2 * mapped_, kFirstMapping})));
  const std::size_t ready = round_to_huge_page(needed);
#if defined(MADV_POPULATE_WRITE)
  // Where huge pages are not to be had, one call replaces 512 faults. Kernels before 5.14 refuse;
  // then the pages come one by one as they are written.
  madvise(data_ + ready_, ready - ready_, MADV_POPULATE_WRITE);
#endif
  ready_ = ready;
}

void GrowingBuffer::move_to_mapping(std::size_t used, std::size_t length) {
  std::uint8_t* const target = map_aligned(length);
  if (mapped_ != 0) {
    // Page tables move, bytes stay; huge pages stay whole because both ends are aligned alike.
    if (mremap(data_, mapped_, length, MREMAP_MAYMOVE | MREMAP_FIXED, target) == MAP_FAILED) {
      munmap(target, length);
      throw std::bad_alloc();
    }
  } else {
    madvise(target, length, MADV_HUGEPAGE);  // advice only: everything works without
    if (used != 0) std::memcpy(target, data_, used);
    std::free(data_);
    ready_ = 0;
  }
  data_ = target;
  mapped_ = length;
}

void GrowingBuffer::release() noexcept {
  if (mapped_ != 0) {
    munmap(data_, mapped_);
  } else {
    std::free(data_);
  }
}

#else

void GrowingBuffer::grow_mapping(std::size_t, std::size_t needed) {
  grow_heap(std::max(needed, 2 * ready_));
}

void GrowingBuffer::move_to_mapping(std::size_t, std::size_t) {}

void GrowingBuffer::release() noexcept { std::free(data_); }

#endif

}  // namespace tracedeck
