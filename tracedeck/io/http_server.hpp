// A server of a few files to browsers on this machine: HTTP/1.1 (RFC 9112) over loopback, GET and
// HEAD of exactly the paths that there are, one request a connection.
//
// What others could do with it is bounded. A request that names another host is refused, so that no
// page of the network reaches it by a name of its own that leads here (DNS rebinding), and so is
// one that a page of another origin makes, but for the one that a resource is for. Refused requests
// change nothing. Heads have 16 KiB and ten seconds, and an answer that does not go on for 30
// seconds is given up; connections are few, and one that sends no resource makes room for others.
#pragma once

#include <cstdint>
#include <functional>
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
  // "https://ui.perfetto.dev": pages of that origin may fetch it, and nobody else. Empty: who opens
  // it, and pages of the server itself.
  std::string origin = {};
  int descriptor = -1;     // a file that can be read anywhere; not owned
  std::uint64_t size = 0;  // bytes of it
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
  // Serves until a stop is requested, or one of the resources was fetched as a whole. `note` is
  // told once that connections have to wait for want of descriptors. Errors: kCannotOpen, no means
  // to wait; kReadFailed, a resource that cannot be read.
  [[nodiscard]] Result<void> serve(std::span<const HttpResource> resources, Until until,
                                   std::stop_token stop,
                                   const std::function<void(const std::string&)>& note) const;

 private:
  HttpServer(FileDescriptor socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  FileDescriptor socket_;
  std::uint16_t port_;
};

}  // namespace tracedeck::io
