// Large tables that are the same at first, of which each takes only the memory of what it changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// Bytes of which any number of copies can be made. Immutable; any thread.
class PageImage {
 public:
  explicit PageImage(ByteSpan bytes);
  ~PageImage();
  PageImage(const PageImage&) = delete;
  PageImage& operator=(const PageImage&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  friend class PageCopy;

  std::size_t size_;
  int file_ = -1;                            // in memory; -1 where the system has no such files
  std::unique_ptr<std::uint8_t[]> content_;  // then
};

// A copy. On Linux its pages are those of the image until they are written to; elsewhere it is a
// plain copy. Outlives the image. Throws std::bad_alloc.
class PageCopy {
 public:
  explicit PageCopy(const PageImage& image);
  PageCopy(PageCopy&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        mapped_(std::exchange(other.mapped_, 0)),
        content_(std::move(other.content_)) {}
  PageCopy& operator=(PageCopy&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    std::swap(content_, other.content_);
    return *this;
  }
  PageCopy(const PageCopy&) = delete;
  PageCopy& operator=(const PageCopy&) = delete;
  ~PageCopy();

  // Makes it a copy again as it was at first, and gives back the memory of what was changed. False:
  // that cannot be done, and all is as before.
  [[nodiscard]] bool reset();

  // Aligned to a page, or like memory of `new`.
  [[nodiscard]] std::uint8_t* data() { return data_; }
  [[nodiscard]] const std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t mapped_ = 0;  // bytes; 0: `content_` has them
  std::unique_ptr<std::uint8_t[]> content_;
};

}  // namespace tracedeck
