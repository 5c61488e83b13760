// What of a source a written CTF trace has in another way, or not at all.
#pragma once

#include <cstdint>

#include "tracedeck/format/adaptations.hpp"

namespace tracedeck::ctf {

// What could not come over, or came over in another way, in the order of the receipt.
enum class Adaptation : std::uint8_t {
  kRealigned,
  kClassId,
  kHeadMember,
  kUntimed,
  kBackwards,
  kCutString,
  kTakenBack,
  kLateEnd,
  kLateEvent,
  kCount,
};

using Adaptations = AdaptationCounts<Adaptation>;

[[nodiscard]] Receipt receipt_of(const Adaptations& adaptations);

}  // namespace tracedeck::ctf
