// Writes a trace of LTTng shape, for measuring whole commands:
//   lttng_trace DIRECTORY EVENTS [STREAMS [PACKET_BYTES]]
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/lttng_trace.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s DIRECTORY EVENTS [STREAMS [PACKET_BYTES]]\n", argv[0]);
    return 2;
  }
  tracedeck::bench::LttngShape shape{.events = std::strtoull(argv[2], nullptr, 10)};
  if (argc > 3) shape.streams = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
  if (argc > 4) shape.packet_size = std::strtoull(argv[4], nullptr, 10);
  std::filesystem::create_directories(argv[1]);
  std::printf("%llu bytes\n",
              static_cast<unsigned long long>(tracedeck::bench::write_lttng_trace(argv[1], shape)));
}
