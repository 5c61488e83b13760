// Which data stream a data stream file belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/ctf/trace.hpp"

namespace tracedeck::ctf {

// The first packet of a file, as far as it says that.
struct FirstPacket {
  const DataStreamClass* stream_class = nullptr;  // null: it cannot be decoded, or there is none
  StreamId stream_id = {};
  std::optional<std::uint64_t> begin = {};
  std::optional<std::uint64_t> recorded_begin = {};  // without `Trace::clock_correction`
};
[[nodiscard]] FirstPacket first_packet(Trace& trace, const std::string& path);

}  // namespace tracedeck::ctf
