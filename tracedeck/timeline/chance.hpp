// Whether two traces differ by more than what varies within each of them.
//
// What is counted of a trace is counted in blocks of time, which tell how much it varies: what
// comes in bursts varies more than what is independent. A difference is measured by a test that is
// exact for independent values and assumes nothing of how they are distributed (Fisher's for
// shares, the conditional binomial one for rates). It is then divided by how much more the blocks
// vary than independent values would, which the jackknife estimates over blocks, and over blocks
// two and four times as long; the greatest counts. It is never multiplied: what varies less counts
// as independent. So there are at most as many false alarms as promised, unless what comes together
// lasts for a tenth of a trace or longer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tracedeck::timeline {

// What was counted in one block of time.
struct ChanceBlock {
  double hits = 0;  // values above a threshold; or events
  double size = 0;  // all values, not fewer than hits; or seconds
};

// Below it a difference is called beyond chance.
inline constexpr double kChanceLevel = 0.01;

// One of the two traces.
struct ChanceSide {
  std::span<const ChanceBlock> blocks;
  // Values that are taken for hits, and for none, without being in a block: assumptions.
  double more_hits = 0;
  double more_misses = 0;
};

// How probable a difference at least as great as that of the shares hits / size is, where there is
// none, 0 to 1. Nothing where too little is known: a side with values in one block only, or so few
// hits that no difference of them would be below `kChanceLevel`. The threshold may be any that
// depends on the values of both sides together.
[[nodiscard]] std::optional<double> chance_of_shares(const ChanceSide& a, const ChanceSide& b);

// The same of rates, events a second, without assumptions.
[[nodiscard]] std::optional<double> chance_of_rates(const ChanceSide& a, const ChanceSide& b);

}  // namespace tracedeck::timeline
