// What of a source a written CTF trace has differently, or not at all.
#pragma once

#include <cstdint>

#include "tracedeck/format/concessions.hpp"

namespace tracedeck::ctf {

// What could not come over, or came over differently, in the order of the receipt.
enum class Concession : std::uint8_t {
  kOtherwise,
  kAdded,
  kRealigned,
  kRenamed,
  kAttribute,
  kTraceAttribute,
  kClassId,
  kStreamId,
  kHeadMember,
  kClock,
  kEnvironment,
  kUntimed,
  kDuration,
  kBackwards,
  kTimeRange,
  kCutString,
  kUnresolved,
  kTakenBack,
  kCount,
};

using Concessions = ConcessionCounts<Concession>;

[[nodiscard]] Receipt receipt_of(const Concessions& concessions);

}  // namespace tracedeck::ctf
