#include "tracedeck/ctf/metadata/conventions.hpp"

#include <algorithm>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/text/json_out.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::string_view kAbsolute = "absolute";

const Attribute* find_ours(const Attributes& attributes) {
  const auto found = std::ranges::find_if(attributes, [](const Attribute& attribute) {
    return attribute.is_json && attribute.key == kOurNamespace;
  });
  return found == attributes.end() ? nullptr : &*found;
}

bool is_json_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

constexpr Int128 kNanosecondsPerSecond = 1'000'000'000;

Int128 divide_down(Int128 dividend, Int128 divisor) {
  const Int128 quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

}  // namespace

std::string_view inside_of_object(std::string_view object) {
  if (object.size() < 2 || object.front() != '{' || object.back() != '}') return {};
  return object.substr(1, object.size() - 2);
}

void add_mark(Attributes& attributes, std::string_view key, std::string_view json) {
  if (has_mark(attributes, key, json)) return;
  std::string mark = json_string(key).append(":").append(json);
  for (Attribute& attribute : attributes) {
    if (!attribute.is_json || attribute.key != kOurNamespace) continue;
    const std::string_view others = inside_of_object(attribute.value);
    if (!others.empty()) mark.append(",").append(others);
    attribute.value = "{" + mark + "}";
    return;
  }
  attributes.push_back(
      {.key = std::string(kOurNamespace), .value = "{" + mark + "}", .is_json = true});
}

namespace {

// Where `mark` stands as a member of an object; npos: nowhere.
std::size_t find_mark(std::string_view object, std::string_view mark) {
  const std::size_t at = object.find(mark);
  if (at == std::string_view::npos || at == 0) return std::string_view::npos;
  const std::size_t end = at + mark.size();
  const bool ends = end < object.size() && (object[end] == ',' || object[end] == '}');
  return ends ? at : std::string_view::npos;
}

std::string mark_text(std::string_view key, std::string_view json) {
  return json_string(key).append(":").append(json);
}

}  // namespace

bool has_mark(const Attributes& attributes, std::string_view key, std::string_view json) {
  const Attribute* const ours = find_ours(attributes);
  return ours != nullptr && find_mark(ours->value, mark_text(key, json)) != std::string::npos;
}

std::string final_environment(const Attributes& environment) {
  std::string text;
  JsonOut out(text);
  out.begin_object();
  TextViewSet keys;
  for (const Attribute& entry : environment) {
    if (!keys.insert(entry.key).second) continue;
    out.key(entry.key);
    if (entry.is_json && is_json_integer(entry.value)) {
      out.raw(entry.value);
    } else {
      out.string(entry.value);
    }
  }
  out.end_object();
  return text;
}

bool is_absolute(const ClockClass& clock) {
  return std::ranges::any_of(clock.attributes, [](const Attribute& attribute) {
    return attribute.key == kAbsolute && attribute.value == "true";
  });
}

ClockClass ctf1_clock(ClockClass clock, bool from_ctf1) {
  const bool absolute =
      is_absolute(clock) || (!from_ctf1 && clock.origin == ClockOrigin::kUnixEpoch);
  clock.attributes.clear();
  if (absolute) clock.attributes.push_back({.key = std::string(kAbsolute), .value = "true"});
  return clock;
}

bool same_clock(const ClockClass& a, const ClockClass& b) {
  return a.tick == b.tick && a.offset_seconds == b.offset_seconds &&
         a.offset_ticks == b.offset_ticks && a.shift == b.shift && a.origin == b.origin &&
         a.identity == b.identity && a.origin_identity == b.origin_identity &&
         a.precision == b.precision && a.accuracy == b.accuracy && a.description == b.description;
}

ClockOffset clock_offset(const ClockClass& clock, std::uint64_t frequency) {
  const Int128 hertz = frequency;
  const Int128 shift = divide_down(Int128{clock.shift} * hertz, kNanosecondsPerSecond);
  const Int128 cycles = Int128{clock.offset_ticks} + shift;
  const Int128 seconds = divide_down(cycles, hertz);
  return {.seconds = static_cast<std::int64_t>(clock.offset_seconds + seconds),
          .cycles = static_cast<std::uint64_t>(cycles - seconds * hertz)};
}

}  // namespace tracedeck::ctf
