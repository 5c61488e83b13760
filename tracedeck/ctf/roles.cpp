#include "tracedeck/ctf/roles.hpp"

#include <algorithm>
#include <array>

namespace tracedeck::ctf {
namespace {

constexpr auto kInteger = RoleClass::kUnsignedInteger;

// In the order of `Role`.
constexpr std::array<RoleInfo, kRoleCount> kRoles = {{
    {Role::kMagic, "packet-magic-number", "packet-magic-number", RoleClass::kMagic, true, false,
     false},
    {Role::kUuid, "trace-class-uuid", "metadata-stream-uuid", RoleClass::kUuid, true, false, false},
    {Role::kStreamClassId, "data-stream-class-id", "data-stream-class-id", kInteger, true, false,
     false},
    {Role::kStreamId, "data-stream-id", "data-stream-id", kInteger, true, false, false},
    {Role::kTotalSize, "packet-total-size", "packet-total-length", kInteger, false, true, false},
    {Role::kContentSize, "packet-content-size", "packet-content-length", kInteger, false, true,
     false},
    {Role::kPacketBegin, "packet-beginning-default-clock-timestamp", "", kInteger, false, true,
     false},
    {Role::kPacketEnd, "packet-end-default-clock-timestamp", "packet-end-default-clock-timestamp",
     kInteger, false, true, false},
    {Role::kDiscarded, "discarded-event-record-counter-snapshot",
     "discarded-event-record-counter-snapshot", kInteger, false, true, false},
    {Role::kSequence, "packet-sequence-number", "packet-sequence-number", kInteger, false, true,
     false},
    {Role::kEventClassId, "event-record-class-id", "event-record-class-id", kInteger, false, false,
     true},
    {Role::kClock, "default-clock-timestamp", "default-clock-timestamp", kInteger, false, true,
     true},
}};

}  // namespace

std::span<const RoleInfo, kRoleCount> role_table() { return kRoles; }

std::optional<Role> find_role(std::string_view word) {
  const auto found = std::ranges::find_if(
      kRoles, [&](const RoleInfo& info) { return info.rc3 == word || info.final == word; });
  if (word.empty() || found == kRoles.end()) return {};
  return found->role;
}

std::string_view role_word(Role role, Dialect dialect) {
  const RoleInfo& info = kRoles[static_cast<std::size_t>(role)];
  return dialect == Dialect::kFinal ? info.final : info.rc3;
}

bool accepts_role(FieldLocation::Root root, Role role, Dialect dialect) {
  const RoleInfo& info = kRoles[static_cast<std::size_t>(role)];
  if (role_word(role, dialect).empty()) return false;
  switch (root) {
    case FieldLocation::Root::kPacketHeader:
      return info.in_packet_header;
    case FieldLocation::Root::kPacketContext:
      return info.in_packet_context && (role != Role::kClock || dialect == Dialect::kFinal);
    case FieldLocation::Root::kEventHeader:
      return info.in_event_header;
    default:
      return false;
  }
}

}  // namespace tracedeck::ctf
