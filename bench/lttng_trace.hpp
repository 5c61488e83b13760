// A trace as LTTng writes them: compact and extended event headers, a thread id with every event,
// 75 % events of one 32-bit integer, 25 % of a 64-bit and a 32-bit integer, a string and an
// enumeration; about 20 bytes an event.
#pragma once

#include <cstdint>
#include <string>

namespace tracedeck::bench {

struct LttngShape {
  std::uint64_t events = 5'000'000;
  std::uint64_t packet_size = std::uint64_t{256} << 10;  // bytes
  unsigned streams = 1;                                  // data stream files
};

// Writes the trace into `directory`, which must exist; the events are dealt out to the streams in
// turn. Returns the bytes of all data streams. Ends the program when it cannot write.
std::uint64_t write_lttng_trace(const std::string& directory, const LttngShape& shape);

}  // namespace tracedeck::bench
