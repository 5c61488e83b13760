// Numbers of processes, threads and processors that are no other ones of another host, for viewers
// that know one host alone.
#pragma once

#include <cstdint>

#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::exporting {

// Above the numbers that systems give, and within 31 bits.
[[nodiscard]] inline std::int64_t number_on_host(const timeline::Timeline& timeline,
                                                 timeline::TrackId track, std::int64_t number) {
  constexpr std::int64_t kNumbers = 10'000'000;
  return number + kNumbers * timeline.host_number(track);
}

[[nodiscard]] inline std::int32_t processor_on_host(const timeline::Timeline& timeline,
                                                    timeline::TrackId track, std::int32_t number) {
  constexpr std::uint32_t kProcessors = 1000;
  return number + static_cast<std::int32_t>(kProcessors * timeline.host_number(track));
}

}  // namespace tracedeck::exporting
