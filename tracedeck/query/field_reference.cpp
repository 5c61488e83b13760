#include "tracedeck/query/field_reference.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::query {
namespace {

using Part = FieldReference::Part;

// Values of these classes may take more slots than one.
bool is_extensive(const FieldClass& field_class) {
  return is_compound(field_class) || field_class.as<DynamicClass>() != nullptr;
}

const FieldClass* part_class(Part part, const EventClass& event_class) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  switch (part) {
    case Part::kPayload:
      return event_class.payload.get();
    case Part::kSpecificContext:
      return event_class.specific_context.get();
    case Part::kCommonContext:
      return stream_class == nullptr ? nullptr : stream_class->common_context.get();
    case Part::kPacketContext:
      return stream_class == nullptr ? nullptr : stream_class->packet_context.get();
    case Part::kElement:
      break;
  }
  return nullptr;
}

std::span<const Part> parts_of(Root root) {
  static constexpr Part kAll[] = {Part::kPayload, Part::kSpecificContext, Part::kCommonContext,
                                  Part::kPacketContext};
  switch (root) {
    case Root::kAnyField:
      return kAll;
    case Root::kAnyContext:
      return std::span(kAll).subspan(1);
    case Root::kPayload:
      return std::span(kAll).subspan(0, 1);
    case Root::kSpecific:
      return std::span(kAll).subspan(1, 1);
    case Root::kCommon:
      return std::span(kAll).subspan(2, 1);
    case Root::kPacket:
      return std::span(kAll).subspan(3, 1);
    default:
      return {};
  }
}

const Member* find_member(const StructureClass& structure, std::string_view name) {
  const auto found = std::ranges::find_if(
      structure.members, [&](const Member& member) { return member.name == name; });
  return found == structure.members.end() ? nullptr : &*found;
}

// Looks at each class once for each step, however often classes are shared.
class Reachable {
 public:
  bool operator()(const FieldClass* field_class, std::span<const PathStep> steps) {
    if (steps.empty() || field_class == nullptr || field_class->as<DynamicClass>() != nullptr)
      return true;
    if (!seen_.emplace(field_class, steps.size()).second) return false;
    if (const auto* const optional = field_class->as<OptionalClass>())
      return (*this)(optional->value.get(), steps);
    if (const auto* const variant = field_class->as<VariantClass>()) {
      return std::ranges::any_of(variant->options, [&](const VariantOption& option) {
        return (*this)(option.field_class.get(), steps);
      });
    }
    const PathStep& step = steps.front();
    const auto rest = steps.subspan(1);
    if (const auto* const structure = field_class->as<StructureClass>()) {
      if (step.kind != PathStep::Kind::kMember) return false;
      const Member* const member = find_member(*structure, step.name);
      return member != nullptr && (*this)(member->field_class.get(), rest);
    }
    if (const auto* const array = field_class->as<ArrayClass>())
      return step.kind != PathStep::Kind::kMember && (*this)(array->element.get(), rest);
    if (const auto* const map = field_class->as<MapClass>())
      return step.kind != PathStep::Kind::kEach && (*this)(map->value.get(), rest);
    return false;
  }

 private:
  std::set<std::pair<const FieldClass*, std::size_t>> seen_;
};

// Goes on inside a structure while places are fixed. `field` stands at the structure's first
// member.
bool enter_members(FieldReference& field, const FieldClass* structure_class,
                   std::span<const PathStep> steps) {
  for (;;) {
    const auto& structure = *structure_class->as<StructureClass>();
    if (steps.front().kind != PathStep::Kind::kMember) return false;
    const Member* const member = find_member(structure, steps.front().name);
    if (member == nullptr || !can_have(member->field_class.get(), steps.subspan(1))) return false;
    for (const Member* before = structure.members.data(); before != member; ++before) {
      if (field.values == 0 && !is_extensive(*before->field_class)) {
        ++field.offset;
      } else {
        ++field.values;
      }
    }
    steps = steps.subspan(1);
    field.field_class = member->field_class.get();
    field.steps = steps;
    if (steps.empty() || field.values != 0 || member->field_class->as<StructureClass>() == nullptr)
      return true;
    ++field.offset;  // the head
    structure_class = member->field_class.get();
  }
}

bool has_key(const Slot& key, const PathStep& step) {
  if (step.kind == PathStep::Kind::kMember)
    return key.kind == SlotKind::kString && key.text() == step.name;
  const Value value = value_of(&key, nullptr, nullptr);
  return value.kind == Value::Kind::kInteger && value.integer == Integer::from_signed(step.index);
}

Located find_in_map(Located map, const PathStep& step) {
  const auto* const map_class =
      map.field_class == nullptr ? nullptr : map.field_class->as<MapClass>();
  const Slot* slot = map.slot + 1;
  for (std::uint64_t i = 0; i < map.slot->bits; ++i) {
    const Slot* const value = slot->next();
    if (has_key(*slot, step))
      return {value, map_class == nullptr ? nullptr : map_class->value.get()};
    slot = value->next();
  }
  return {};
}

Located find_in_structure(Located from, const PathStep& step) {
  const auto* const structure =
      from.field_class == nullptr ? nullptr : from.field_class->as<StructureClass>();
  if (structure == nullptr || step.kind != PathStep::Kind::kMember) return {};
  const Slot* slot = from.slot + 1;
  for (const Member& member : structure->members) {
    if (member.name == step.name) return {slot, member.field_class.get()};
    slot = slot->next();
  }
  return {};
}

// The index from the beginning, unless it lies outside.
std::optional<std::uint64_t> element_index(std::int64_t index, std::uint64_t count) {
  const std::uint64_t from_end = std::uint64_t{0} - static_cast<std::uint64_t>(index);
  if (index < 0) return from_end <= count ? std::optional(count - from_end) : std::nullopt;
  const auto from_begin = static_cast<std::uint64_t>(index);
  return from_begin < count ? std::optional(from_begin) : std::nullopt;
}

Located take_step(Located from, const PathStep& step) {
  switch (from.slot->kind) {
    case SlotKind::kStructure:
      return find_in_structure(from, step);
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      return find_in_map(from, step);
    case SlotKind::kArray: {
      if (step.kind != PathStep::Kind::kIndex) return {};
      const auto index = element_index(step.index, from.slot->bits);
      if (!index) return {};
      const Slot* slot = from.slot + 1;
      for (std::uint64_t i = 0; i < *index; ++i) slot = slot->next();
      return {slot, element_class(from.field_class)};
    }
    default:
      return {};
  }
}

}  // namespace

bool can_have(const FieldClass* field_class, std::span<const PathStep> steps) {
  return Reachable()(field_class, steps);
}

std::optional<FieldReference> find_field(const EventClass& event_class, const Path& path) {
  if (path.steps.empty()) return std::nullopt;
  for (const Part part : parts_of(path.root)) {
    if (part == Part::kPayload && event_class.self_described) {
      // The fields are the entries of the map behind the name.
      return FieldReference{.part = part, .offset = 1, .steps = path.steps};
    }
    const bool shown_with_stream = part == Part::kCommonContext &&
                                   event_class.stream_class != nullptr &&
                                   event_class.stream_class->context_identifies;
    const FieldClass* const structure = part_class(part, event_class);
    if (structure == nullptr || shown_with_stream) continue;
    FieldReference field{.part = part};
    if (enter_members(field, structure, path.steps)) return field;
  }
  return std::nullopt;
}

std::optional<DirectSlot> direct_slot(const FieldReference& field, const EventClass& event_class) {
  if (!field.is_direct() || field.part > Part::kCommonContext) return std::nullopt;
  std::size_t offset = field.offset;
  // The contexts lie before the payload, the common one first.
  for (const Part part : {Part::kCommonContext, Part::kSpecificContext}) {
    if (field.part >= part) break;
    const FieldClass* const context = part_class(part, event_class);
    if (context == nullptr) continue;
    const std::vector<Member>& members = context->as<StructureClass>()->members;
    if (std::ranges::any_of(members,
                            [](const Member& each) { return is_extensive(*each.field_class); }))
      return std::nullopt;
    offset += members.size();
  }
  if (offset > std::numeric_limits<std::uint32_t>::max() / sizeof(Slot)) return std::nullopt;
  DirectSlot slot;
  slot.offset_ = static_cast<std::uint32_t>(offset * sizeof(Slot));
  return slot;
}

const Slot* begin_of(Part part, const Event& event) {
  switch (part) {
    case Part::kPayload:
      return event.payload().data();
    case Part::kSpecificContext:
      return event.specific_context().data();
    case Part::kCommonContext:
      return event.common_context().data();
    case Part::kPacketContext:
      return event.packet == nullptr || event.packet->context.empty()
                 ? nullptr
                 : event.packet->context.data();
    case Part::kElement:
      break;
  }
  return nullptr;
}

Located locate(const FieldReference& field, const Slot* part) {
  if (part == nullptr) return {};
  const Slot* slot = part + field.offset;
  for (std::uint32_t i = 0; i < field.values; ++i) slot = slot->next();
  return {slot, field.field_class};
}

Located unwrapped(Located from) {
  while (from.slot != nullptr &&
         (from.slot->kind == SlotKind::kOptional || from.slot->kind == SlotKind::kVariant)) {
    if (from.slot->kind == SlotKind::kOptional && from.slot->bits == 0) return {};
    from = {from.slot + 1, held_class(*from.slot, from.field_class)};
  }
  return from;
}

Located follow(Located from, std::span<const PathStep> steps) {
  from = unwrapped(from);
  for (const PathStep& step : steps) {
    if (from.slot == nullptr) return {};
    from = unwrapped(take_step(from, step));
  }
  return from;
}

Value read(Located from, std::span<const PathStep> steps, const ValueNames* names) {
  if (steps.empty())
    return from.slot == nullptr ? Value{} : value_of(from.slot, from.field_class, names);
  from = follow(from, steps.first(steps.size() - 1));
  if (from.slot == nullptr) return {};
  if (from.slot->kind == SlotKind::kPackedArray) {
    if (steps.back().kind != PathStep::Kind::kIndex) return {};
    const auto index = element_index(steps.back().index, packed_count(*from.slot));
    if (!index) return {};
    const Slot element = packed_element(*from.slot, *index);
    return value_of(&element, element_class(from.field_class), names);
  }
  const Located last = follow(from, steps.last(1));
  return last.slot == nullptr ? Value{} : value_of(last.slot, last.field_class, names);
}

}  // namespace tracedeck::query
