// `latency --output json`: docs/json/latency.schema.json.
#include <array>
#include <cmath>

#include "tracedeck/render/quality.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/latency_report.hpp"

namespace tracedeck::timeline {
namespace {

// Where there are several.
void append_origin(JsonObject& object, const TrackOrigin& origin) {
  if (origin.is_process()) object.string("trace", origin.trace);
  if (!origin.host.empty()) object.string("host", origin.host);
}

void append_row(TextBuffer& out, const LatencyRow& row, const Timeline& timeline) {
  JsonObject object(out);
  object.string("kind", row.is_wait ? "wait" : "slice");
  if (!row.name.category.empty()) object.string("category", row.name.category);
  object.string("name", row.name.text);
  if (row.name.place.size != 0) object.string("full_name", row.name.full);
  if (row.name.shows_host) append_origin(object, timeline.origin(row.name.origin));
  if (!row.by.empty()) object.string("by", row.by);
  object.integer("count", row.count());
  if (row.count() != 0) {
    append_decimal(object.key("total"), Nanoseconds::from_unsigned(row.total));
    append_decimal(object.key("self"), Nanoseconds::from_unsigned(row.self()));
    for (const LatencyQuantile& each : kLatencyQuantiles)
      object.integer(each.key,
                     static_cast<std::uint64_t>(std::llround(row.durations.quantile(each.part))));
    object.integer("max", row.longest);
    JsonObject at(object.key("at"));
    at.integer("time", timeline.absolute(row.longest_begin));
    at.string("track", timeline.track(row.longest_track).name);
    at.end();
    const LatencyRow::Outliers outliers = row.outliers();
    object.integer("outliers", outliers.least);
    if (outliers.most != outliers.least) object.integer("outliers_at_most", outliers.most);
  }
  if (row.left_out != 0) object.integer("left_out", row.left_out);
  if (row.across_loss != 0) object.integer("across_loss", row.across_loss);
  if (row.across_clock_step != 0) object.integer("across_clock_step", row.across_clock_step);
  if (row.unclear != 0) object.integer("unclear", std::uint64_t{row.unclear});
  if (row.open != 0) object.integer("open", row.open);
  if (row.open != 0 && !row.is_open_unclear) {
    object.integer("oldest_open", row.oldest_open);
    object.integer("oldest_open_begin", timeline.absolute(row.oldest_open_begin));
  }
  object.end();
}

void append_host(JsonObject& object, const Timeline& timeline, TrackId track) {
  if (!timeline.shown_origin(track).empty()) append_origin(object, timeline.origin_of(track));
}

void append_use(TextBuffer& out, const TrackUse& use, const Timeline& timeline) {
  const Track& track = timeline.track(use.track);
  JsonObject object(out);
  object.string("track", track.name);
  object.string("group", track.group);
  if (const TrackId parent = timeline.parent_of(use.track); parent != kNoTrack)
    object.string("parent", timeline.track(parent).name);
  append_host(object, timeline, use.track);
  if (use.busy != 0 && shows_busy(track.kind)) object.integer("busy", use.busy);
  if (use.busy_open != 0 && shows_busy(track.kind)) object.integer("busy_open", use.busy_open);
  if (!use.states.empty()) {
    JsonArray states(object.key("states"));
    for (const TrackUse::State& each : use.states) {
      JsonObject state(states.next());
      state.string("name", timeline.name(each.name).text);
      state.integer("time", each.time);
      if (each.spent != 0) state.integer("spent", each.spent);
      if (each.open != 0) state.integer("open", each.open);
      state.end();
    }
    states.end();
  }
  object.end();
}

void append_counter(TextBuffer& out, const CounterUse& use, const Timeline& timeline) {
  const Track& track = timeline.track(use.track);
  JsonObject object(out);
  object.string("track", track.name);
  object.string("group", track.group);
  if (track.parent != kNoTrack) object.string("parent", timeline.track(track.parent).name);
  append_host(object, timeline, use.track);
  object.integer("count", use.count);
  if (use.is_real) {
    object.real("min", use.reals.least);
    object.real("max", use.reals.most);
    object.real("last", use.reals.last);
  } else {
    object.integer("min", use.integers.least);
    object.integer("max", use.integers.most);
    object.integer("last", use.integers.last);
  }
  object.end();
}

struct NamedCount {
  std::string_view name;
  std::uint64_t TimelineCounts::* count;
};
constexpr auto kCounts = std::to_array<NamedCount>({
    {"left_out", &TimelineCounts::left_out},
    {"began_before", &TimelineCounts::began_before},
    {"open_at_end", &TimelineCounts::open_at_end},
    {"across_loss", &TimelineCounts::across_loss},
    {"across_clock_step", &TimelineCounts::across_clock_step},
    {"inferred_ends", &TimelineCounts::inferred_ends},
    {"ended_with_task", &TimelineCounts::ended_with_task},
    {"inferred_states", &TimelineCounts::inferred_states},
    {"negative", &TimelineCounts::negative},
    {"unmatched_ends", &TimelineCounts::unmatched_ends},
    {"overlaps", &TimelineCounts::overlaps},
    {"without_lane", &TimelineCounts::without_lane},
    {"clock_steps", &TimelineCounts::clock_steps},
    {"sections", &TimelineCounts::sections},
    {"too_far", &TimelineCounts::too_far},
    {"unrelated_clocks", &TimelineCounts::unrelated_clocks},
    {"without_rule", &TimelineCounts::without_rule},
    {"without_field", &TimelineCounts::without_field},
    {"not_held", &TimelineCounts::not_held},
    {"lost_events", &TimelineCounts::lost_events},
    {"gaps", &TimelineCounts::gaps},
    {"ended_early", &TimelineCounts::ended_early},
    {"missing_switches", &TimelineCounts::missing_switches},
});

}  // namespace

void append_tables(TextBuffer& out, const Timeline& timeline) {
  JsonArray tables(out);
  for (const std::string& each : timeline.tables()) append_json_string(tables.next(), each);
  tables.end();
}

void append_counts(TextBuffer& out, const TimelineCounts& counts) {
  JsonObject object(out);
  for (const NamedCount& each : kCounts) object.integer(each.name, counts.*each.count);
  object.end();
}

std::string latency_json(const Latency& latency, const Timeline& timeline,
                         const LatencyReportOptions& options) {
  TextBuffer out;
  JsonObject object(out);
  object.integer("events", timeline.counts().events);
  if (options.begin)
    object.integer("events_in_range", timeline.counts().events - options.events_before);
  object.integer("begin", timeline.absolute(timeline.begin()));
  object.integer("end", timeline.absolute(timeline.end()));
  if (latency.filtered() != 0) object.integer("filtered", latency.filtered());
  append_tables(object.key("tables"), timeline);
  JsonArray rows(object.key("rows"));
  for (const LatencyCategory& category : latency_categories(latency, options.top)) {
    for (const LatencyRow* const row : category.rows) append_row(rows.next(), *row, timeline);
  }
  rows.end();
  JsonArray tracks(object.key("tracks"));
  for (const TrackUse& use : latency.uses()) append_use(tracks.next(), use, timeline);
  tracks.end();
  JsonArray counters(object.key("counters"));
  for (const CounterUse& use : latency.counters()) append_counter(counters.next(), use, timeline);
  counters.end();
  append_counts(object.key("counts"), timeline.counts());
  if (options.quality) {
    if (const auto findings = render::quality_findings(*options.quality); !findings.empty())
      render::append_findings(object.key("quality"), findings);
    if (render::has_stuck(*options.quality))
      render::append_stuck(object.key("stuck"), *options.quality);
  }
  object.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::timeline
