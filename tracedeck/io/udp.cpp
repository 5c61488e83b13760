#include "tracedeck/io/udp.hpp"

#include <fmt/format.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/socket.hpp"
#include "tracedeck/io/stop_signal.hpp"

namespace tracedeck::io {
namespace {

// What bursts may pile up in the system; it grants what its own limit (net.core.rmem_max) allows.
constexpr int kReceiveBuffer = 8 << 20;
// What is read after a stop request of senders that go on sending: all that may have piled up.
constexpr std::size_t kMostAfterStop = std::size_t{2} * kReceiveBuffer;
// Datagrams fetched with one call.
constexpr std::size_t kAtOnce = 16;

// A bound socket and the datagrams that were fetched from it.
class DatagramSocket {
 public:
  DatagramSocket(LiveAddress address, LiveOptions options, FileDescriptor socket,
                 std::stop_token stop)
      : address_(std::move(address)),
        options_(std::move(options)),
        socket_(std::move(socket)),
        stop_(std::move(stop)),
        buffer_(kAtOnce * options_.largest_datagram) {
    // Beyond the limit needs a privilege.
    if (::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer,
                     sizeof kReceiveBuffer) != 0) {
      (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer,
                         sizeof kReceiveBuffer);
    }
  }
  ~DatagramSocket() { look_for_drops(true); }
  DatagramSocket(const DatagramSocket&) = delete;
  DatagramSocket& operator=(const DatagramSocket&) = delete;

  [[nodiscard]] int arm() { return stop_.arm(); }
  [[nodiscard]] const LiveAddress& address() const { return address_; }
  [[nodiscard]] const LiveOptions& options() const { return options_; }
  // After a stop request: whether all that had arrived was delivered.
  [[nodiscard]] bool stopped() const { return stop_.requested() && drained_; }

  // The rest of the datagram at hand.
  [[nodiscard]] ByteSpan rest() const {
    return at_ == count_ ? ByteSpan{}
                         : ByteSpan(buffer_).subspan(at_ * options_.largest_datagram + used_,
                                                     sizes_[at_] - used_);
  }
  void use(std::size_t bytes) { used_ += bytes; }
  // Leaves the datagram at hand.
  void leave() {
    if (at_ != count_) ++at_;
    used_ = 0;
  }
  // Has a datagram at hand, waiting for up to `milliseconds`. Empty ones are passed over. After a
  // stop request only those that had arrived are fetched.
  [[nodiscard]] Result<bool> have(int milliseconds);

 private:
  // Fetches what is there. False: nothing. Error: kReadFailed.
  Result<bool> fetch();
  void look_for_drops(bool at_once);

  LiveAddress address_;
  LiveOptions options_;
  FileDescriptor socket_;
  StopSignal stop_;
  std::vector<std::uint8_t> buffer_;
  std::array<std::size_t, kAtOnce> sizes_{};
  std::size_t count_ = 0;
  std::size_t at_ = 0;
  std::size_t used_ = 0;  // bytes of the datagram at hand
  std::uint32_t dropped_ = 0;
  std::size_t after_stop_ = 0;  // bytes fetched then
  bool drained_ = false;
  std::chrono::steady_clock::time_point look_again_;
};

Result<bool> DatagramSocket::have(int milliseconds) {
  for (;;) {
    while (at_ != count_ && sizes_[at_] == 0) leave();
    if (at_ != count_) return true;
    const bool stopped = stop_.requested();
    if (stopped && after_stop_ > kMostAfterStop) drained_ = true;
    if (drained_) return false;
    const Result<bool> fetched = fetch();
    if (!fetched) return fetched;
    if (*fetched) {
      for (std::size_t i = 0; stopped && i < count_; ++i) after_stop_ += sizes_[i];
      continue;
    }
    drained_ = stopped;
    if (stopped) continue;
    if (stop_.wait(socket_.get(), POLLIN, milliseconds) == StopSignal::Waited::kTimedOut)
      return false;
  }
}

Result<bool> DatagramSocket::fetch() {
  look_for_drops(false);
  std::array<iovec, kAtOnce> places{};
  std::array<mmsghdr, kAtOnce> messages{};
  std::array<SocketAddress, kAtOnce> senders;
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    places[i] = {.iov_base = buffer_.data() + i * options_.largest_datagram,
                 .iov_len = options_.largest_datagram};
    messages[i].msg_hdr.msg_iov = &places[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    messages[i].msg_hdr.msg_name = senders[i].get();
    messages[i].msg_hdr.msg_namelen = sizeof senders[i].storage;
  }
  // With MSG_TRUNC the length is that of the datagram, however much of it there was room for.
  const int got = ::recvmmsg(socket_.get(), messages.data(), kAtOnce, MSG_TRUNC, nullptr);
  if (got < 0) {
    // Some network's answer to what this socket never sent is no failure of it.
    if (errno == EAGAIN || errno == EINTR || errno == ECONNREFUSED) return false;
    return read_failed(errno, address_.text);
  }
  count_ = static_cast<std::size_t>(got);
  at_ = used_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    sizes_[i] = std::min<std::size_t>(messages[i].msg_len, options_.largest_datagram);
    if (sizes_[i] == messages[i].msg_len) continue;
    senders[i].size = messages[i].msg_hdr.msg_namelen;
    options_.news(LiveNews::kCut,
                  fmt::format("{}: a datagram of {} bytes from {} was cut to {}", address_.text,
                              messages[i].msg_len, senders[i].text(), sizes_[i]));
  }
  return true;
}

// The system counts what it had no room for; the counter wraps.
void DatagramSocket::look_for_drops(bool at_once) {
  constexpr std::chrono::seconds kBetween{5};
  const auto now = std::chrono::steady_clock::now();
  if (!at_once && now < look_again_) return;
  look_again_ = now + kBetween;
  std::array<std::uint32_t, SK_MEMINFO_VARS> facts{};
  socklen_t size = sizeof facts;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_MEMINFO, facts.data(), &size) != 0) return;
  const std::uint32_t total = facts[SK_MEMINFO_DROPS];
  const std::uint32_t more = total - std::exchange(dropped_, total);
  if (more == 0) return;
  options_.news(
      LiveNews::kDropped,
      fmt::format("{}: the system dropped {} datagram{} it had no room for ({} in all); a "
                  "higher net.core.rmem_max makes room",
                  address_.text, more, more == 1 ? "" : "s", total));
}

class DatagramInput final : public Input {
 public:
  explicit DatagramInput(std::shared_ptr<DatagramSocket> socket) : socket_(std::move(socket)) {}
  // What made a reader give this input up is not for the next one.
  ~DatagramInput() override {
    if (in_part_) socket_->leave();
  }
  DatagramInput(const DatagramInput&) = delete;
  DatagramInput& operator=(const DatagramInput&) = delete;

  const std::string& name() const override { return socket_->address().text; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override;
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds patience) override {
    if (part_ended_ || ended_ || ends_part()) return true;
    const Result<bool> there = socket_->have(static_cast<int>(patience.count()));
    return !there || *there || socket_->stopped();
  }
  Result<void> rewind() override {
    return fail(ErrorCode::kUnsupported, "a socket cannot be read twice; give a file", name());
  }
  bool next_part() override { return !ended_ && std::exchange(part_ended_, false); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return position_; }
  bool stopped() const override { return ended_; }

 private:
  // Whether the datagram at hand is used up and its end matters; else leaves it.
  bool ends_part();

  std::shared_ptr<DatagramSocket> socket_;
  std::uint64_t position_ = 0;
  bool in_part_ = false;     // some of the datagram at hand was delivered
  bool part_ended_ = false;  // and then all of it
  bool ended_ = false;
};

bool DatagramInput::ends_part() {
  if (!in_part_ || !socket_->rest().empty()) return false;
  if (socket_->options().datagrams_apart) return true;
  socket_->leave();
  in_part_ = false;
  return false;
}

Result<std::size_t> DatagramInput::read(std::uint8_t* into, std::size_t size) {
  if (part_ended_ || ended_) return std::size_t{0};
  if (ends_part()) {
    socket_->leave();
    in_part_ = false;
    part_ended_ = true;
    return std::size_t{0};
  }
  const Result<bool> there = socket_->have(StopSignal::kForEver);
  if (!there) return std::unexpected(there.error());
  if (!*there) {
    ended_ = true;
    return std::size_t{0};
  }
  const ByteSpan rest = socket_->rest();
  const std::size_t portion = std::min(size, rest.size());
  std::memcpy(into, rest.data(), portion);
  socket_->use(portion);
  position_ += portion;
  in_part_ = true;
  return portion;
}

// One input for as long as nobody gives it up.
class Datagrams final : public InputSequence {
 public:
  explicit Datagrams(std::shared_ptr<DatagramSocket> socket) : socket_(std::move(socket)) {}

  const std::string& name() const override { return socket_->address().text; }
  bool has_datagrams() const override { return true; }
  Result<std::unique_ptr<Input>> next() override {
    if (socket_->stopped()) return nullptr;
    return std::make_unique<DatagramInput>(socket_);
  }

 private:
  std::shared_ptr<DatagramSocket> socket_;
};

}  // namespace

Result<std::unique_ptr<InputSequence>> udp_listen(const LiveAddress& address,
                                                  const LiveOptions& options,
                                                  std::stop_token stop) {
  Result<FileDescriptor> socket = bind_socket(address, SOCK_DGRAM, options);
  if (!socket) return std::unexpected(std::move(socket.error()));
  auto shared =
      std::make_shared<DatagramSocket>(address, options, std::move(*socket), std::move(stop));
  if (const int error = shared->arm(); error != 0) {
    return fail(ErrorCode::kCannotOpen, why_not_opened(error), address.text);
  }
  return std::make_unique<Datagrams>(std::move(shared));
}

}  // namespace tracedeck::io
