// Addresses and sockets of the operating system.
#pragma once

#include <sys/socket.h>

#include <string>
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

// Why a socket could not be had, as a sentence.
[[nodiscard]] std::string why_no_socket(int error);

}  // namespace tracedeck::io
