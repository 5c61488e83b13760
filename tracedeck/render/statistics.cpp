#include "tracedeck/render/statistics.hpp"

#include <fmt/format.h>

#include "tracedeck/render/counted.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/text_table.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

using flow::ClassStatistics;
using flow::FieldStatistics;
using flow::TraceStatistics;

std::string_view part_name(FieldStatistics::Part part) {
  switch (part) {
    case FieldStatistics::Part::kCommonContext:
      return "common";
    case FieldStatistics::Part::kSpecificContext:
      return "specific";
    case FieldStatistics::Part::kPayload:
      break;
  }
  return "payload";
}

std::string value_json(const Slot& slot) {
  TextBuffer out(nullptr, 256);
  JsonValues values;
  values.append(out, &slot, nullptr);
  return std::string(out.view());
}

// JSON's numbers are fine for people too.
std::string value_text(const Slot& slot) {
  return slot.kind == SlotKind::kReal ? fmt::format("{:.6g}", slot.real) : value_json(slot);
}

ClockOrigin origin_of(const ClassStatistics& group) {
  const ClockClass* const clock = group.event_class->clock;
  return clock == nullptr ? ClockOrigin::kUnknown : clock->origin;
}

std::string field_name(const FieldStatistics& field) {
  const std::string path =
      visible(field.unit().empty() ? field.path : fmt::format("{} ({})", field.path, field.unit()));
  return field.part == FieldStatistics::Part::kPayload
             ? path
             : fmt::format("{}: {}", part_name(field.part), path);
}

// With as many digits as tell small ones from nothing.
std::string rate_text(double rate) {
  return rate < 1 ? fmt::format("{:.3g}", rate) : fmt::format("{:.1f}", rate);
}

void append_classes(TextBuffer& out, const TraceStatistics& statistics) {
  using enum TextTable::Side;
  using Cells = std::vector<std::string>;
  const auto row = [&](std::size_t index) {
    if (index == 0)
      return Cells{"EVENTS", "BYTES", "SHARE", "EVENTS/S", "FIRST", "LAST", "EVENT CLASS"};
    const ClassStatistics& group = statistics.classes[index - 1];
    const std::optional<double> rate = statistics.rate(group);
    return Cells{fmt::format("{}", group.events),
                 fmt::format("{}", group.bytes),
                 fmt::format("{:.1f}%", 100 * statistics.share_of_bytes(group)),
                 rate ? rate_text(*rate) : "",
                 group.time ? time_text(group.time->first, origin_of(group)) : "",
                 group.time ? time_text(group.time->last, origin_of(group)) : "",
                 class_text(*group.event_class)};
  };
  TextTable::append_rows(out, {kRight, kRight, kRight, kRight, kRight, kRight, kLeft},
                         statistics.classes.size() + 1, row, 0);
}

void append_fields(TextBuffer& out, const ClassStatistics& group) {
  using enum TextTable::Side;
  TextTable table({kLeft, kRight, kRight, kRight, kRight, kLeft});
  table.add({"FIELD", "VALUES", "MINIMUM", "MEAN", "MAXIMUM", ""});
  for (const FieldStatistics& field : group.fields) {
    const std::optional<double> mean = field.mean();
    table.add({field_name(field), fmt::format("{}", field.count),
               mean ? value_text(field.minimum) : "", mean ? fmt::format("{:.6g}", *mean) : "",
               mean ? value_text(field.maximum) : "",
               field.left_out == 0 ? "" : fmt::format("{} left out", field.left_out)});
  }
  table.append_to(out, 2);
}

void append_field(TextBuffer& out, const FieldStatistics& field) {
  JsonObject object(out);
  object.string("part", part_name(field.part));
  object.string("name", field.path);
  object.string("type", kind_name(field.field_class()));
  if (!field.unit().empty()) object.string("unit", field.unit());
  object.integer("count", field.count);
  if (const std::optional<double> mean = field.mean()) {
    object.key("min").append(value_json(field.minimum));
    object.real("mean", *mean);
    object.key("max").append(value_json(field.maximum));
  }
  object.integer("left_out", field.left_out);
  object.end();
}

void append_first_and_last(JsonObject& object, const std::optional<flow::TimeRange>& time) {
  if (!time) return;
  object.integer("first", time->first);
  object.integer("last", time->last);
}

void append_class(TextBuffer& out, const TraceStatistics& statistics,
                  const ClassStatistics& group) {
  JsonObject object(out);
  object.string_if("name", group.event_class->name);
  object.integer_if("id", group.id);
  object.integer("classes", std::uint64_t{group.classes});
  object.integer("events", group.events);
  object.integer("bytes", group.bytes);
  object.real("share", statistics.share_of_bytes(group));
  if (const std::optional<double> rate = statistics.rate(group)) object.real("rate", *rate);
  append_first_and_last(object, group.time);
  JsonArray fields(object.key("fields"));
  for (const FieldStatistics& field : group.fields) append_field(fields.next(), field);
  fields.end();
  object.end();
}

}  // namespace

void append_statistics_text(TextBuffer& out, const TraceStatistics& statistics) {
  out.append(fmt::format("{}, {}\n", counted(statistics.events, "event"),
                         counted(statistics.bytes, "byte")));
  if (statistics.classes.empty()) return;
  out.append('\n');
  append_classes(out, statistics);
  for (const ClassStatistics& group : statistics.classes) {
    if (group.fields.empty()) continue;
    out.append(fmt::format("\n{}\n", class_text(*group.event_class)));
    append_fields(out, group);
  }
}

std::string statistics_text(const TraceStatistics& statistics) {
  TextBuffer out;
  append_statistics_text(out, statistics);
  return std::string(out.view());
}

void append_statistics_json(TextBuffer& out, const TraceStatistics& statistics) {
  JsonObject object(out);
  object.integer("events", statistics.events);
  object.integer("bytes", statistics.bytes);
  append_first_and_last(object, statistics.time);
  JsonArray classes(object.key("classes"));
  for (const ClassStatistics& group : statistics.classes)
    append_class(classes.next(), statistics, group);
  classes.end();
  object.end();
  out.append('\n');
}

std::string statistics_json(const TraceStatistics& statistics) {
  TextBuffer out;
  append_statistics_json(out, statistics);
  return std::string(out.view());
}

}  // namespace tracedeck::render
