#include "tracedeck/timeline/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "tracedeck/model/trace_description.hpp"
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

void Arguments::visit(const Event& event, const Visit& visit) const {
  for (const Field& field : fields_) {
    const Slot* const part = query::begin_of(field.reference.part, event);
    if (part == nullptr) continue;
    query::Value value =
        query::read(query::locate(field.reference, part), field.reference.steps, field.names);
    if (field.is_address) value.is_hexadecimal = true;
    if (value.known()) visit(field.name, value);
  }
}

void Arguments::add(std::string name, query::Path path, const EventClass& event_class) {
  Field& field = fields_.emplace_back(Field{.name = std::move(name),
                                            .path = std::move(path),
                                            .reference = {},
                                            .names = nullptr,
                                            .is_address = false});
  const auto reference = query::find_field(event_class, field.path);
  if (!reference) {
    fields_.pop_back();
    return;
  }
  field.reference = *reference;
  field.is_address =
      is_named_as_address(field.name, reference->steps.empty() ? reference->field_class : nullptr);
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class != nullptr && stream_class->trace != nullptr)
    field.names = &stream_class->trace->value_names();
}

void Arguments::add_all(const EventClass& event_class) {
  const auto* const structure =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  if (structure == nullptr) return;
  for (const Member& member : structure->members) {
    const std::string name(member.name.view());
    add(name,
        {.root = query::Root::kPayload,
         .steps = {{.kind = query::PathStep::Kind::kMember, .name = name}}},
        event_class);
  }
}

void visit_arguments(const Mark& mark, const Arguments::Visit& visit) {
  if (mark.event != nullptr && mark.arguments != nullptr) mark.arguments->visit(*mark.event, visit);
}

}  // namespace tracedeck::timeline
