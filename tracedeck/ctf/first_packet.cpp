#include "tracedeck/ctf/first_packet.hpp"

#include <utility>

#include "tracedeck/ctf/packet_cursor.hpp"
#include "tracedeck/ctf/stream/packet_head.hpp"
#include "tracedeck/io/input.hpp"
#include "tracedeck/io/window.hpp"

namespace tracedeck::ctf {

FirstPacket first_packet(Trace& trace, const std::string& path) {
  auto input = io::open_input(path, trace.stop());
  if (!input) return {};
  io::WindowReader windows(*std::move(input), {.window_size = kHeadSize});
  if (!windows.advance(0, kHeadSize) && windows.current()->size() == 0) return {};
  const auto schema = trace.metadata().schema();
  DecodeState state;
  PacketHeadDecoder decoder(state);
  PacketHead head;
  const PaddedView bytes = windows.current()->view();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  if (decoder.header(*schema, bytes, kMost, head) != RunStatus::kDone || head.stream == nullptr)
    return {};
  FirstPacket first{.stream_class = head.stream->stream_class,
                    .stream_id = {head.roles.stream_id, head.roles.stream_id_digits}};
  if (decoder.context(bytes, kMost, 0, head) != RunStatus::kDone) return first;
  first.begin = first.recorded_begin = head.packet->begin;
  const ClockClass* const clock = first.stream_class->default_clock;
  if (first.begin && clock != nullptr) *first.begin += trace.clock_correction(path, clock->id);
  return first;
}

}  // namespace tracedeck::ctf
