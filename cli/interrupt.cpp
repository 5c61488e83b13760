#include "cli/interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace tracedeck::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};
constexpr char kQuit = 0;  // no signal

// The handler can reach nothing but statics. It only writes a byte: requesting a stop takes a lock
// that the interrupted code may hold, so a thread of its own does that.
std::atomic<int> wake_descriptor = -1;

// Between a signal and its handling another one may come.
void put(int descriptor, char what) {
  while (::write(descriptor, &what, 1) < 0 && errno == EINTR) {
  }
}

void handle(int signal) {
  const int error = errno;
  // Whatever comes next has its usual effect again.
  for (const int each : kSignals) ::signal(each, SIG_DFL);
  if (const int descriptor = wake_descriptor.load(); descriptor >= 0) {
    put(descriptor, static_cast<char>(signal));
  } else {
    ::raise(signal);
  }
  errno = error;
}

void install() {
  struct sigaction action{};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) {
    struct sigaction before{};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

void restore() {
  for (const int signal : kSignals) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler == handle) ::signal(signal, SIG_DFL);
  }
}

}  // namespace

Interrupt::Interrupt() {
  std::array<int, 2> ends{};
  // Without a pipe signals keep their usual effect: the work cannot be ended cleanly, but ends.
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  reading_ = ends[0];
  wake_descriptor = ends[1];
  waiter_ = std::thread([this] {
    char what = kQuit;
    while (::read(reading_, &what, 1) < 0 && errno == EINTR) {
    }
    if (what == kQuit) return;
    signal_ = what;
    source_.request_stop();
  });
  install();
}

Interrupt::~Interrupt() {
  if (!waiter_.joinable()) return;
  restore();
  const int descriptor = wake_descriptor.exchange(-1);
  put(descriptor, kQuit);
  waiter_.join();
  ::close(descriptor);
  ::close(reading_);
}

}  // namespace tracedeck::cli
