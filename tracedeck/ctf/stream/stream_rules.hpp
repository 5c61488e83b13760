// The rules that a data stream, or a field location of its classes, can break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/dialect.hpp"

namespace tracedeck::ctf {

// In the order of the table; see `stream_rule`.
enum class StreamRule : std::uint8_t {
  // Field locations, found when metadata is read.
  kLocationRoot,
  kLocationMember,
  kLocationOrder,
  kLocationArray,
  kLocationTarget,
  kArrayLength,
  kStringLength,
  kBlobLength,
  kOptionalSelector,
  kOptionalRanges,
  kVariantSelector,
  // Packets.
  kMagic,
  kUuid,
  kStreamClass,
  kPacketSize,
  kContentSize,
  kPacketEmpty,
  kPacketCut,
  kPacketTimes,
  // Event records.
  kEventClass,
  kEventEmpty,
  kEventCut,
  kEventOrder,
  kEventTime,
  // Fields.
  kByteOrder,
  kLocationValue,
  kOptionMissing,
  kUtf8,
  kTextLength,
  // Metadata.
  kClassCut,
  // Limits of our own.
  kLimitInteger,
  kLimitNesting,
  kLimitElements,
  kLimitProgram,
  kLimitState,
  // Counters of packets.
  kDiscardedBack,
  kFirstPacket,
};
inline constexpr std::size_t kStreamRuleCount =
    static_cast<std::size_t>(StreamRule::kFirstPacket) + 1;

[[nodiscard]] const Rule& stream_rule(StreamRule rule, Dialect dialect);
// Whether what breaks the rule is read all the same, also where it is an error.
[[nodiscard]] bool is_tolerated(const Rule& rule);
[[nodiscard]] std::span<const Rule> stream_rules(Dialect dialect);

}  // namespace tracedeck::ctf
