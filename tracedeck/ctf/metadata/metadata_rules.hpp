// The rules that JSON metadata and auxiliary streams can break (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0,
// "Metadata stream").
//
// Most properties have one rule each, which says all that is demanded of them: whether they must be
// there, of which JSON type they are and which values they take. The text of a finding says what
// of that was not so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/rule_table.hpp"

namespace tracedeck::ctf {

// In the order of the table; see `metadata_rule`.
enum class MetadataRule : std::uint8_t {
  kSequence,
  kText,
  kTruncated,
  kPadding,
  kRepeatedKey,
  kDialect,
  kOtherDocument,
  kPreambleFirst,
  kPreambleOnce,
  kTraceClassOnce,
  kTraceClassOrder,
  kNoStreamClass,
  kFragment,
  kUnknownProperty,
  kUnknownClassProperty,
  kVersion,
  kUuid,
  kExtensions,
  kAttributes,
  kFieldClass,
  kRootClass,
  kFieldLocation,
  kRangeSet,
  kRoles,
  kUnknownRole,
  kMisplacedRole,
  kPacketHeaderRole,
  kPacketContextRole,
  kEventHeaderRole,
  kPacketHeaderMember,
  kEventHeaderMember,
  kEventHeaderFill,
  kFixedLength,
  kByteOrder,
  kBitOrder,
  kAlignment,
  kRealLength,
  kDisplayBase,
  kMappings,
  kMappingRange,
  kFlags,
  kEncoding,
  kStringLength,
  kStringLengthField,
  kMediaType,
  kBlobLength,
  kBlobLengthField,
  kMembers,
  kStructureAlignment,
  kMember,
  kElement,
  kArrayAlignment,
  kArrayLength,
  kArrayLengthField,
  kOptional,
  kVariant,
  kVariantOption,
  kAlias,
  kTraceClass,
  kEnvironment,
  kClock,
  kClockUuid,
  kClockDuplicate,
  kClockIdentity,
  kClockOrigin,
  kClockOffset,
  kStreamClass,
  kStreamClassDuplicate,
  kDefaultClock,
  kEventClass,
  kEventClassDuplicate,
  kParent,
  kAuxiliary,
  kAuxiliaryEnvironment,
  kLimit,
};
inline constexpr std::size_t kMetadataRuleCount =
    static_cast<std::size_t>(MetadataRule::kLimit) + 1;

[[nodiscard]] const Rule& metadata_rule(MetadataRule rule, Dialect dialect);
[[nodiscard]] std::span<const Rule> metadata_rules(Dialect dialect);

}  // namespace tracedeck::ctf
