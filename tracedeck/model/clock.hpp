// Clock classes: what a 64-bit clock value means in nanoseconds.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/attribute.hpp"
#include "tracedeck/model/entity_id.hpp"

namespace tracedeck {

// The length of one tick as an exact fraction of nanoseconds: 1/1 at 1 GHz, 3/1 for 3 ns a tick,
// 1,000,000,000/333,333,333 for a 333,333,333 Hz clock. The denominator is never 0.
struct Tick {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;

  // In lowest terms. `hertz` is not 0.
  [[nodiscard]] static constexpr Tick from_frequency(std::uint64_t hertz) {
    constexpr std::uint64_t kPerSecond = 1'000'000'000;
    const std::uint64_t common = std::gcd(kPerSecond, hertz);
    return {kPerSecond / common, hertz / common};
  }
  friend bool operator==(const Tick&, const Tick&) = default;
};

enum class ClockOrigin : std::uint8_t { kUnknown, kUnixEpoch, kCustom };

// Who a clock or its origin is, as far as a trace says so (CTF2-SPEC-2.0: namespace, name, uid;
// CTF2-SPECRC-3.0: uuid). Two clocks with equal, non-empty identities can be correlated.
struct Identity {
  std::string name_space = {};
  std::string name = {};
  std::string uid = {};

  friend bool operator==(const Identity&, const Identity&) = default;
};

// Values of a clock that follow one another.
struct ClockValues {
  std::uint64_t first = 0;
  std::uint64_t extent = 0;  // the last one less the first

  [[nodiscard]] bool contain(std::uint64_t value) const { return value - first <= extent; }
};

// Describes one clock. Lives in its `TraceDescription`, at a stable address.
struct ClockClass {
  EntityId entity = {};  // which the description sets
  std::string id = {};
  Tick tick = {};
  std::int64_t offset_seconds = 0;  // origin of the clock's value 0, seconds from `origin`
  std::uint64_t offset_ticks = 0;   // and ticks on top of them
  std::int64_t shift = 0;           // ns that the user asked to add to every time of this clock
  ClockOrigin origin = ClockOrigin::kUnknown;
  Identity identity = {};
  Identity origin_identity = {};                // when `origin` is kCustom
  std::optional<std::uint64_t> precision = {};  // ticks
  std::optional<std::uint64_t> accuracy = {};   // ticks
  std::string description = {};
  Attributes attributes = {};

  // The time of a clock value, in ns from the origin; a fraction rounds down. Exact.
  [[nodiscard]] Nanoseconds to_nanoseconds(std::uint64_t value) const;

  // The signed length of the interval between two clock values, rounded down.
  [[nodiscard]] Nanoseconds interval(std::uint64_t begin, std::uint64_t end) const;

  // The values whose times lie between the two, which belong to it; nothing if there are none.
  [[nodiscard]] std::optional<ClockValues> values_between(const Nanoseconds& begin,
                                                          const Nanoseconds& end) const;

  // True when a clock value is already ns from the origin.
  [[nodiscard]] bool counts_nanoseconds() const {
    return tick == Tick{} && offset_seconds == 0 && offset_ticks == 0 && shift == 0;
  }
};

// Whether times of the two clocks mean something side by side: both count from the Unix epoch, or
// both from one origin that the traces name; or they are one clock, of a trace or by the identity
// that both traces give it. Times of other clocks can be put in an order, but it says nothing.
[[nodiscard]] bool related(const ClockClass& a, const ClockClass& b);

}  // namespace tracedeck
