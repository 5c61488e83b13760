#include "tracedeck/export/page/collector.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/export/page/argument_text.hpp"
#include "tracedeck/export/page/elapsed.hpp"

namespace tracedeck::page {
namespace {

using timeline::Mark;
using timeline::MarkKind;
using timeline::NameId;
using timeline::TrackId;

constexpr std::size_t kMostGaps = 20'000;
// Noted instants of one name, and slices without a duration.
constexpr std::uint64_t kNotedEach = 1'000;

constexpr std::uint32_t kShownFlags =
    timeline::kNoDuration | timeline::kClockStep | timeline::kUnmatchedEnd;

NameId within(NameId name) { return std::min(name, kLastName); }

}  // namespace

Collector::Collector(const PageOptions& options)
    : options_(options),
      store_(options.memory / 8, options.directory),
      longest_(std::max<std::size_t>(options.memory / 2, std::size_t{1} << 20)) {}

std::size_t Collector::argument_bytes() const {
  constexpr std::size_t kDefault = 256;
  constexpr std::size_t kAll = std::size_t{64} << 10;
  return options_.all_arguments ? kAll : kDefault;
}

Result<void> Collector::take(std::span<const Mark> marks) {
  constexpr std::size_t kBytesAMark = 16;
  constexpr std::size_t kLookEach = std::size_t{1} << 20;
  for (const Mark& mark : marks) {
    if (auto done = take(mark); !done) return done;
    added_bytes_ += kBytesAMark;
    if (added_bytes_ < kLookEach) continue;
    if (auto done = seal_large(); !done) return done;
  }
  return {};
}

// Many rows with half a block each are more than memory may hold. Small blocks are made only where
// large ones are not enough.
Result<void> Collector::seal_large() {
  added_bytes_ = 0;
  const std::size_t most = options_.memory / 4;
  for (const std::size_t worth_a_block : {std::size_t{4'096}, std::size_t{256}, std::size_t{1}}) {
    std::size_t open = 0;
    for (const Row& row : rows_) open += row.open_bytes();
    if (open <= most) return {};
    for (Row& row : rows_) {
      if (row.open_bytes() < worth_a_block) continue;
      if (auto done = row.seal(store_); !done) return done;
      row.give_back_memory();
    }
  }
  return {};
}

Result<void> Collector::take(const Mark& mark) {
  if (mark.track == timeline::kNoTrack && mark.kind != MarkKind::kGap) return {};
  switch (mark.kind) {
    case MarkKind::kSliceBegin:
      begin_slice(mark);
      return {};
    case MarkKind::kSliceEnd:
      return end_slice(mark);
    case MarkKind::kInstant:
      return add_instant(mark);
    case MarkKind::kState:
      return change_state(mark);
    case MarkKind::kCounter:
      return add_point(mark);
    case MarkKind::kFlowOut:
      flows_.leave(mark.flow, mark.track, mark.time);
      return {};
    case MarkKind::kFlowIn:
      return flows_.arrive(mark.flow, mark.track, mark.time, store_);
    case MarkKind::kWait:
      return add_wait(mark);
    case MarkKind::kGap:
      add_gap(mark);
      return {};
    case MarkKind::kOtherState:
      return {};
  }
  return {};
}

void Collector::begin_slice(const Mark& mark) {
  rate_.add(mark.time);
  TrackState& on = track(mark.track);
  const std::size_t from = on.depth == 0 ? 0 : on.open[on.depth - 1].depth + std::size_t{1};
  if (on.open.size() == on.depth) on.open.emplace_back();
  OpenSlice& slice = on.open[on.depth++];
  slice.begin = mark.time;
  slice.name = mark.name;
  slice.flags = static_cast<std::uint16_t>(mark.flags & ~timeline::kMoved);
  slice.depth = fitting(on.slices, from, mark.time, RowKind::kSlices, mark.track);
  slice.inside = 0;
  slice.arguments.clear();
  put_aside(slice.arguments, mark, argument_bytes());
}

Result<void> Collector::end_slice(const Mark& mark) {
  TrackState& on = track(mark.track);
  if (on.depth == 0) {
    Mark begin = mark;
    begin.kind = MarkKind::kSliceBegin;
    begin.time = mark.begin;
    begin.event = nullptr;
    begin_slice(begin);
  }
  OpenSlice& open = on.open[--on.depth];
  const std::uint16_t flags = mark.flags | open.flags;
  const std::int64_t end = std::max(mark.time, open.begin);
  Slice slice{.begin = open.begin,
              .end = end,
              .name = mark.name == timeline::kNoName ? open.name : mark.name,
              .flags = flags & kShownFlags,
              .cpu = mark.cpu};
  if (mark.begin < open.begin && !mark.has(timeline::kMoved)) {
    slice.earlier = elapsed(mark.begin, open.begin);
    slice.flags |= kContinued;
  }
  const std::uint64_t duration = elapsed(open.begin, end) + slice.earlier;
  const std::uint64_t drawn = elapsed(open.begin, end);
  if (on.depth != 0) on.open[on.depth - 1].inside += drawn;
  put_aside(open.arguments, mark, argument_bytes());
  return add({.kind = RowKind::kSlices,
              .track = mark.track,
              .row = open.depth < on.slices.size() ? on.slices[open.depth] : kNoRow,
              .known = (flags & timeline::kNoDuration) == 0,
              .duration = duration,
              .own = duration - std::min(duration, open.inside),
              .marked = (flags & timeline::kMarked) != 0},
             slice, open.arguments);
}

Result<void> Collector::change_state(const Mark& mark) {
  TrackState& on = track(mark.track);
  rate_.add(mark.time);
  const std::uint16_t unknown = mark.name != timeline::kNoName   ? 0
                                : mark.has(timeline::kOpenAtEnd) ? timeline::kOpenAtEnd
                                                                 : timeline::kAcrossLoss;
  if (auto done = end_state(on, mark.track, mark.time, mark.value, unknown); !done) return done;
  on.state.begin = mark.time;
  on.state.name = mark.name;
  on.state.cpu = mark.cpu;
  on.state.flags = mark.flags;
  on.state.arguments.clear();
  put_aside(on.state.arguments, mark, argument_bytes());
  return {};
}

Result<void> Collector::end_state(TrackState& on, TrackId id, std::int64_t time, std::int64_t spent,
                                  std::uint16_t flags) {
  OpenState& state = on.state;
  if (state.name == timeline::kNoName || time <= state.begin) return {};
  const std::uint32_t row = own_row(on.states, RowKind::kStates, id);
  const std::uint16_t all = flags | state.flags;
  const Slice slice{.begin = std::max(state.begin, rows_[row].end()),
                    .end = time,
                    .name = state.name,
                    .flags = all & kShownFlags,
                    .cpu = state.cpu,
                    .spent = spent};
  const std::uint64_t duration = elapsed(slice.begin, slice.end);
  return add({.kind = RowKind::kStates,
              .track = id,
              .row = row,
              .known = (all & timeline::kNoDuration) == 0,
              .duration = duration,
              .own = duration,
              .marked = (all & timeline::kMarked) != 0},
             slice, state.arguments);
}

Result<void> Collector::add_instant(const Mark& mark) {
  rate_.add(mark.time);
  TrackState& on = track(mark.track);
  const std::uint32_t depth = fitting(on.instants, 0, mark.time, RowKind::kInstants, mark.track);
  aside_.clear();
  const bool wanted = options_.all_arguments || mark.has(timeline::kMarked) ||
                      tally(RowKind::kInstants, mark.name).unknown < kNotedEach;
  if (wanted) put_aside(aside_, mark, argument_bytes());
  return add({.kind = RowKind::kInstants,
              .track = mark.track,
              .row = depth < on.instants.size() ? on.instants[depth] : kNoRow,
              .known = false,
              .duration = 0,
              .own = 0,
              .marked = mark.has(timeline::kMarked)},
             {.begin = mark.time,
              .end = mark.time,
              .name = mark.name,
              .flags = mark.flags & kShownFlags,
              .cpu = mark.cpu},
             aside_);
}

Result<void> Collector::add_point(const Mark& mark) {
  rate_.add(mark.time);
  TrackState& on = track(mark.track);
  Row& row = rows_[own_row(on.counter, RowKind::kCounter, mark.track)];
  Point point{.time = std::max(mark.time, row.end()), .is_real = mark.has(timeline::kReal)};
  if (point.is_real) {
    point.real = mark.real;
  } else {
    point.value = mark.value;
  }
  return row.add(point, store_);
}

Result<void> Collector::add_wait(const Mark& mark) {
  TrackState& on = track(mark.track);
  const std::uint32_t row = own_row(on.waits, RowKind::kWaits, mark.track);
  const std::uint64_t duration = elapsed(mark.begin, mark.time);
  aside_.clear();
  put_aside(aside_, mark, argument_bytes());
  return add({.kind = RowKind::kWaits,
              .track = mark.track,
              .row = row,
              .known = mark.has_duration(),
              .duration = duration,
              .own = duration,
              .marked = mark.has(timeline::kMarked)},
             {.begin = std::min(mark.begin, mark.time),
              .end = mark.time,
              .name = mark.name,
              .flags = mark.flags & kShownFlags,
              .cpu = mark.cpu},
             aside_);
}

void Collector::add_gap(const Mark& mark) {
  if (gaps_.size() == kMostGaps) {
    ++gaps_left_out_;
    return;
  }
  gaps_.push_back({.begin = std::min(mark.begin, mark.time),
                   .end = mark.time,
                   .name = within(mark.name),
                   .track = mark.track});
}

Result<void> Collector::add(const Ended& ended, Slice slice, const std::string& aside) {
  slice.name = within(slice.name);
  Tally& known = tally(ended.kind, slice.name);
  const bool may_be_short = ended.kind == RowKind::kSlices || ended.kind == RowKind::kWaits;
  const bool is_short =
      may_be_short && ended.known && ended.duration < static_cast<std::uint64_t>(options_.shortest);
  const bool drawn = ended.row != kNoRow && !is_short;
  if (is_short) {
    ++(ended.kind == RowKind::kWaits ? short_waits_ : short_slices_);
  } else if (!drawn) {
    ++too_deep_;
  }
  if (ended.known) {
    known.add(ended.duration, ended.own, slice.begin, ended.row);
  } else if ((slice.flags & timeline::kMoved) == 0) {
    ++known.unknown;
  }
  if (!drawn) return {};
  Row& row = rows_[ended.row];
  if (options_.chosen && is_chosen(ended, slice))
    chosen_ = {.row = ended.row, .index = row.count()};
  const NotedKey key = noted_key(ended.kind, slice.name);
  const bool longest = ended.known && longest_.wants(key, ended.duration);
  const bool noted = !longest && (ended.marked || (!ended.known && known.unknown <= kNotedEach));
  std::string arguments;
  if (longest || noted || options_.all_arguments) {
    arguments = arguments_json(aside, argument_bytes());
  }
  if (longest || noted) {
    NotedSlice kept{.duration = ended.duration,
                    .begin = slice.begin,
                    .end = slice.end,
                    .row = ended.row,
                    .index = row.count(),
                    .flags = slice.flags};
    // Else they stand beside the slice itself.
    if (!options_.all_arguments) kept.arguments = arguments;
    if (longest) {
      longest_.add(key, std::move(kept));
    } else {
      longest_.note(key, std::move(kept));
    }
  }
  if (options_.all_arguments) slice.arguments = arguments;
  added_bytes_ += slice.arguments.size();
  return row.add(slice, store_);
}

bool Collector::is_chosen(const Ended& ended, const Slice& slice) const {
  const ChosenSlice& chosen = *options_.chosen;
  return ended.kind == (chosen.is_wait ? RowKind::kWaits : RowKind::kSlices) &&
         ended.track == chosen.track && slice.name == within(chosen.name) &&
         slice.end == chosen.end && slice.begin == chosen.begin;
}

Result<void> Collector::finish(std::int64_t end) {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const auto id = static_cast<TrackId>(i + 1);
    while (tracks_[i].depth != 0) {
      const OpenSlice& open = tracks_[i].open[tracks_[i].depth - 1];
      Mark mark;
      mark.kind = MarkKind::kSliceEnd;
      mark.flags = timeline::kOpenAtEnd;
      mark.track = id;
      mark.name = open.name;
      mark.time = std::max(end, open.begin);
      mark.begin = open.begin;
      if (auto done = end_slice(mark); !done) return done;
    }
    if (auto done = end_state(tracks_[i], id, end, 0, timeline::kOpenAtEnd); !done) return done;
  }
  for (Row& row : rows_) {
    if (auto done = row.seal(store_); !done) return done;
    row.give_back_memory();
  }
  return flows_.seal(store_);
}

Collector::TrackState& Collector::track(TrackId id) {
  if (id > tracks_.size()) tracks_.resize(id);
  return tracks_[id - 1];
}

std::uint32_t Collector::new_row(RowKind kind, TrackId track, std::size_t depth) {
  rows_.emplace_back(kind, track, static_cast<std::uint32_t>(depth));
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

std::uint32_t Collector::own_row(std::uint32_t& row, RowKind kind, TrackId track) {
  if (row == kNoRow) row = new_row(kind, track, 0);
  return row;
}

std::uint32_t Collector::fitting(Depths& depths, std::size_t from, std::int64_t begin, RowKind kind,
                                 TrackId track) {
  std::size_t depth = from;
  while (depth < depths.size() && rows_[depths[depth]].end() > begin) ++depth;
  if (depth == depths.size() && depth < kDeepest) depths.push_back(new_row(kind, track, depth));
  return static_cast<std::uint32_t>(depth);
}

Tally& Collector::tally(RowKind kind, NameId name) {
  std::vector<Tally>& all = tallies_[static_cast<std::size_t>(kind)];
  const std::size_t at = within(name);
  if (at >= all.size()) all.resize(at + 1);
  return all[at];
}

}  // namespace tracedeck::page
