// Fields of any class as fields that a target has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/lower/field_program.hpp"
#include "tracedeck/lower/receipt_words.hpp"
#include "tracedeck/lower/shape.hpp"

namespace tracedeck::lower {

// Collects the members of one lowered payload.
class FieldLowering {
 public:
  // `most`: stops behind so many fields, one more of which there is then.
  FieldLowering(const TargetProfile& profile, const Shape& shape, std::size_t most)
      : profile_(profile), any_integer_(shape.any_integer), lists_(shape.lists), most_(most) {}

  // Adds what stands for the members of a structure, or null. Their names begin with `prefix`.
  // Returns how their values become those.
  [[nodiscard]] FieldProgram add_members(const FieldClass* structure, std::string_view prefix);
  // Adds a field of the lowering itself.
  void add(std::string name, FieldClassPtr field_class, Attributes attributes = {});

  [[nodiscard]] bool too_many() const { return members_.size() > most_; }
  // The payload.
  [[nodiscard]] FieldClassPtr take();
  [[nodiscard]] const std::vector<Kept>& kept() const { return kept_; }

 private:
  // `attributes`: of the member that it is.
  void add_value(FieldProgram& program, const std::string& path, const FieldClassPtr& source,
                 const Attributes& attributes);
  // What a target that has attributes of fields says of one in these: its own, and its labels.
  [[nodiscard]] Attributes attributes_of(const FieldClass& source, const Attributes& own);
  // The class of a list or map that stands for an array or structure, and how values of that become
  // values which say their kinds; null: they do not.
  [[nodiscard]] FieldClassPtr listed(const FieldClassPtr& source, const std::string& path,
                                     FieldProgram& program);
  [[nodiscard]] bool add_dynamic(const FieldClassPtr& source, FieldProgram& program) const;
  [[nodiscard]] bool is_dynamic(const FieldClass& source) const;
  // The class that stands for values of another one slot for one slot; null: there is none.
  [[nodiscard]] FieldClassPtr direct(const FieldClass& source, FieldProgram& program);
  // The same of a target without nested values: numbers, texts and arrays of them.
  [[nodiscard]] FieldClassPtr attribute(const FieldClass& source, FieldProgram& program);
  [[nodiscard]] FieldClassPtr integer(const IntegerClass& source, FieldProgram& program);
  void keep(Convention convention, const std::string& path) { kept_.push_back({convention, path}); }
  void note_description(const FieldClass& source, const std::string& path);
  // How many values and structures are in a class, or more than are taken apart.
  [[nodiscard]] std::size_t parts(const FieldClass& source);

  const TargetProfile& profile_;
  bool any_integer_;
  bool lists_;
  std::size_t most_;
  std::vector<Member> members_;
  TextSet names_;
  std::unordered_map<const FieldClass*, std::size_t> parts_;
  std::vector<Kept> kept_;
  std::size_t attributes_ = 0;  // of all fields
};

// Whether values of the one class lie on the tape, and in a target, as those of the other.
[[nodiscard]] bool same_form(const FieldClass& a, const FieldClass& b);
// The same where targets with nested classes may spell names of members with underscores before
// them, and readers take such away.
[[nodiscard]] bool same_nested_form(const FieldClass& a, const FieldClass& b);
// The same of heads, whose members with roles may have other names and widths.
[[nodiscard]] bool same_head_form(const FieldClass& a, const FieldClass& b);

}  // namespace tracedeck::lower
