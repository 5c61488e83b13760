#include "tracedeck/ctf/counter_wrap.hpp"

#include <algorithm>
#include <array>

namespace tracedeck::ctf {
namespace {

// MHz, of system clocks and timers of boards, the fastest first.
constexpr auto kFrequencies = std::to_array<std::uint32_t>(
    {1000, 800, 600, 550, 528, 500, 480, 400, 320, 300, 275, 250, 240, 216, 200, 180,
     170,  168, 160, 150, 144, 133, 128, 125, 120, 108, 100, 96,  84,  80,  72,  66,
     64,   60,  54,  50,  48,  40,  36,  33,  32,  30,  27,  26,  25,  24,  20,  18,
     16,   14,  13,  12,  10,  8,   7,   6,   5,   4,   3,   2,   1});

}  // namespace

std::optional<CounterWrap> wrapped_counter(std::uint64_t before, std::uint64_t after) {
  const auto period_of = [](std::uint32_t megahertz) {
    return (std::uint64_t{1} << 32U) * 1000 / megahertz;
  };
  const auto* const found = std::ranges::find_if(
      kFrequencies, [&](std::uint32_t each) { return period_of(each) > before; });
  if (found == kFrequencies.end() || after >= before) return std::nullopt;
  const CounterWrap wrap{.megahertz = *found, .period = period_of(*found)};
  if (wrap.period - before + after > wrap.period / 16) return std::nullopt;
  return wrap;
}

}  // namespace tracedeck::ctf
