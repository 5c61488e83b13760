#include "tracedeck/timeline/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/model/units.hpp"
#include "tracedeck/timeline/rule_values.hpp"

namespace tracedeck::timeline {

namespace {

// Of a number as large as a pointer, which tracers do not always say to be one.
bool is_named_as_address(std::string_view name, const FieldClass* field_class) {
  constexpr std::array<std::string_view, 6> kNames = {"function", "callback", "call_site",
                                                      "ip",       "timer",    "hrtimer"};
  constexpr std::array<std::string_view, 3> kEnds = {"addr", "address", "ptr"};
  const auto* const integer = field_class == nullptr ? nullptr : field_class->as<IntegerClass>();
  if (integer == nullptr || integer->is_signed || !integer->mappings.empty()) return false;
  const auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
  if (fixed == nullptr || (fixed->width != 64 && fixed->width != 32)) return false;
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  return std::ranges::find(kNames, name) != kNames.end() || std::ranges::any_of(kEnds, ends);
}

}  // namespace

std::string argument_text(const query::Value& value) {
  const bool is_named = value.has_name || value.labels != nullptr;
  const auto number = value.is_hexadecimal && !is_named ? value.integer.to_unsigned()
                                                        : std::optional<std::uint64_t>();
  return number ? fmt::format("{:#x}", *number) : to_text(value);
}

std::string measured_text(const query::Value& value) {
  std::string text = argument_text(value);
  const bool is_number =
      value.kind == query::Value::Kind::kInteger || value.kind == query::Value::Kind::kReal;
  if (!is_number || value.unit.empty()) return text;
  return text += behind_number(value.unit);
}

void Arguments::visit(const Event& event, const Visit& visit) const {
  for (const Field& field : fields_) {
    if (field.all != nullptr) {
      visit_all(field, event, visit);
      continue;
    }
    const Slot* const part = query::begin_of(field.reference.part, event);
    if (part == nullptr) continue;
    visit_value(field.name,
                query::read(query::locate(field.reference, part), field.reference.steps, names_),
                field, 0, visit);
  }
}

// From one member to the next, so that an event takes time in proportion to its values.
void Arguments::visit_all(const Field& field, const Event& event, const Visit& visit) const {
  const Slot* slot = event.payload().data();
  if (slot == nullptr) return;
  for (std::size_t i = 0; i < field.all->members.size(); ++i, slot = slot->next()) {
    const Member& member = field.all->members[i];
    visit_value(member.name.view(), query::value_of(slot, member.field_class.get(), names_), field,
                i, visit);
  }
}

void Arguments::add(std::string name, query::Path path, const EventClass& event_class) {
  Field field{.name = std::move(name), .path = std::move(path)};
  const auto reference = query::find_field(event_class, field.path);
  if (!reference) return;
  field.reference = *reference;
  field.unit = {query::unit_of_field(event_class, field.path).value_or("")};
  field.is_address = {
      is_named_as_address(field.name, reference->steps.empty() ? reference->field_class : nullptr)};
  add(std::move(field), event_class);
}

void Arguments::add(Field field, const EventClass& event_class) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class != nullptr && stream_class->trace != nullptr)
    names_ = &stream_class->trace->value_names();
  // The steps of a reference stay where they are.
  static_assert(std::is_nothrow_move_constructible_v<Field>);
  fields_.push_back(std::move(field));
}

void Arguments::add_all(const EventClass& event_class) {
  const auto* const structure =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (structure == nullptr || structure->members.empty()) return;
  if (event_class.self_described) {
    // They stand in a map, wherever their names are.
    for (const Member& member : structure->members) {
      const std::string name(member.name.view());
      add(name,
          {.root = query::Root::kPayload,
           .steps = {{.kind = query::PathStep::Kind::kMember, .name = name}}},
          event_class);
    }
    return;
  }
  Field field{.all = structure, .is_address = {}, .unit = {}};
  for (const Member& member : structure->members) {
    field.is_address.push_back(is_named_as_address(member.name.view(), member.field_class.get()));
    field.unit.push_back(unit_of(member.attributes));
  }
  add(std::move(field), event_class);
}

void visit_arguments(const Mark& mark, const Arguments::Visit& visit) {
  if (mark.event != nullptr && mark.arguments != nullptr) mark.arguments->visit(*mark.event, visit);
}

}  // namespace tracedeck::timeline
