#include "tracedeck/ctf/location_words.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

struct RootWords {
  std::string_view ctf2;
  std::string_view ctf1;
};
// In the order of `Root`.
constexpr std::array<RootWords, 7> kRoots = {{
    {"", ""},
    {"packet-header", "trace.packet.header"},
    {"packet-context", "stream.packet.context"},
    {"event-record-header", "stream.event.header"},
    {"event-record-common-context", "stream.event.context"},
    {"event-record-specific-context", "event.context"},
    {"event-record-payload", "event.fields"},
}};

// In the order of `Role`.
constexpr std::array<std::string_view, kRoleCount> kReserved = {"magic",
                                                                "uuid",
                                                                "stream_id",
                                                                "stream_instance_id",
                                                                "packet_size",
                                                                "content_size",
                                                                "timestamp_begin",
                                                                "timestamp_end",
                                                                "events_discarded",
                                                                "packet_seq_num",
                                                                "id",
                                                                "timestamp"};

std::optional<Root> find_root(std::string_view word, std::string_view RootWords::* dialect) {
  const auto found = std::ranges::find(kRoots, word, dialect);
  if (word.empty() || found == kRoots.end()) return {};
  return static_cast<Root>(found - kRoots.begin());
}

// The role as CTF2-SPECRC-3.0 names it.
std::optional<Role> role_at(Root root, std::string_view word) {
  const std::optional<Role> role = find_role(word);
  if (role == Role::kClock && root == Root::kPacketContext) return Role::kPacketBegin;
  return role;
}

}  // namespace

std::string_view root_word(Root root) { return kRoots[static_cast<std::size_t>(root)].ctf2; }

std::optional<Root> root_of_word(std::string_view word) {
  return find_root(word, &RootWords::ctf2);
}

std::string_view dynamic_scope(Root root) { return kRoots[static_cast<std::size_t>(root)].ctf1; }

std::optional<Root> root_of_scope(std::string_view scope) {
  return find_root(scope, &RootWords::ctf1);
}

std::string_view role_in(Root root, std::string_view word, Dialect dialect) {
  std::optional<Role> role = role_at(root, word);
  if (role == Role::kPacketBegin && dialect == Dialect::kFinal) role = Role::kClock;
  if (!role || !accepts_role(root, *role, dialect)) return {};
  return role_word(*role, dialect);
}

std::string_view reserved_name(Root root, std::string_view word) {
  const std::optional<Role> role = role_at(root, word);
  if (!role || !accepts_role(root, *role, Dialect::kRc3)) return {};
  return kReserved[static_cast<std::size_t>(*role)];
}

std::string_view reserved_name(Root root, const FieldClass& field_class) {
  for (const std::string& word : field_class.roles) {
    const std::string_view name = reserved_name(root, word);
    if (!name.empty()) return name;
  }
  return {};
}

std::optional<Role> reserved_role(Root root, std::string_view name) {
  const auto found = std::ranges::find(kReserved, name);
  if (found == kReserved.end()) return {};
  const auto role = static_cast<Role>(found - kReserved.begin());
  return accepts_role(root, role, Dialect::kRc3) ? std::optional(role) : std::nullopt;
}

}  // namespace tracedeck::ctf
