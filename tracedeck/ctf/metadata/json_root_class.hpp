// Root field classes of JSON metadata: headers, contexts and payloads, and the roles of what is in
// them (CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, pkt-header-roles, pkt-ctx-roles, er-header-roles).
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/ctf/metadata/json_scope.hpp"
#include "tracedeck/ctf/roles.hpp"

namespace tracedeck::ctf {

// Reads root field classes and checks the roles in them.
class RootClassReader {
 public:
  explicit RootClassReader(JsonScope& scope) : scope_(scope) {}

  // What roles depend on.
  struct Context {
    bool has_uuid = false;           // of the trace class or, in CTF2-SPEC-2.0, the preamble
    bool has_default_clock = false;  // of the data stream class
  };

  // The class of a root field. `value` is a value of `text`.
  [[nodiscard]] BuiltClass read(JsonRef value, FieldLocation::Root root, Context context,
                                const std::shared_ptr<const JsonText>& text);

  // Reports the field classes in headers that have no role and select nothing, now that all
  // locations there are for now are known. Each is reported once.
  void finish();

 private:
  struct Walk;

  // A class in a header that has to be the one of a selector field.
  struct Candidate {
    std::shared_ptr<const JsonText> text;
    JsonRef at;
    FieldLocation::Root root = FieldLocation::Root::kPacketHeader;
    std::string name;    // of the member
    bool fills = false;  // an integer that takes a part of a byte
  };

  void visit(const FieldClass& field_class, const Walk& walk, std::string_view name, bool first);
  [[nodiscard]] bool is_first_visit(const FieldClass& field_class, FieldLocation::Root root);
  void visit_parts(const FieldClass& field_class, const Walk& walk, std::string_view name);
  // Bits of the roles of a class that the root accepts, whatever class they are on.
  std::uint32_t check_roles(const FieldClass& field_class, const Walk& walk);
  void check_role(Role role, const FieldClass& field_class, const Walk& walk, JsonRef at);
  [[nodiscard]] MetadataRule rule_of(const Candidate& candidate) const;
  [[nodiscard]] std::string_view demand(Role role, const FieldClass& field_class,
                                        const Walk& walk) const;

  JsonScope& scope_;
  // Classes of aliases are looked at once in each kind of root.
  std::set<std::pair<const FieldClass*, FieldLocation::Root>> visited_;
  std::unordered_map<const FieldClass*, std::uint32_t> header_roles_;
  std::vector<Candidate> candidates_;
};

}  // namespace tracedeck::ctf
