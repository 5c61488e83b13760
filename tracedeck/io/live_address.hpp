// Addresses of live inputs, as users write them: tcp://HOST:PORT, tcp-listen://ADDR:PORT,
// udp-listen://ADDR:PORT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"

namespace tracedeck::io {

enum class LiveKind : std::uint8_t { kTcpConnect, kTcpListen, kUdpListen };

struct LiveAddress {
  LiveKind kind = LiveKind::kTcpConnect;
  std::string text;  // as the user wrote it
  std::string host;  // without the brackets of an IPv6 address
  std::string port;  // decimal
};

// Whether `text` begins with tcp://, tcp-listen:// or udp-listen://.
[[nodiscard]] bool is_live_address(std::string_view text);
// Whether it begins with udp-listen://.
[[nodiscard]] bool is_datagram_address(std::string_view text);
// Why a path that is an address of another kind cannot be opened, and what can be done, as a
// sentence without a final full stop; "" of any other path.
[[nodiscard]] std::string why_no_address(std::string_view path);
// SCHEME://HOST:PORT. A listener's host may be left out, then it is the loopback address, and its
// port may be 0, then the system chooses one. Error: kInvalidArgument.
[[nodiscard]] Result<LiveAddress> parse_live_address(const std::string& text);

}  // namespace tracedeck::io
