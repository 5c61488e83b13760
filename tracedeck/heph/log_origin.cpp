#include "tracedeck/heph/log_origin.hpp"

#include <fmt/format.h>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/heph/decoder.hpp"

namespace tracedeck::heph {
namespace {

struct OriginHandler : BasicPacketHandler<false> {
  FileOrigin origin = {};

  bool event(const EventType&, const EventHead& head, std::uint64_t, ByteSpan, char*, char*) {
    if (!origin.begin) origin.begin = head.end;
    return true;
  }
  bool option(const Option& option, std::uint64_t, std::uint64_t) {
    if (option.is_epoch() && origin.clock.empty())
      origin.clock = fmt::format("epoch {}", option.epoch());
    return true;
  }
};

}  // namespace

FileOrigin log_origin(ByteSpan head) {
  OriginHandler handler;
  Decoder decoder(kOriginSize);
  const PaddedBytes bytes(head);
  std::size_t position = 0;
  static_cast<void>(decoder.run({.bytes = bytes.view(), .last = false}, position, handler));
  return handler.origin;
}

}  // namespace tracedeck::heph
