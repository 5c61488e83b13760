#include "tracedeck/timeline/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "tracedeck/render/sentences.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/text_table.hpp"
#include "tracedeck/text/visible.hpp"
#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/latency_report.hpp"

namespace tracedeck::timeline {
namespace {

using render::say;
using render::with_separators;
using Side = TextTable::Side;

// Fewer values have no 99th percentile besides their maximum.
constexpr std::uint64_t kLeastForP99 = 10;

// Rows that are shown under one heading.
template <class Pair>
struct Part {
  std::string_view title;
  std::vector<const Pair*> rows;
  std::size_t more;  // that are left out
};

bool is_beyond(const ComparedRow& row) { return row.is_beyond(); }
bool is_beyond(const ComparedEvents& events) { return events.rate.is_beyond; }
bool is_untold(const ComparedRow& row) { return row.is_untold(); }
bool is_dependent(const ComparedRow& row) {
  return std::ranges::any_of(row.differences, &Difference::is_dependent);
}
bool is_dependent(const ComparedEvents& events) { return events.rate.is_dependent; }
bool is_untold(const ComparedEvents& events) {
  return !events.rate.chance && !events.rate.is_dependent;
}

template <class Pair>
std::vector<Part<Pair>> parts_of(const std::vector<Pair>& pairs, std::size_t top) {
  static constexpr auto kTitles = std::to_array<std::string_view>(
      {"beyond chance", "not beyond chance", "only in A", "only in B"});
  std::vector<Part<Pair>> parts(kTitles.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].title = kTitles[i];
  for (const Pair& each : pairs) {
    Part<Pair>& part = parts[each.b == nullptr   ? 2
                             : each.a == nullptr ? 3
                             : is_beyond(each)   ? 0
                                                 : 1];
    if (top != 0 && part.rows.size() >= top) {
      ++part.more;
    } else {
      part.rows.push_back(&each);
    }
  }
  std::erase_if(parts, [](const Part<Pair>& part) { return part.rows.empty(); });
  return parts;
}

// "-69 %", "x12.3"
std::string change_text(double a, double b) {
  if (a <= 0 || b < 0) return {};
  const double change = b / a - 1;
  constexpr double kFactor = 9;  // from here on nobody thinks in percent
  if (change >= kFactor) return fmt::format("x{:.3g}", b / a);
  const double percent = change * 100;
  if (std::fabs(percent) < 0.05) return "0 %";
  return fmt::format("{:+.{}f} %", percent, std::fabs(percent) < 9.95 ? 1 : 0);
}

// What is beyond chance, and what nobody knows of.
std::string marked(const std::string& change, const Difference& difference) {
  if (change.empty()) return {};
  const char mark = difference.is_beyond      ? '*'
                    : difference.chance       ? ' '
                    : difference.is_dependent ? '~'
                                              : '?';
  return change + mark;
}

// The same of rates, which may be none.
std::string rate_change(double a, double b) {
  if (a == 0 && b > 0) return "new";
  if (b == 0 && a > 0) return "gone";
  return change_text(a, b);
}

double rate_of(std::uint64_t count, const ComparedTrace& trace) {
  return trace.seconds() > 0 ? static_cast<double>(count) / trace.seconds() : -1;
}

std::string rate_text(double rate) {
  if (rate < 0) return {};
  constexpr double kWhole = 100;
  return rate < kWhole ? fmt::format("{:.3g}", rate)
                       : with_separators(static_cast<std::uint64_t>(std::llround(rate)));
}

std::uint64_t count_of(const LatencyRow* row) { return row == nullptr ? 0 : row->count(); }
std::uint64_t count_of(const EventCount* events) { return events == nullptr ? 0 : events->count; }

std::string compared_quantile(const LatencyRow* row, double part, std::uint64_t least) {
  return count_of(row) < least ? std::string() : short_duration(row->durations.quantile(part));
}

std::string compared_change(const ComparedRow& row, ComparedFigure figure, double part,
                            std::uint64_t least) {
  if (count_of(row.a) < least || count_of(row.b) < least) return {};
  return marked(change_text(row.a->durations.quantile(part), row.b->durations.quantile(part)),
                row.of(figure));
}

std::string compared_longest(const LatencyRow* row) {
  return count_of(row) == 0 ? std::string() : short_duration(static_cast<double>(row->longest));
}

std::string label_of(const ComparedRow& row) {
  std::string label = row.name.title();
  if (!row.either().by.empty()) label += "  " + row.either().by;
  return "  " + visible(label);
}

std::string more_text(std::size_t more) { return "  " + say<"diff/rows-left-out">(more); }

void append_names(std::string& out, const Comparison& comparison, std::size_t top) {
  if (comparison.rows().empty()) return;
  std::vector<Side> sides(12, Side::kRight);
  sides.front() = Side::kLeft;
  TextTable table(std::move(sides));
  table.add({"", "COUNT A", "COUNT B", "RATE ", "P50 A", "P50 B", "", "P99 A", "P99 B", "", "MAX A",
             "MAX B"});
  for (const auto& part : parts_of(comparison.rows(), top)) {
    table.add({part.title, "", "", "", "", "", "", "", "", "", "", ""});
    for (const ComparedRow* const row : part.rows) {
      const std::uint64_t a = count_of(row->a);
      const std::uint64_t b = count_of(row->b);
      table.add({label_of(*row), with_separators(a), with_separators(b),
                 marked(rate_change(rate_of(a, comparison.a()), rate_of(b, comparison.b())),
                        row->of(ComparedFigure::kRate)),
                 compared_quantile(row->a, 0.5, 1), compared_quantile(row->b, 0.5, 1),
                 compared_change(*row, ComparedFigure::kMedian, 0.5, 1),
                 compared_quantile(row->a, 0.99, kLeastForP99),
                 compared_quantile(row->b, 0.99, kLeastForP99),
                 compared_change(*row, ComparedFigure::kP99, 0.99, kLeastForP99),
                 compared_longest(row->a), compared_longest(row->b)});
    }
    if (part.more != 0)
      table.add({more_text(part.more), "", "", "", "", "", "", "", "", "", "", ""});
  }
  out += '\n' + table.to_string();
}

void append_events(std::string& out, const Comparison& comparison, std::size_t top) {
  if (comparison.events().empty()) return;
  // Their names may be long, so they come last.
  TextTable table(
      {Side::kRight, Side::kRight, Side::kRight, Side::kRight, Side::kRight, Side::kLeft});
  table.add({"COUNT A", "COUNT B", "A PER S", "B PER S", "RATE ", "EVENTS"});
  for (const auto& part : parts_of(comparison.events(), top)) {
    table.add({"", "", "", "", "", part.title});
    for (const ComparedEvents* const events : part.rows) {
      const std::uint64_t a = count_of(events->a);
      const std::uint64_t b = count_of(events->b);
      const double rate_a = rate_of(a, comparison.a());
      const double rate_b = rate_of(b, comparison.b());
      table.add({with_separators(a), with_separators(b), rate_text(rate_a), rate_text(rate_b),
                 marked(rate_change(rate_a, rate_b), events->rate),
                 "  " + visible(events->latest().name)});
    }
    if (part.more != 0) table.add({"", "", "", "", "", more_text(part.more)});
  }
  out += '\n' + table.to_string();
}

template <class Pair>
std::size_t count_beyond(const std::vector<Pair>& pairs) {
  return static_cast<std::size_t>(
      std::ranges::count_if(pairs, [](const Pair& each) { return is_beyond(each); }));
}

// "3 names and 1 kind of events", of which nothing can be said, or "".
template <class Untold>
std::string untold_text(const Comparison& comparison, const Untold& is_one) {
  const auto counted = [](std::ptrdiff_t count, std::string_view one, std::string_view several) {
    return count == 0 ? std::string() : fmt::format("{} {}", count, count == 1 ? one : several);
  };
  std::vector<std::string> untold = {
      counted(std::ranges::count_if(comparison.rows(), is_one), "name", "names"),
      counted(std::ranges::count_if(comparison.events(), is_one), "kind of events",
              "kinds of events")};
  std::erase(untold, "");
  return fmt::format("{}", fmt::join(untold, " and "));
}

void append_verdict(std::string& out, const Comparison& comparison) {
  out += say<"diff/verdict">(count_beyond(comparison.rows()), comparison.rows().size(),
                             count_beyond(comparison.events()), comparison.events().size());
  out += '\n';
  const std::string untold =
      untold_text(comparison, [](const auto& each) { return is_untold(each); });
  if (!untold.empty()) out += say<"diff/too-little">(untold) + '\n';
  const std::string dependent =
      untold_text(comparison, [](const auto& each) { return is_dependent(each); });
  if (!dependent.empty()) out += say<"diff/dependent">(dependent) + '\n';
}

// What was left out of the figures of one trace, or "".
std::string left_out_text(const ComparedTrace& trace, std::string_view name) {
  std::uint64_t all = 0;
  std::uint64_t lost = 0;
  std::uint64_t open = 0;
  for (const LatencyRow& row : trace.rows()) {
    all += row.left_out;
    lost += row.across_loss;
    open += row.open;
  }
  if (all == 0) return {};
  const std::string reasons =
      render::Facts().add<"diff/across-losses">(lost).add<"diff/not-ended">(open).text();
  return fmt::format("{} in {}{}", with_separators(all), name,
                     reasons.empty() ? "" : fmt::format(" ({})", reasons));
}

std::vector<std::string> tables_of(const Timeline& timeline) {
  std::vector<std::string> tables = timeline.tables();
  std::ranges::sort(tables);
  return tables;
}

// What was paired though it has another line in B.
void append_moved(std::vector<std::string>& sentences, const Comparison& comparison) {
  constexpr std::size_t kShown = 5;
  std::size_t count = 0;
  const auto add = [&](std::string_view name, std::string_view place) {
    if (++count <= kShown) sentences.push_back(say<"diff/moved">(visible(name), visible(place)));
  };
  for (const ComparedRow& row : comparison.rows()) {
    if (!row.moved_from.empty()) add(row.name.title(), row.moved_from);
  }
  // Slices are of such events.
  const bool shows_events = count == 0;
  for (const ComparedEvents& events : comparison.events()) {
    if (shows_events && !events.moved_from.empty()) add(events.latest().name, events.moved_from);
  }
  if (count > kShown) sentences.push_back(say<"diff/more-moved">(count - kShown));
}

// What a reader has to know before believing the figures, as sentences.
std::vector<std::string> comparison_doubts(const Comparison& comparison, const ReportedTrace& a,
                                           const ReportedTrace& b) {
  std::vector<std::string> doubts;
  const std::vector<std::string> tables_a = tables_of(a.timeline);
  const std::vector<std::string> tables_b = tables_of(b.timeline);
  if (tables_a != tables_b) {
    const auto names = [](const std::vector<std::string>& tables) {
      return tables.empty() ? std::string("none") : fmt::format("{}", fmt::join(tables, ", "));
    };
    doubts.push_back(say<"diff/other-tables">(names(tables_a), names(tables_b)));
  }
  append_moved(doubts, comparison);
  const auto in_both = [](const ComparedRow& row) { return row.a != nullptr && row.b != nullptr; };
  if (comparison.rows().empty()) {
    doubts.push_back(say<"diff/nothing">());
  } else if (std::ranges::none_of(comparison.rows(), in_both)) {
    doubts.push_back(say<"diff/nothing-in-both">());
  }
  for (const auto& [trace, name] : {std::pair{&comparison.a(), "A"}, {&comparison.b(), "B"}}) {
    if (trace->has_gaps()) doubts.push_back(say<"diff/lost">(name));
    if (trace->seconds() <= 0) doubts.push_back(say<"diff/one-time">(name));
  }
  std::vector<std::string> left_out = {left_out_text(comparison.a(), "A"),
                                       left_out_text(comparison.b(), "B")};
  std::erase(left_out, "");
  if (!left_out.empty())
    doubts.push_back(say<"diff/left-out">(fmt::format("{}", fmt::join(left_out, ", "))));
  return doubts;
}

void append_trace(TextBuffer& out, const ComparedTrace& compared, const ReportedTrace& trace) {
  JsonObject object(out);
  object.string("trace", trace.name);
  object.integer("events", trace.timeline.counts().events);
  object.integer("begin", trace.timeline.absolute(compared.begin()));
  object.integer("end", trace.timeline.absolute(compared.end()));
  append_tables(object.key("tables"), trace.timeline);
  append_counts(object.key("counts"), trace.timeline.counts());
  object.end();
}

void append_side(TextBuffer& out, const LatencyRow& row) {
  JsonObject object(out);
  object.integer("count", row.count());
  if (row.count() != 0) {
    append_decimal(object.key("total"), Nanoseconds::from_unsigned(row.total));
    for (const auto& [key, part] : {std::pair{"p50", 0.5}, {"p99", 0.99}})
      object.integer(key, static_cast<std::uint64_t>(std::llround(row.durations.quantile(part))));
    object.integer("max", row.longest);
  }
  if (row.left_out != 0) object.integer("left_out", row.left_out);
  if (row.across_loss != 0) object.integer("across_loss", row.across_loss);
  if (row.open != 0) object.integer("open", row.open);
  object.end();
}

void append_side(TextBuffer& out, const EventCount& events) {
  JsonObject object(out);
  object.integer("count", events.count);
  object.end();
}

template <class Pair>
void append_sides(JsonObject& object, const Pair& pair) {
  if (pair.a != nullptr) append_side(object.key("a"), *pair.a);
  if (pair.b != nullptr) append_side(object.key("b"), *pair.b);
}

void append_difference(JsonObject& object, std::string_view key, const Difference& difference) {
  if (!difference.chance && !difference.is_dependent) return;
  JsonObject inner(object.key(key));
  if (difference.chance) inner.real("chance", *difference.chance);
  inner.boolean("beyond_chance", difference.is_beyond);
  if (difference.is_dependent) inner.boolean("dependent", true);
  inner.end();
}

void append_pair(TextBuffer& out, const ComparedRow& row) {
  const LatencyRow& either = row.either();
  JsonObject object(out);
  object.string("kind", either.is_wait ? "wait" : "slice");
  if (!row.name.category.empty()) object.string("category", row.name.category);
  object.string("name", row.name.text);
  if (row.name.place.size != 0) object.string("full_name", row.name.full);
  if (!row.moved_from.empty()) object.string("moved_from", row.moved_from);
  if (row.name.shows_host && !row.name.host.empty())
    object.string(row.name.of_process ? "trace" : "host", row.name.host);
  if (!either.by.empty()) object.string("by", either.by);
  append_sides(object, row);
  append_difference(object, "rate", row.of(ComparedFigure::kRate));
  append_difference(object, "p50", row.of(ComparedFigure::kMedian));
  append_difference(object, "p99", row.of(ComparedFigure::kP99));
  object.end();
}

void append_pair(TextBuffer& out, const ComparedEvents& events) {
  JsonObject object(out);
  object.string("name", events.latest().name);
  if (!events.moved_from.empty()) object.string("moved_from", events.moved_from);
  append_sides(object, events);
  append_difference(object, "rate", events.rate);
  object.end();
}

template <class Pair>
void append_all(TextBuffer& out, const std::vector<Pair>& pairs, std::size_t top) {
  JsonArray list(out);
  for (const auto& part : parts_of(pairs, top)) {
    for (const Pair* const each : part.rows) append_pair(list.next(), *each);
  }
  list.end();
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const ReportedTrace& a,
                            const ReportedTrace& b, std::size_t top) {
  std::string out;
  const auto say = [&](std::string_view side, const ReportedTrace& trace,
                       const ComparedTrace& compared) {
    out += fmt::format("{} {}: {}\n", side, visible(trace.name),
                       timeline_summary(trace.timeline, compared.from()));
  };
  say("A", a, comparison.a());
  say("B", b, comparison.b());
  append_verdict(out, comparison);
  append_names(out, comparison, top);
  append_events(out, comparison, top);
  const std::vector<std::string> doubts = comparison_doubts(comparison, a, b);
  if (!doubts.empty()) out += fmt::format("\n{}\n", fmt::join(doubts, "\n"));
  return out;
}

std::string comparison_json(const Comparison& comparison, const ReportedTrace& a,
                            const ReportedTrace& b, std::size_t top) {
  TextBuffer out;
  JsonObject object(out);
  append_trace(object.key("a"), comparison.a(), a);
  append_trace(object.key("b"), comparison.b(), b);
  object.integer("tests", comparison.tests());
  append_all(object.key("rows"), comparison.rows(), top);
  append_all(object.key("events"), comparison.events(), top);
  JsonArray doubts(object.key("doubts"));
  for (const std::string& each : comparison_doubts(comparison, a, b))
    append_json_string(doubts.next(), each);
  doubts.end();
  object.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::timeline
