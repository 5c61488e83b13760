#include "tracedeck/io/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

// Above 64 KiB, what a pipe holds, more bytes a call gain little; twice that also serves files.
constexpr std::size_t kBufferSize = std::size_t{128} << 10;

// A descriptor written to through a buffer. With `final_path` what was written lies under
// `part_path` and gets its name when complete.
//
// The renamed file is not forced onto the disk (fsync): that would make every command wait for the
// device, and guards only against a failing machine, after which a command is run again. A killed
// command and a full disk, network file systems included (they report at close), never leave a
// short file under the final name.
class DescriptorOutput final : public Output {
 public:
  DescriptorOutput(std::string name, FileDescriptor file, std::string part_path = {},
                   std::string final_path = {})
      : name_(std::move(name)),
        file_(std::move(file)),
        part_path_(std::move(part_path)),
        final_path_(std::move(final_path)),
        buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(kBufferSize)) {}

  const std::string& name() const override { return name_; }
  Result<void> write(ByteSpan bytes) override;
  Result<void> flush() override;
  Result<void> finish() override;
  void discard() override;

 private:
  // Hands bytes to the system; the error sticks.
  Result<void> put(ByteSpan bytes);
  Result<void> fail_write(int error);

  std::string name_;
  FileDescriptor file_;
  std::string part_path_;
  std::string final_path_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t used_ = 0;
  std::optional<Error> failure_;
  bool finished_ = false;
};

Result<void> DescriptorOutput::fail_write(int error) {
  const bool pipe = error == EPIPE;
  std::string message = why_not_written(error);
  if (!part_path_.empty()) message += "; what was written until then is in " + part_path_;
  failure_ = Error{.code = pipe ? ErrorCode::kBrokenPipe : ErrorCode::kWriteFailed,
                   .message = std::move(message),
                   .input = name_};
  return std::unexpected(*failure_);
}

Result<void> DescriptorOutput::put(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.get(), bytes.data(), bytes.size());
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      // Somebody who shares the descriptor made it non-blocking.
      pollfd waited{.fd = file_.get(), .events = POLLOUT, .revents = 0};
      (void)::poll(&waited, 1, -1);
    } else if (errno != EINTR) {
      return fail_write(errno);
    }
  }
  return {};
}

Result<void> DescriptorOutput::write(ByteSpan bytes) {
  if (failure_) return std::unexpected(*failure_);
  if (finished_) return fail(ErrorCode::kInvalidArgument, "the output is finished", name_);
  if (bytes.size() > kBufferSize - used_) {
    if (Result<void> flushed = flush(); !flushed) return flushed;
    if (bytes.size() >= kBufferSize) return put(bytes);
  }
  if (!bytes.empty()) std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
  used_ += bytes.size();
  return {};
}

Result<void> DescriptorOutput::flush() {
  if (failure_) return std::unexpected(*failure_);
  return put({buffer_.get(), std::exchange(used_, 0)});
}

Result<void> DescriptorOutput::finish() {
  if (Result<void> flushed = flush(); !flushed || finished_) return flushed;
  finished_ = true;
  // Closing a copy brings out errors that the file system reports late, while the file itself stays
  // open, and so locked, until it has its name.
  if (FileDescriptor copy(::dup(file_.get())); copy.valid()) {
    if (const int error = copy.close(); error != 0) return fail_write(error);
  }
  if (!final_path_.empty() && std::rename(part_path_.c_str(), final_path_.c_str()) != 0) {
    failure_ = Error{.code = ErrorCode::kWriteFailed,
                     .message = "the output is complete but could not be renamed (" +
                                system_message(errno) + "); it is in " + part_path_,
                     .input = name_};
    return std::unexpected(*failure_);
  }
  (void)file_.close();
  return {};
}

void DescriptorOutput::discard() {
  if (finished_) return;
  finished_ = true;
  used_ = 0;
  // Still under its lock, so that the name is not yet that of another command's file.
  if (!part_path_.empty()) ::unlink(part_path_.c_str());
  (void)file_.close();
}

class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::string& into) : into_(into) {}

  const std::string& name() const override { return name_; }
  Result<void> write(ByteSpan bytes) override {
    into_.append(as_text(bytes));
    return {};
  }
  Result<void> flush() override { return {}; }
  Result<void> finish() override { return {}; }

 private:
  std::string name_ = "memory";
  std::string& into_;
};

// The descriptor that a path like /dev/stdout or /dev/fd/3 stands for. Opening such a path anew
// would start a redirected file from its beginning, and a .part file beside it would lie in /dev.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int descriptor = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), descriptor);
    if (error == std::errc{} && end == digits.data() + digits.size() && descriptor >= 0) {
      return descriptor;
    }
  }
  return {};
}

Result<std::unique_ptr<Output>> open_directly(const std::string& path, FileDescriptor file) {
  if (!file.valid()) return fail(ErrorCode::kCannotOpen, why_not_opened(errno), path);
  return std::make_unique<DescriptorOutput>(path, std::move(file));
}

// Opens and empties the .part file. Held under a lock, so that two commands at once with the same
// output do not write into each other; a kill leaves the file but no lock.
Result<FileDescriptor> open_part(const std::string& part) {
  // O_NOFOLLOW: a link that somebody put in a shared folder is not followed. O_NONBLOCK: neither is
  // the reader of a named pipe waited for.
  FileDescriptor file(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!file.valid()) return fail(ErrorCode::kCannotOpen, why_not_opened(errno), part);
  struct stat opened{};
  if (::fstat(file.get(), &opened) != 0 || !S_ISREG(opened.st_mode)) {
    return fail(ErrorCode::kCannotOpen, "this is in the way and no plain file; remove it", part);
  }
  struct stat named{};
  // Without locks (some network file systems) it goes on unguarded. A name that meanwhile belongs
  // to another file means that the other command has just finished.
  if ((::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
      ::lstat(part.c_str(), &named) != 0 || named.st_ino != opened.st_ino) {
    return fail(ErrorCode::kCannotOpen,
                "another command is writing this; wait for it or choose another name", part);
  }
  if (::ftruncate(file.get(), 0) != 0) {
    return fail(ErrorCode::kCannotOpen, why_not_opened(errno), part);
  }
  return file;
}

// A link keeps pointing at the output, and the rename stays within one file system.
std::string final_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  return error ? path : resolved.string();
}

}  // namespace

std::string part_path(const std::string& path) {
  struct stat status{};
  const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (special || descriptor_of(path)) return {};
  return final_path(path) + ".part";
}

Result<std::unique_ptr<Output>> create_file(const std::string& path) {
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    return open_directly(path, FileDescriptor(::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0)));
  }
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return fail(ErrorCode::kCannotOpen, why_not_opened(EISDIR), path);
    if (!S_ISREG(status.st_mode)) {
      return open_directly(path,
                           FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)));
    }
    if (::access(path.c_str(), W_OK) != 0) {
      return fail(ErrorCode::kCannotOpen, "this file is write-protected; choose another name",
                  path);
    }
  } else if (path.empty() || path.ends_with('/')) {
    return fail(ErrorCode::kCannotOpen, "this names no file; add a file name", path);
  }
  std::string part = part_path(path);
  Result<FileDescriptor> file = open_part(part);
  if (!file) return std::unexpected(std::move(file.error()));
  return std::make_unique<DescriptorOutput>(path, std::move(*file), std::move(part),
                                            final_path(path));
}

std::unique_ptr<Output> standard_output() {
  return std::make_unique<DescriptorOutput>("standard output", FileDescriptor(STDOUT_FILENO, true));
}

std::unique_ptr<Output> memory_output(std::string& into) {
  return std::make_unique<MemoryOutput>(into);
}

}  // namespace tracedeck::io
