#include "tracedeck/render/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "tracedeck/render/counted.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/render/finding.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/loss_text.hpp"
#include "tracedeck/render/quality.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/text_table.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

using flow::ClassSummary;
using flow::StreamSummary;
using flow::TimeFrame;
using flow::TimeRange;
using flow::TraceSummary;
using flow::WallClock;

// The lines `name  value` of a summary.
class Lines {
 public:
  void add(std::string_view name, std::string_view value) { table_.add({name, value}); }
  // Further values stand below the first.
  void more(std::string_view value) { table_.add({"", value}); }
  [[nodiscard]] std::string to_string() const { return table_.to_string(2); }

 private:
  TextTable table_{{TextTable::Side::kLeft, TextTable::Side::kLeft}};
};

std::string size_text(const TraceSummary& summary) {
  const std::string size = summary.size ? counted(*summary.size, "byte") : "unknown";
  const bool compressed = summary.stored_size && summary.stored_size != summary.size;
  return compressed ? fmt::format("{}, stored in {}", size, counted(*summary.stored_size, "byte"))
                    : size;
}

std::span<const std::string> first_parts(const TraceSummary& summary) {
  return std::span(summary.parts).first(std::min(summary.parts.size(), TraceSummary::kListed));
}

std::string parts_text(const TraceSummary& summary) {
  std::string text = fmt::format("{} {}:", summary.parts.size(),
                                 summary.parts_are_files ? "files" : "directories");
  for (const std::string& part : first_parts(summary)) text += fmt::format(" {}", visible(part));
  if (summary.parts.size() > TraceSummary::kListed) text += " ...";
  return text;
}

// Neighbours of equal names are counted, as those without ids are.
std::string streams_text(const TraceSummary& summary) {
  std::string text = fmt::format("{}", summary.streams);
  std::string_view separator = ": ";
  const std::vector<StreamSummary>& first = summary.first_streams;
  for (std::size_t i = 0; i < first.size();) {
    const std::string name = stream_text(first[i].stream);
    const auto is_alike = [&](const StreamSummary& each) {
      return stream_text(each.stream) == name;
    };
    const auto next =
        std::find_if_not(first.begin() + static_cast<std::ptrdiff_t>(i), first.end(), is_alike);
    const std::size_t count = static_cast<std::size_t>(next - first.begin()) - i;
    text += separator;
    text += name;
    if (count > 1) text += fmt::format(" ({})", count);
    separator = " ";
    i += count;
  }
  if (summary.streams > summary.first_streams.size()) text += " ...";
  return text;
}

std::string time_range_text(const TimeRange& time, ClockOrigin origin) {
  return fmt::format("{} to {} ({} s)", time_text(time.first, origin), time_text(time.last, origin),
                     seconds_text(time.last - time.first));
}

TimeRange in_utc(const TimeRange& time, const TimeFrame& utc) {
  return {to_utc(time.first, utc), to_utc(time.last, utc)};
}

// What was added to times, as they come, to get UTC: at the first anchor.
Nanoseconds offset_of(const TimeFrame& utc) {
  return utc.is_utc ? Nanoseconds() : utc.wall->offset() - utc.moved + utc.corrected;
}

std::string utc_text(const TimeRange& time, const TimeFrame& utc) {
  const TimeRange range = in_utc(time, utc);
  return fmt::format("{} to {} (the clock + {} s)", time_text(range.first, ClockOrigin::kUnixEpoch),
                     time_text(range.last, ClockOrigin::kUnixEpoch), seconds_text(offset_of(utc)));
}

// A step of the wall clock, with its times as events come.
WallClock::Step as_events_come(const WallClock::Step& step, const TimeFrame& utc) {
  const auto come = [&](Nanoseconds time) {
    return utc.is_utc ? utc.wall->utc(time) + utc.corrected : time + utc.moved;
  };
  return {come(step.after), come(step.at), step.by};
}

void add_steps(Lines& lines, const TimeFrame& utc) {
  constexpr std::size_t kMost = 16;
  const std::vector<WallClock::Step> steps = utc.wall->steps();
  for (const WallClock::Step& each : std::span(steps).first(std::min(steps.size(), kMost))) {
    const auto text = [&](Nanoseconds time) {
      return time_text(utc.wall->utc(time) + utc.corrected, ClockOrigin::kUnixEpoch);
    };
    lines.add("utc step", fmt::format("{} s between {} and {}: times between are uncertain by that",
                                      seconds_text(each.by), text(each.after), text(each.at)));
  }
  if (steps.size() > kMost) lines.more(fmt::format("and {} more", steps.size() - kMost));
}

std::string losses_line(const TraceSummary& summary) {
  if (summary.losses.places != 0) return losses_text(summary.losses);
  return summary.problems.bytes == 0 ? "none" : "none, but for what could not be read";
}

void add_problems(Lines& lines, const flow::ProblemSummary& problems) {
  if (problems.count == 0) return lines.add("problems", "none");
  lines.add("problems", problems.bytes == 0 ? fmt::format("{}", problems.count)
                                            : fmt::format("{}, {} not read", problems.count,
                                                          counted(problems.bytes, "byte")));
  for (const Notice& notice : problems.first) lines.more(finding_line(notice));
  if (problems.count > problems.first.size()) lines.more("...");
}

void add_findings(Lines& lines, const std::vector<flow::RuleSummary>& findings) {
  if (findings.empty()) return lines.add("findings", "none");
  bool first = true;
  for (const flow::RuleSummary& finding : findings) {
    std::string text =
        finding.count == 1
            ? finding_line(finding.first)
            : fmt::format("{} (and {} more)", finding_line(finding.first), finding.count - 1);
    if (first) {
      lines.add("findings", text);
    } else {
      lines.more(text);
    }
    first = false;
  }
}

std::string classes_count_text(const TraceSummary& summary) {
  std::size_t described = summary.description->event_classes().size();
  for (const auto& other : summary.others) described += other->event_classes().size();
  if (described == summary.classes.size()) return fmt::format("{}", described);
  return fmt::format("{}, described {} times in all", summary.classes.size(), described);
}

// The origin that the clocks of all the traces share, or unknown.
ClockOrigin common_origin(const TraceSummary& summary) {
  const ClockOrigin origin = render::common_origin(summary.description->clocks());
  const bool shared = std::ranges::all_of(summary.others, [&](const auto& other) {
    return other->clocks().empty() || render::common_origin(other->clocks()) == origin;
  });
  return shared ? origin : ClockOrigin::kUnknown;
}

void append_classes(TextBuffer& out, const TraceSummary& summary, ClockOrigin origin) {
  using enum TextTable::Side;
  const auto row = [&](std::size_t index) -> std::vector<std::string> {
    if (index == 0) return {"EVENTS", "ID", "FIRST", "LAST", "EVENT CLASS"};
    const ClassSummary& group = summary.classes[index - 1];
    return {fmt::format("{}", group.events), group.id ? fmt::format("{}", *group.id) : "",
            group.time ? time_text(group.time->first, origin) : "",
            group.time ? time_text(group.time->last, origin) : "", class_text(*group.event_class)};
  };
  TextTable::append_rows(out, {kRight, kRight, kRight, kRight, kLeft}, summary.classes.size() + 1,
                         row, 2);
}

void append_range(JsonObject& object, const std::optional<TimeRange>& time) {
  if (!time) return;
  JsonObject range(object.key("time"));
  range.integer("first", time->first);
  range.integer("last", time->last);
  range.end();
}

void append_utc(JsonObject& object, const TraceSummary& summary) {
  if (!summary.utc) return;
  JsonObject utc(object.key("utc"));
  utc.integer("offset", offset_of(*summary.utc));
  if (summary.time) {
    const TimeRange range = in_utc(*summary.time, *summary.utc);
    utc.integer("first", range.first);
    utc.integer("last", range.last);
  }
  JsonArray steps(utc.key("steps"));
  for (const WallClock::Step& each : summary.utc->wall->steps()) {
    const WallClock::Step step = as_events_come(each, *summary.utc);
    JsonObject one(steps.next());
    one.integer("after", step.after);
    one.integer("at", step.at);
    one.integer("by", step.by);
    one.end();
  }
  steps.end();
  utc.end();
}

void append_class(TextBuffer& out, const ClassSummary& group) {
  JsonObject object(out);
  object.string_if("name", group.event_class->name);
  object.integer_if("id", group.id);
  object.integer("classes", std::uint64_t{group.classes});
  object.integer("events", group.events);
  append_range(object, group.time);
  object.end();
}

void append_losses(TextBuffer& out, const flow::LossTotals& losses) {
  JsonObject object(out);
  object.integer("records", losses.places);
  object.integer("events", losses.events);
  object.integer("packets", losses.packets);
  object.boolean("unknown", losses.places_of_unknown_size != 0);
  object.end();
}

void append_problems(TextBuffer& out, const flow::ProblemSummary& problems) {
  JsonObject object(out);
  object.integer("count", problems.count);
  object.integer("bytes", problems.bytes);
  JsonArray first(object.key("first"));
  for (const Notice& notice : problems.first) first.next().append(finding_json(notice));
  first.end();
  object.end();
}

// The entries that a trace says about where it was recorded.
void add_environment(Lines& lines, const Attributes& environment) {
  std::string_view name = "environment";
  for (const Attribute& entry : environment) {
    lines.add(std::exchange(name, ""),
              fmt::format("{} = {}", visible(entry.key), visible(entry.value)));
  }
}

// What a trace says of itself beside its format.
void add_trace(Lines& lines, const TraceDescription& description) {
  std::string_view name = "clock";
  for (const ClockClass& clock : description.clocks())
    lines.add(std::exchange(name, ""), clock_text(clock));
  add_environment(lines, description.environment());
}

void add_recorder(Lines& lines, const TraceSummary& summary) {
  std::string_view name = "recorder";
  for (const auto& [key, value] : summary.recorder | std::views::take(TraceSummary::kListed))
    lines.add(std::exchange(name, ""), fmt::format("{} = {}", visible(key), visible(value)));
  if (summary.recorder.size() > TraceSummary::kListed)
    lines.more(fmt::format("and {} more", summary.recorder.size() - TraceSummary::kListed));
}

void append_recorder(JsonObject& object, const TraceSummary& summary) {
  if (summary.recorder.empty()) return;
  JsonObject entries(object.key("recorder"));
  for (const auto& [key, value] : summary.recorder) entries.string(key, value);
  entries.end();
}

void add_name(Lines& lines, const TraceDescription& description) {
  const std::string& name = description.name_among_others();
  if (!name.empty()) lines.add("name", visible(name));
}

void add_others(Lines& lines, const TraceSummary& summary) {
  const auto& others = summary.others;
  for (const auto& other : others | std::views::take(TraceSummary::kListed)) {
    lines.add("with", format_text(*other));
    add_name(lines, *other);
    add_trace(lines, *other);
  }
  if (others.size() > TraceSummary::kListed)
    lines.add("with",
              fmt::format("{} more", counted(others.size() - TraceSummary::kListed, "trace")));
}

void append_environment(JsonObject& object, const Attributes& environment) {
  if (environment.empty()) return;
  JsonObject entries(object.key("environment"));
  for (const Attribute& entry : environment) {
    if (entry.is_json) {
      entries.key(entry.key).append(entry.value);
    } else {
      entries.string(entry.key, entry.value);
    }
  }
  entries.end();
}

void append_trace(JsonObject& object, const TraceDescription& description) {
  JsonArray clocks(object.key("clocks"));
  for (const ClockClass& clock : description.clocks()) append_clock_object(clocks.next(), clock);
  clocks.end();
  append_environment(object, description.environment());
}

void append_others(JsonObject& object, const TraceSummary& summary) {
  if (summary.others.empty()) return;
  JsonObject others(object.key("others"));
  others.integer("count", std::uint64_t{summary.others.size()});
  JsonArray first(others.key("first"));
  for (const auto& other : summary.others | std::views::take(TraceSummary::kListed)) {
    JsonObject trace(first.next());
    trace.string("format", other->format());
    trace.string("version", other->version());
    append_name(trace, *other);
    append_trace(trace, *other);
    trace.end();
  }
  first.end();
  others.end();
}

void append_finding(TextBuffer& out, const flow::RuleSummary& finding) {
  JsonObject object(out);
  object.string("rule", finding.rule->id);
  object.string("severity", severity_name(finding.rule->severity));
  object.integer("count", finding.count);
  object.key("first").append(finding_json(finding.first));
  object.end();
}

void append_parts(TextBuffer& out, const TraceSummary& summary) {
  JsonObject object(out);
  object.integer("count", summary.parts.size());
  JsonArray first(object.key("first"));
  for (const std::string& part : first_parts(summary)) append_json_string(first.next(), part);
  first.end();
  object.end();
}

void append_notices(TextBuffer& out, const TraceSummary& summary) {
  JsonArray notices(out);
  for (const std::string& notice : summary.notices) append_json_string(notices.next(), notice);
  notices.end();
}

void append_streams(TextBuffer& out, const TraceSummary& summary) {
  JsonObject object(out);
  object.integer("count", summary.streams);
  JsonArray first(object.key("first"));
  for (const StreamSummary& each : summary.first_streams)
    append_stream_object(first.next(), each.stream);
  first.end();
  JsonArray times(object.key("times"));
  for (const StreamSummary& each : summary.first_streams) {
    JsonObject stream(times.next());
    append_stream_object(stream.key("stream"), each.stream);
    if (!each.stream.file.empty()) stream.string("file", each.stream.file);
    append_range(stream, each.time);
    stream.end();
  }
  times.end();
  object.end();
}

// How long the path is of the folder that all files of data streams lie in.
std::size_t common_folder(const std::vector<StreamSummary>& streams) {
  std::string_view folder = streams.front().stream.file;
  for (const StreamSummary& each : streams) {
    const std::string_view file = each.stream.file;
    folder = folder.substr(
        0, static_cast<std::size_t>(std::ranges::mismatch(folder, file).in1 - folder.begin()));
  }
  return folder.rfind('/') + 1;
}

// Where each data stream begins and ends, of those that are recorded side by side.
void add_stream_times(Lines& lines, const TraceSummary& summary, ClockOrigin origin) {
  if (summary.first_streams.size() < 2) return;
  const std::size_t folder = common_folder(summary.first_streams);
  for (const auto& [stream, time] : summary.first_streams) {
    if (!time || (stream.stream_class != nullptr && stream.stream_class->streams_are_parts))
      continue;
    const std::string_view file = std::string_view(stream.file).substr(folder);
    lines.more(fmt::format("{}{}{}: {}", stream_text(stream), file.empty() ? "" : " ",
                           visible(file), time_range_text(*time, origin)));
  }
}

void add_quality(Lines& lines, const TraceSummary& summary) {
  if (!summary.quality) return;
  const std::vector<QualityFinding> findings = quality_findings(summary);
  std::string_view name = "quality";
  const auto add = [&](const std::string& text) { lines.add(std::exchange(name, ""), text); };
  if (findings.empty()) add(say<"quality/good">());
  for (const QualityFinding& finding : findings) {
    add(finding.text);
    lines.more("  remedy: " + finding.remedy);
  }
  if (!summary.quality->is_known) lines.more(say<"quality/losses-alone">());
  name = "stuck";
  for (const std::string& text : stuck_texts(*summary.quality)) add(text);
}

void append_quality(JsonObject& object, const TraceSummary& summary) {
  if (!summary.quality) return;
  JsonObject quality(object.key("quality"));
  quality.boolean("surveyed", summary.quality->is_known);
  append_findings(quality.key("findings"), quality_findings(summary));
  quality.end();
  if (has_stuck(*summary.quality)) append_stuck(object.key("stuck"), *summary.quality);
}

}  // namespace

void append_summary_text(TextBuffer& out, const TraceSummary& summary) {
  const TraceDescription& description = *summary.description;
  const ClockOrigin origin = common_origin(summary);
  Lines lines;
  if (!summary.parts.empty()) lines.add("parts", parts_text(summary));
  lines.add("size", size_text(summary));
  add_name(lines, description);
  add_recorder(lines, summary);
  add_trace(lines, description);
  add_others(lines, summary);
  lines.add("streams", streams_text(summary));
  add_stream_times(lines, summary, origin);
  if (summary.packets != 0) lines.add("packets", fmt::format("{}", summary.packets));
  lines.add("classes", classes_count_text(summary));
  lines.add("events", summary.timeless_events == 0
                          ? fmt::format("{}", summary.events)
                          : fmt::format("{}, {} of them without a time", summary.events,
                                        summary.timeless_events));
  lines.add("time", summary.time ? time_range_text(*summary.time, origin) : "none");
  if (summary.time && summary.utc) lines.add("utc", utc_text(*summary.time, *summary.utc));
  if (summary.utc) add_steps(lines, *summary.utc);
  lines.add("losses", losses_line(summary));
  add_problems(lines, summary.problems);
  add_findings(lines, summary.findings);
  add_quality(lines, summary);

  out.append(fmt::format("{}: {}{}\n", visible(description.input()), format_text(description),
                         storage_text(description)));
  out.append(lines.to_string());
  if (summary.classes.empty()) return;
  out.append('\n');
  append_classes(out, summary, origin);
}

std::string summary_text(const TraceSummary& summary) {
  TextBuffer out;
  append_summary_text(out, summary);
  return std::string(out.view());
}

void append_summary_json(TextBuffer& out, const TraceSummary& summary) {
  const TraceDescription& description = *summary.description;
  JsonObject object(out);
  append_format(object, description);
  append_name(object, description);
  if (!summary.parts.empty()) append_parts(object.key("parts"), summary);
  if (!summary.notices.empty()) append_notices(object.key("notices"), summary);
  object.integer_if("size", summary.size);
  object.integer_if("stored_size", summary.stored_size);
  append_recorder(object, summary);
  append_trace(object, description);
  append_others(object, summary);
  append_streams(object.key("streams"), summary);
  object.integer("packets", summary.packets);
  object.integer("events", summary.events);
  object.integer("timeless_events", summary.timeless_events);
  append_range(object, summary.time);
  append_utc(object, summary);
  JsonArray classes(object.key("classes"));
  for (const ClassSummary& group : summary.classes) append_class(classes.next(), group);
  classes.end();
  append_losses(object.key("losses"), summary.losses);
  append_problems(object.key("problems"), summary.problems);
  JsonArray findings(object.key("findings"));
  for (const flow::RuleSummary& finding : summary.findings)
    append_finding(findings.next(), finding);
  findings.end();
  append_quality(object, summary);
  object.end();
  out.append('\n');
}

std::string summary_json(const TraceSummary& summary) {
  TextBuffer out;
  append_summary_json(out, summary);
  return std::string(out.view());
}

}  // namespace tracedeck::render
