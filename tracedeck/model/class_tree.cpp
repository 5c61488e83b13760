#include "tracedeck/model/class_tree.hpp"

#include <unordered_set>

namespace tracedeck {
namespace {

bool has_role_inside(const FieldClass& field_class, std::unordered_set<const FieldClass*>& seen) {
  if (!field_class.roles.empty()) return true;
  if (!is_compound(field_class) || !seen.insert(&field_class).second) return false;
  bool found = false;
  for_each_child(field_class, [&](const FieldClassPtr& inner) {
    found = found || has_role_inside(*inner, seen);
  });
  return found;
}

}  // namespace

bool has_role_inside(const FieldClass& field_class) {
  std::unordered_set<const FieldClass*> seen;
  return has_role_inside(field_class, seen);
}

}  // namespace tracedeck
