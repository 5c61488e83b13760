#include "tracedeck/ctf/write/head_selectors.hpp"

#include <algorithm>

#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

void HeadSelectors::collect(const FieldClassPtr& field_class, std::size_t depth) {
  if (field_class == nullptr || !is_compound(*field_class) || depth > kClassNesting) return;
  if (!seen_.insert(field_class).second) return;
  const auto* const optional = field_class->as<OptionalClass>();
  if (optional != nullptr && optional->presence.selector) add(*optional->presence.selector);
  const auto* const variant = field_class->as<VariantClass>();
  if (variant != nullptr && variant->selector) add(*variant->selector);
  const auto* const structure = field_class->as<StructureClass>();
  if (structure == nullptr) {
    for_each_child(*field_class, [&](const FieldClassPtr& inner) { collect(inner, depth + 1); });
    return;
  }
  for (const Member& member : structure->members) {
    if (!has_mark(member.attributes, "added", kAddedSelection))
      collect(member.field_class, depth + 1);
  }
}

void HeadSelectors::add(const FieldLocation& selector) {
  const bool may_lead_there = selector.root == Root::kPacketHeader ||
                              selector.root == Root::kEventHeader ||
                              selector.root == Root::kRelative;
  if (may_lead_there && !selector.path.empty() && selector.path.back())
    names_.insert(*selector.path.back());
}

bool HeadSelectors::is_idle(const FieldClass& field_class, Root root, std::string_view name) const {
  if (field_class.as<StructureClass>() != nullptr || field_class.as<OptionalClass>() != nullptr ||
      field_class.as<VariantClass>() != nullptr)
    return false;
  const bool has_role = std::ranges::any_of(field_class.roles, [&](const std::string& word) {
    const auto role = find_role(word);
    return role && accepts_role(root, *role, Dialect::kRc3);
  });
  return !has_role && !names_.contains(std::string(name));
}

bool HeadSelectors::has_idle_value(const FieldClassPtr& header, Root root) const {
  return header != nullptr && has_idle_value(*header, root, {}, 0);
}

bool HeadSelectors::has_idle_value(const FieldClass& field_class, Root root, std::string_view name,
                                   std::size_t depth) const {
  if (depth > kClassNesting) return true;
  if (const auto* const structure = field_class.as<StructureClass>()) {
    return std::ranges::any_of(structure->members, [&](const Member& member) {
      return has_idle_value(*member.field_class, root, member.name, depth + 1);
    });
  }
  // The value goes by the name of the member that holds it.
  bool found = false;
  if (field_class.as<OptionalClass>() == nullptr && field_class.as<VariantClass>() == nullptr)
    return found;
  for_each_child(field_class, [&](const FieldClassPtr& inner) {
    found = found || is_idle(*inner, root, name) || has_idle_value(*inner, root, name, depth + 1);
  });
  return found;
}

}  // namespace tracedeck::ctf
