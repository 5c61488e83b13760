#include "tracedeck/io/tcp.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/socket.hpp"
#include "tracedeck/io/stop_signal.hpp"

namespace tracedeck::io {
namespace {

// A peer that is gone without a word is noticed after about two minutes.
void expect_life(const FileDescriptor& socket) {
  constexpr int kOn = 1;
  constexpr int kIdleSeconds = 60;
  constexpr int kBetweenSeconds = 20;
  constexpr int kProbes = 3;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof kOn);
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, &kBetweenSeconds,
                     sizeof kBetweenSeconds);
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
}

// Connects to one address. Returns 0 or an `errno`; ECANCELED after a stop request.
int connect_to(const FileDescriptor& socket, const SocketAddress& place, const StopSignal& stop) {
  if (::connect(socket.get(), place.get(), place.size) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (stop.wait(socket.get(), POLLOUT, StopSignal::kForEver) == StopSignal::Waited::kStopped)
    return ECANCELED;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

// A peer that has connected and not yet sent anything.
struct SilentPeer {
  FileDescriptor socket;
  std::string address;
};

class Listener final : public InputSequence {
 public:
  Listener(LiveAddress address, LiveOptions options, FileDescriptor socket, std::stop_token stop)
      : address_(std::move(address)),
        options_(std::move(options)),
        socket_(std::move(socket)),
        token_(stop),
        stop_(std::move(stop)) {}

  [[nodiscard]] int arm() { return stop_.arm(); }

  const std::string& name() const override { return address_.text; }
  std::size_t at_once() const override { return std::max<std::size_t>(options_.most_peers, 1); }
  Result<std::unique_ptr<Input>> next() override;

 private:
  // Waits until a peer connects, a silent one sends something or disconnects, or a stop is
  // requested.
  [[nodiscard]] bool wait();
  // Accepts a connection. False: there is none to accept. Error: kCannotOpen.
  [[nodiscard]] Result<bool> accept_one();
  [[nodiscard]] bool full() const { return silent_.size() >= at_once(); }
  // A silent peer that has sent something or disconnected. Null: none has.
  [[nodiscard]] Result<std::unique_ptr<Input>> take_ready();

  LiveAddress address_;
  LiveOptions options_;
  FileDescriptor socket_;
  std::stop_token token_;
  StopSignal stop_;
  std::vector<SilentPeer> silent_;
  bool reported_full_ = false;
};

// Whether a peer has sent something, or has disconnected.
bool has_something(const FileDescriptor& socket) {
  pollfd waited{.fd = socket.get(), .events = POLLIN, .revents = 0};
  return ::poll(&waited, 1, 0) > 0;
}

bool Listener::wait() {
  std::vector<pollfd> waited = {{.fd = stop_.descriptor(), .events = POLLIN, .revents = 0}};
  // While there is no room for further peers, the system keeps them waiting.
  if (!full()) waited.push_back({.fd = socket_.get(), .events = POLLIN, .revents = 0});
  for (const SilentPeer& peer : silent_)
    waited.push_back({.fd = peer.socket.get(), .events = POLLIN, .revents = 0});
  while (::poll(waited.data(), waited.size(), StopSignal::kForEver) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

Result<bool> Listener::accept_one() {
  SocketAddress from;
  from.size = sizeof from.storage;
  FileDescriptor peer(
      ::accept4(socket_.get(), from.get(), &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!peer.valid()) {
    if (errno == EAGAIN) return false;
    // A peer that has gone again is none of ours.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) return true;
    return fail(ErrorCode::kCannotOpen, why_not_opened(errno), name());
  }
  expect_life(peer);
  options_.news(LiveNews::kPeer, fmt::format("{}: {} came", name(), from.text()));
  silent_.push_back({.socket = std::move(peer), .address = from.text()});
  if (full() && !std::exchange(reported_full_, true)) {
    options_.news(LiveNews::kChange,
                  fmt::format("{}: {} peers are connected and have sent nothing; further ones wait "
                              "until one of them does or disconnects",
                              name(), silent_.size()));
  }
  return true;
}

Result<std::unique_ptr<Input>> Listener::take_ready() {
  const auto found = std::ranges::find_if(
      silent_, [](const SilentPeer& peer) { return has_something(peer.socket); });
  if (found == silent_.end()) return nullptr;
  SilentPeer peer = std::move(*found);
  silent_.erase(found);
  return descriptor_input(fmt::format("{}/{}", name(), peer.address), std::move(peer.socket),
                          token_);
}

Result<std::unique_ptr<Input>> Listener::next() {
  for (;;) {
    const bool stopped = stop_.requested();
    // Connections are accepted first, so that at a stop request none is forgotten.
    for (bool more = true; more && (!full() || stopped);) {
      const Result<bool> came = accept_one();
      if (!came) return std::unexpected(came.error());
      more = *came;
    }
    auto input = take_ready();
    if (!input || *input != nullptr || stopped) return input;
    if (!wait()) return nullptr;
  }
}

}  // namespace

Result<std::unique_ptr<InputSequence>> tcp_connect(const LiveAddress& address,
                                                   std::stop_token stop) {
  const Result<std::vector<SocketAddress>> places = resolve(address, SOCK_STREAM);
  if (!places) return std::unexpected(places.error());
  StopSignal signal(stop);
  int error = signal.arm();
  for (const SocketAddress& place : *places) {
    FileDescriptor socket(
        ::socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = socket.valid() ? connect_to(socket, place, signal) : errno;
    if (error == ECANCELED) break;
    if (error != 0) continue;
    expect_life(socket);
    auto input = descriptor_input(address.text, std::move(socket), std::move(stop));
    if (!input) return std::unexpected(std::move(input.error()));
    return single_input(std::move(*input));
  }
  return fail(ErrorCode::kCannotOpen,
              error == ECANCELED ? "it was stopped before it was connected" : why_no_socket(error),
              address.text);
}

Result<std::unique_ptr<InputSequence>> tcp_listen(const LiveAddress& address,
                                                  const LiveOptions& options,
                                                  std::stop_token stop) {
  Result<FileDescriptor> socket = bind_socket(address, SOCK_STREAM, options);
  if (!socket) return std::unexpected(std::move(socket.error()));
  auto listener = std::make_unique<Listener>(address, options, std::move(*socket), std::move(stop));
  if (const int error = listener->arm(); error != 0) {
    return fail(ErrorCode::kCannotOpen, why_not_opened(error), address.text);
  }
  return listener;
}

}  // namespace tracedeck::io
