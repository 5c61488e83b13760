// What is worked out once about the field classes that babeltrace2's lines show.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/render/babeltrace_scalar.hpp"

namespace tracedeck::render {

// Which members are shown, and how enumerations are spelt.
//
// babeltrace2 does not show integers that mean something to a reader (fields with roles), unless a
// length or a selector refers to them, nor structures, arrays and variants of nothing else. An
// empty structure is shown.
//
// The field classes must outlive the notes. One thread at a time.
class BabeltraceNotes {
 public:
  explicit BabeltraceNotes(BabeltracePalette palette) : palette_(palette) {}

  // Looks through classes whose fields may refer to each other; null pointers are skipped.
  void study(std::span<const FieldClass* const> roots);

  // Whether a class that was looked through has something to show. A null class has.
  [[nodiscard]] bool shows(const FieldClass* field_class) const {
    return !hidden_.contains(field_class);
  }
  // Whether each member of a structure is shown; null: all are.
  [[nodiscard]] const std::vector<bool>* shown_members(const StructureClass* structure) const {
    if (partial_.empty()) [[likely]]
      return nullptr;
    const auto found = partial_.find(structure);
    return found == partial_.end() ? nullptr : &found->second;
  }

  // The spelling of an enumeration, made when it is first asked for.
  [[nodiscard]] BabeltraceEnumeration& enumeration(const FieldClass& field_class);

 private:
  void collect_references(const FieldClass* field_class);
  void refer(const FieldLocation& location);
  bool look(const FieldClass* field_class);
  bool look_at_members(const StructureClass& structure);
  bool look_at_options(const VariantClass& variant);

  BabeltracePalette palette_;
  TextViewSet referred_;                                // last names of field locations
  std::unordered_set<const FieldClass*> seen_;          // by `collect_references`
  std::unordered_map<const FieldClass*, bool> looked_;  // what `look` returned
  std::unordered_set<const FieldClass*> hidden_;
  std::unordered_map<const StructureClass*, std::vector<bool>> partial_;
  std::unordered_map<const FieldClass*, BabeltraceEnumeration> enumerations_;
};

}  // namespace tracedeck::render
