// Fields in packet headers and event record headers that CTF 2 does not allow there.
//
// CTF2-SPECRC-3.0 and CTF2-SPEC-2.0, tc-frag and dsc-frag: a field class in a header has a role, is
// a structure, an optional or a variant, or is that of a selector. CTF 1.8 has no such rule. An
// integer or boolean without a role becomes a selector, of an added optional that takes no bits;
// other fields without one are left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// What marks members that are there to be selected by the one before, in our attribute: JSON.
inline constexpr std::string_view kAddedSelection = "\"selection\"";

// The names of fields that select optionals or variants.
class HeadSelectors {
 public:
  // Adds the selectors of a class and what is inside. Null is no class.
  void collect(const FieldClassPtr& field_class) { collect(field_class, 0); }

  // Whether CTF 2 does not allow a field of that class and name in a header.
  [[nodiscard]] bool is_idle(const FieldClass& field_class, FieldLocation::Root root,
                             std::string_view name) const;
  // Whether a header has such a field where it cannot be left out: the value of an optional or an
  // option of a variant. Null is no class.
  [[nodiscard]] bool has_idle_value(const FieldClassPtr& header, FieldLocation::Root root) const;

 private:
  void collect(const FieldClassPtr& field_class, std::size_t depth);
  void add(const FieldLocation& selector);
  [[nodiscard]] bool has_idle_value(const FieldClass& field_class, FieldLocation::Root root,
                                    std::string_view name, std::size_t depth) const;

  TextSet names_;
  std::unordered_set<FieldClassPtr> seen_;  // whose insides have been seen, or are being
};

}  // namespace tracedeck::ctf
