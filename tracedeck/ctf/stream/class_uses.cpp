#include "tracedeck/ctf/stream/class_uses.hpp"

#include <algorithm>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

void ClassUses::count(const FieldClass& root) {
  if (uses_[&root]++ != 0) return;
  for_each_child(root, [&](const FieldClassPtr& inner) { count(*inner); });
}

bool ClassUses::is_shared(const FieldClass& structure) const {
  constexpr std::size_t kFew = 4;
  const auto& members = structure.as<StructureClass>()->members;
  return uses_.at(&structure) > 1 &&
         (members.size() > kFew || std::ranges::any_of(members, [](const Member& member) {
            return member.field_class->as<BooleanClass>() == nullptr &&
                   member.field_class->as<IntegerClass>() == nullptr &&
                   member.field_class->as<RealClass>() == nullptr;
          }));
}

}  // namespace tracedeck::ctf
