// Fields of any class as those of a target whose field classes may be nested.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/lower/field_program.hpp"
#include "tracedeck/lower/receipt_words.hpp"

namespace tracedeck::lower {

// One root of a class: a payload or a context.
class NestedFields {
 public:
  // `any_string`, `any_integer`: see `NestedShape`.
  NestedFields(const NestedProfile& profile, bool any_string, bool any_integer)
      : profile_(profile), any_string_(any_string), any_integer_(any_integer) {}

  // Adds a field of the lowering itself.
  void add(std::string_view name, FieldClassPtr field_class);
  // Adds the members of a structure, or of null. Returns how their values become those.
  [[nodiscard]] FieldProgram add_members(const FieldClass* structure);
  // Adds them as a structure, if there are any. The program is for the members.
  [[nodiscard]] FieldProgram add_structure(std::string_view name, const FieldClass* structure);

  // The structure; null: it has no members.
  [[nodiscard]] FieldClassPtr take();
  [[nodiscard]] const std::vector<Kept>& kept() const { return kept_; }

 private:
  // A structure that is being made.
  struct Scope {
    std::vector<Member> members = {};
    std::unordered_set<std::string> names = {};
  };

  [[nodiscard]] static std::string unique_name(Scope& scope, std::string name);
  [[nodiscard]] FieldProgram members(const StructureClass& source, const std::string& path,
                                     Scope& scope);
  void member(const Member& source, const std::string& path, Scope& scope, FieldProgram& program);
  // The class for a value that needs nothing beside it, or null.
  [[nodiscard]] FieldClassPtr plain(const FieldClass& source, const std::string& path,
                                    FieldProgram& program);
  [[nodiscard]] FieldClassPtr integer(const FieldClass& source, const std::string& path,
                                      FieldProgram& program);
  [[nodiscard]] FieldClassPtr structure(const FieldClass& source, const std::string& path,
                                        FieldProgram& program);
  // Values with a length or a selector before them, which is added to the scope; or null.
  [[nodiscard]] FieldClassPtr with_added(const FieldClass& source, const std::string& path,
                                         const std::string& name, Scope& scope,
                                         FieldProgram& program);
  [[nodiscard]] FieldClassPtr optional(const OptionalClass& source, const std::string& path,
                                       const std::string& name, Scope& scope,
                                       FieldProgram& program);
  [[nodiscard]] FieldClassPtr text(const FieldClassPtr& source, const std::string& path,
                                   FieldProgram& program);
  [[nodiscard]] FieldClassPtr finished(FieldClass::Kind kind, const FieldClass& source) const;
  [[nodiscard]] FieldClassPtr truth() const;
  void keep(Convention convention, const std::string& path) { kept_.push_back({convention, path}); }

  const NestedProfile& profile_;
  bool any_string_;
  bool any_integer_;
  Scope root_;
  std::size_t depth_ = 0;
  std::vector<Kept> kept_;
};

// An unsigned integer field of 64 bits.
[[nodiscard]] const FieldClassPtr& wide_number();

}  // namespace tracedeck::lower
