#include "tracedeck/ctf/write/target_names.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/ctf/write/location_words.hpp"
#include "tracedeck/ctf/write/packet_layout.hpp"
#include "tracedeck/ctf/write/tsdl_metadata_writer.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

namespace {

// What CTF 1.8 calls each of the members that have a role, else "". Of several fields with a role,
// the last one counts.
std::vector<std::string> role_names(const StructureClass& source, Root root) {
  std::unordered_map<std::string_view, const Member*> last_of_role;
  for (const Member& member : source.members)
    last_of_role[reserved_name(root, *member.field_class)] = &member;
  std::vector<std::string> names;
  for (const Member& member : source.members) {
    const std::string_view name = reserved_name(root, *member.field_class);
    names.emplace_back(last_of_role[name] == &member ? name : std::string_view());
  }
  return names;
}

// UTF-8, and each once. Who has a name first keeps it.
std::vector<std::string> unique_names(const std::vector<Member>& members) {
  std::vector<std::string> names;
  std::unordered_map<std::string, unsigned> numbers;
  for (const Member& member : members) {
    names.push_back(repaired_utf8(member.name));
    numbers.emplace(names.back(), 0);
  }
  std::unordered_set<std::string> seen;
  for (std::string& name : names) {
    if (seen.insert(name).second) continue;
    unsigned& number = numbers[name];
    std::string other;
    do {
      other = name + "_" + std::to_string(++number);
    } while (numbers.contains(other));
    seen.insert(other);
    numbers.emplace(other, 0);
    name = std::move(other);
  }
  return names;
}

std::vector<std::string> identifiers(const StructureClass& source, Root root, bool is_root,
                                     bool keep_roles) {
  // Members of a packet context must not be called as ours.
  const bool beside_ours = root == Root::kPacketContext && is_root && !keep_roles;
  std::vector<std::string> reserved(source.members.size());
  if (keep_roles) reserved = role_names(source, root);
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, unsigned> numbers;
  for (std::size_t i = 0; i < source.members.size(); ++i) {
    const std::string base =
        reserved[i].empty() ? tsdl_identifier(source.members[i].name) : reserved[i];
    std::string name = base;
    const auto serves = [&] {
      if (keep_roles && reserved[i].empty() && is_reserved_name(root, name)) return false;
      return !(beside_ours && is_packet_member(name)) && taken.insert(name).second;
    };
    while (!serves()) name = base + "_" + std::to_string(++numbers[base]);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::vector<std::string> target_names(const StructureClass& source, Root root, bool is_root,
                                      const MapperOptions& options) {
  if (options.dialect == Dialect::kCtf1)
    return identifiers(source, root, is_root, options.keep_roles);
  return unique_names(source.members);
}

}  // namespace tracedeck::ctf
