#include "tracedeck/io/live_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

namespace tracedeck::io {
namespace {

struct Scheme {
  std::string_view prefix;
  LiveKind kind;
};

constexpr std::array<Scheme, 3> kSchemes = {{{"tcp://", LiveKind::kTcpConnect},
                                             {"tcp-listen://", LiveKind::kTcpListen},
                                             {"udp-listen://", LiveKind::kUdpListen}}};

const Scheme* scheme_of(std::string_view text) {
  const auto found = std::ranges::find_if(
      kSchemes, [&](const Scheme& scheme) { return text.starts_with(scheme.prefix); });
  return found == kSchemes.end() ? nullptr : &*found;
}

std::optional<unsigned> port_number(std::string_view text) {
  constexpr unsigned kMost = 65535;
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port > kMost) return {};
  return port;
}

}  // namespace

bool is_live_address(std::string_view text) { return scheme_of(text) != nullptr; }

Result<LiveAddress> parse_live_address(const std::string& text) {
  const Scheme* const scheme = scheme_of(text);
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("'{}': {}", text, why));
  };
  if (scheme == nullptr) return wrong("no address of a known kind");
  const bool connects = scheme->kind == LiveKind::kTcpConnect;
  std::string_view rest = std::string_view(text).substr(scheme->prefix.size());
  LiveAddress address{.kind = scheme->kind, .text = text, .host = {}, .port = {}};
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return wrong("the address lacks its closing bracket");
    address.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (address.host.empty()) return wrong("there is no address between the brackets");
  } else {
    const std::size_t colon = rest.rfind(':');
    // A listener may be named by its port alone.
    const std::size_t end = colon != std::string_view::npos  ? colon
                            : !connects && port_number(rest) ? 0
                                                             : rest.size();
    address.host = rest.substr(0, end);
    rest.remove_prefix(end);
    if (address.host.find(':') != std::string::npos)
      return wrong("an IPv6 address stands in brackets: [::1]:4000");
    if (end == 0 && !rest.empty() && !rest.starts_with(':')) {
      address.port = rest;
      return address;
    }
  }
  if (rest.empty()) return wrong("the port is missing: HOST:PORT");
  const auto port = port_number(rest.substr(1));
  if (!rest.starts_with(':') || !port) return wrong("a port is a number up to 65535");
  if (connects && *port == 0) return wrong("port 0 cannot be connected to");
  if (connects && address.host.empty()) return wrong("the host is missing: tcp://HOST:PORT");
  address.port = std::to_string(*port);
  return address;
}

}  // namespace tracedeck::io
