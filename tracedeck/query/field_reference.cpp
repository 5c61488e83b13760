#include "tracedeck/query/field_reference.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/units.hpp"

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

// Goes on inside a structure while places are fixed. `field` stands at the structure's first
// member.
bool enter_members(FieldReference& field, const FieldClass* structure_class,
                   std::span<const PathStep> steps) {
  for (;;) {
    const auto& structure = *structure_class->as<StructureClass>();
    const auto found = find_member(structure, steps);
    if (!found) return false;
    const Member& member = structure.members[found->member];
    steps = steps.subspan(found->steps);
    if (!can_have(member.field_class.get(), steps)) return false;
    for (const Member& before : std::span(structure.members).first(found->member)) {
      if (field.values == 0 && !is_extensive(*before.field_class)) {
        ++field.offset;
      } else {
        ++field.values;
      }
    }
    field.field_class = member.field_class.get();
    field.steps = steps;
    if (steps.empty() || field.values != 0 || member.field_class->as<StructureClass>() == nullptr)
      return true;
    ++field.offset;  // the head
    structure_class = member.field_class.get();
  }
}

}  // namespace

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

std::optional<std::string_view> unit_of_field(const EventClass& event_class, const Path& path) {
  const auto field = find_field(event_class, path);
  if (!field) return std::nullopt;
  std::string_view unit;
  const FieldClass* at =
      event_class.self_described ? nullptr : part_class(field->part, event_class);
  std::span<const PathStep> steps = path.steps;
  while (at != nullptr && !steps.empty()) {
    if (const auto* const optional = at->as<OptionalClass>()) {
      at = optional->value.get();
    } else if (const auto* const structure = at->as<StructureClass>()) {
      const auto found = find_member(*structure, steps);
      if (!found) return "";
      const Member& member = structure->members[found->member];
      unit = tracedeck::unit_of(member.attributes);
      at = member.field_class.get();
      steps = steps.subspan(found->steps);
    } else {
      at = element_class(at);
      steps = steps.subspan(1);
      if (at == nullptr) return "";  // entries of maps may count anything
    }
  }
  return unit;
}

bool is_ambiguous(const EventClass& event_class, const Path& path) {
  const auto field = find_field(event_class, path);
  const FieldClass* const members = field ? part_class(field->part, event_class) : nullptr;
  const auto* const structure = members == nullptr ? nullptr : members->as<StructureClass>();
  return structure != nullptr && is_ambiguous(*structure, path.steps);
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

Value read(Located from, std::span<const PathStep> steps, const ValueNames* names) {
  if (steps.empty())
    return from.slot == nullptr ? Value{} : value_of(from.slot, from.field_class, names);
  from = follow(from, steps);
  if (from.slot == nullptr) return {};
  if (steps.empty()) return value_of(from.slot, from.field_class, names);
  // The last step is into a packed array.
  if (steps.size() != 1 || steps.front().kind != PathStep::Kind::kIndex) return {};
  const auto index = element_index(steps.front().index, packed_count(*from.slot));
  if (!index) return {};
  const Slot element = packed_element(*from.slot, *index);
  return value_of(&element, element_class(from.field_class), names);
}

}  // namespace tracedeck::query
