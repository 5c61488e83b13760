#include "tracedeck/base/page_image.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <span>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tracedeck {
namespace {

#if defined(__linux__)
// A file that is only in memory with these bytes, or -1.
int file_with(ByteSpan bytes) {
  const int file = ::memfd_create("tracedeck", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (std::size_t written = 0; written < bytes.size();) {
    const ::ssize_t count = ::write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      ::close(file);
      return -1;
    }
    written += static_cast<std::size_t>(count);
  }
  return file;
}

// Fills `bytes` from the begin of a file. Throws std::bad_alloc.
void read_whole(int file, std::span<std::uint8_t> bytes) {
  for (std::size_t got = 0; got < bytes.size();) {
    const ::ssize_t count =
        ::pread(file, bytes.data() + got, bytes.size() - got, static_cast<::off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw std::bad_alloc();
    got += static_cast<std::size_t>(count);
  }
}
#endif

}  // namespace

PageImage::PageImage(ByteSpan bytes) : size_(bytes.size()) {
#if defined(__linux__)
  file_ = file_with(bytes);
#endif
  if (file_ >= 0) return;
  content_ = std::make_unique_for_overwrite<std::uint8_t[]>(size_);
  std::ranges::copy(bytes, content_.get());
}

PageImage::~PageImage() {
#if defined(__linux__)
  if (file_ >= 0) ::close(file_);
#endif
}

PageCopy::PageCopy(const PageImage& image) {
#if defined(__linux__)
  if (image.file_ >= 0) {
    void* const mapping =
        ::mmap(nullptr, image.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, image.file_, 0);
    if (mapping != MAP_FAILED) {
      data_ = static_cast<std::uint8_t*>(mapping);
      mapped_ = image.size_;
      return;
    }
    // The system allows a process so many mappings.
    content_ = std::make_unique_for_overwrite<std::uint8_t[]>(image.size_);
    read_whole(image.file_, {content_.get(), image.size_});
    data_ = content_.get();
    return;
  }
#endif
  content_ = std::make_unique_for_overwrite<std::uint8_t[]>(image.size_);
  std::copy_n(image.content_.get(), image.size_, content_.get());
  data_ = content_.get();
}

bool PageCopy::reset() {
#if defined(__linux__)
  return mapped_ != 0 && ::madvise(data_, mapped_, MADV_DONTNEED) == 0;
#else
  return false;
#endif
}

PageCopy::~PageCopy() {
#if defined(__linux__)
  if (mapped_ != 0) ::munmap(data_, mapped_);
#endif
}

}  // namespace tracedeck
