#include "tracedeck/io/stop_signal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace tracedeck::io {

void StopSignal::Wake::operator()() const noexcept {
  // One byte in an empty pipe: it cannot fail, and the reading end is never emptied.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, "", 1);
}

int StopSignal::arm() {
  if (!stop_.stop_possible()) return 0;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  reading_ = FileDescriptor(ends[0]);
  writing_ = FileDescriptor(ends[1]);
  callback_.emplace(stop_, Wake{ends[1]});
  return 0;
}

}  // namespace tracedeck::io
