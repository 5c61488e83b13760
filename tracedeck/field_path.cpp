#include "tracedeck/field_path.hpp"

#include <algorithm>

namespace tracedeck {
namespace {

// Whether values of the class take one slot each, whatever they are.
bool takes_one_slot(const FieldClass& field_class) {
  return field_class.as<BooleanClass>() != nullptr || field_class.as<IntegerClass>() != nullptr ||
         field_class.as<RealClass>() != nullptr || field_class.as<StringClass>() != nullptr ||
         field_class.as<BlobClass>() != nullptr;
}

}  // namespace

FieldRoute::FieldRoute(std::string_view path, const FieldClass* members) : path_(path) {
  const std::vector<PathStep> all = parse_path(path);
  std::span<const PathStep> rest = all;
  const FieldClass* at = members;
  while (at != nullptr && !rest.empty()) {
    const auto* const structure = at->as<StructureClass>();
    if (structure == nullptr) break;
    const auto member = find_member(*structure, rest);
    if (!member) {
      at = nullptr;
      break;
    }
    // The members of the root have no head before them.
    pass(std::span(structure->members).first(member->member), at == members ? 0 : 1);
    rest = rest.subspan(member->steps);
    at = structure->members[member->member].field_class.get();
  }
  if (!all.empty() && can_have(at, rest)) field_class_ = at;
  rest_.assign(rest.begin(), rest.end());
  plain_ = steps_.empty() && rest_.empty();
}

// Goes on to the member behind `members`, from the slot that lies `head` slots before the first.
void FieldRoute::pass(std::span<const Member> members, std::uint32_t head) {
  const auto values = static_cast<std::uint32_t>(members.size());
  if (steps_.empty() && std::ranges::all_of(members, [](const Member& each) {
        return takes_one_slot(*each.field_class);
      })) {
    direct_ += head + values;
    return;
  }
  if (head != 0) steps_.push_back({.values = 0, .into = true});
  steps_.push_back({.values = values, .into = false});
}

Value FieldRoute::follow(const Slot* slot) const {
  for (const Step& step : steps_) {
    for (std::uint32_t i = 0; i < step.values; ++i) slot = slot->next();
    if (step.into) ++slot;
  }
  const Value value(slot, field_class_);
  return rest_.empty() ? value : value.at(rest_);
}

ContextRoute::ContextRoute(std::string_view path, const EventClass& event_class)
    : specific_(path, event_class.specific_context.get()),
      common_(path, event_class.stream_class == nullptr
                        ? nullptr
                        : event_class.stream_class->common_context.get()),
      packet_(path, event_class.stream_class == nullptr
                        ? nullptr
                        : event_class.stream_class->packet_context.get()) {}

Value ContextRoute::in(const Event& event) const {
  if (const Value value = specific_.in(event.specific_context())) return value;
  if (const Value value = common_.in(event.common_context())) return value;
  return event.packet == nullptr ? Value() : packet_.in(event.packet->context);
}

}  // namespace tracedeck
