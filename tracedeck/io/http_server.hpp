// A server of a few files to browsers on this machine: HTTP/1.1 (RFC 9112) over loopback, GET and
// HEAD of exactly the paths that there are, one request a connection.
//
// What others could do with it is bounded. A request that names another host is refused, so that no
// page of the network reaches it by a name of its own that leads here (DNS rebinding). Heads have
// 16 KiB and ten seconds; connections are few, and one that does not go on makes room for others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {

struct HttpResource {
  std::string path = {};                 // "/trace", exactly
  std::string type = {};                 // "text/html; charset=utf-8"
  std::vector<std::string> fields = {};  // more of its header: "Name: value"
  int descriptor = -1;                   // a file that can be read anywhere; not owned
  std::uint64_t size = 0;                // bytes of it
};

class HttpServer {
 public:
  // On 127.0.0.1; `port` 0: one that the system chooses. Error: kCannotOpen.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> listen(std::uint16_t port);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // "127.0.0.1:8000"
  [[nodiscard]] std::string address() const;

  enum class Until : std::uint8_t { kStopped, kFetchedOnce };
  // Serves until a stop is requested, or one of the resources was fetched as a whole. Errors:
  // kCannotOpen, no means to wait; kReadFailed, a resource that cannot be read.
  [[nodiscard]] Result<void> serve(std::span<const HttpResource> resources, Until until,
                                   std::stop_token stop) const;

 private:
  HttpServer(FileDescriptor socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  FileDescriptor socket_;
  std::uint16_t port_;
};

}  // namespace tracedeck::io
