// The fields of a source that have been mapped, and where its field locations lead among them.
//
// Locations count the structures and name the members of the source. What they lead to is a node of
// the encode program, which writes the field, and a path in the target, where names may be others
// and structures may have been made around values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/program_builder.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// A structure that is being mapped.
struct OpenStructure {
  const StructureClass* source = nullptr;
  std::size_t current = 0;                // the member at hand
  std::vector<std::uint32_t> nodes = {};  // of the source's members so far
  std::vector<std::string> names = {};    // of the source's members in the target
  std::vector<Member> members = {};       // of the target so far
  std::vector<std::uint32_t> children = {};
  std::unordered_set<std::string> taken = {};  // names
  std::string via = {};                        // the parent's member that leads here
  std::string current_name = {};               // the target's member at hand
};

// Where a location leads.
struct Located {
  std::vector<ValueRef> refs = {};
  std::vector<const FieldClass*> leaves = {};
  std::optional<std::size_t> frame = {};  // structure that is open; else in another root
  FieldLocation::Root root = FieldLocation::Root::kRelative;  // of the location
  std::vector<std::string> names = {};  // from the structure or root, the target's
};

class MappedFields {
 public:
  // `program`: what the fields' nodes are of; it must outlive this.
  explicit MappedFields(ProgramBuilder& program) : program_(program) {}

  // What locations may lead into besides. It must outlive this.
  void use_packet_context(const MappedFields& packet_context) { packet_ = &packet_context; }

  void begin_root(FieldLocation::Root root);
  // `source` must outlive this.
  void end_root(const StructureClass& source, std::uint32_t node);
  [[nodiscard]] FieldLocation::Root root() const { return root_; }

  // Structures that are open, from the root inwards.
  void open(OpenStructure structure);
  [[nodiscard]] OpenStructure close();
  [[nodiscard]] std::size_t depth() const { return frames_.size(); }
  [[nodiscard]] OpenStructure& innermost() { return frames_.back(); }

  // `node` writes the structure that was closed.
  void keep_members(std::uint32_t node, OpenStructure&& structure);

  // Nothing when it leads to no integer or boolean that was mapped before the member at hand.
  [[nodiscard]] std::optional<Located> find(const FieldLocation& location);

  // The location of it in the target.
  [[nodiscard]] FieldLocation target_location(const Located& located, Dialect dialect) const;
  // Of a member that was added to the innermost structure.
  [[nodiscard]] FieldLocation added_location(const std::string& name, Dialect dialect) const;

 private:
  class Search;

  // The members of a structure that is complete.
  struct DoneMembers {
    std::vector<std::uint32_t> nodes;
    std::vector<std::string> names;  // the target's
  };
  // A root that is complete.
  struct DoneRoot {
    FieldLocation::Root root;
    const StructureClass* source;
    std::uint32_t node;
  };

  [[nodiscard]] const DoneRoot* done_root(FieldLocation::Root root) const;
  std::size_t find_member(const StructureClass& structure, const std::string& name);
  [[nodiscard]] bool is_shadowed(const Located& located) const;

  ProgramBuilder& program_;
  const MappedFields* packet_ = nullptr;
  FieldLocation::Root root_ = FieldLocation::Root::kPayload;
  std::vector<OpenStructure> frames_;
  std::vector<DoneRoot> done_;
  std::unordered_map<std::uint32_t, DoneMembers> member_nodes_;
  std::size_t steps_ = 0;
};

}  // namespace tracedeck::ctf
