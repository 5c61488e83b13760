#include "tracedeck/io/socket.hpp"

#include <fmt/format.h>
#include <netdb.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tracedeck::io {
namespace {

constexpr int kBacklog = 64;  // peers that are not let in yet

void set(const FileDescriptor& socket, int level, int option, int value) {
  (void)::setsockopt(socket.get(), level, option, &value, sizeof value);
}

// Binds and, for a stream, listens. Returns 0 or an `errno`.
int bind_to(const FileDescriptor& socket, const SocketAddress& address, int type) {
  // A listener can be started again at once; nobody can take the port of one that lives.
  if (type == SOCK_STREAM) set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(socket.get(), address.get(), address.size) != 0) return errno;
  if (type == SOCK_STREAM && ::listen(socket.get(), kBacklog) != 0) return errno;
  return 0;
}

std::string listening_on(const FileDescriptor& socket, std::string_view scheme) {
  SocketAddress bound;
  bound.size = sizeof bound.storage;
  (void)::getsockname(socket.get(), bound.get(), &bound.size);
  return fmt::format("listening on {}{}", scheme, bound.text());
}

}  // namespace

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(get(), size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "an unknown address";
  }
  if (storage.ss_family == AF_INET6) return fmt::format("[{}]:{}", host.data(), port.data());
  return fmt::format("{}:{}", host.data(), port.data());
}

bool lacks_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

std::string why_no_socket(int error) {
  switch (error) {
    case EADDRINUSE:
      return "the port is in use; choose another, or 0 for a free one";
    case EADDRNOTAVAIL:
      return "this machine does not have that address";
    case EACCES:
    case EPERM:
      return "permission denied; ports below 1024 are the system's";
    case ECONNREFUSED:
      return "nobody listens there; start the other side first";
    case ETIMEDOUT:
      return "the other side does not answer";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "there is no way to that address";
    default:
      return "the system refuses it: " + system_message(error);
  }
}

Result<std::vector<SocketAddress>> resolve(const LiveAddress& address, int type) {
  addrinfo hints{};
  hints.ai_socktype = type;
  hints.ai_flags = AI_NUMERICSERV;
  // Without a host to listen on, nobody but this machine is let in.
  const std::string host =
      address.host.empty() && address.kind != LiveKind::kTcpConnect ? "127.0.0.1" : address.host;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), address.port.c_str(), &hints, &found);
  if (error != 0) {
    return fail(ErrorCode::kCannotOpen,
                fmt::format("the address cannot be found: {}",
                            error == EAI_SYSTEM ? system_message(errno) : ::gai_strerror(error)),
                address.text);
  }
  std::vector<SocketAddress> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    SocketAddress& kept = addresses.emplace_back();
    std::memcpy(&kept.storage, each->ai_addr, each->ai_addrlen);
    kept.size = each->ai_addrlen;
  }
  ::freeaddrinfo(found);
  return addresses;
}

Result<FileDescriptor> bind_socket(const LiveAddress& address, int type,
                                   const LiveOptions& options) {
  const Result<std::vector<SocketAddress>> places = resolve(address, type);
  if (!places) return std::unexpected(places.error());
  int error = 0;
  for (const SocketAddress& place : *places) {
    FileDescriptor socket(
        ::socket(place.storage.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = socket.valid() ? bind_to(socket, place, type) : errno;
    if (error != 0) continue;
    options.news(LiveNews::kListening,
                 listening_on(socket, type == SOCK_STREAM ? "tcp-listen://" : "udp-listen://"));
    return socket;
  }
  return fail(ErrorCode::kCannotOpen, why_no_socket(error), address.text);
}

}  // namespace tracedeck::io
