// Fields of any class as those of a target whose field classes may be nested.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/lower/field_program.hpp"
#include "tracedeck/lower/located_fields.hpp"
#include "tracedeck/lower/receipt_words.hpp"

namespace tracedeck::lower {

// One root of a class: a payload or a context.
class NestedFields {
 public:
  // `any_string`, `any_integer`: see `NestedShape`.
  NestedFields(const NestedProfile& profile, bool any_string, bool any_integer,
               const NestedOrigin& origin = {},
               FieldLocation::Root root = FieldLocation::Root::kPayload)
      : profile_(profile),
        any_string_(any_string),
        any_integer_(any_integer),
        same_format_(origin.same_format),
        is_fixed_(profile.fixed_specific_context && root == FieldLocation::Root::kSpecificContext),
        fields_(profile, origin, root) {}

  // Adds a field of the lowering itself.
  void add(std::string_view name, FieldClassPtr field_class);
  // Adds the members of a structure, or of null. Returns how their values become those.
  [[nodiscard]] FieldProgram add_members(const FieldClass* structure);
  // The same of a packet context of the same format: what has roles stays as it is.
  [[nodiscard]] FieldProgram add_packet_context(const FieldClassPtr& structure);
  // Adds them as a structure, if there are any. The program is for the members.
  [[nodiscard]] FieldProgram add_structure(std::string_view name, const FieldClass* structure);

  // The structure; null: it has no members, and was none.
  [[nodiscard]] FieldClassPtr take();
  [[nodiscard]] const std::vector<Kept>& kept() const { return kept_; }

 private:
  // A structure that is being made.
  struct Scope {
    std::vector<Member> members = {};
    TextSet names = {};
  };
  [[nodiscard]] std::string unique(Scope& scope, std::string name) const {
    return unique_name(std::move(name), profile_, scope.names);
  }
  [[nodiscard]] FieldProgram members(const StructureClass& source, const std::string& path,
                                     Scope& scope, const std::vector<bool>* lowered = nullptr);
  void member(const Member& source, const std::string& path, const std::string& name, Scope& scope,
              FieldProgram& program);
  // Whether the target has all that a class says besides its kind.
  [[nodiscard]] bool keeps_all(const FieldClass& source) const;
  // Whether a number is in the target what it is.
  [[nodiscard]] bool stays(const FieldClass& source) const;
  // The class for a value that needs nothing beside it, or null.
  [[nodiscard]] FieldClassPtr plain(const FieldClassPtr& source, const std::string& path,
                                    FieldProgram& program);
  // The same of an element, an option or the like; of the same format it is text where it would
  // need something.
  [[nodiscard]] FieldClassPtr inside(const FieldClassPtr& source, const std::string& path,
                                     FieldProgram& program);
  [[nodiscard]] FieldClassPtr integer(const FieldClass& source, const std::string& path,
                                      FieldProgram& program);
  [[nodiscard]] FieldClassPtr string(const FieldClass& source, const std::string& path,
                                     FieldProgram& program);
  [[nodiscard]] FieldClassPtr structure(const FieldClassPtr& source, const std::string& path,
                                        FieldProgram& program);
  // Values with a length or a selector before them, which is added to the scope; or null.
  [[nodiscard]] FieldClassPtr with_added(const FieldClassPtr& of, const std::string& path,
                                         const std::string& name, Scope& scope,
                                         FieldProgram& program);
  [[nodiscard]] FieldClassPtr sequence(const FieldClass& source, const std::string& path,
                                       Extent extent, bool sized, FieldProgram& program);
  [[nodiscard]] FieldClassPtr optional(const OptionalClass& source, const std::string& path,
                                       const std::string& name, Scope& scope,
                                       FieldProgram& program);
  [[nodiscard]] FieldClassPtr variant(const FieldClassPtr& source, const std::string& path,
                                      const std::string& name, Scope& scope, FieldProgram& program);
  // These are selected or measured by fields of the source, or null.
  [[nodiscard]] FieldClassPtr selected(const FieldClassPtr& of, const std::string& path,
                                       FieldProgram& program);
  [[nodiscard]] FieldClassPtr located_optional(const FieldClass& source, const std::string& path,
                                               FieldProgram& program);
  [[nodiscard]] FieldClassPtr located_variant(const FieldClassPtr& source, const std::string& path,
                                              FieldProgram& program);
  [[nodiscard]] FieldClassPtr options(const FieldClassPtr& source, VariantClass made, bool sized,
                                      const std::string& path, FieldProgram& program);
  [[nodiscard]] std::optional<Extent> located_extent(const Extent& source);
  [[nodiscard]] std::optional<LocatedFields::Located> locate(const FieldLocation& location);
  [[nodiscard]] std::optional<LocatedFields::Located> locate_selector(
      const FieldLocation& location);
  [[nodiscard]] bool stays_integer(const LocatedFields::Located& located) const;
  [[nodiscard]] FieldClassPtr text(const FieldClassPtr& source, const std::string& path,
                                   FieldProgram& program);
  [[nodiscard]] FieldClassPtr finished(FieldClass::Kind kind, const FieldClass& source) const;
  [[nodiscard]] FieldClassPtr truth() const;
  void keep(Convention convention, const std::string& path) { kept_.push_back({convention, path}); }

  const NestedProfile& profile_;
  bool any_string_;
  bool any_integer_;
  bool same_format_;
  bool is_fixed_;  // no length and no selector may be a field of this root
  LocatedFields fields_;
  Scope root_;
  std::uint32_t root_alignment_ = 1;
  bool stays_empty_ = false;  // a structure without members is one
  std::vector<Kept> kept_;
};

// An unsigned integer field of 64 bits.
[[nodiscard]] const FieldClassPtr& wide_number();

}  // namespace tracedeck::lower
