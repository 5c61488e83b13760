#include "tracedeck/ctf/clock_mark.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/ctf/marks.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/ctf/metadata/tsdl_values.hpp"
#include "tracedeck/text/json_access.hpp"
#include "tracedeck/text/json_out.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::string_view kMark = "clock";
constexpr std::string_view kNoPrecision = "no-precision";
constexpr std::string_view kAccuracy = "accuracy";
constexpr std::pair<std::string_view, std::string Identity::*> kIdentity[] = {
    {"namespace", &Identity::name_space}, {"name", &Identity::name}, {"uid", &Identity::uid}};

void apply(JsonRef mark, ClockClass& clock) {
  for (const auto& [key, member] : kIdentity) {
    const JsonRef value = find_child(mark, key);
    if (value && value.is(JsonKind::kString)) clock.identity.*member = value.string();
  }
  const JsonRef accuracy = find_child(mark, kAccuracy);
  if (accuracy && is_json_integer(accuracy)) {
    if (const auto value = json_integer(accuracy)) clock.accuracy = value->to_unsigned();
  }
  // It is 0 where nothing is said.
  if (find_child(mark, kNoPrecision) && clock.precision == 0) clock.precision.reset();
}

}  // namespace

void add_clock_mark(ClockClass& clock) {
  std::string mark;
  JsonOut out(mark);
  out.begin_object();
  for (const auto& [key, member] : kIdentity) {
    const std::string& value = clock.identity.*member;
    const bool is_said = member == &Identity::uid && tsdl::parse_uuid(value);
    if (!value.empty() && !is_said) out.key(key).string(value);
  }
  if (clock.accuracy) out.key(kAccuracy).integer(Integer::from(*clock.accuracy));
  if (!clock.precision) out.key(kNoPrecision).boolean(true);
  out.end_object();
  if (mark != "{}") add_mark(clock.attributes, kMark, mark);
}

void take_clock_mark(ClockClass& clock) {
  const auto ours = std::ranges::find_if(clock.attributes, [](const Attribute& each) {
    return each.key == kOurNamespace && each.is_json;
  });
  if (ours == clock.attributes.end()) return;
  JsonParser parser;
  const auto parsed = parser.parse(as_bytes(ours->value), 0, 1);
  if (!parsed || !(*parsed)->root().is(JsonKind::kObject)) return;
  const JsonRef mark = find_child((*parsed)->root(), kMark);
  if (!mark || !mark.is(JsonKind::kObject)) return;
  apply(mark, clock);
  std::string rest;
  JsonOut out(rest);
  out.begin_object();
  for (const JsonRef each : JsonChildren((*parsed)->root())) {
    if (each.key() != kMark) out.key(each.key()).raw(each.compact());
  }
  out.end_object();
  if (rest == "{}") {
    clock.attributes.erase(ours);
  } else {
    ours->value = std::move(rest);
  }
}

}  // namespace tracedeck::ctf
