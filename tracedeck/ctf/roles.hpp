// Roles: fields that mean something to a reader (CTF2-SPECRC-3.0, pkt-header-roles, pkt-ctx-roles,
// er-header-roles; CTF2-SPEC-2.0, the same).
//
// A field class keeps its roles as the words of its metadata. Classes read from CTF 1.8, whose
// reserved member names are roles in all but name, carry the words of CTF2-SPECRC-3.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

enum class Role : std::uint8_t {
  kMagic,
  kUuid,
  kStreamClassId,
  kStreamId,
  kTotalSize,
  kContentSize,
  kPacketBegin,  // sets the clock (CTF2-SPECRC-3.0)
  kPacketEnd,
  kDiscarded,
  kSequence,
  kEventClassId,
  kClock,  // updates the clock: in event record headers; CTF2-SPEC-2.0: in packet contexts too
};
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::kClock) + 1;

// What a class with a role must be.
enum class RoleClass : std::uint8_t {
  kMagic,            // 32-bit fixed-length unsigned integer, first member of the packet header
  kUuid,             // static-length BLOB of 16 bytes
  kUnsignedInteger,  // fixed- or variable-length unsigned integer, an enumeration too
};

struct RoleInfo {
  Role role;
  std::string_view rc3;    // the word of CTF2-SPECRC-3.0, empty: it has none
  std::string_view final;  // the word of CTF2-SPEC-2.0, empty: it has none
  RoleClass needs;
  bool in_packet_header;
  bool in_packet_context;  // of either dialect; `kClock` in CTF2-SPEC-2.0 alone
  bool in_event_header;
};

[[nodiscard]] std::span<const RoleInfo, kRoleCount> role_table();

// The role of a word of either dialect.
[[nodiscard]] std::optional<Role> find_role(std::string_view word);

// The word for a role in a dialect; empty when it has none. CTF 1.8: the word of CTF2-SPECRC-3.0.
[[nodiscard]] std::string_view role_word(Role role, Dialect dialect);

// Whether `word` is accepted in root field class `root` of a dialect.
[[nodiscard]] bool accepts_role(FieldLocation::Root root, Role role, Dialect dialect);

}  // namespace tracedeck::ctf
