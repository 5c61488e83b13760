#include "tracedeck/render/schema.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "tracedeck/flow/class_group.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/render/field_class_json.hpp"
#include "tracedeck/render/field_class_text.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

// The place of an object in the list that holds it.
template <class T>
std::optional<std::uint64_t> index_in(const StableList<T>& list, const T* object) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (&list[i] == object) return i;
  }
  return {};
}

void append_if(JsonObject& object, std::string_view name, const FieldClassPtr& field_class) {
  if (field_class != nullptr) append_field_class(object.key(name), *field_class);
}

void append_uid(JsonObject& object, std::string_view name_space, std::string_view uid) {
  if (!name_space.empty()) object.string("namespace", name_space);
  if (!uid.empty()) object.string("uid", uid);
}

void append_stream_class(TextBuffer& out, const TraceDescription& description,
                         const DataStreamClass& stream_class) {
  JsonObject object(out);
  object.integer_if("id", stream_class.id);
  object.string_if("name", stream_class.name);
  append_uid(object, stream_class.name_space, stream_class.uid);
  object.integer_if("clock", index_in(description.clocks(), stream_class.default_clock));
  append_if(object, "packet_context", stream_class.packet_context);
  append_if(object, "event_header", stream_class.event_header);
  append_if(object, "common_context", stream_class.common_context);
  append_attributes(object, stream_class.attributes);
  object.end();
}

void append_event_class(TextBuffer& out, const TraceDescription& description,
                        const EventClass& event_class) {
  JsonObject object(out);
  object.string_if("name", event_class.name);
  object.integer_if("id", event_class.id);
  append_uid(object, event_class.name_space, event_class.uid);
  object.integer_if("stream_class",
                    index_in(description.stream_classes(), event_class.stream_class));
  object.integer_if("clock", index_in(description.clocks(), event_class.clock));
  object.boolean("duration", event_class.has_duration);
  append_if(object, "specific_context", event_class.specific_context);
  append_if(object, "payload", event_class.payload);
  append_attributes(object, event_class.attributes);
  object.end();
}

std::vector<flow::ClassGroup> grouped(const StableList<EventClass>& classes) {
  std::vector<flow::ClassGroup> groups;
  flow::GroupNumbers numbers;
  groups.reserve(classes.size());
  for (const EventClass& event_class : classes) {
    const std::size_t number = numbers[event_class];
    if (number == groups.size()) groups.emplace_back();
    flow::join(groups[number], event_class);
  }
  return groups;
}

// A titled part of a class's lines.
void add_part(TextTable& table, std::string_view title, const FieldClassPtr& field_class) {
  if (field_class == nullptr) return;
  table.add({std::string(title), ""});
  add_members(table, *field_class, 2);
}

void add_attributes(TextTable& table, const Attributes& attributes) {
  for (const Attribute& attribute : attributes) {
    table.add({fmt::format("@{}", visible(attribute.key)), visible(attribute.value)});
  }
}

std::string stream_class_text(const DataStreamClass& stream_class) {
  TextTable table({TextTable::Side::kLeft, TextTable::Side::kLeft});
  add_attributes(table, stream_class.attributes);
  add_part(table, "packet context", stream_class.packet_context);
  add_part(table, "event header", stream_class.event_header);
  add_part(table, "common context", stream_class.common_context);
  // Formats without stream classes of their own have one that says nothing.
  if (table.empty() && !stream_class.id && !stream_class.name) return "";
  std::string text = "\nstream class";
  if (stream_class.name) text += fmt::format(" {}", visible(*stream_class.name));
  if (stream_class.id) text += fmt::format(" (id {})", *stream_class.id);
  return fmt::format("{}\n{}", text, table.to_string(2));
}

void append_event_class_text(TextBuffer& out, const flow::ClassGroup& group) {
  const EventClass& event_class = *group.event_class;
  TextTable table({TextTable::Side::kLeft, TextTable::Side::kLeft});
  add_attributes(table, event_class.attributes);
  add_part(table, "specific context", event_class.specific_context);
  if (event_class.payload != nullptr) add_members(table, *event_class.payload, 0);
  std::string text = fmt::format("\nevent class {}", class_text(event_class));
  if (group.id && event_class.name) text += fmt::format(" (id {})", *group.id);
  if (event_class.clock == nullptr) text += ", without a time";
  if (event_class.has_duration) text += ", with a duration";
  if (group.classes > 1) text += fmt::format(", described {} times", group.classes);
  out.append(text);
  out.append('\n');
  table.append_to(out, 2);
}

}  // namespace

void append_schema_text(TextBuffer& out, const TraceDescription& description) {
  out.append(fmt::format("{}: {}{}\n", visible(description.input()), format_text(description),
                         storage_text(description)));
  const std::string& name = description.name_among_others();
  if (!name.empty()) out.append(fmt::format("name {}\n", visible(name)));
  for (const ClockClass& clock : description.clocks())
    out.append(fmt::format("clock {}\n", clock_text(clock)));
  for (const Attribute& entry : description.environment()) {
    out.append(fmt::format("environment {} = {}\n", visible(entry.key), visible(entry.value)));
  }
  for (const DataStreamClass& stream_class : description.stream_classes())
    out.append(stream_class_text(stream_class));
  for (const flow::ClassGroup& group : grouped(description.event_classes()))
    append_event_class_text(out, group);
}

std::string schema_text(const TraceDescription& description) {
  TextBuffer out;
  append_schema_text(out, description);
  return std::string(out.view());
}

void append_schema_json(TextBuffer& out, const TraceDescription& description) {
  JsonObject object(out);
  append_format(object, description);
  append_name(object, description);
  JsonArray clocks(object.key("clocks"));
  for (const ClockClass& clock : description.clocks()) append_clock_object(clocks.next(), clock);
  clocks.end();
  JsonArray stream_classes(object.key("stream_classes"));
  for (const DataStreamClass& stream_class : description.stream_classes()) {
    append_stream_class(stream_classes.next(), description, stream_class);
  }
  stream_classes.end();
  JsonArray event_classes(object.key("event_classes"));
  for (const EventClass& event_class : description.event_classes()) {
    append_event_class(event_classes.next(), description, event_class);
  }
  event_classes.end();
  append_attribute_list(object.key("environment"), description.environment());
  object.end();
  out.append('\n');
}

std::string schema_json(const TraceDescription& description) {
  TextBuffer out;
  append_schema_json(out, description);
  return std::string(out.view());
}

}  // namespace tracedeck::render
