// What inputs and outputs share of the operating system: owned descriptors and readable errors.
#pragma once

#include <string>
#include <utility>

namespace tracedeck::io {

// A file descriptor that is closed with its owner, unless it is borrowed (standard input, standard
// output).
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor, bool borrowed = false)
      : descriptor_(descriptor), borrowed_(borrowed) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), borrowed_(other.borrowed_) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(borrowed_, other.borrowed_);
    return *this;
  }
  ~FileDescriptor() { (void)close(); }

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }

  // Closes now and returns 0 or the `errno` of close(2), which some file systems use to report a
  // write that failed late. Borrowed descriptors are only forgotten.
  [[nodiscard]] int close();

 private:
  int descriptor_ = -1;
  bool borrowed_ = false;
};

// Why the operating system refused to open something and what the user can do, as a sentence
// without a final full stop. `error` is an `errno`.
[[nodiscard]] std::string why_not_opened(int error);

// The same for a failed write.
[[nodiscard]] std::string why_not_written(int error);

// The operating system's own words.
[[nodiscard]] std::string system_message(int error);

}  // namespace tracedeck::io
