// What times of several traces mean side by side.
#pragma once

#include <cstdint>

#include "tracedeck/flow/machines.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// A clock, which may outlive its trace.
struct ComparedClock {
  ClockClass clock = {};
  // Of CTF 1.8 without `absolute`: it is synchronised only with clocks of the same UUID.
  bool is_local = false;
  // The same without a UUID: it is that of its machine, as far as that is known.
  bool is_of_machine = false;
  MachineMarks machine = {};

  // `trace`: of the clock; null: none is known.
  [[nodiscard]] static ComparedClock of(const ClockClass& clock, const TraceDescription* trace);
};

enum class ClockRelation : std::uint8_t {
  kNone,   // their times can be put in an order, but it says nothing
  kHosts,  // they have offsets from the Unix epoch, by the clocks of their hosts
  kOne,    // `related`, and nothing else is said of them
};
[[nodiscard]] ClockRelation relation(const ComparedClock& a, const ComparedClock& b);

}  // namespace tracedeck::flow
