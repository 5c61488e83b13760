// Runs one dial9 workload once, for tools that count instructions.
//
//   dial9_instructions MODE EVENTS
//
// Instructions an event are the difference of two sizes, which leaves out what the process costs:
// scripts/count-instructions.sh does both runs under callgrind.
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "bench/dial9_workload.hpp"

namespace tracedeck::bench {
namespace {

template <std::size_t Frames>
bool encode(std::uint64_t events) {
  dial9::Encoder encoder;
  return encode_workload<Frames>(encoder, events);
}

struct Mode {
  const char* name;
  bool (*run)(std::uint64_t events);
};

constexpr std::array kModes = {
    Mode{"encode-mix3", encode<kMix3>},
    Mode{"encode-mix16", encode<kMix16>},
};

bool run(std::string_view name, std::uint64_t events) {
  for (const Mode& mode : kModes) {
    if (mode.name == name) return mode.run(events);
  }
  return false;
}

}  // namespace
}  // namespace tracedeck::bench

int main(int argc, char** argv) {
  std::uint64_t events = 0;
  if (argc == 3) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), events);
  if (events == 0) {
    std::fputs("usage: dial9_instructions MODE EVENTS, with one of these modes:\n", stderr);
    for (const auto& mode : tracedeck::bench::kModes) std::fprintf(stderr, "  %s\n", mode.name);
    return 2;
  }
  if (tracedeck::bench::run(argv[1], events)) return 0;
  std::fprintf(stderr, "dial9_instructions: %s: no such mode, or it failed\n", argv[1]);
  return 1;
}
