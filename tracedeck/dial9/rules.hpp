// The rules that a dial9 trace can break: one table for readers, validator, tests and documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/finding.hpp"

namespace tracedeck::dial9 {

// In the order of the table; see `rule`.
enum class RuleId : std::uint8_t {
  kHeaderMagic,
  kHeaderVersion,
  kFrameTag,
  kFrameTruncated,
  kEventType,
  kSchemaConflict,
  kFieldType,
  kVarintLength,
  kTimestampOverflow,
  kDynamicTag,
  kDynamicNesting,
  kLimit,
  kBoolValue,
  kPresenceValue,
  kVarintOverlong,
  kHasTimestampValue,
  kPoolUnresolved,
  kPoolRedefined,
  kUtf8,
  kSchemaRepeated,
  kNameEmpty,
  kNameDuplicate,
  kAnnotationType,
  kAnnotationField,
  kClockStep,
  kStillWritten,
};
inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(RuleId::kStillWritten) + 1;

[[nodiscard]] std::span<const Rule, kRuleCount> rules();
[[nodiscard]] const Rule& rule(RuleId id);

}  // namespace tracedeck::dial9
