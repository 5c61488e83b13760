#include "tracedeck/io/file_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tracedeck/io/live_address.hpp"
#include "tracedeck/io/stop_signal.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

// A pipe of the usual 64 KiB makes writer and reader take turns: 0.9 GB/s instead of 2.7 GB/s
// (measured with `cat` on two cores). The system may refuse.
void widen_pipe(int descriptor) {
  constexpr int kPipeSize = 256 << 10;
  if (::fcntl(descriptor, F_GETPIPE_SZ) < kPipeSize) {
    (void)::fcntl(descriptor, F_SETPIPE_SZ, kPipeSize);
  }
}

// Without O_NONBLOCK a named pipe would wait here for its writer, deaf to stop requests; reads wait
// in poll(2) instead, which reports no end before a first writer came.
FileDescriptor open_for_reading(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

class FileInput final : public ParkableInput {
 public:
  FileInput(std::string name, FileDescriptor file, std::stop_token stop)
      : name_(std::move(name)), file_(std::move(file)), stop_(std::move(stop)) {}

  // Looks at what the descriptor is.
  Result<void> prepare();

  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override;
  Result<std::uint64_t> skip(std::uint64_t bytes) override;
  bool seekable() const override { return seekable_; }
  bool ready(std::chrono::milliseconds patience) override {
    return seekable_ || ended_ || stop_.requested() || wait(static_cast<int>(patience.count())) ||
           stop_.requested();
  }
  Result<void> rewind() override;
  std::optional<std::uint64_t> size() const override { return size_; }
  std::uint64_t stored_position() const override { return position_; }
  bool stopped() const override { return stopped_; }
  void park() override { (void)file_.close(); }

 private:
  // Opens the file again after it was parked.
  Result<void> unpark();
  // Seeks over up to `bytes` bytes that are there; returns how many.
  std::uint64_t seek_over(std::uint64_t bytes);
  // Waits for up to `milliseconds`, -1: for ever, until a read would not. False when none came, or
  // a stop request in its place.
  bool wait(int milliseconds);
  // Whether a read would find the end, where no bytes have arrived.
  [[nodiscard]] bool has_end() const;
  // How much of `size` may be read: what the system has at a stop request is lost unless it is read
  // then, of what it holds for us and no file does.
  std::size_t allowed(std::size_t size);

  std::string name_;
  FileDescriptor file_;
  StopSignal stop_;
  bool seekable_ = false;
  std::int64_t start_ = 0;  // where standard input stood when we got it
  dev_t device_ = 0;        // these two say which file it is
  ino_t inode_ = 0;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> left_;  // after a stop request: of what had arrived
  bool ended_ = false;
  bool stopped_ = false;
};

Result<void> FileInput::prepare() {
  struct stat status{};
  if (::fstat(file_.get(), &status) != 0) {
    return fail(ErrorCode::kCannotOpen,
                errno == EBADF ? "it is closed; give it a file or a pipe" : why_not_opened(errno),
                name_);
  }
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::kCannotOpen, why_not_opened(EISDIR), name_);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode)) {
    start_ = ::lseek(file_.get(), 0, SEEK_CUR);
    seekable_ = start_ >= 0;
  }
  if (!seekable_) {
    if (S_ISFIFO(status.st_mode)) widen_pipe(file_.get());
    if (const int error = stop_.arm(); error != 0) {
      return fail(ErrorCode::kCannotOpen, why_not_opened(error), name_);
    }
    return {};
  }
  // Files of /proc and the like claim to be empty and are not.
  if (status.st_size > start_) size_ = static_cast<std::uint64_t>(status.st_size - start_);
  // Twice the read-ahead; a file system that has no use for the hint may refuse it.
  (void)::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return {};
}

bool FileInput::wait(int milliseconds) {
  return stop_.wait(file_.get(), POLLIN, milliseconds) == StopSignal::Waited::kReady;
}

Result<void> FileInput::unpark() {
  const auto failed = [this](const std::string& why) {
    return fail(ErrorCode::kReadFailed, "it cannot be opened again: " + why, name_, position_);
  };
  FileDescriptor file = open_for_reading(name_);
  struct stat status{};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return failed(why_not_opened(errno));
  if (status.st_dev != device_ || status.st_ino != inode_)
    return failed("another file has its name by now");
  if (::lseek(file.get(), start_ + static_cast<std::int64_t>(position_), SEEK_SET) < 0)
    return failed(system_message(errno));
  file_ = std::move(file);
  return {};
}

bool FileInput::has_end() const {
  pollfd end{.fd = file_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLIN | POLLHUP)) != 0;
}

std::size_t FileInput::allowed(std::size_t size) {
  if (seekable_) return stop_.requested() ? 0 : size;
  if (!left_) {
    if (wait(StopSignal::kForEver)) return size;
    int arrived = 0;
    const bool known = ::ioctl(file_.get(), FIONREAD, &arrived) == 0 && arrived > 0;
    left_ = known ? static_cast<std::uint64_t>(arrived) : has_end() ? 1 : 0;
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(size, *left_));
}

Result<std::size_t> FileInput::read(std::uint8_t* into, std::size_t size) {
  if (!file_.valid()) {
    if (auto opened = unpark(); !opened) return std::unexpected(std::move(opened.error()));
  }
  while (!ended_) {
    const std::size_t most = allowed(size);
    if (most == 0) {
      stopped_ = ended_ = true;
      break;
    }
    const ssize_t got = ::read(file_.get(), into, most);
    if (got > 0) {
      position_ += static_cast<std::uint64_t>(got);
      if (left_) *left_ -= std::min(*left_, static_cast<std::uint64_t>(got));
      return static_cast<std::size_t>(got);
    }
    if (got == 0) {
      ended_ = true;
    } else if (errno == EAGAIN && left_) {
      left_ = 0;
    } else if (errno != EINTR && errno != EAGAIN) {
      return read_failed(errno, name_, position_);
    }
  }
  return std::size_t{0};
}

std::uint64_t FileInput::seek_over(std::uint64_t bytes) {
  struct stat status{};
  if (!seekable_ || ended_ || ::fstat(file_.get(), &status) != 0) return 0;
  // A seek behind the end would succeed. Devices have no size here; those are read.
  const std::int64_t end = status.st_size - start_;
  if (end < 0 || static_cast<std::uint64_t>(end) <= position_) return 0;
  const std::uint64_t distance = std::min(bytes, static_cast<std::uint64_t>(end) - position_);
  const auto target = start_ + static_cast<std::int64_t>(position_ + distance);
  if (::lseek(file_.get(), target, SEEK_SET) < 0) return 0;
  position_ += distance;
  return distance;
}

Result<std::uint64_t> FileInput::skip(std::uint64_t bytes) {
  if (!file_.valid()) {
    if (auto opened = unpark(); !opened) return std::unexpected(std::move(opened.error()));
  }
  const std::uint64_t passed = stop_.requested() ? 0 : seek_over(bytes);
  if (passed == bytes) return passed;
  const Result<std::uint64_t> rest = Input::skip(bytes - passed);
  if (!rest && passed == 0) return rest;
  return passed + rest.value_or(0);
}

Result<void> FileInput::rewind() {
  if (!seekable_) {
    return fail(ErrorCode::kUnsupported, "a pipe cannot be read twice; give a file", name_);
  }
  if (file_.valid() && ::lseek(file_.get(), start_, SEEK_SET) < 0) {
    return fail(ErrorCode::kReadFailed, "the system failed the seek: " + system_message(errno),
                name_);
  }
  position_ = 0;
  ended_ = stopped_ = false;
  return {};
}

Result<std::unique_ptr<FileInput>> file_input(std::string name, FileDescriptor file,
                                              std::stop_token stop) {
  auto input = std::make_unique<FileInput>(std::move(name), std::move(file), std::move(stop));
  if (Result<void> prepared = input->prepare(); !prepared)
    return std::unexpected(std::move(prepared.error()));
  return input;
}

}  // namespace

std::unexpected<Error> read_failed(int error, const std::string& name,
                                   std::optional<std::uint64_t> position) {
  return fail(ErrorCode::kReadFailed, "the system failed the read: " + system_message(error), name,
              position);
}

Result<std::unique_ptr<Input>> descriptor_input(std::string name, FileDescriptor file,
                                                std::stop_token stop) {
  auto input = file_input(std::move(name), std::move(file), std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  return *std::move(input);
}

Result<std::unique_ptr<ParkableInput>> open_parkable(const std::string& path,
                                                     std::stop_token stop) {
  const bool standard = path == "-";
  std::string name = standard ? "standard input" : path;
  FileDescriptor file = standard ? FileDescriptor(STDIN_FILENO, true) : open_for_reading(path);
  if (!file.valid()) {
    const int error = errno;
    std::string why = error == ENOENT ? why_no_address(name) : std::string();
    return fail(ErrorCode::kCannotOpen, why.empty() ? why_not_opened(error) : std::move(why),
                std::move(name));
  }
  auto input = file_input(std::move(name), std::move(file), std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  return *std::move(input);
}

Result<std::unique_ptr<Input>> open_file(const std::string& path, std::stop_token stop) {
  auto input = open_parkable(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  return *std::move(input);
}

}  // namespace tracedeck::io
