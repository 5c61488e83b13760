// The workload of the Heph benchmarks: event packets of 80 bytes with two attributes, of a few
// types and streams.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tracedeck/heph/encoder.hpp"

namespace tracedeck::bench {

inline constexpr std::uint64_t kHephEvents = 500'000;
inline constexpr std::size_t kHephEventSize = 80;

// False when an event could not be written.
inline bool encode_heph_workload(heph::Encoder& encoder, std::uint64_t events) {
  // 42 bytes of head and 38 of description and attributes: 2 x (2 + name + 1 + 8) + description.
  struct Kind {
    std::string_view description;
    std::string_view first;
    std::string_view second;
  };
  static constexpr std::array<Kind, 4> kKinds = {{
      {"poll actor", "id", "busy"},
      {"send", "message", "bytes"},
      {"run task", "task", "rest"},
      {"read files", "fd", "size"},
  }};
  static_assert([] {
    for (const Kind& kind : kKinds) {
      if (heph::kLeastEventSize + kind.description.size() + 22 + kind.first.size() +
              kind.second.size() !=
          kHephEventSize)
        return false;
    }
    return true;
  }());
  std::array<std::uint32_t, 4> counters{};
  bool ok = encoder.set_epoch(1'610'113'734'118'010'000).has_value();
  for (std::uint64_t i = 0; i < events; ++i) {
    const std::size_t stream = i / 3 % counters.size();
    const Kind& kind = kKinds[i % kKinds.size()];
    ok &= encoder
              .write({.stream = static_cast<std::uint32_t>(stream),
                      .counter = counters[stream]++,
                      .substream = 0,
                      .start = 250 * i,
                      .end = 250 * i + 180},
                     kind.description, {{kind.first, i}, {kind.second, i % 4096}})
              .has_value();
  }
  return ok;
}

}  // namespace tracedeck::bench
