// Times that fall because the counter behind them wraps.
//
// Zephyr declares no clock, and its times may have 64 bits of nanoseconds that are calculated from
// a counter of 32 bits (k_cyc_to_ns_floor64 of k_cycle_get_32): where that wraps, they fall to 0.
// How fast it counts is not recorded. Boards have few frequencies.
#pragma once

#include <cstdint>
#include <optional>

namespace tracedeck::ctf {

struct CounterWrap {
  std::uint32_t megahertz = 0;
  std::uint64_t period = 0;  // ns from one wrap to the next
};

// What explains a fall from `before` to `after`, in ns: the fastest counter that reaches `before`.
// Nothing where that would have taken longer than a 16th of its period.
[[nodiscard]] std::optional<CounterWrap> wrapped_counter(std::uint64_t before, std::uint64_t after);

}  // namespace tracedeck::ctf
