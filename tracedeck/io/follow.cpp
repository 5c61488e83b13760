#include "tracedeck/io/follow.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/live_address.hpp"
#include "tracedeck/io/stop_signal.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

// How often a file that has ended is looked at again.
constexpr int kLookMilliseconds = 25;
// How often a device or file that has gone is tried again.
constexpr int kReopenMilliseconds = 250;
// So many looks find nothing more in a file that lost its name before it is left: who wrote it may
// not have noticed yet.
constexpr int kLastLooks = 4;

struct Speed {
  unsigned baud;
  speed_t speed;
};
constexpr Speed kSpeeds[] = {
    {50, B50},           {75, B75},           {110, B110},         {134, B134},
    {150, B150},         {200, B200},         {300, B300},         {600, B600},
    {1200, B1200},       {1800, B1800},       {2400, B2400},       {4800, B4800},
    {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
    {115200, B115200},   {230400, B230400},   {460800, B460800},   {500000, B500000},
    {576000, B576000},   {921600, B921600},   {1000000, B1000000}, {1152000, B1152000},
    {1500000, B1500000}, {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000},
    {3500000, B3500000}, {4000000, B4000000}};

std::optional<speed_t> serial_speed(unsigned baud) {
  const auto* const found = std::ranges::find(kSpeeds, baud, &Speed::baud);
  if (found == std::ranges::end(kSpeeds)) return std::nullopt;
  return found->speed;
}

FileDescriptor open_place(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

// Which file it is, and what of it was there.
struct FileState {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;
  timespec changed = {};

  friend bool operator==(const FileState& a, const FileState& b) {
    return a.device == b.device && a.number == b.number && a.size == b.size &&
           a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
  }
};

std::optional<FileState> state_of(const FileDescriptor& file) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return std::nullopt;
  return FileState{.device = status.st_dev,
                   .number = status.st_ino,
                   .size = status.st_size,
                   .changed = status.st_mtim};
}

// A file that is waited for where it ends, until another has its name or it was cut.
class FollowedFile final : public Input {
 public:
  // `refused` becomes the state of a file that is let go of before it ended.
  FollowedFile(std::string path, FileDescriptor file, const LiveNewsSink& news,
               std::stop_token stop, std::shared_ptr<std::optional<FileState>> refused)
      : path_(std::move(path)),
        file_(std::move(file)),
        news_(news),
        stop_(std::move(stop)),
        refused_(std::move(refused)) {}
  ~FollowedFile() override {
    if (!ended_) *refused_ = state_of(file_);
  }
  FollowedFile(const FollowedFile&) = delete;
  FollowedFile& operator=(const FollowedFile&) = delete;

  [[nodiscard]] int arm() { return stop_.arm(); }

  const std::string& name() const override { return path_; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override;
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds patience) override;
  Result<void> rewind() override {
    return fail(ErrorCode::kUnsupported, "what is followed cannot be read twice", name());
  }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return position_; }
  bool stopped() const override { return stopped_; }

 private:
  enum class State : std::uint8_t { kMore, kSame, kReplaced, kCut };
  [[nodiscard]] State look() const;

  std::string path_;
  FileDescriptor file_;
  const LiveNewsSink& news_;
  StopSignal stop_;
  std::shared_ptr<std::optional<FileState>> refused_;
  std::uint64_t position_ = 0;
  int last_looks_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
};

FollowedFile::State FollowedFile::look() const {
  struct stat opened{};
  if (::fstat(file_.get(), &opened) != 0) return State::kSame;
  const auto size = static_cast<std::uint64_t>(opened.st_size);
  if (size > position_) return State::kMore;
  if (size < position_) return State::kCut;
  struct stat named{};
  // Without any file of the name the next one is still to come.
  if (::stat(path_.c_str(), &named) != 0) return State::kSame;
  const bool same = named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
  return same ? State::kSame : State::kReplaced;
}

bool FollowedFile::ready(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!ended_ && !stop_.requested() && look() == State::kSame) {
    if (std::chrono::steady_clock::now() >= until) return false;
    (void)stop_.wait(-1, 0, kLookMilliseconds);
  }
  return true;
}

Result<std::size_t> FollowedFile::read(std::uint8_t* into, std::size_t size) {
  while (!ended_) {
    if (stop_.requested()) {
      stopped_ = ended_ = true;
      break;
    }
    // Looked at before the read, so that nothing written between the two is missed.
    const State state = look();
    const ssize_t got = state == State::kCut ? 0 : ::read(file_.get(), into, size);
    if (got > 0) {
      position_ += static_cast<std::uint64_t>(got);
      last_looks_ = 0;
      return static_cast<std::size_t>(got);
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) return read_failed(errno, name(), position_);
    if (state == State::kCut) {
      news_(LiveNews::kChange, fmt::format("{}: it was cut; reading begins anew", path_));
      ended_ = true;
    } else if (state == State::kReplaced && ++last_looks_ > kLastLooks) {
      news_(LiveNews::kChange, fmt::format("{}: another file has this name now", path_));
      ended_ = true;
    } else {
      (void)stop_.wait(-1, 0, kLookMilliseconds);
    }
  }
  return std::size_t{0};
}

// What is opened anew at a place, again and again.
class FollowedPlace : public InputSequence {
 public:
  FollowedPlace(std::string path, LiveOptions options, FileDescriptor first, std::stop_token stop)
      : path_(std::move(path)),
        options_(std::move(options)),
        first_(std::move(first)),
        token_(stop),
        stop_(std::move(stop)) {}

  [[nodiscard]] int arm() { return stop_.arm(); }
  const std::string& name() const override { return path_; }

 protected:
  std::string path_;
  LiveOptions options_;
  FileDescriptor first_;
  std::stop_token token_;
  StopSignal stop_;
};

class FollowedFiles final : public FollowedPlace {
 public:
  using FollowedPlace::FollowedPlace;

  Result<std::unique_ptr<Input>> next() override {
    FileDescriptor file = std::exchange(first_, FileDescriptor());
    while (!file.valid() && !stop_.requested()) {
      file = open_place(path_);
      // As it was, it would be refused again.
      if (file.valid() && *refused_ && state_of(file) == *refused_) file = FileDescriptor();
      if (!file.valid()) (void)stop_.wait(-1, 0, kLookMilliseconds);
    }
    if (!file.valid()) return nullptr;
    refused_->reset();
    auto input =
        std::make_unique<FollowedFile>(path_, std::move(file), options_.news, token_, refused_);
    if (const int error = input->arm(); error != 0) {
      return fail(ErrorCode::kCannotOpen, why_not_opened(error), path_);
    }
    return input;
  }

 private:
  std::shared_ptr<std::optional<FileState>> refused_ = std::make_shared<std::optional<FileState>>();
};

// A terminal line that passes bytes on as they are, for as long as this lives.
class RawMode {
 public:
  // `speed`: of <termios.h>; B0: as it is.
  RawMode(FileDescriptor line, speed_t speed) : line_(std::move(line)) {
    if (!line_.valid() || ::tcgetattr(line_.get(), &before_) != 0) return;
    termios raw = before_;
    ::cfmakeraw(&raw);
    // Modem lines do not matter, and a byte is enough for a read to return.
    raw.c_cflag |= static_cast<tcflag_t>(CLOCAL | CREAD);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (speed != B0) (void)::cfsetspeed(&raw, speed);
    changed_ = ::tcsetattr(line_.get(), TCSANOW, &raw) == 0;
    // That succeeds when any part of it did.
    termios now{};
    has_speed_ = changed_ && ::tcgetattr(line_.get(), &now) == 0 && ::cfgetispeed(&now) == speed;
  }
  ~RawMode() {
    if (changed_) (void)::tcsetattr(line_.get(), TCSANOW, &before_);
  }
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

  // Whether the line took the speed.
  [[nodiscard]] bool has_speed() const { return has_speed_; }

 private:
  FileDescriptor line_;
  termios before_{};
  bool changed_ = false;
  bool has_speed_ = false;
};

// A device or named pipe: what fails or ends there hangs up.
class DeviceInput final : public Input {
 public:
  DeviceInput(std::unique_ptr<Input> line, FileDescriptor mode, speed_t speed)
      : mode_(std::move(mode), speed), line_(std::move(line)) {}

  [[nodiscard]] bool has_speed() const { return mode_.has_speed(); }

  const std::string& name() const override { return line_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    const Result<std::size_t> got = ended_ ? std::size_t{0} : line_->read(into, size);
    ended_ = got.value_or(0) == 0;
    return got.value_or(0);
  }
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds patience) override {
    return ended_ || line_->ready(patience);
  }
  Result<void> rewind() override { return line_->rewind(); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return line_->stored_position(); }
  bool stopped() const override { return line_->stopped(); }

 private:
  RawMode mode_;
  std::unique_ptr<Input> line_;
  bool ended_ = false;
};

class Device final : public FollowedPlace {
 public:
  using FollowedPlace::FollowedPlace;

  Result<std::unique_ptr<Input>> next() override {
    FileDescriptor line = std::exchange(first_, FileDescriptor());
    if (!line.valid() && !stop_.requested()) {
      options_.news(LiveNews::kChange, fmt::format("{}: it ended; waiting for more", path_));
      // A line that hangs up at once whenever it is opened would keep the machine busy.
      do {
        (void)stop_.wait(-1, 0, kReopenMilliseconds);
        if (!stop_.requested()) line = open_place(path_);
      } while (!line.valid() && !stop_.requested());
    }
    if (!line.valid()) return nullptr;
    FileDescriptor mode(::isatty(line.get()) == 1 ? ::fcntl(line.get(), F_DUPFD_CLOEXEC, 0) : -1);
    Result<std::unique_ptr<Input>> input = descriptor_input(path_, std::move(line), token_);
    if (!input) return input;
    auto device = std::make_unique<DeviceInput>(std::move(*input), std::move(mode),
                                                serial_speed(options_.baud).value_or(B0));
    if (options_.baud != 0 && !device->has_speed()) {
      options_.news(
          LiveNews::kChange,
          fmt::format("{}: its speed cannot be set to {} bits a second", path_, options_.baud));
    }
    return device;
  }
};

template <class Sequence>
Result<std::unique_ptr<InputSequence>> make(const std::string& path, const LiveOptions& options,
                                            FileDescriptor file, std::stop_token stop) {
  auto sequence = std::make_unique<Sequence>(path, options, std::move(file), std::move(stop));
  if (const int error = sequence->arm(); error != 0) {
    return fail(ErrorCode::kCannotOpen, why_not_opened(error), path);
  }
  return sequence;
}

}  // namespace

std::vector<unsigned> serial_speeds() {
  std::vector<unsigned> speeds;
  for (const Speed& each : kSpeeds) speeds.push_back(each.baud);
  return speeds;
}

Result<std::unique_ptr<InputSequence>> follow(const std::string& path, const LiveOptions& options,
                                              std::stop_token stop) {
  FileDescriptor file = open_place(path);
  struct stat status{};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) {
    const int error = errno;
    std::string why = error == ENOENT ? why_no_address(path) : std::string();
    return fail(ErrorCode::kCannotOpen, why.empty() ? why_not_opened(error) : std::move(why), path);
  }
  if (S_ISREG(status.st_mode))
    return make<FollowedFiles>(path, options, std::move(file), std::move(stop));
  if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))
    return make<Device>(path, options, std::move(file), std::move(stop));
  return fail(ErrorCode::kUnsupported, "only files, devices and named pipes can be followed", path);
}

}  // namespace tracedeck::io
