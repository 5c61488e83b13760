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

std::string why_no_address(std::string_view path) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kOthers = "0123456789+-.";
  const std::size_t end = path.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view scheme = path.substr(0, end);
  const auto is_of_scheme = [&](char c) { return kLetters.contains(c) || kOthers.contains(c); };
  if (!kLetters.contains(scheme.front()) || !std::ranges::all_of(scheme, is_of_scheme)) return {};
  // How LTTng and babeltrace2 name a session that a relay daemon has.
  constexpr auto kOfRelay =
      std::to_array<std::string_view>({"net", "net4", "net6", "tcp4", "tcp6", "lttng-live"});
  if (std::ranges::find(kOfRelay, scheme) != kOfRelay.end()) {
    return "LTTng's relay daemon is not asked for traces; name the directory that the session is "
           "written to";
  }
  if (scheme == "file") return "a file is named by its path alone, without file://";
  return fmt::format(
      "{}:// is not supported; traces come live from tcp://HOST:PORT, tcp-listen://ADDR:PORT and "
      "udp-listen://ADDR:PORT",
      scheme);
}

bool is_live_address(std::string_view text) { return scheme_of(text) != nullptr; }

bool is_datagram_address(std::string_view text) {
  const Scheme* const scheme = scheme_of(text);
  return scheme != nullptr && scheme->kind == LiveKind::kUdpListen;
}

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
