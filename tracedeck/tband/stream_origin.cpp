#include "tracedeck/tband/stream_origin.hpp"

#include <fmt/format.h>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/tband/decoder.hpp"

namespace tracedeck::tband {
namespace {

struct OriginHandler {
  FileOrigin origin = {};

  bool event(const EventView& view, std::uint64_t, std::uint32_t) {
    if (view.id() == kResolution && origin.clock.empty())
      origin.clock = fmt::format("{} ns", view.numbers[0]);
    if (view.layout->timed && !origin.begin) origin.begin = view.timestamp;
    return true;
  }
  static void problem(const Finding&) {}
  static void finding(const Finding&) {}
};

}  // namespace

FileOrigin stream_origin(ByteSpan head) {
  OriginHandler handler;
  Decoder decoder;
  const PaddedBytes bytes(head);
  std::size_t position = 0;
  static_cast<void>(decoder.run({.bytes = bytes.view(), .last = false}, position, handler));
  return handler.origin;
}

}  // namespace tracedeck::tband
