#include "tracedeck/io/descriptor_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tracedeck::io {
namespace {

// Above 64 KiB, what a pipe holds, more bytes a call gain little; twice that also serves files.
constexpr std::size_t kOutputBuffer = std::size_t{128} << 10;
// What is as large is not copied first.
constexpr std::size_t kWrittenAtOnce = kOutputBuffer / 2;

}  // namespace

DescriptorOutput::DescriptorOutput(std::string name, FileDescriptor file, std::string part_path,
                                   std::string final_path)
    : name_(std::move(name)),
      file_(std::move(file)),
      part_path_(std::move(part_path)),
      final_path_(std::move(final_path)),
      buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(kOutputBuffer)) {}

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
  const bool at_once = bytes.size() >= kWrittenAtOnce;
  if (at_once || bytes.size() > kOutputBuffer - used_) {
    if (Result<void> flushed = flush(); !flushed || at_once) return flushed ? put(bytes) : flushed;
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
  if (finished_ || failure_) return;
  finished_ = true;
  used_ = 0;
  // Still under its lock, so that the name is not yet that of another command's file.
  if (!part_path_.empty()) ::unlink(part_path_.c_str());
  (void)file_.close();
}

}  // namespace tracedeck::io
