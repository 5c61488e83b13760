#include "tracedeck/io/tcp.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/open_files.hpp"
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

// The bytes of a peer, until it stalls where its reader waits for the rest of something.
class PeerInput final : public Input {
 public:
  PeerInput(std::unique_ptr<Input> input, std::chrono::milliseconds stall_limit, LiveNewsSink news)
      : input_(std::move(input)), stall_limit_(stall_limit), news_(std::move(news)) {}

  const std::string& name() const override { return input_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    if (!stalled_ && midway_ && stall_limit_.count() != 0 && !input_->ready(stall_limit_)) {
      stalled_ = true;
      news_(LiveNews::kCut,
            fmt::format("{}: it was let go of, since it sent nothing for {} s in the middle of a "
                        "frame; what came before is kept (--stall-limit)",
                        name(), static_cast<double>(stall_limit_.count()) / 1000));
    }
    if (stalled_) return std::size_t{0};
    return input_->read(into, size);
  }
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds patience) override {
    return stalled_ || input_->ready(patience);
  }
  Result<void> rewind() override { return input_->rewind(); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return input_->stored_position(); }
  void set_midway(bool midway) override { midway_ = midway; }
  bool stopped() const override { return input_->stopped(); }

 private:
  std::unique_ptr<Input> input_;
  std::chrono::milliseconds stall_limit_;
  LiveNewsSink news_;
  bool midway_ = false;
  bool stalled_ = false;
};

// How many peers can be served, and as many be silent, with the descriptors that there may be.
std::size_t peers_with_descriptors(std::size_t most) {
  // Of a peer that is served: its socket, what wakes its reader, a temporary file of a recording.
  // One of a silent one.
  constexpr std::size_t kOfEach = 5;
  constexpr std::size_t kOthers = 24;  // standard ones, results, spill files, libraries
  const std::size_t allowed = allow_open_files(most * kOfEach);
  return std::clamp<std::size_t>((std::max(allowed, kOthers) - kOthers) / kOfEach, 1, most);
}

class Listener final : public InputSequence {
 public:
  Listener(LiveAddress address, LiveOptions options, FileDescriptor socket, std::stop_token stop)
      : address_(std::move(address)),
        options_(std::move(options)),
        socket_(std::move(socket)),
        token_(stop),
        stop_(std::move(stop)),
        at_once_(peers_with_descriptors(std::max<std::size_t>(options_.most_peers, 1))) {}

  [[nodiscard]] int arm() { return stop_.arm(); }

  const std::string& name() const override { return address_.text; }
  std::size_t at_once() const override { return at_once_; }
  Result<std::unique_ptr<Input>> next() override;

 private:
  // Waits until a peer connects, a silent one sends something or disconnects, or a stop is
  // requested.
  [[nodiscard]] bool wait();
  // Accepts a connection. False: there is none that can be accepted now. Error: kCannotOpen.
  [[nodiscard]] Result<bool> accept_one();
  [[nodiscard]] bool full() const { return silent_.size() >= at_once(); }
  // A silent peer that has sent something or disconnected. Null: none has.
  [[nodiscard]] Result<std::unique_ptr<Input>> take_ready();

  LiveAddress address_;
  LiveOptions options_;
  FileDescriptor socket_;
  std::stop_token token_;
  StopSignal stop_;
  std::size_t at_once_;
  std::vector<SilentPeer> silent_;
  bool reported_full_ = false;
  AcceptPause pause_;
};

// Whether a peer has sent something, or has disconnected.
bool has_something(const FileDescriptor& socket) {
  pollfd waited{.fd = socket.get(), .events = POLLIN, .revents = 0};
  return ::poll(&waited, 1, 0) > 0;
}

bool Listener::wait() {
  std::vector<pollfd> waited = {{.fd = stop_.descriptor(), .events = POLLIN, .revents = 0}};
  // While there is no room for further peers, the system keeps them waiting.
  const bool pauses = pause_.lasts();
  if (!full() && !pauses) waited.push_back({.fd = socket_.get(), .events = POLLIN, .revents = 0});
  for (const SilentPeer& peer : silent_)
    waited.push_back({.fd = peer.socket.get(), .events = POLLIN, .revents = 0});
  const auto patience =
      std::chrono::ceil<std::chrono::milliseconds>(pause_.end() - std::chrono::steady_clock::now());
  while (::poll(waited.data(), waited.size(),
                pauses ? static_cast<int>(std::max<std::int64_t>(patience.count(), 1))
                       : StopSignal::kForEver) < 0) {
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
    if (lacks_descriptors(errno)) {
      if (pause_.begin())
        options_.news(LiveNews::kChange, fmt::format("{}: {}; peers that come wait meanwhile",
                                                     name(), why_not_opened(errno)));
      return false;
    }
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
  auto input =
      descriptor_input(fmt::format("{}/{}", name(), peer.address), std::move(peer.socket), token_);
  if (!input) return std::unexpected(std::move(input.error()));
  return std::make_unique<PeerInput>(*std::move(input), options_.stall_limit, options_.news);
}

Result<std::unique_ptr<Input>> Listener::next() {
  for (;;) {
    const bool stopped = stop_.requested();
    // Connections are accepted first, so that at a stop request none is forgotten.
    for (bool more = !pause_.lasts(); more && (!full() || stopped);) {
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
