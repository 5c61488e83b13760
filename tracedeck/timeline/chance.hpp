// Whether two traces differ by more than what varies within each of them.
//
// What is counted of a trace is counted in blocks of time, which tell how much it varies: what
// comes in bursts varies more than what is independent. A difference is measured by a test that is
// exact for independent values and assumes nothing of how they are distributed (Fisher's for
// shares, the conditional binomial one for rates, that of rank sums). It is then divided by how
// much more the blocks vary than independent values would, and by how much more longer blocks
// would vary than these. It is never multiplied: what varies less counts as independent.
//
// Blocks tell that only where they hardly depend on each other. Where what comes together lasts for
// several blocks, a trace has too few of it to know how much it varies: then nothing is said of a
// difference. Few values cannot show that they are independent, so the fewer they are, the less it
// takes.
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

// Values of each side below which nothing is said.
inline constexpr double kFewestValues = 40;

struct Chance {
  // How probable a difference at least as great is where there is none, 0 to 1.
  double value = 1;
  // Blocks depend on each other, so that it is not known.
  bool is_dependent = false;
};

// How blocks of two traces depend on what comes before them.
struct Dependence {
  double ratio_a = 1;   // how much more the blocks vary than independent values would
  double ratio_b = 1;   //
  double more = 1;      // and longer blocks than these
  double evidence = 0;  // that they depend on each other, in standard deviations
};

// By all values of both, whatever threshold is asked about: hits are sums of something that each
// value has and whose variance in each trace is given.
[[nodiscard]] Dependence dependence_of(std::span<const ChanceBlock> a, double variance_a,
                                       std::span<const ChanceBlock> b, double variance_b);

// Of the difference of the shares hits / size. Nothing where too little is known: a side with few
// values or values in few blocks, or so few hits that no difference of them would be below
// `kChanceLevel`. The threshold may be any that depends on the values of both sides together.
[[nodiscard]] std::optional<Chance> chance_of_shares(const ChanceSide& a, const ChanceSide& b,
                                                     const Dependence& dependence);

// The same of ranks: hits are sums of the ranks of the values, 0 to 1, among those of both sides,
// and `variance` is that of such a rank. Assumed hits are the last of all, assumed misses the
// first.
[[nodiscard]] std::optional<Chance> chance_of_ranks(const ChanceSide& a, const ChanceSide& b,
                                                    double variance, const Dependence& dependence);

// The same of rates, events a second, without assumptions.
[[nodiscard]] std::optional<Chance> chance_of_rates(const ChanceSide& a, const ChanceSide& b);

}  // namespace tracedeck::timeline
