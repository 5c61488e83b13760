// What tracks did altogether, and which values counters had: lines below the rows.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "tracedeck/render/sentences.hpp"
#include "tracedeck/text/text_table.hpp"
#include "tracedeck/text/visible.hpp"
#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/latency_report.hpp"

namespace tracedeck::timeline {
namespace {

using render::say;
using render::with_separators;
using Side = TextTable::Side;

constexpr std::size_t kMostStates = 8;  // in a line that is cut

std::string length_text(std::int64_t duration) {
  return short_duration(static_cast<double>(duration));
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return {};
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return part != 0 && share < 0.05 ? std::string("<0.1%") : fmt::format("{:.1f}%", share);
}

struct LineState : TrackUse::State {
  std::uint32_t rank = 0;  // of its track: sections of a clock have tracks of one rule
  std::int64_t known = 0;  // ns for which any state of such a track is known
};

// What is shown in one line: a track, and the tracks of its states.
struct Line {
  TrackId track = kNoTrack;
  std::int64_t busy = 0;
  std::int64_t busy_open = 0;
  std::vector<LineState> states = {};  // the longest first

  [[nodiscard]] std::int64_t known() const {
    std::int64_t sum = 0;
    for (const LineState& each : states) sum += each.time + each.open;
    return sum;
  }
  [[nodiscard]] std::int64_t in(NameId state) const {
    std::int64_t sum = 0;
    for (const LineState& each : states) {
      if (each.name == state) sum += each.time + each.open;
    }
    return sum;
  }
};

// Tracks of one rule: workers, tasks, processors.
struct Group {
  std::string name = {};
  int place = 0;  // what runs others comes before what is run
  std::uint32_t rank = 0;
  std::vector<Line> lines = {};
};

int place_of(TrackKind kind) {
  if (shows_busy(kind) || kind == TrackKind::kProcess) return 0;
  return kind == TrackKind::kTask ? 1 : 2;
}

void add_state(std::vector<LineState>& states, const TrackUse::State& added, std::uint32_t rank) {
  const auto known = std::ranges::find_if(
      states, [&](const LineState& each) { return each.name == added.name && each.rank == rank; });
  if (known == states.end()) {
    states.push_back({added, rank});
  } else {
    known->time += added.time;
    known->open += added.open;
    known->spent += added.spent;
  }
}

void note_known(std::vector<LineState>& states) {
  for (LineState& state : states) {
    for (const LineState& each : states) {
      if (each.rank == state.rank) state.known += each.time + each.open;
    }
  }
}

std::vector<Line> lines_of(const Latency& latency, const Timeline& timeline) {
  std::vector<Line> lines;
  std::vector<std::size_t> of_track(timeline.track_count() + 1);  // from 1 on
  for (const TrackUse& use : latency.uses()) {
    const TrackId shown = shown_under(timeline, use.track);
    if (of_track[shown] == 0) {
      lines.push_back({.track = shown});
      of_track[shown] = lines.size();
    }
    Line& line = lines[of_track[shown] - 1];
    for (const TrackUse::State& each : use.states)
      add_state(line.states, each, timeline.track(use.track).rank);
    if (!shows_busy(timeline.track(use.track).kind)) continue;
    line.busy += use.busy;
    line.busy_open += use.busy_open;
  }
  for (Line& line : lines) {
    std::erase_if(line.states, [](const LineState& each) { return each.time + each.open == 0; });
    note_known(line.states);
    std::ranges::stable_sort(line.states, [](const auto& a, const auto& b) {
      return a.time + a.open > b.time + b.open;
    });
  }
  std::erase_if(lines, [](const Line& each) {
    return each.states.empty() && each.busy + each.busy_open == 0;
  });
  return lines;
}

std::vector<Group> groups_of(std::vector<Line> lines, const Timeline& timeline) {
  std::vector<Group> groups;
  for (Line& line : lines) {
    const Track& track = timeline.track(line.track);
    auto group = std::ranges::find_if(groups, [&](const Group& each) {
      return each.name == track.group && each.rank == track.rank;
    });
    if (group == groups.end())
      group = groups.insert(
          groups.end(), {.name = track.group, .place = place_of(track.kind), .rank = track.rank});
    group->lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(groups, {},
                           [](const Group& each) { return std::pair(each.place, each.rank); });
  return groups;
}

// The state that the tracks of a group are in most; kNoName: they have none.
NameId usual_state(const Group& group) {
  std::vector<std::pair<NameId, std::int64_t>> sums;
  for (const Line& line : group.lines) {
    for (const LineState& state : line.states) {
      auto sum = std::ranges::find(sums, state.name, &std::pair<NameId, std::int64_t>::first);
      if (sum == sums.end()) sum = sums.insert(sums.end(), {state.name, 0});
      sum->second += state.time + state.open;
    }
  }
  const auto most = std::ranges::max_element(sums, {}, &std::pair<NameId, std::int64_t>::second);
  return most == sums.end() ? kNoName : most->first;
}

// Those that did most come first: longest in slices, or in other states than the usual one.
void cut(Group& group, NameId usual, std::size_t top) {
  std::ranges::stable_sort(group.lines, [&](const Line& a, const Line& b) {
    const auto activity = [&](const Line& line) {
      return std::max(line.busy + line.busy_open, line.known() - line.in(usual));
    };
    return activity(a) > activity(b);
  });
  group.lines.resize(top);
}

std::string state_text(const LineState& state, const Timeline& timeline) {
  std::string text = fmt::format("{} {} {}", visible(timeline.name(state.name).text),
                                 share_text(state.time + state.open, state.known),
                                 length_text(state.time + state.open));
  std::vector<std::string> more;
  if (state.spent > 0) more.push_back("on CPU " + length_text(state.spent));
  if (state.open > 0)
    more.push_back(state.time == 0 ? "still" : "still, for " + length_text(state.open));
  return more.empty() ? text : fmt::format("{} ({})", text, fmt::join(more, "; "));
}

std::string line_text(const Line& line, const Timeline& timeline, bool is_cut,
                      std::int64_t window) {
  std::vector<std::string> parts;
  const std::int64_t known = line.known();
  const std::size_t shown = is_cut ? std::min(line.states.size(), kMostStates) : line.states.size();
  for (std::size_t i = 0; i < shown; ++i) parts.push_back(state_text(line.states[i], timeline));
  if (shown < line.states.size()) {
    std::int64_t rest = known;
    for (std::size_t i = 0; i < shown; ++i) rest -= line.states[i].time + line.states[i].open;
    parts.push_back(fmt::format("{} more {}", line.states.size() - shown, share_text(rest, known)));
  }
  std::string text =
      fmt::format("{}: {}", track_title(timeline, line.track), fmt::join(parts, ", "));
  const std::int64_t busy = line.busy + line.busy_open;
  if (busy == 0) return text + '\n';
  text += fmt::format("{}in slices {} {}", parts.empty() ? "" : "; ", share_text(busy, window),
                      length_text(busy));
  if (line.busy_open != 0) {
    text += line.busy == 0
                ? std::string(" (of one that has not ended)")
                : fmt::format(" ({} of one that has not ended)", length_text(line.busy_open));
  }
  return text + '\n';
}

template <class Number>
std::string number_text(Number number) {
  return fmt::format("{}", number);
}

void add_counter(TextTable& table, const CounterUse& use, const Timeline& timeline) {
  const Track& track = timeline.track(use.track);
  std::string title = visible(track.name);
  if (track.parent != kNoTrack) {
    const std::string parent = track_title(timeline, track.parent);
    if (!title.contains(parent)) title = parent + ": " + title;
  }
  if (!track.unit.empty()) title += fmt::format(" ({})", visible(track.unit));
  const auto add = [&](const auto& range) {
    table.add({title, with_separators(use.count), number_text(range.least), number_text(range.most),
               number_text(range.last)});
  };
  if (use.is_real)
    add(use.reals);
  else
    add(use.integers);
}

}  // namespace

std::string track_lines(const Latency& latency, const Timeline& timeline, std::size_t top,
                        std::int64_t begin) {
  std::string out;
  const std::int64_t window = timeline.end() - begin;
  for (Group& group : groups_of(lines_of(latency, timeline), timeline)) {
    out += '\n';
    const std::size_t count = group.lines.size();
    const bool is_cut = top != 0 && count > top;
    const NameId usual = is_cut ? usual_state(group) : kNoName;
    if (is_cut) cut(group, usual, top);
    for (const Line& line : group.lines) out += line_text(line, timeline, top != 0, window);
    if (!is_cut) continue;
    const std::string name = visible(group.name);
    out += usual == kNoName ? say<"latency/tracks-left-out">(count - top, name)
                            : say<"latency/usual-tracks-left-out">(
                                  count - top, name, visible(timeline.name(usual).text));
    out += '\n';
  }
  return out;
}

std::string counter_lines(const Latency& latency, const Timeline& timeline, std::size_t top) {
  const std::deque<CounterUse>& all = latency.counters();
  if (all.empty()) return {};
  std::vector<std::pair<std::string_view, std::size_t>> groups;  // and how many there are of it
  TextTable table({Side::kLeft, Side::kRight, Side::kRight, Side::kRight, Side::kRight});
  table.add({"COUNTER", "VALUES", "MIN", "MAX", "LAST"});
  std::size_t more = 0;
  for (const CounterUse& use : all) {
    const std::string_view name = timeline.track(use.track).group;
    auto group = std::ranges::find(groups, name, &std::pair<std::string_view, std::size_t>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {name, 0});
    if (top != 0 && ++group->second > top)
      ++more;
    else
      add_counter(table, use, timeline);
  }
  std::string out = '\n' + table.to_string();
  if (more != 0) out += say<"latency/counters-left-out">(more) + '\n';
  return out;
}

}  // namespace tracedeck::timeline
