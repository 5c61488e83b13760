#include "tracedeck/flow/stage.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tracedeck/flow/clock_sync.hpp"
#include "tracedeck/flow/hide.hpp"
#include "tracedeck/flow/limit.hpp"
#include "tracedeck/flow/tail.hpp"

namespace tracedeck::flow {
namespace {

// What a clock can be shifted by: times some 292 years away.
std::optional<std::int64_t> as_shift(Nanoseconds time) {
  constexpr Uint128 kMost = std::numeric_limits<std::int64_t>::max();
  if (time.magnitude() > kMost) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(time.magnitude());
  return time.negative() ? -magnitude : magnitude;
}

std::int64_t user_offset(const StageContext& context) {
  return clock_offset(context.selection.clock_offsets, context.names);
}

// What to add to times as recorded to get UTC, or the least of it where that changes. Nothing: they
// stay as they were recorded.
std::optional<std::int64_t> wall_shift(const StageContext& context) {
  if (context.selection.clock != Clock::kWall || context.wall == nullptr) return std::nullopt;
  const WallClock& wall = *context.wall;
  return as_shift(Nanoseconds(user_offset(context)) +
                  (context.selection.one_offset ? wall.offset() : wall.least_offset()));
}

// By how much the wall clock changes beside a trace's own.
Nanoseconds wall_spread(const StageContext& context) {
  if (context.selection.one_offset || !wall_shift(context)) return {};
  return context.wall->greatest_offset() - context.wall->least_offset();
}

// What lies outside need not be read.
void ask_for_range(const StageContext& context, ReadOptions& reading) {
  const TrimRange range = context.times.both();
  reading.begin = range.begin;
  // The reader knows times before they are moved.
  if (reading.begin) reading.begin = *reading.begin - wall_spread(context);
  reading.end = range.end;
}

}  // namespace

RecordSourcePtr at_selected_times(RecordSourcePtr source, const StageContext& context) {
  if (wall_spread(context) == Nanoseconds()) return source;
  return on_wall_clock(std::move(source), context.wall, Nanoseconds(*wall_shift(context)));
}

namespace {

constexpr std::array kStages = {
    Stage{.name = "clock offset",
          .place = Stage::Place::kReading,
          .changes = [](const Selection& s) { return !s.clock_offsets.empty(); },
          .ask = [](const StageContext& context,
                    ReadOptions& reading) { reading.clock_shift = user_offset(context); }},
    Stage{.name = "wall clock",
          .place = Stage::Place::kReading,
          .changes = [](const Selection& s) { return s.clock == Clock::kWall; },
          .ask =
              [](const StageContext& context, ReadOptions& reading) {
                const std::optional<std::int64_t> shift = wall_shift(context);
                if (!shift) return;
                reading.clock_shift = *shift;
                reading.clock_origin = ClockOrigin::kUnixEpoch;
              }},
    Stage{.name = "anchors of the wall clock",
          .place = Stage::Place::kSource,
          .changes = [](const Selection& s) { return s.clock == Clock::kWall; },
          .apply = at_selected_times},
    Stage{.name = "trim",
          .place = Stage::Place::kSource,
          .changes = [](const Selection& s) { return s.limits_times() || s.tail_begin; },
          .selects = true,
          .ask = ask_for_range,
          .apply =
              [](RecordSourcePtr source, const StageContext& context) {
                return trim(std::move(source), context.times.range,
                            {.keeps_describing = context.selection.stands_alone,
                             .sorted = context.selection.order == Order::kTime,
                             .left_out = context.left_out,
                             .utc = context.times.utc});
              }},
    Stage{.name = "where",
          .place = Stage::Place::kSource,
          .changes = [](const Selection& s) { return s.where != nullptr; },
          .selects = true,
          .needs =
              [](const Selection& s) {
                return Needs{.values = s.where->needs_values(),
                             .names = s.where->needs_names(),
                             .symbols = s.where->needs_symbols() ? Needs::Symbols::kAll
                                                                 : Needs::Symbols::kNone};
              },
          .ask = ask_for_range,
          .apply =
              [](RecordSourcePtr source, const StageContext& context) {
                const Selection& selection = context.selection;
                auto filter = selection.where->filter({.times = context.times.where_times,
                                                       .trace = context.trace,
                                                       .again = context.again,
                                                       .keeps_describing = selection.stands_alone});
                return select(std::move(source), std::move(filter),
                              selection.order == Order::kTime);
              }},
    // Behind what selects by what is hidden.
    Stage{.name = "hide",
          .place = Stage::Place::kSource,
          .changes = [](const Selection& s) { return s.hiding != nullptr; },
          .apply =
              [](RecordSourcePtr source, const StageContext& context) {
                return hide(std::move(source), context.hidden);
              }},
    Stage{.name = "order",
          .place = Stage::Place::kOrder,
          .changes = [](const Selection& s) { return s.order == Order::kTime; }},
    Stage{.name = "limit",
          .place = Stage::Place::kAfter,
          .changes = [](const Selection& s) { return s.limit.has_value(); },
          .apply =
              [](RecordSourcePtr source, const StageContext& context) {
                const Selection& selection = context.selection;
                return limit(
                    std::move(source), *selection.limit,
                    {.counts_describing = !selection.stands_alone || !selects_events(selection),
                     .reads_on = selection.stands_alone});
              }},
    Stage{.name = "tail",
          .place = Stage::Place::kAfter,
          .changes = [](const Selection& s) { return s.tail.has_value(); },
          .apply =
              [](RecordSourcePtr source, const StageContext& context) {
                return tail(std::move(source), *context.selection.tail);
              }},
};

}  // namespace

std::int64_t clock_offset(std::span<const ClockOffset> offsets,
                          std::span<const std::string_view> names) {
  std::int64_t general = 0;
  std::optional<std::int64_t> own;
  for (const ClockOffset& offset : offsets) {
    if (!offset.trace) general = offset.nanoseconds;
    if (offset.trace && std::ranges::find(names, *offset.trace) != names.end())
      own = offset.nanoseconds;
  }
  return own.value_or(general);
}

std::span<const Stage> stages() { return kStages; }

bool changes_events(const Selection& selection) {
  return std::ranges::any_of(kStages, [&](const Stage& each) { return each.changes(selection); });
}

bool selects_events(const Selection& selection) {
  return std::ranges::any_of(
      kStages, [&](const Stage& each) { return each.selects && each.changes(selection); });
}

Needs needs_of(const Selection& selection) {
  Needs needs;
  for (const Stage& each : kStages) {
    if (each.needs != nullptr && each.changes(selection)) needs = needs | each.needs(selection);
  }
  return needs;
}

void ask_reader(const StageContext& context, ReadOptions& reading) {
  for (const Stage& each : kStages) {
    if (each.ask != nullptr && each.changes(context.selection)) each.ask(context, reading);
  }
}

RecordSourcePtr apply_stages(Stage::Place place, RecordSourcePtr source,
                             const StageContext& context) {
  for (const Stage& each : kStages) {
    if (each.place == place && each.apply != nullptr && each.changes(context.selection))
      source = each.apply(std::move(source), context);
  }
  return source;
}

}  // namespace tracedeck::flow
