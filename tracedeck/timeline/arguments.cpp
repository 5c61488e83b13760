#include "tracedeck/timeline/arguments.hpp"

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::timeline {

void Arguments::visit(const Event& event, const Visit& visit) const {
  for (const Field& field : fields_) {
    const Slot* const part = query::begin_of(field.reference.part, event);
    if (part == nullptr) continue;
    const query::Value value =
        query::read(query::locate(field.reference, part), field.reference.steps, field.names);
    if (value.known()) visit(field.name, value);
  }
}

void Arguments::add(std::string name, query::Path path, const EventClass& event_class) {
  Field& field = fields_.emplace_back(
      Field{.name = std::move(name), .path = std::move(path), .reference = {}, .names = nullptr});
  const auto reference = query::find_field(event_class, field.path);
  if (!reference) {
    fields_.pop_back();
    return;
  }
  field.reference = *reference;
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
