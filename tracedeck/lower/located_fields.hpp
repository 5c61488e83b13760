// Where the field locations of a class lead, and how the target says it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// What lies around a root of a class. Structures are null where there is none.
struct NestedOrigin {
  bool same_format = false;  // it is of another dialect of the target's format
  const FieldClass* packet_context = nullptr;
  const FieldClass* common_context = nullptr;
  const FieldClass* specific_context = nullptr;

  // Of a data stream class, or of null.
  [[nodiscard]] static NestedOrigin of(const DataStreamClass* stream_class,
                                       const NestedProfile& profile);
};

// A name for a member beside those of `taken`, where it is entered.
[[nodiscard]] std::string unique_name(std::string name, const NestedProfile& profile,
                                      TextSet& taken);

// What the members of a structure are called in the target. `taken` are names that they cannot
// have, and then theirs too.
[[nodiscard]] std::vector<std::string> legal_names(const StructureClass& source,
                                                   const NestedProfile& profile, TextSet& taken);

// Whether a class of a trace has its length or selector in a packet header or event header.
[[nodiscard]] bool leads_into_heads(const TraceDescription& trace);

// Whether events have to say their class although their headers do not: a data stream class has
// several, as babeltrace2 does not read it, or one with integers of variable length, which may
// become several.
[[nodiscard]] bool needs_class_ids(const TraceDescription& trace);

class LocatedFields {
 public:
  // `profile` must outlive it. `root`: of which classes are lowered.
  LocatedFields(const NestedProfile& profile, const NestedOrigin& origin, FieldLocation::Root root)
      : profile_(profile), origin_(origin), root_(root) {}

  // Structures of the source around the member at hand, from the root inwards.
  void open(const StructureClass& structure) { frames_.push_back({.source = &structure}); }
  void at(std::size_t member) { frames_.back().current = member; }
  void close() { frames_.pop_back(); }
  [[nodiscard]] std::size_t depth() const { return frames_.size(); }

  struct Located {
    FieldLocation location = {};  // in the target
    const FieldClass* field_class = nullptr;
  };
  // Nothing: it leads to no field before the one at hand that has a place of its own, or is none
  // that the target can say.
  [[nodiscard]] std::optional<Located> locate(const FieldLocation& location);

 private:
  struct Frame {
    const StructureClass* source = nullptr;
    std::size_t current = 0;
  };
  struct Known {
    std::vector<std::string> names = {};
    TextViewMap<std::size_t> index = {};  // by the source's names
  };

  [[nodiscard]] const Known& known(const StructureClass& structure);
  [[nodiscard]] const FieldClass* root_of(FieldLocation::Root root) const;

  const NestedProfile& profile_;
  NestedOrigin origin_;
  FieldLocation::Root root_;
  std::vector<Frame> frames_;
  std::unordered_map<const StructureClass*, Known> known_;
};

}  // namespace tracedeck::lower
