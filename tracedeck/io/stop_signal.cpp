#include "tracedeck/io/stop_signal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace tracedeck::io {

void StopSignal::Wake::operator()() const noexcept {
  // One byte in an empty pipe, whose reading end is never emptied: only a signal can be in the way.
  while (::write(descriptor, "", 1) < 0 && errno == EINTR) {
  }
}

StopSignal::Waited StopSignal::wait(int descriptor, short events, int milliseconds) const {
  std::array<pollfd, 2> waited{{{.fd = descriptor, .events = events, .revents = 0},
                                {.fd = reading_.get(), .events = POLLIN, .revents = 0}}};
  while (!requested()) {
    const int ready = ::poll(waited.data(), waited.size(), milliseconds);
    if (ready > 0 && waited[0].revents != 0) return Waited::kReady;
    // A poll that fails for another reason than a signal leaves it to the read to say why.
    if (ready < 0 && errno != EINTR) return Waited::kReady;
    if (ready == 0) return Waited::kTimedOut;
  }
  return Waited::kStopped;
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
