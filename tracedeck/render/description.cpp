#include "tracedeck/render/description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

void append_identity(JsonObject& object, const Identity& identity) {
  if (!identity.name_space.empty()) object.string("namespace", identity.name_space);
  if (!identity.name.empty()) object.string("name", identity.name);
  if (!identity.uid.empty()) object.string("uid", identity.uid);
}

std::string origin_text(const ClockClass& clock) {
  switch (clock.origin) {
    case ClockOrigin::kUnixEpoch:
      return "from the Unix epoch";
    case ClockOrigin::kCustom:
      return fmt::format("from origin {}", visible(clock.origin_identity.name));
    case ClockOrigin::kUnknown:
      break;
  }
  return "from an unknown origin";
}

std::string taken(TextBuffer& out) { return std::string(out.view()); }

}  // namespace

std::string format_text(const TraceDescription& description) {
  return fmt::format("{} {}", description.format(), visible(description.version()));
}

std::string storage_text(const TraceDescription& description) {
  if (description.stored_as().empty()) return "";
  return fmt::format(", restored from {} {}", description.stored_as(),
                     visible(description.stored_version()));
}

void append_format(JsonObject& object, const TraceDescription& description) {
  object.string("file", description.input());
  object.string("format", description.format());
  object.string("version", description.version());
  if (!description.stored_as().empty()) {
    object.string("restored_from", description.stored_as());
    object.string("restored_from_version", description.stored_version());
  }
}

void append_name(JsonObject& object, const TraceDescription& description) {
  const std::string& name = description.name_among_others();
  if (!name.empty()) object.string("name_among_others", name);
}

void append_clock_object(TextBuffer& out, const ClockClass& clock) {
  JsonObject object(out);
  object.string("id", clock.id);
  {
    JsonObject tick(object.key("tick"));
    tick.integer("numerator", clock.tick.numerator);
    tick.integer("denominator", clock.tick.denominator);
    tick.end();
  }
  {
    JsonObject offset(object.key("offset"));
    offset.integer("seconds", clock.offset_seconds);
    offset.integer("ticks", clock.offset_ticks);
    offset.end();
  }
  if (clock.origin == ClockOrigin::kCustom) {
    JsonObject origin(object.key("origin"));
    append_identity(origin, clock.origin_identity);
    origin.end();
  } else {
    object.string("origin", clock.origin == ClockOrigin::kUnixEpoch ? "unix-epoch" : "unknown");
  }
  append_identity(object, clock.identity);
  object.integer_if("precision", clock.precision);
  object.integer_if("accuracy", clock.accuracy);
  if (!clock.description.empty()) object.string("description", clock.description);
  object.end();
}

std::string clock_text(const ClockClass& clock) {
  const Tick& tick = clock.tick;
  std::string text = clock.id.empty() ? std::string() : visible(clock.id) + ": ";
  text += tick.denominator == 1 ? fmt::format("{} ns", tick.numerator)
                                : fmt::format("{}/{} ns", tick.numerator, tick.denominator);
  text += fmt::format(" a tick, {}", origin_text(clock));
  if (clock.offset_seconds != 0 || clock.offset_ticks != 0) {
    text += fmt::format(", offset {} s and {} ticks", clock.offset_seconds, clock.offset_ticks);
  }
  return text;
}

std::size_t append_class_name(TextBuffer& out, const EventClass& event_class) {
  if (event_class.name && !event_class.name->empty()) return append_visible(out, *event_class.name);
  const std::string id = fmt::format("#{}", event_class.id.value_or(0));
  out.append(id);
  return id.size();
}

std::size_t append_open_stream_tag(TextBuffer& out, const DataStream& stream) {
  std::size_t columns = 2;
  std::string_view separator;
  out.append('[');
  for (const StreamKey& key : stream.keys) {
    const std::string value = key.digits.empty() ? fmt::format(" {}", key.value) : " " + key.digits;
    out.append(separator);
    columns += separator.size() + append_visible(out, key.name) + value.size();
    out.append(value);
    separator = ", ";
  }
  return columns;
}

std::size_t append_stream_tag(TextBuffer& out, const DataStream& stream) {
  const std::size_t columns = append_open_stream_tag(out, stream);
  out.append(']');
  return columns;
}

std::string class_text(const EventClass& event_class) {
  TextBuffer out(nullptr, 1024);
  append_class_name(out, event_class);
  return taken(out);
}

std::string stream_text(const DataStream& stream) {
  TextBuffer out(nullptr, 1024);
  append_stream_tag(out, stream);
  return taken(out);
}

ClockOrigin common_origin(const StableList<ClockClass>& clocks) {
  if (clocks.empty()) return ClockOrigin::kUnknown;
  const ClockOrigin first = clocks.front().origin;
  const bool all =
      std::ranges::all_of(clocks, [&](const ClockClass& clock) { return clock.origin == first; });
  return all ? first : ClockOrigin::kUnknown;
}

}  // namespace tracedeck::render
