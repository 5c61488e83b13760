#include "tracedeck/io/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/socket.hpp"

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

class Once final : public InputSequence {
 public:
  Once(std::string name, std::unique_ptr<Input> input)
      : name_(std::move(name)), input_(std::move(input)) {}

  const std::string& name() const override { return name_; }
  bool repeats() const override { return false; }
  Result<std::unique_ptr<Input>> next() override { return std::move(input_); }

 private:
  std::string name_;
  std::unique_ptr<Input> input_;
};

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

Result<std::unique_ptr<InputSequence>> open_live(const LiveAddress& address,
                                                 const LiveOptions& options, std::stop_token stop) {
  switch (address.kind) {
    case LiveKind::kTcpConnect:
      return tcp_connect(address, std::move(stop));
    case LiveKind::kTcpListen:
      return tcp_listen(address, options, std::move(stop));
    case LiveKind::kUdpListen:
      break;
  }
  return udp_listen(address, options, std::move(stop));
}

Result<std::unique_ptr<InputSequence>> once(const std::string& path, std::stop_token stop) {
  Result<std::unique_ptr<Input>> input = open_file(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  return single_input(std::move(*input));
}

std::unique_ptr<InputSequence> single_input(std::unique_ptr<Input> input) {
  std::string name = input->name();
  return std::make_unique<Once>(std::move(name), std::move(input));
}

}  // namespace tracedeck::io
