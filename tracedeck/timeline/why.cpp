#include "tracedeck/timeline/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tracedeck/model/symbols.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/latency_parts.hpp"

namespace tracedeck::timeline {
namespace {

std::int64_t overlap(const Evidence::Piece& piece, const FoundSlice& slice) {
  return std::min(piece.end, slice.end) - std::max(piece.begin, slice.begin);
}

// From where on what had begun before it is of interest.
std::int64_t earliest_of(const FoundSlice& slice) {
  std::int64_t time = 0;
  return __builtin_sub_overflow(slice.begin, slice.duration(), &time)
             ? std::numeric_limits<std::int64_t>::min()
             : time;
}

// Those of the end, too, but for what its begin has said.
void add_arguments(const Mark& mark, Evidence::Piece& piece) {
  constexpr std::size_t kMost = 160;
  visit_arguments(mark, [&](std::string_view name, const query::Value& value) {
    if (value.kind == query::Value::Kind::kCompound || piece.arguments.size() > kMost) return;
    const std::string key = fmt::format("{}=", name);
    if (piece.arguments.starts_with(key) || piece.arguments.contains(' ' + key)) return;
    const std::string text = measured_text(value);
    piece.arguments += fmt::format("{}{}{}", piece.arguments.empty() ? "" : " ", key, text);
    piece.values += fmt::format("{}{}", piece.values.empty() ? "" : " ", text);
  });
}

// Keeps the `most` that come first in an order, and returns how many were left out.
template <class Order>
std::uint64_t keep_most(std::vector<Evidence::Piece>& pieces, std::size_t most,
                        const Order& order) {
  std::ranges::stable_sort(pieces, order);
  if (pieces.size() <= most) return 0;
  const std::uint64_t left = pieces.size() - most;
  pieces.resize(most);
  return left;
}

Unended& of_name(std::vector<Unended>& by_name, NameId name) {
  if (name > by_name.size()) by_name.resize(name);
  return by_name[name - 1];
}

template <class Element>
Element& of_track(std::vector<Element>& by_track, TrackId track) {
  if (track > by_track.size()) by_track.resize(track);
  return by_track[track - 1];
}

// The slice was found by reading the trace before; its track may come with its end only.
bool is_made(const Timeline& timeline, TrackId track) { return track <= timeline.track_count(); }

// Whether they are tracks of one thread, by whatever tables.
bool is_same_thread(const Timeline& timeline, TrackId one, TrackId other) {
  if (one == other) return true;
  if (!is_made(timeline, other)) return false;
  const Track& a = timeline.track(one);
  const Track& b = timeline.track(other);
  return are_of_one_machine(timeline, one, other) && a.kind == TrackKind::kThread &&
         b.kind == TrackKind::kThread && a.lane == 0 && a.tid && a.tid == b.tid &&
         (!a.pid || !b.pid || a.pid == b.pid);
}

// What is kept while marks come is bounded.
constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kMostSpent = std::size_t{1} << 16U;
constexpr std::size_t kMostStretches = std::size_t{1} << 15U;

}  // namespace

Result<void> SliceWitness::take(const Timeline& timeline, std::span<const Mark> marks) {
  const FoundSlice& slice = evidence_.slice;
  for (const Mark& mark : marks) {
    switch (mark.kind) {
      case MarkKind::kSliceBegin:
        begin_slice(timeline, mark);
        break;
      case MarkKind::kSliceEnd:
        end_slice(timeline, mark);
        break;
      case MarkKind::kWait:
        wait(mark);
        break;
      case MarkKind::kState:
        state(timeline, mark);
        break;
      case MarkKind::kCounter:
        if (!mark.has(kReal)) count(mark);
        break;
      case MarkKind::kFlowOut:
        if (flows_.size() < kMostKept) flows_[mark.flow] = {.track = mark.track, .time = mark.time};
        break;
      case MarkKind::kFlowIn:
        flow_in(mark);
        break;
      case MarkKind::kInstant:
        if (mark.time <= slice.end && mark.time >= earliest_of(slice)) sample(mark);
        break;
      case MarkKind::kGap:
        if (overlaps(mark.begin, mark.time) && evidence_.gaps.size() < kMostPieces)
          evidence_.gaps.push_back(
              {.track = mark.track, .name = mark.name, .begin = mark.begin, .end = mark.time});
        break;
      default:
        break;
    }
  }
  return {};
}

// Who holds a lock may have held it for long.
void SliceWitness::begin_slice(const Timeline& timeline, const Mark& mark) {
  const FoundSlice& slice = evidence_.slice;
  Open& open = of_track(open_, mark.track).emplace_back();
  open.name = mark.name;
  open.begin = mark.time;
  if (mark.time <= slice.end &&
      (mark.time >= earliest_of(slice) || timeline.track(mark.track).kind == TrackKind::kLanes))
    add_arguments(mark, open.texts);
}

void SliceWitness::end_slice(const Timeline& timeline, const Mark& mark) {
  if (mark.has(kUnplaced)) return;
  std::vector<Open>& open = of_track(open_, mark.track);
  if (open.empty()) return;
  const Open ended = std::move(open.back());
  open.pop_back();
  const FoundSlice& slice = evidence_.slice;
  if (mark.has(kMoved) || !overlaps(mark.begin, mark.time)) return;
  const bool is_it = !slice.is_wait && !slice.is_state && mark.begin == slice.begin &&
                     mark.time == slice.end && mark.name == slice.name;
  // Of what ended nobody knows when, nothing is said.
  if (!is_it && (mark.has(kInferredEnd) || mark.has(kAcrossLoss))) {
    if (open.empty()) inner_.erase(mark.track);
    return;
  }
  Evidence::Piece piece = ended.texts;
  add_arguments(mark, piece);
  piece.track = mark.track;
  piece.name = mark.name;
  piece.begin = mark.begin;
  piece.end = mark.time;
  piece.depth = open.size();
  piece.flags = mark.flags;
  if (open.empty() && mark.begin <= slice.begin && mark.time >= slice.begin &&
      at_begin_.size() < kMostSpent)
    at_begin_[mark.track] = mark.name;
  const Track& track = timeline.track(mark.track);
  if (!slice.is_wait && is_same_thread(timeline, mark.track, slice.track)) {
    if (is_it) {
      evidence_.arguments = piece.arguments;
    } else if (mark.begin >= slice.begin && mark.time <= slice.end) {
      inside_.push_back(piece);
    } else if (mark.begin <= slice.begin && mark.time >= slice.end) {
      evidence_.around.insert(evidence_.around.begin(), piece);
    }
  } else if (track.kind != TrackKind::kLanes ||
             (is_made(timeline, slice.track) && track.group == timeline.track(slice.track).group)) {
    busy(piece);
  } else if (open.empty() && !mark.has(kAcrossLoss)) {
    lanes_.push_back(piece);
  }
  tidy();
}

// An inner one ends before the one that it is in.
void SliceWitness::busy(const Evidence::Piece& piece) {
  const FoundSlice& slice = evidence_.slice;
  Evidence::Busy& busy = meanwhile_[piece.track];
  if (piece.depth != 0) {
    Evidence::Piece& inner = inner_[piece.track];
    if (inner.track == kNoTrack || overlap(piece, slice) > overlap(inner, slice)) inner = piece;
    return;
  }
  Evidence::Piece& inner = inner_[piece.track];
  if (busy.count++ == 0 || overlap(piece, slice) > overlap(busy.longest, slice)) {
    busy.longest = piece;
    busy.inner = inner.track != kNoTrack && overlap(inner, slice) >= overlap(piece, slice) / 2
                     ? std::move(inner)
                     : Evidence::Piece();
  }
  busy.time += overlap(piece, slice);
  inner = {};
}

void SliceWitness::tidy() {
  const auto by_overlap = [&](const Evidence::Piece& a, const Evidence::Piece& b) {
    return overlap(a, evidence_.slice) > overlap(b, evidence_.slice);
  };
  if (inside_.size() > kMostKept)
    evidence_.more_inside += keep_most(inside_, kMostKept / 2, by_overlap);
  if (lanes_.size() > kMostKept) keep_most(lanes_, kMostKept / 2, by_overlap);
}

void SliceWitness::wait(const Mark& mark) {
  const FoundSlice& slice = evidence_.slice;
  const bool is_open = (mark.flags & kNoDuration) == kOpenAtEnd;
  if (is_open) of_name(unended_, mark.name).see_open(mark.begin);
  if (mark.has_duration()) of_name(unended_, mark.name).see_end(mark.begin, mark.time);
  if (!overlaps(mark.begin, mark.time) && mark.time != slice.begin) return;
  Evidence::Piece piece{
      .track = mark.track, .name = mark.name, .begin = mark.begin, .end = mark.time};
  add_arguments(mark, piece);
  const bool is_it = slice.is_wait && mark.begin == slice.begin && mark.time == slice.end &&
                     mark.name == slice.name && mark.track == slice.track;
  if (is_it) {
    evidence_.arguments = piece.arguments;
    visit_arguments(mark, [&](std::string_view, const query::Value& value) {
      if (value.kind != query::Value::Kind::kInteger) return;
      if (const auto number = value.integer.to_signed()) numbers_.push_back(*number);
    });
    return;
  }
  // It was served by this slice.
  if (!slice.is_wait && mark.track == slice.track && mark.time == slice.begin) {
    evidence_.waited.push_back(piece);
    return;
  }
  if (!overlaps(mark.begin, mark.time) || overlap(piece, slice) < slice.duration() / 2) return;
  if (is_open)
    open_waits_.push_back(std::move(piece));
  else if (mark.has_duration())
    hurt(std::move(piece));
}

void SliceWitness::hurt(Evidence::Piece piece) {
  hurt_.push_back(std::move(piece));
  if (hurt_.size() > kMostKept) {
    evidence_.more_hurt += keep_most(hurt_, kMostKept / 2, [](const auto& a, const auto& b) {
      return a.end - a.begin > b.end - b.begin;
    });
  }
}

void SliceWitness::state(const Timeline& timeline, const Mark& mark) {
  State& state = of_track(states_, mark.track);
  leave(mark.track, state, mark.time);
  spend(timeline, mark, state);
  state = {.name = mark.name,
           .cpu = mark.cpu,
           .begin = mark.time,
           .is_inferred = mark.has(kBeganBefore)};
  if (timeline.track(mark.track).kind != TrackKind::kTask || mark.name == kNoName) return;
  if (running_ == kNoName) running_ = timeline.find_name("", "running");
  if (mark.name != running_) return;
  if (mark.time == evidence_.slice.end) put_there_.emplace_back(mark.track, mark.cpu);
  if (last_cpu_.size() < mark.track) last_cpu_.resize(mark.track, kNoCpu);
  if (mark.time <= evidence_.slice.end || last_cpu_[mark.track - 1] == kNoCpu)
    last_cpu_[mark.track - 1] = mark.cpu;
  if (mark.time > evidence_.slice.begin) return;
  if (cpu_before_.size() < mark.track) cpu_before_.resize(mark.track, kNoCpu);
  cpu_before_[mark.track - 1] = mark.cpu;
}

void SliceWitness::leave(TrackId track, const State& state, std::int64_t end) {
  const FoundSlice& slice = evidence_.slice;
  if (state.name == kNoName || !overlaps(state.begin, end)) return;
  const SpentKey key{track, state.name, state.cpu};
  if (spent_.size() >= kMostSpent && !spent_.contains(key)) return;
  Evidence::Spent& spent = spent_
                               .try_emplace(key, Evidence::Spent{.track = track,
                                                                 .name = state.name,
                                                                 .cpu = state.cpu,
                                                                 .begin = state.begin})
                               .first->second;
  spent.is_inferred = spent.is_inferred || state.is_inferred;
  const std::int64_t begin = std::max(state.begin, slice.begin);
  const std::int64_t time = std::min(end, slice.end) - begin;
  spent.time += time;
  if (stretches_.size() < kMostStretches)
    stretches_.push_back({track, state.name, state.cpu, begin, begin + time});
  else
    has_all_stretches_ = false;
  if (time <= spent.longest) return;
  spent.longest = time;
  spent.longest_begin = begin;
}

// What a state of the slice's thread spent on the processor beyond what it lasted outside the
// slice, it spent within; within, it spent no more there than altogether.
void SliceWitness::spend(const Timeline& timeline, const Mark& mark, const State& state) {
  const FoundSlice& slice = evidence_.slice;
  if (mark.value <= 0 || state.name == kNoName || !overlaps(state.begin, mark.time) ||
      timeline.track(mark.track).kind != TrackKind::kState ||
      timeline.track(mark.track).parent != slice.track)
    return;
  const std::int64_t within = std::min(mark.time, slice.end) - std::max(state.begin, slice.begin);
  const std::int64_t off = std::max<std::int64_t>(mark.time - state.begin - mark.value, 0);
  evidence_.on_processor += std::max<std::int64_t>(within - off, 0);
  evidence_.off_processor += std::max<std::int64_t>(within - mark.value, 0);
}

void SliceWitness::count(const Mark& mark) {
  const FoundSlice& slice = evidence_.slice;
  Count& count = of_track(counts_, mark.track);
  if (count.any) leave(count, mark.time);
  count.any = mark.time <= slice.end;
  if (!count.any) return;
  count.value = mark.value;
  count.since = mark.time;
  ++count.values;
  // What does not fit counts as nothing.
  if (__builtin_add_overflow(count.sum, mark.value, &count.sum)) count.sum = 0;
  count.level.track = mark.track;
  if (count.values == 1 || mark.value > count.level.most_of_trace)
    count.level.most_of_trace = mark.value;
}

// A flow is known when it arrives.
void SliceWitness::flow_in(const Mark& mark) {
  const auto flow = flows_.find(mark.flow);
  if (flow == flows_.end()) return;
  Evidence::Origin origin = flow->second;
  flows_.erase(flow);
  const FoundSlice& slice = evidence_.slice;
  if (mark.track != slice.track || mark.time != (slice.is_wait ? slice.end : slice.begin) ||
      evidence_.origins.size() == kMostPieces)
    return;
  const std::vector<Open>& open = of_track(open_, origin.track);
  if (!open.empty() && open.front().begin <= origin.time) origin.within = open.front().name;
  evidence_.origins.push_back(origin);
}

// Its value was so until `end`.
void SliceWitness::leave(Count& count, std::int64_t end) const {
  const FoundSlice& slice = evidence_.slice;
  const std::int64_t time = std::min(end, slice.end) - std::max(count.since, slice.begin);
  if (time <= 0) return;
  Evidence::Level& level = count.level;
  if (!count.any_within || count.value < level.least) level.least = count.value;
  if (!count.any_within || count.value > level.most) {
    level.most = count.value;
    level.time_at_most = 0;
  }
  if (count.value == level.most) level.time_at_most += time;
  count.any_within = true;
}

void SliceWitness::add_frame(Evidence::Sample& sample, const Function& function) {
  // The scheduler's own frames say only that it was switched out.
  const bool is_scheduler = function.name == "__schedule" || function.name == "schedule";
  if (sample.stack.size() == kMostFrames || (sample.stack.empty() && is_scheduler)) return;
  if (!sample.stack.empty() && sample.stack.back() == function.name) return;
  sample.stack.emplace_back(function.name);
  sample.places.push_back(function.place());
}

void SliceWitness::sample(const Mark& mark) {
  if (mark.event == nullptr || mark.arguments == nullptr) return;
  Evidence::Sample seen{.track = mark.track, .name = mark.name};
  const DataStreamClass* const stream_class = mark.event->event_class->stream_class;
  const Symbols* const symbols = stream_class == nullptr || stream_class->trace == nullptr
                                     ? nullptr
                                     : stream_class->trace->symbols();
  visit_arguments(mark, [&](std::string_view, const query::Value& value) {
    if (value.kind != query::Value::Kind::kCompound || value.slot == nullptr ||
        value.slot->kind != SlotKind::kPackedArray)
      return;
    const std::size_t count = packed_count(*value.slot);
    for (std::size_t i = 0; i < count && seen.stack.size() < kMostFrames; ++i) {
      const std::uint64_t address = packed_element(*value.slot, i).bits;
      const auto functions =
          symbols == nullptr ? std::span<const Function>() : symbols->functions_at(address);
      for (const Function& each : functions) add_frame(seen, each);
      if (functions.empty()) add_frame(seen, {.name = fmt::format("{:#x}", address)});
    }
  });
  constexpr std::size_t kMostKinds = std::size_t{1} << 14U;
  constexpr std::size_t kMostTaken = std::size_t{1} << 16U;
  if (samples_.size() == kMostKinds || taken_.size() == kMostTaken ||
      stack_bytes_ > kMostStackBytes)
    return;
  const auto [kind, is_new] = sample_kinds_.try_emplace(
      fmt::format("{} {} {}", seen.track, seen.name,
                  fmt::format("{}\n{}", fmt::join(seen.stack, "\n"), fmt::join(seen.places, "\n"))),
      samples_.size());
  if (is_new) {
    stack_bytes_ += 2 * kind->first.size() + 2 * sizeof(std::string) * seen.stack.size();
    samples_.push_back(std::move(seen));
  }
  taken_.emplace_back(kind->second, mark.time);
}

}  // namespace tracedeck::timeline
