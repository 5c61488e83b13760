#include "tracedeck/timeline/latency_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "tracedeck/render/quality.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/text/text_buffer.hpp"
#include "tracedeck/text/text_table.hpp"
#include "tracedeck/text/visible.hpp"
#include "tracedeck/timeline/latency_parts.hpp"

namespace tracedeck::timeline {
namespace {

using render::Facts;
using render::say;
using render::with_separators;
using Side = TextTable::Side;

std::string place_of(const LatencyRow& row, const Timeline& timeline) {
  if (row.longest_track == kNoTrack) return {};
  return fmt::format("{} {}", since_begin(timeline, row.longest_begin),
                     track_title(timeline, row.longest_track));
}

std::string total_text(Uint128 total) { return short_duration(static_cast<double>(total)); }

// Where there are too few values for it: "-".
std::string quantile_text(const LatencyRow& row, const LatencyQuantile& quantile) {
  if (row.count() == 0) return {};
  if (row.count() < quantile.least) return "-";
  return short_duration(row.durations.quantile(quantile.part));
}

// Of the range that is reported.
std::int64_t begin_of(const Timeline& timeline, const LatencyReportOptions& options) {
  return std::max(timeline.begin(), options.begin.value_or(timeline.begin()));
}

// A column of the rows. Those that say nothing of these rows are left out.
struct RowColumn {
  std::string title;
  Side side;
  std::function<std::string(const LatencyRow&)> text;
};

std::vector<RowColumn> columns_of(const Latency& latency,
                                  const std::vector<LatencyCategory>& categories,
                                  const Timeline& timeline) {
  const auto any = [&](const auto& holds) {
    return std::ranges::any_of(categories, [&](const LatencyCategory& category) {
      return std::ranges::any_of(category.rows, [&](const auto* row) { return holds(*row); });
    });
  };
  std::vector<RowColumn> columns = {
      {"", Side::kLeft, [](const LatencyRow& row) { return visible(row.name.title()); }}};
  const auto add = [&](std::string title, Side side, auto text) {
    columns.push_back({std::move(title), side, std::move(text)});
  };
  if (!latency.options().by.empty())
    add(visible(latency.options().by), Side::kLeft,
        [](const LatencyRow& row) { return visible(row.by); });
  add("COUNT", Side::kRight, [](const LatencyRow& row) { return with_separators(row.count()); });
  add("TOTAL", Side::kRight, [](const LatencyRow& row) {
    return row.count() == 0 ? std::string() : total_text(row.total);
  });
  if (any([](const LatencyRow& row) { return row.inside != 0; }))
    add("SELF", Side::kRight, [](const LatencyRow& row) {
      return row.count() == 0 || row.is_wait ? std::string() : total_text(row.self());
    });
  for (const LatencyQuantile& quantile : kLatencyQuantiles)
    add(std::string(quantile.title), Side::kRight,
        [&quantile](const LatencyRow& row) { return quantile_text(row, quantile); });
  add("MAX", Side::kRight, [](const LatencyRow& row) {
    return row.count() == 0 ? std::string() : short_duration(static_cast<double>(row.longest));
  });
  add("AT", Side::kLeft, [&](const LatencyRow& row) { return place_of(row, timeline); });
  return columns;
}

void append_rows(std::string& out, const Latency& latency,
                 const std::vector<LatencyCategory>& categories, const Timeline& timeline) {
  const std::vector<RowColumn> columns = columns_of(latency, categories, timeline);
  std::vector<Side> sides;
  std::vector<std::vector<std::string>> lines(1);
  for (const RowColumn& column : columns) {
    sides.push_back(column.side);
    lines.front().push_back(column.title);
  }
  for (const LatencyCategory& category : categories) {
    for (const LatencyRow* const row : category.rows) {
      std::vector<std::string>& line = lines.emplace_back();
      for (const RowColumn& column : columns) line.push_back(column.text(*row));
    }
  }
  TextBuffer table;
  TextTable::append_rows(table, sides, lines.size(), [&](std::size_t i) { return lines[i]; }, 0);
  out += table.view();
}

// What --top left out.
void append_more(std::string& out, const std::vector<LatencyCategory>& categories) {
  std::vector<std::string> more;
  for (const LatencyCategory& category : categories) {
    if (category.more == 0) continue;
    const std::string_view name = category.is_wait        ? std::string_view("waits")
                                  : category.name.empty() ? std::string_view("no category")
                                                          : category.name;
    more.push_back(fmt::format("{} of {}", with_separators(category.more), visible(name)));
  }
  if (!more.empty())
    out += say<"latency/rows-left-out">(fmt::format("{}", fmt::join(more, ", "))) + '\n';
}

void append_nothing(std::string& out, const Latency& latency, const Timeline& timeline,
                    const LatencyReportOptions& options) {
  const std::string empty = empty_range_notice(timeline, options.begin);
  if (!empty.empty()) {
    out += empty;
  } else if (latency.filtered() != 0) {
    out += say<"latency/nothing-meets">(latency.filtered(), visible(latency.options().where));
  } else {
    out += say<"latency/nothing-ended">();
  }
  out += '\n';
}

void append_doubts(std::string& out, const Latency& latency, const Timeline& timeline) {
  const TimelineCounts& counts = timeline.counts();
  const std::string slices = Facts()
                                 .add<"latency/open">(counts.open_at_end)
                                 .add<"latency/began-before">(counts.began_before)
                                 .add<"latency/across-loss">(counts.across_loss)
                                 .add<"latency/across-clock-step">(counts.across_clock_step)
                                 .add<"latency/inferred-ends">(counts.inferred_ends)
                                 .add<"latency/ended-with-task">(counts.ended_with_task)
                                 .add<"latency/negative">(counts.negative)
                                 .text();
  if (!slices.empty()) out += '\n' + say<"latency/slices-left-out">(counts.left_out, slices) + '\n';
  std::uint64_t lost = 0;
  std::uint64_t stepped = 0;
  std::uint64_t unclear = 0;
  for (const LatencyRow& row : latency.rows()) {
    if (!row.is_wait) continue;
    lost += row.across_loss;
    stepped += row.across_clock_step;
    unclear += row.unclear;
  }
  if (slices.empty() && lost + stepped + unclear != 0) out += '\n';
  if (lost != 0) out += say<"latency/waits-left-out">(lost) + '\n';
  if (stepped != 0) out += say<"latency/waits-across-clock-step">(stepped) + '\n';
  if (unclear != 0) out += say<"latency/waits-unclear">(unclear) + '\n';
  const std::string facts = Facts()
                                .add<"latency/unmatched-ends">(counts.unmatched_ends)
                                .add<"latency/inferred-states">(counts.inferred_states)
                                .add<"latency/overlaps">(counts.overlaps)
                                .add<"latency/without-lane">(counts.without_lane)
                                .add<"latency/unrelated-clocks">(counts.unrelated_clocks)
                                .add<"latency/clock-steps">(counts.clock_steps)
                                .add<"latency/sections">(counts.sections)
                                .add<"latency/too-far">(counts.too_far)
                                .add<"latency/without-rule">(counts.without_rule)
                                .add<"latency/without-field">(counts.without_field)
                                .add<"latency/begins-left-out">(counts.not_held)
                                .text();
  if (!facts.empty()) out += say<"latency/besides">(facts) + '\n';
  for (const LatencyRow& row : latency.rows()) {
    if (row.open == 0) continue;
    const std::string name = visible(row.name.title());
    out += row.is_open_unclear ? say<"latency/open-unclear">(row.open, name)
           : row.oldest_open == 0
               ? say<"latency/just-begun">(row.open, name)
               : say<"latency/still-open">(row.open, name,
                                           short_duration(static_cast<double>(row.oldest_open)),
                                           since_begin(timeline, row.oldest_open_begin));
    out += '\n';
  }
}

void append_worst(std::string& out, const flow::RecordingQuality& quality) {
  const std::string worst = render::worst_text(render::quality_findings(quality));
  if (!worst.empty()) out += worst + '\n';
}

void append_stuck_tasks(std::string& out, const flow::RecordingQuality& quality) {
  const std::vector<std::string> texts = render::stuck_texts(quality);
  if (!texts.empty()) out += fmt::format("\n{}\n", fmt::join(texts, "\n"));
}

void append_outliers(std::string& out, const std::vector<LatencyCategory>& categories) {
  std::string lines;
  for (const LatencyCategory& category : categories) {
    for (const LatencyRow* const row : category.rows) {
      const LatencyRow::Outliers outliers = row->outliers();
      if (row->count() < 20 || outliers.most == 0) continue;
      const std::string many = outliers.least == outliers.most
                                   ? with_separators(outliers.least)
                                   : fmt::format("{} to {}", with_separators(outliers.least),
                                                 with_separators(outliers.most));
      lines += say<"latency/outliers">(many, row->count(), visible(row->name.title()),
                                       short_duration(static_cast<double>(row->longest)));
      lines += '\n';
    }
  }
  if (!lines.empty()) out += '\n' + lines;
}

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

std::string empty_range_notice(const Timeline& timeline, std::optional<std::int64_t> begin) {
  if (!begin || *begin <= timeline.end() || timeline.counts().events == 0) return {};
  return say<"latency/empty-range">(since_begin(timeline, *begin),
                                    since_begin(timeline, timeline.end()));
}

std::string timeline_summary(const Timeline& timeline, std::optional<std::int64_t> from,
                             std::uint64_t events_before) {
  const TimelineCounts& counts = timeline.counts();
  const std::uint64_t events = counts.events - std::min(events_before, counts.events);
  std::string out = with_separators(events) + (events == 1 ? " event" : " events");
  if (events_before != 0)
    out += fmt::format(" of {} that were read", with_separators(counts.events));
  const std::int64_t length =
      timeline.end() - std::max(timeline.begin(), from.value_or(timeline.begin()));
  if (length >= 0) out += ", " + short_duration(static_cast<double>(length));
  out += "; ";
  std::vector<std::string> lacks;
  if (counts.gaps != 0) {
    lacks.push_back(counts.lost_events == 0 ? say<"trace/losses-of-unknown-size">(counts.gaps)
                                            : say<"trace/losses">(counts.lost_events, counts.gaps));
  }
  if (counts.ended_early != 0) lacks.push_back(say<"trace/ended-early">(counts.ended_early));
  if (counts.missing_switches != 0)
    lacks.push_back(say<"trace/missing-switches">(counts.missing_switches));
  if (lacks.empty()) {
    lacks.push_back(events_before != 0 ? say<"trace/no-losses-in-range">()
                                       : say<"trace/no-losses">());
  }
  out += fmt::format("{}", fmt::join(lacks, ", "));
  std::vector<std::string> tables = timeline.tables();
  if (tables.size() > 1) std::erase(tables, "inferred");
  out += "; ";
  if (tables.empty()) {
    out += say<"trace/no-table">();
  } else if (tables.front() == "inferred") {
    out += say<"trace/pairs-by-names">();
  } else {
    out += say<"trace/tables">(tables.size(), fmt::format("{}", fmt::join(tables, ", ")));
  }
  return out;
}

std::string latency_text(const Latency& latency, const Timeline& timeline,
                         const LatencyReportOptions& options) {
  std::string out;
  out += timeline_summary(timeline, options.begin, options.events_before) + '\n';
  if (options.quality) append_worst(out, *options.quality);
  const std::vector<LatencyCategory> categories = latency_categories(latency, options.top);
  if (categories.empty()) {
    append_nothing(out, latency, timeline, options);
    if (!empty_range_notice(timeline, options.begin).empty()) return out;
  } else {
    append_rows(out, latency, categories, timeline);
    append_more(out, categories);
  }
  out += track_lines(latency, timeline, options.top, begin_of(timeline, options));
  out += counter_lines(latency, timeline, options.top);
  append_outliers(out, categories);
  append_doubts(out, latency, timeline);
  if (options.quality) append_stuck_tasks(out, *options.quality);
  return out;
}

}  // namespace tracedeck::timeline
