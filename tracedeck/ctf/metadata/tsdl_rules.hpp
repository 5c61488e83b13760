// The rules of CTF 1.8 metadata text (TSDL) that a trace can break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tracedeck/base/finding.hpp"

namespace tracedeck::ctf {

// In the order of the table; see `tsdl_rule`.
enum class TsdlRule : std::uint8_t {
  // The stream of metadata.
  kSignature,
  kPacketHeader,
  kPacketSizes,
  kPacketScheme,
  kPacketUuid,
  kPacketZeros,
  kPadding,
  kCut,
  // Words and sentences.
  kLexical,
  kSyntax,
  kSemicolon,
  kUnsupported,
  // Attributes.
  kAttributeUnknown,
  kAttributeRepeated,
  kAttributeMissing,
  kAttributeValue,
  // Types.
  kTypeUnknown,
  kTypeRedefined,
  kFieldRepeated,
  kAlignment,
  kByteOrder,
  kInteger,
  kReal,
  kEnumeration,
  kEnumerationRange,
  kStructure,
  kVariant,
  kLength,
  kReservedName,
  // Blocks.
  kTrace,
  kVersion,
  kUuid,
  kClock,
  kStream,
  kEvent,
  kLogLevel,
  kEnvironment,
  kEnvironmentRepeated,
  // Of our own.
  kEmbeddedDescription,
  kNesting,
  kLimit,
};
inline constexpr std::size_t kTsdlRuleCount = static_cast<std::size_t>(TsdlRule::kLimit) + 1;

[[nodiscard]] const Rule& tsdl_rule(TsdlRule rule);
[[nodiscard]] std::span<const Rule> tsdl_rules();

}  // namespace tracedeck::ctf
