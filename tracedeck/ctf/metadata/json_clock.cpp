#include "tracedeck/ctf/metadata/json_clock.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "tracedeck/ctf/metadata/json_values.hpp"
#include "tracedeck/ctf/words.hpp"

namespace tracedeck::ctf {
namespace {

using R = MetadataRule;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

std::optional<std::int64_t> read_seconds(JsonRef value, JsonFindings& findings) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto seconds = json_integer(value);
  if (seconds && *seconds >= Limits::min() && *seconds <= Limits::max())
    return static_cast<std::int64_t>(*seconds);
  findings.expect(R::kLimit, value, "an integer of 64 bits");
  return {};
}

void read_offset(JsonRef value, std::optional<std::uint64_t> frequency, ClockClass& clock,
                 const JsonScope& scope) {
  const auto found = find_properties(value, clock_offset_properties(), scope.dialect,
                                     R::kUnknownProperty, scope.findings);
  if (const JsonRef seconds = found["seconds"])
    clock.offset_seconds = read_seconds(seconds, scope.findings).value_or(0);
  const JsonRef cycles = found["cycles"];
  if (!cycles) return;
  const auto ticks = read_natural(cycles, R::kClockOffset, 0, kLargest, scope.findings);
  if (ticks && frequency && *ticks >= *frequency) {
    scope.findings.expect(R::kClockOffset, cycles,
                          fmt::format("less than the frequency, {}", *frequency));
  }
  clock.offset_ticks = ticks.value_or(0);
}

void read_origin(JsonRef value, ClockClass& clock, const JsonScope& scope) {
  if (value.is(JsonKind::kString)) {
    if (value.string() == "unix-epoch") {
      clock.origin = ClockOrigin::kUnixEpoch;
    } else {
      scope.findings.expect(R::kClockOrigin, value, "\"unix-epoch\" or an object");
    }
    return;
  }
  const auto found = find_properties(value, clock_origin_properties(), scope.dialect,
                                     R::kUnknownProperty, scope.findings);
  clock.origin = ClockOrigin::kCustom;
  const auto text = [&](std::string_view name) {
    const JsonRef property = found[name];
    return std::string(property ? property.string() : "");
  };
  clock.origin_identity = {text("namespace"), text("name"), text("uid")};
}

}  // namespace

JsonClock read_json_clock(const FoundProperties& found, JsonScope& scope) {
  const bool final = scope.dialect == Dialect::kFinal;
  JsonClock result;
  ClockClass& clock = result.clock;
  const auto text = [&](std::string_view name) {
    const JsonRef property = found[name];
    return std::string(property ? property.string() : "");
  };
  const JsonRef key = found[final ? "id" : "name"];
  if (key) clock.id = key.string();

  std::optional<std::uint64_t> frequency;
  if (const JsonRef value = found["frequency"])
    frequency = read_natural(value, R::kClock, 1, kLargest, scope.findings);
  if (frequency) clock.tick = Tick::from_frequency(*frequency);
  result.usable = key && frequency;

  clock.description = text("description");
  if (!final) clock.precision = 0;
  if (const JsonRef value = found["precision"])
    clock.precision = read_natural(value, R::kClock, 0, kLargest, scope.findings);
  if (const JsonRef value = found["accuracy"])
    clock.accuracy = read_natural(value, R::kClock, 0, kLargest, scope.findings);
  if (const JsonRef offset = found[final ? "offset-from-origin" : "offset"])
    read_offset(offset, frequency, clock, scope);

  clock.identity = {text("namespace"), final ? text("name") : "", text("uid")};
  const JsonRef is_epoch = found["origin-is-unix-epoch"];
  if (const JsonRef origin = found["origin"]) {
    read_origin(origin, clock, scope);
  } else if (is_epoch ? is_epoch.boolean() : !final) {
    clock.origin = ClockOrigin::kUnixEpoch;
  }
  if (const JsonRef value = found["uuid"]) {
    result.uuid = read_uuid(value, R::kClockUuid, scope.findings);
    if (result.uuid && clock.identity.uid.empty()) clock.identity.uid = uuid_text(*result.uuid);
  }
  return result;
}

}  // namespace tracedeck::ctf
