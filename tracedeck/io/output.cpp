#include "tracedeck/io/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "tracedeck/io/descriptor_output.hpp"
#include "tracedeck/io/stop_signal.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

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

// Opens a named pipe once somebody reads from it. open(2) would wait too, deaf to stop requests.
Result<FileDescriptor> open_pipe(const std::string& path, std::stop_token stop) {
  constexpr int kRetryMilliseconds = 25;
  StopSignal signal(std::move(stop));
  if (const int error = signal.arm(); error != 0)
    return fail(ErrorCode::kCannotOpen, why_not_opened(error), path);
  for (;;) {
    FileDescriptor pipe(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (pipe.valid()) {
      (void)::fcntl(pipe.get(), F_SETFL, O_WRONLY);
      return pipe;
    }
    if (errno != ENXIO && errno != EINTR)
      return fail(ErrorCode::kCannotOpen, why_not_opened(errno), path);
    if (signal.wait(-1, 0, kRetryMilliseconds) == StopSignal::Waited::kStopped)
      return fail(ErrorCode::kCannotOpen, "interrupted before anybody read from this pipe", path);
  }
}

// Opens and empties the .part file. Held under a lock, so that two commands at once with the same
// output do not write into each other; a kill leaves the file but no lock.
// `path`: the output, which errors name that are not about the .part file.
Result<FileDescriptor> open_part(const std::string& part, const std::string& path) {
  // O_NOFOLLOW: a link that somebody put in a shared folder is not followed. O_NONBLOCK: neither is
  // the reader of a named pipe waited for.
  FileDescriptor file(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  struct stat opened{};
  if (!file.valid()) {
    const int error = errno;
    const bool is_there = ::lstat(part.c_str(), &opened) == 0;
    return fail(ErrorCode::kCannotOpen, why_not_opened(error), is_there ? part : path);
  }
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

Result<std::unique_ptr<Output>> create_file(const std::string& path, std::stop_token stop) {
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    return open_directly(path, FileDescriptor(::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0)));
  }
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return fail(ErrorCode::kCannotOpen, why_not_opened(EISDIR), path);
    if (S_ISFIFO(status.st_mode)) {
      Result<FileDescriptor> pipe = open_pipe(path, std::move(stop));
      if (!pipe) return std::unexpected(std::move(pipe.error()));
      return open_directly(path, std::move(*pipe));
    }
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
  Result<FileDescriptor> file = open_part(part, path);
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
