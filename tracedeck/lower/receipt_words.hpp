// What a lowering does, for the receipt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracedeck::lower {

// The conventions by which a target holds what it has no class for.
enum class Convention : std::uint8_t {
  kFlattened,
  kText,
  kList,
  kWidth,
  kLabels,
  kStreamKeys,
  kPacketContext,
  kCommonContext,
  kSpecificContext,
  kDuration,
  kClockValue,
  kNominalTime,
  kSteppedBack,
  kName,
  kLength,
  kBoolean,
  kNearest,
  kOrder,
  kUntimed,
  kLoss,
  kDescription,
  kEnvironment,
  kEventHead,
  kPacketHead,
  kHeadInside,
  kCount,
};

struct ConventionFacts {
  std::string_view what;  // a short noun phrase
  std::string_view done;
  bool lossy = false;
};
[[nodiscard]] const ConventionFacts& facts_of(Convention convention);

// Something of a class that is held by convention, and where.
struct Kept {
  Convention convention;
  std::string path = {};  // of the field; empty: of the class
};

}  // namespace tracedeck::lower
