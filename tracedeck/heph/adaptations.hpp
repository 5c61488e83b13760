// What of a source a written Heph trace has in another way, or not at all.
#pragma once

#include <cstdint>

#include "tracedeck/format/adaptations.hpp"

namespace tracedeck::heph {

// What may not come over, in the order of the receipt.
enum class Adaptation : std::uint8_t {
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

using Adaptations = AdaptationCounts<Adaptation>;

[[nodiscard]] Receipt receipt_of(const Adaptations& adaptations);

}  // namespace tracedeck::heph
