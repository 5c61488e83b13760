// How fields of event records move the clock of their data stream (CTF2-SPECRC-3.0,
// clk-val-update).
#pragma once

#include <cstdint>

namespace tracedeck::ctf {

// The clock behind a field that says its low bits: the next value with those. `value` must not have
// others than `mask`, a number of low bits.
[[nodiscard]] constexpr std::uint64_t updated_clock(std::uint64_t clock, std::uint64_t value,
                                                    std::uint64_t mask) {
  const std::uint64_t high = clock & ~mask;
  return high + value + (value >= (clock & mask) ? 0 : mask + 1);
}

}  // namespace tracedeck::ctf
