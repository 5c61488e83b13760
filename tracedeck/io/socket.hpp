// Addresses and sockets of the operating system.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/io/input_sequence.hpp"
#include "tracedeck/io/live_address.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {

// An address of the operating system's.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  // "127.0.0.1:4000", "[::1]:4000".
  [[nodiscard]] std::string text() const;
};

// What the host and port of `address` stand for; `type`: SOCK_STREAM or SOCK_DGRAM. Never empty.
// Error: kCannotOpen.
[[nodiscard]] Result<std::vector<SocketAddress>> resolve(const LiveAddress& address, int type);

// A socket bound to the first address that can be, which is reported as news. Not waiting.
[[nodiscard]] Result<FileDescriptor> bind_socket(const LiveAddress& address, int type,
                                                 const LiveOptions& options);

// Whether a connection cannot be accepted for want of descriptors or memory, and stays where it is.
[[nodiscard]] bool lacks_descriptors(int error);

// A listener that lacks descriptors stays readable: it is left alone for a while before it is tried
// again.
class AcceptPause {
 public:
  // Begins one. Returns whether it is the first, which is worth a word.
  bool begin() {
    constexpr std::chrono::milliseconds kAcceptPause{250};
    end_ = std::chrono::steady_clock::now() + kAcceptPause;
    return !std::exchange(began_, true);
  }
  [[nodiscard]] std::chrono::steady_clock::time_point end() const { return end_; }
  [[nodiscard]] bool lasts() const { return began_ && std::chrono::steady_clock::now() < end_; }

 private:
  std::chrono::steady_clock::time_point end_;
  bool began_ = false;
};

// Why a socket could not be had, as a sentence.
[[nodiscard]] std::string why_no_socket(int error);

}  // namespace tracedeck::io
