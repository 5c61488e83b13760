// Inputs that come while they are read: from sockets, from files that grow, from devices.
//
// Such a place yields inputs one after the other: each peer of a listener, each file that had a
// followed name, each time a device was there. Every one of them is a trace of its own, so that
// what one leaves incomplete costs the next nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

class InputSequence {
 public:
  virtual ~InputSequence() = default;

  // How the user named the place.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Whether there can be more than one input, so that one that is no use is no reason to end.
  [[nodiscard]] virtual bool repeats() const { return true; }
  // Whether gzip and zstd may be seen through: not in datagrams.
  [[nodiscard]] virtual bool may_be_compressed() const { return true; }

  // Waits for the next input; null: there are no more, or a stop was requested. The one before must
  // be gone. Errors, which end the sequence: kCannotOpen.
  [[nodiscard]] virtual Result<std::unique_ptr<Input>> next() = 0;
};

// What happens at such a place, told on the thread that reads it.
enum class LiveNews : std::uint8_t {
  kListening,  // "listening on tcp-listen://127.0.0.1:4000"
  kPeer,       // one came
  kChange,     // a file was replaced, a device hung up
  kCut,        // bytes were cut off, and will be missed
  kDropped,    // the system had no room for bytes
};
// The news as a sentence without a final full stop.
using LiveNewsSink = std::function<void(LiveNews, const std::string& sentence)>;

enum class LiveKind : std::uint8_t { kTcpConnect, kTcpListen, kUdpListen };

struct LiveAddress {
  LiveKind kind = LiveKind::kTcpConnect;
  std::string text;  // as the user wrote it
  std::string host;  // without the brackets of an IPv6 address
  std::string port;  // decimal
};

// Whether `text` begins with tcp://, tcp-listen:// or udp-listen://.
[[nodiscard]] bool is_live_address(std::string_view text);
// SCHEME://HOST:PORT. A listener's host may be left out, then it is the loopback address, and its
// port may be 0, then the system chooses one. Error: kInvalidArgument.
[[nodiscard]] Result<LiveAddress> parse_live_address(const std::string& text);

struct LiveOptions {
  LiveNewsSink news = [](LiveNews, const std::string&) {};
  // Whether each datagram is a part of its own (`Input::next_part`), or only their bytes matter.
  bool datagrams_apart = true;
  // Longer datagrams are cut. No UDP datagram is longer than the default.
  std::size_t largest_datagram = std::size_t{64} << 10;
};

// Connects or listens. A TCP listener serves one peer after the other; the system lets a few others
// wait. Errors: kCannotOpen.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> open_live(const LiveAddress& address,
                                                               const LiveOptions& options,
                                                               std::stop_token stop);

// What `path` has now and will have. A file that ends is waited for. When another file has taken
// its name, what is left of it comes first, and then the other from its beginning; when it was cut
// to less than was read, it begins anew. A terminal line (serial device) is put to raw mode while
// it is read, and restored; it and a named pipe are opened again after they hang up. Errors:
// kCannotOpen; kUnsupported for what cannot be followed.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> follow(const std::string& path,
                                                            const LiveOptions& options,
                                                            std::stop_token stop);

// A file as it is, as a sequence of one input.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> once(const std::string& path,
                                                          std::stop_token stop);

}  // namespace tracedeck::io
