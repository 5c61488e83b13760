// Memory for output that grows while it is written, made so that the first use of every page is as
// cheap as the system lets it be.
//
// Up to 256 KiB the memory comes from the heap. Beyond, on Linux, it is a mapping of its own,
// aligned for and asking for huge pages, that grows by moving page tables instead of bytes and
// whose pages are made ready 2 MiB at a time. Elsewhere it is heap memory that doubles.
// docs/performance.md has the figures of the alternatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// Owns its bytes; moving it keeps them where they are. Throws std::bad_alloc when memory is
// exhausted. Not for use by several threads at once.
class GrowingBuffer {
 public:
  GrowingBuffer() = default;
  GrowingBuffer(GrowingBuffer&& other) noexcept { swap(other); }
  GrowingBuffer& operator=(GrowingBuffer&& other) noexcept {
    GrowingBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;
  ~GrowingBuffer() { release(); }

  // Makes at least `used + extra` bytes writable, keeps the first `used` of them, and returns
  // where they now are. What lies behind `used` is undefined.
  std::uint8_t* reserve(std::size_t used, std::size_t extra);

  // How many bytes at `data()` are writable.
  [[nodiscard]] std::size_t capacity() const { return ready_; }
  [[nodiscard]] std::uint8_t* data() { return data_; }

  // The bytes that the owner says are written; at most `capacity()`.
  void set_size(std::size_t size) { size_ = size; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] ByteSpan span() const { return {data_, size_}; }

 private:
  void swap(GrowingBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(ready_, other.ready_);
    std::swap(mapped_, other.mapped_);
  }
  void grow_heap(std::size_t capacity);
  void grow_mapping(std::size_t used, std::size_t needed);
  void move_to_mapping(std::size_t used, std::size_t length);
  void release() noexcept;

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t ready_ = 0;   // bytes that may be written
  std::size_t mapped_ = 0;  // length of the mapping, 0: heap memory
};

}  // namespace tracedeck
