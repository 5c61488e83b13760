#include "tracedeck/timeline/latency_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tracedeck/render/json_object.hpp"
#include "tracedeck/render/text_table.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/render/visible.hpp"

namespace tracedeck::timeline {
namespace {

using Side = render::TextTable::Side;

struct Quantile {
  std::string_view title;
  std::string_view key;
  double part;
  std::uint64_t least;  // values, for it to be another than the maximum
};
constexpr auto kQuantiles = std::to_array<Quantile>({
    {"P50", "p50", 0.5, 1},
    {"P90", "p90", 0.9, 2},
    {"P99", "p99", 0.99, 10},
    {"P99.9", "p99.9", 0.999, 100},
});

struct Category {
  bool is_wait;
  std::string_view name;
  std::vector<const LatencyRow*> rows;
};

// Rows by category, in the order in which categories came; waits are one of them.
std::vector<Category> categories_of(const Latency& latency, std::size_t top) {
  std::vector<Category> categories;
  for (const LatencyRow& row : latency.rows()) {
    const std::string_view name = row.is_wait ? std::string_view() : row.category;
    auto place = std::ranges::find_if(categories, [&](const Category& each) {
      return each.is_wait == row.is_wait && each.name == name;
    });
    if (place == categories.end())
      place = categories.insert(categories.end(), Category{row.is_wait, name, {}});
    place->rows.push_back(&row);
  }
  std::ranges::stable_partition(categories, &Category::is_wait);
  for (Category& category : categories) {
    std::ranges::stable_sort(category.rows, [](const LatencyRow* a, const LatencyRow* b) {
      return a->total != b->total ? a->total > b->total : a->left_out > b->left_out;
    });
    if (top != 0 && category.rows.size() > top) category.rows.resize(top);
  }
  return categories;
}

std::string place_of(const LatencyRow& row, const Timeline& timeline) {
  if (row.longest_track == kNoTrack) return {};
  const std::int64_t since = row.longest_begin - timeline.begin();
  return fmt::format("{}{:.6f}s {}", since < 0 ? "-" : "+",
                     std::abs(static_cast<double>(since)) / 1e9,
                     render::visible(timeline.track(row.longest_track).name));
}

std::string quantile_text(const LatencyRow& row, const Quantile& quantile) {
  if (row.count() < quantile.least) return {};
  return short_duration(row.durations.quantile(quantile.part));
}

void append_rows(std::string& out, const std::vector<Category>& categories,
                 const Timeline& timeline) {
  render::TextTable table({Side::kLeft, Side::kRight, Side::kRight, Side::kRight, Side::kRight,
                           Side::kRight, Side::kRight, Side::kLeft});
  table.add({"", "COUNT", "P50", "P90", "P99", "P99.9", "MAX", "AT"});
  for (const Category& category : categories) {
    for (const LatencyRow* const row : category.rows) {
      std::string label = row->label();
      if (!row->by.empty()) label += "  " + row->by;
      table.add({render::visible(label), with_separators(row->count()),
                 quantile_text(*row, kQuantiles[0]), quantile_text(*row, kQuantiles[1]),
                 quantile_text(*row, kQuantiles[2]), quantile_text(*row, kQuantiles[3]),
                 row->count() == 0 ? "" : short_duration(static_cast<double>(row->longest)),
                 place_of(*row, timeline)});
    }
  }
  out += table.to_string();
}

// Whether slices of such tracks follow one another.
bool shows_busy(TrackKind kind) { return kind == TrackKind::kThread || kind == TrackKind::kCpu; }

// Under which track what is done on it is shown.
TrackId shown_under(const Timeline& timeline, TrackId track) {
  const Track& each = timeline.track(track);
  return each.kind == TrackKind::kState && each.parent != kNoTrack ? each.parent : track;
}

struct Use {
  TrackId track;
  std::vector<std::string> parts;
};

std::vector<Use> uses_of(const Latency& latency, const Timeline& timeline) {
  std::vector<Use> uses;
  const auto use = [&](TrackId track) -> std::vector<std::string>& {
    auto place = std::ranges::find(uses, track, &Use::track);
    if (place == uses.end()) place = uses.insert(uses.end(), Use{track, {}});
    return place->parts;
  };
  for (const TrackUse& each : latency.uses()) {
    const Track& track = timeline.track(each.track);
    std::vector<std::string>& parts = use(shown_under(timeline, each.track));
    for (const TrackUse::State& state : each.states) {
      std::string part = fmt::format("{} {}", render::visible(timeline.name(state.name).text),
                                     short_duration(static_cast<double>(state.time)));
      if (state.spent > 0)
        part += fmt::format(" (on CPU {})", short_duration(static_cast<double>(state.spent)));
      parts.push_back(std::move(part));
    }
    if (each.busy > 0 && shows_busy(track.kind))
      parts.push_back(fmt::format("in slices {}", short_duration(static_cast<double>(each.busy))));
  }
  std::erase_if(uses, [](const Use& each) { return each.parts.empty(); });
  return uses;
}

void append_uses(std::string& out, const Latency& latency, const Timeline& timeline) {
  constexpr std::size_t kMostLines = 32;
  const std::vector<Use> uses = uses_of(latency, timeline);
  if (uses.empty()) return;
  out += '\n';
  for (std::size_t i = 0; i < uses.size() && i < kMostLines; ++i) {
    out += fmt::format("{}: {}\n", render::visible(timeline.track(uses[i].track).name),
                       fmt::join(uses[i].parts, ", "));
  }
  if (uses.size() > kMostLines)
    out +=
        fmt::format("and {} tracks more; --output json has them all\n", uses.size() - kMostLines);
}

void append_doubts(std::string& out, const Latency& latency, const Timeline& timeline) {
  const TimelineCounts& counts = timeline.counts();
  std::vector<std::string> said;
  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) said.push_back(fmt::format("{} {}", with_separators(count), what));
  };
  say(counts.open_at_end, "had not ended");
  say(counts.began_before, "had begun before the trace");
  say(counts.across_loss, "across a loss");
  say(counts.inferred_ends, "without an end of their own");
  say(counts.negative, "ended before they began");
  if (!said.empty())
    out += fmt::format("\nin no figure above, their durations are not known: {}\n",
                       fmt::join(said, ", "));
  said.clear();
  say(counts.unmatched_ends, "ends without a begin");
  say(counts.overlaps, "slices that overlap others on their track");
  say(counts.without_lane, "slices that no picture shows, more than 256 at a time on one track");
  say(counts.unrelated_clocks, "clocks that nothing relates to the first");
  say(counts.clock_steps, "times that step back on their track");
  say(counts.sections, "clocks that step back by more than 1s, from where on all begins anew");
  say(counts.without_field, "events that lack a field of their rule");
  say(counts.not_held, "begins left out, too many at a time");
  if (!said.empty()) out += fmt::format("besides: {}\n", fmt::join(said, ", "));
  for (const LatencyRow& row : latency.rows()) {
    if (row.open == 0) continue;
    out += fmt::format("still open: {} {}, the oldest for {}\n", with_separators(row.open),
                       render::visible(row.label()),
                       short_duration(static_cast<double>(row.oldest_open)));
  }
}

void append_outliers(std::string& out, const std::vector<Category>& categories) {
  std::string lines;
  for (const Category& category : categories) {
    for (const LatencyRow* const row : category.rows) {
      const std::uint64_t outliers = row->outliers();
      if (row->count() < 20 || outliers == 0) continue;
      lines += fmt::format("outliers: {} of {} {} took more than ten times the median, up to {}\n",
                           with_separators(outliers), with_separators(row->count()),
                           render::visible(row->label()),
                           short_duration(static_cast<double>(row->longest)));
    }
  }
  if (!lines.empty()) out += '\n' + lines;
}

void append_row(render::TextBuffer& out, const LatencyRow& row, const Timeline& timeline) {
  render::JsonObject object(out);
  object.string("kind", row.is_wait ? "wait" : "slice");
  if (!row.category.empty()) object.string("category", row.category);
  object.string("name", row.name);
  if (!row.by.empty()) object.string("by", row.by);
  object.integer("count", row.count());
  if (row.count() != 0) {
    render::append_decimal(object.key("total"), Nanoseconds::from_unsigned(row.total));
    for (const Quantile& each : kQuantiles)
      object.integer(each.key,
                     static_cast<std::uint64_t>(std::llround(row.durations.quantile(each.part))));
    object.integer("max", row.longest);
    render::JsonObject at(object.key("at"));
    at.integer("time", row.longest_begin);
    at.string("track", timeline.track(row.longest_track).name);
    at.end();
    object.integer("outliers", row.outliers());
  }
  if (row.left_out != 0) object.integer("left_out", row.left_out);
  if (row.open != 0) {
    object.integer("open", row.open);
    object.integer("oldest_open", row.oldest_open);
  }
  object.end();
}

void append_use(render::TextBuffer& out, const TrackUse& use, const Timeline& timeline) {
  const Track& track = timeline.track(use.track);
  render::JsonObject object(out);
  object.string("track", track.name);
  object.string("group", track.group);
  if (track.parent != kNoTrack) object.string("parent", timeline.track(track.parent).name);
  if (use.busy != 0 && shows_busy(track.kind)) object.integer("busy", use.busy);
  if (!use.states.empty()) {
    render::JsonArray states(object.key("states"));
    for (const TrackUse::State& each : use.states) {
      render::JsonObject state(states.next());
      state.string("name", timeline.name(each.name).text);
      state.integer("time", each.time);
      if (each.spent != 0) state.integer("spent", each.spent);
      state.end();
    }
    states.end();
  }
  object.end();
}

struct NamedCount {
  std::string_view name;
  std::uint64_t TimelineCounts::* count;
};
constexpr auto kCounts = std::to_array<NamedCount>({
    {"began_before", &TimelineCounts::began_before},
    {"open_at_end", &TimelineCounts::open_at_end},
    {"across_loss", &TimelineCounts::across_loss},
    {"inferred_ends", &TimelineCounts::inferred_ends},
    {"negative", &TimelineCounts::negative},
    {"unmatched_ends", &TimelineCounts::unmatched_ends},
    {"overlaps", &TimelineCounts::overlaps},
    {"without_lane", &TimelineCounts::without_lane},
    {"clock_steps", &TimelineCounts::clock_steps},
    {"sections", &TimelineCounts::sections},
    {"unrelated_clocks", &TimelineCounts::unrelated_clocks},
    {"without_field", &TimelineCounts::without_field},
    {"not_held", &TimelineCounts::not_held},
    {"lost_events", &TimelineCounts::lost_events},
    {"gaps", &TimelineCounts::gaps},
});

}  // namespace

std::string short_duration(double nanoseconds) {
  struct Scale {
    double unit;
    std::string_view name;
  };
  static constexpr auto kScales =
      std::to_array<Scale>({{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}});
  const Scale* scale = kScales.data();
  for (const Scale& each : kScales) {
    if (std::fabs(nanoseconds) >= each.unit * 0.9995) scale = &each;
  }
  const double value = nanoseconds / scale->unit;
  const double size = std::fabs(value);
  const int digits = scale->unit == 1 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, digits, scale->name);
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string timeline_summary(const Timeline& timeline, std::optional<std::int64_t> from) {
  const TimelineCounts& counts = timeline.counts();
  const std::int64_t begin = std::max(timeline.begin(), from.value_or(timeline.begin()));
  std::string out = fmt::format("{} events, {}", with_separators(counts.events),
                                short_duration(static_cast<double>(timeline.end() - begin)));
  if (counts.gaps == 0) {
    out += "; no losses";
  } else {
    out +=
        fmt::format("; {} events lost or unreadable ranges in {} place{}",
                    with_separators(counts.lost_events), counts.gaps, counts.gaps == 1 ? "" : "s");
  }
  std::vector<std::string> tables = timeline.tables();
  if (tables.size() > 1) std::erase(tables, "inferred");
  if (tables.empty()) {
    out += "; no table is about these events";
  } else if (tables.front() == "inferred") {
    out += "; no table is about these events: pairs by their names";
  } else {
    out += fmt::format("; table{} {}", tables.size() == 1 ? "" : "s", fmt::join(tables, ", "));
  }
  return out;
}

std::string latency_text(const Latency& latency, const Timeline& timeline,
                         const LatencyReportOptions& options) {
  std::string out;
  out += timeline_summary(timeline, options.begin) + '\n';
  const std::vector<Category> categories = categories_of(latency, options.top);
  if (categories.empty()) {
    out += "no slice has ended, and nothing was waited for\n";
  } else {
    append_rows(out, categories, timeline);
  }
  append_uses(out, latency, timeline);
  append_outliers(out, categories);
  append_doubts(out, latency, timeline);
  return out;
}

void append_tables(render::TextBuffer& out, const Timeline& timeline) {
  render::JsonArray tables(out);
  for (const std::string& each : timeline.tables()) render::append_json_string(tables.next(), each);
  tables.end();
}

void append_counts(render::TextBuffer& out, const TimelineCounts& counts) {
  render::JsonObject object(out);
  for (const NamedCount& each : kCounts) object.integer(each.name, counts.*each.count);
  object.end();
}

std::string latency_json(const Latency& latency, const Timeline& timeline,
                         const LatencyReportOptions& options) {
  render::TextBuffer out;
  render::JsonObject object(out);
  object.integer("events", timeline.counts().events);
  object.integer("begin", timeline.begin());
  object.integer("end", timeline.end());
  append_tables(object.key("tables"), timeline);
  render::JsonArray rows(object.key("rows"));
  for (const Category& category : categories_of(latency, options.top)) {
    for (const LatencyRow* const row : category.rows) append_row(rows.next(), *row, timeline);
  }
  rows.end();
  render::JsonArray tracks(object.key("tracks"));
  for (const TrackUse& use : latency.uses()) append_use(tracks.next(), use, timeline);
  tracks.end();
  append_counts(object.key("counts"), timeline.counts());
  object.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::timeline
