#include "tracedeck/lower/class_mark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/text/json_access.hpp"
#include "tracedeck/text/json_out.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck::lower {
namespace {

// The flags of a shape, and their words.
constexpr std::array<std::pair<std::string_view, bool NestedShape::*>, 5> kFlags = {{
    {"any-string", &NestedShape::any_string},
    {"any-integer", &NestedShape::any_integer},
    {"ordered", &NestedShape::ordered},
    {"clock-value", &NestedShape::clock_value},
    {"in-packet", &NestedShape::in_packet},
}};

std::optional<std::uint64_t> number_of(JsonRef object, std::string_view key) {
  const JsonRef value = object.is(JsonKind::kObject) ? find_child(object, key) : JsonRef();
  if (!value || !is_json_integer(value)) return std::nullopt;
  const std::optional<Integer> number = json_integer(value);
  return number ? number->to_unsigned() : std::nullopt;
}

// The strings of an array; false: it is none, or holds something else.
bool read_strings(JsonRef array, std::vector<std::string>& strings) {
  if (!array || !array.is(JsonKind::kArray)) return false;
  for (const JsonRef each : JsonChildren(array)) {
    if (!each.is(JsonKind::kString)) return false;
    strings.emplace_back(each.string());
  }
  return true;
}

bool read_texts(JsonRef array, std::vector<std::string>& texts) {
  if (!array || !array.is(JsonKind::kArray)) return false;
  for (const JsonRef each : JsonChildren(array)) texts.push_back(each.compact());
  return true;
}

std::optional<AttributeMark> mark_of(JsonRef object) {
  if (!object.is(JsonKind::kObject)) return std::nullopt;
  AttributeMark mark;
  const auto trace = number_of(object, "trace");
  if (!trace || !read_texts(find_child(object, "marks"), mark.texts)) return std::nullopt;
  mark.trace = *trace;
  if (const JsonRef of = find_child(object, "class")) {
    const auto event_class = number_of(of, "event-class");
    if (!event_class) return std::nullopt;
    mark.events = {.event_class = *event_class};
    for (const auto& [word, flag] : kFlags) {
      const JsonRef value = find_child(of, word);
      mark.events->shape.*flag = value && value.is(JsonKind::kBoolean) && value.boolean();
    }
  }
  if (const JsonRef of = find_child(object, "streams")) {
    const auto stream_class = number_of(of, "stream-class");
    if (!stream_class) return std::nullopt;
    mark.streams = {.stream_class = *stream_class};
    if (!read_strings(find_child(of, "keys"), mark.streams->keys)) return std::nullopt;
  }
  mark.stream = number_of(object, "stream");
  const JsonRef loss = find_child(object, "loss");
  mark.is_loss = loss && loss.is(JsonKind::kBoolean) && loss.boolean();
  return mark;
}

// What an object says besides the texts.
void append(const AttributeMark& mark, JsonOut& out) {
  if (mark.events) {
    out.key("class").begin_object();
    out.key("event-class").integer(Integer::from(mark.events->event_class));
    for (const auto& [word, flag] : kFlags) {
      if (mark.events->shape.*flag) out.key(word).boolean(true);
    }
    out.end_object();
  }
  if (mark.streams) {
    out.key("streams").begin_object();
    out.key("stream-class").integer(Integer::from(mark.streams->stream_class));
    out.key("keys").begin_array();
    for (const std::string& key : mark.streams->keys) out.string(key);
    out.end_array();
    out.end_object();
  }
  if (mark.stream) out.key("stream").integer(Integer::from(*mark.stream));
  if (mark.is_loss) out.key("loss").boolean(true);
}

}  // namespace

std::string& MarkText::next() {
  if (json_.empty()) {
    json_ = fmt::format(R"({{"trace":{},"marks":[)", trace_);
  } else {
    json_.push_back(',');
  }
  return json_;
}

Attributes MarkText::take(const AttributeMark& mark, Attributes attributes) {
  if (json_.empty()) static_cast<void>(next());
  JsonOut out(json_);
  out.end_array();
  append(mark, out);
  out.end_object();
  Attributes with;
  for (Attribute& each : attributes) {
    if (!is_mark(each)) with.push_back(std::move(each));
  }
  with.push_back(
      {.key = std::string(kMarkAttribute), .value = std::exchange(json_, {}), .is_json = true});
  return with;
}

bool AttributeMark::is_unreadable(const Attributes& attributes) {
  return std::ranges::any_of(attributes, [](const Attribute& each) {
    return is_mark(each) && each.value.find("\"annotations\"") == std::string::npos;
  });
}

std::optional<AttributeMark> AttributeMark::find(const Attributes& attributes) {
  const auto found = std::ranges::find_if(attributes, [](const Attribute& each) {
    return is_mark(each) && each.value.find("\"marks\"") != std::string::npos;
  });
  if (found == attributes.end()) return std::nullopt;
  JsonParser parser;
  const auto parsed = parser.parse(as_bytes(found->value), 0, 1);
  return parsed ? mark_of((*parsed)->root()) : std::nullopt;
}

}  // namespace tracedeck::lower
