// The rules that a Heph trace can break: one table for readers, validator, tests and documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/finding.hpp"

namespace tracedeck::heph {

// In the order of the table; see `rule`.
enum class RuleId : std::uint8_t {
  kMagic,
  kPacketSize,
  kPacketTruncated,
  kOptionName,
  kEpochValue,
  kDescription,
  kAttributeName,
  kAttributeType,
  kAttributeValue,
  kLimit,
  kUtf8,
  kTimeOrder,
  kEpochConflict,
  kEpochLate,
  kCounterReordered,
  kCounterDuplicate,
  kTypeLimit,
  kStreamLimit,
  kOptionLimit,
};
inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(RuleId::kOptionLimit) + 1;

[[nodiscard]] std::span<const Rule, kRuleCount> rules();
[[nodiscard]] const Rule& rule(RuleId id);

}  // namespace tracedeck::heph
