// What of a source a written Heph trace has differently, or not at all.
#pragma once

#include <cstdint>

#include "tracedeck/format/concessions.hpp"

namespace tracedeck::heph {

// What may not come over, in the order of the receipt.
enum class Concession : std::uint8_t {
  kBoolean,
  kLabels,
  kWide,
  kBlob,
  kRoundedReal,
  kParts,
  kAbsent,
  kUnresolved,
  kTooLong,
  kContext,
  kPacketContext,
  kNoTime,
  kTimeRange,
  kClock,
  kStream,
  kEnvironment,
  kLoss,
  kCount,
};

using Concessions = ConcessionCounts<Concession>;

[[nodiscard]] Receipt receipt_of(const Concessions& concessions);

}  // namespace tracedeck::heph
