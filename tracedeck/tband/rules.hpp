// The rules that a Tonbandgerät trace can break: one table for readers, validator, tests and
// documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/finding.hpp"

namespace tracedeck::tband {

// In the order of the table; see `rule`.
enum class RuleId : std::uint8_t {
  kCobs,
  kPayloadEmpty,
  kEventId,
  kFieldMissing,
  kSurplusBytes,
  kIntegerLength,
  kFrameTruncated,
  kLimit,
  kFrameEmpty,
  kUtf8,
  kQueueKindValue,
  kTimeOrder,
  kResolutionMissing,
  kResolutionZero,
  kResolutionChanged,
  kDropCountDecreased,
  kCores,
  kNames,
};
inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(RuleId::kNames) + 1;

[[nodiscard]] std::span<const Rule, kRuleCount> rules();
[[nodiscard]] const Rule& rule(RuleId id);

}  // namespace tracedeck::tband
