#include "tracedeck/timeline/sample_rows.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "tracedeck/query/symbol_values.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::timeline {
namespace {

using query::SampleColumn;
using query::Value;

// Texts of open slices that are kept for the next sample.
constexpr std::size_t kMostInsides = 4096;
// Losses of which the marks are still to come; beyond, the first ones count at once.
constexpr std::size_t kMostDoubts = 4096;

}  // namespace

OpenSlices::OfTrack& OpenSlices::of(const Timeline& timeline, TrackId track) {
  const TrackId first = timeline.track(track).first_lane;
  if (first > tracks_.size()) tracks_.resize(timeline.track_count());
  return tracks_[first - 1];
}

void OpenSlices::begin(const Timeline& timeline, const Mark& mark) {
  OfTrack& track = of(timeline, mark.track);
  track.has_slices = true;
  track.is_doubtful = false;
  track.open.emplace_back(mark.track, mark.name);
}

void OpenSlices::end(const Timeline& timeline, const Mark& mark) {
  OfTrack& track = of(timeline, mark.track);
  track.has_slices = true;
  track.is_doubtful = false;
  const std::pair ended{mark.track, mark.name};
  const auto last = std::find(track.open.rbegin(), track.open.rend(), ended);
  if (last != track.open.rend()) track.open.erase(std::next(last).base());
}

void OpenSlices::doubt() {
  for (OfTrack& track : tracks_) track.is_doubtful = track.has_slices;
}

SampleRows::SampleRows(query::Query& query)
    : query_(query),
      visit_([this](std::string_view name, const Value& value) { put_argument(name, value); }),
      row_(query::kSampleColumns) {
  query_.note_samples(counts_);
}

void SampleRows::see(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent && record.event.event_class->has_real_time())
      last_time_ = record.event.began_at();
    const bool is_damage = record.kind == RecordKind::kProblem && record.notice->may_cost_events();
    const bool is_loss = record.kind == RecordKind::kLoss && !record.loss->of_samples;
    if (!is_damage && !is_loss) continue;
    if (doubts_.size() == kMostDoubts) apply_doubt();
    doubts_.push_back({.time = last_time_, .is_damage = is_damage});
  }
}

// What is between the marks before and this one.
void SampleRows::doubt_until(const Timeline& timeline, const Mark& mark) {
  const Nanoseconds time = timeline.absolute(mark.time);
  // What a slice says that begins or ends then is of the event before.
  const bool is_behind = mark.kind == MarkKind::kInstant || mark.kind == MarkKind::kGap;
  while (!doubts_.empty() &&
         (doubts_.front().time < time || (is_behind && doubts_.front().time == time)))
    apply_doubt();
}

void SampleRows::apply_doubt() {
  is_damaged_ = is_damaged_ || doubts_.front().is_damage;
  slices_.doubt();
  doubts_.pop_front();
}

Result<void> SampleRows::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) {
    if (!doubts_.empty()) doubt_until(timeline, mark);
    if (mark.kind == MarkKind::kSliceBegin) {
      slices_.begin(timeline, mark);
    } else if (mark.kind == MarkKind::kSliceEnd) {
      slices_.end(timeline, mark);
      if (mark.has(kBeganBefore) && !mark.has(kMoved))
        counts_.perhaps_inside += std::exchange(slices_.of(timeline, mark.track).samples, 0);
    } else if (mark.kind == MarkKind::kGap && timeline.name(mark.name).category == "damage") {
      is_damaged_ = false;
      slices_.doubt();
    } else if (mark.kind == MarkKind::kInstant && mark.arguments != nullptr) {
      if (auto added = add(timeline, mark); !added) return added;
    }
  }
  // The query may want no more.
  query_.note_samples(counts_);
  return {};
}

void SampleRows::put_argument(std::string_view name, const Value& value) {
  const auto at = [&](SampleColumn column) -> Value& { return row_[std::to_underlying(column)]; };
  if (name == "tid") at(SampleColumn::kTid) = value;
  if (name == "thread_name") at(SampleColumn::kThread) = value;
  if (!query::is_stack(name, value)) return;
  has_stack_ = true;
  if (!query_.needs_symbols()) return;
  const TraceDescription* const trace = query::trace_of(*event_);
  auto stack = query::stack_at(*value.slot, trace);
  if (!stack || stack->empty()) return;
  stack_ = *std::move(stack);
  at(SampleColumn::kStack) = Value::of(std::string_view(stack_));
  at(SampleColumn::kSymbol) = query::innermost_at(*value.slot, stack_, trace);
}

const SampleRows::Inside& SampleRows::inside(const Timeline& timeline,
                                             const OpenSlices::OfTrack& track) {
  std::vector<NameId> key;
  for (const auto& [lane, name] : track.open) {
    if (name != kNoName) key.push_back(name);
  }
  if (const auto known = insides_.find(key); known != insides_.end()) return known->second;
  if (insides_.size() == kMostInsides) insides_.clear();
  Inside inside;
  for (const NameId each : key) {
    const MarkName& name = timeline.name(each);
    const WaysToSay ways(name);
    if (!inside.text.empty()) inside.text += " > ";
    inside.text += name.label();
    inside.names.insert(inside.names.end(), {name.category, name.identity(), ways.full_label});
    std::ranges::copy(ways.names, std::back_inserter(inside.names));
    std::ranges::copy(ways.labels, std::back_inserter(inside.names));
  }
  std::erase(inside.names, "");
  return insides_.emplace(std::move(key), std::move(inside)).first->second;
}

Result<void> SampleRows::add(const Timeline& timeline, const Mark& mark) {
  if (mark.event == nullptr) return {};
  event_ = mark.event;
  has_stack_ = false;
  const auto at = [&](SampleColumn column) -> Value& { return row_[std::to_underlying(column)]; };
  for (const SampleColumn column :
       {SampleColumn::kTid, SampleColumn::kThread, SampleColumn::kSymbol, SampleColumn::kStack})
    at(column) = {};
  visit_arguments(mark, visit_);
  if (!has_stack_ || (begin_ && mark.time < *begin_)) return {};
  OpenSlices::OfTrack& track = slices_.of(timeline, mark.track);
  ++counts_.samples;
  ++track.samples;
  if (track.is_doubtful || is_damaged_) {
    ++counts_.doubtful;
    at(SampleColumn::kInside) = {};
  } else {
    const Inside& inside = this->inside(timeline, track);
    at(SampleColumn::kInside) = Value::of(std::string_view(inside.text), inside.names);
  }
  const TrackOrigin& origin = timeline.origin_of(mark.track);
  at(SampleColumn::kTime) = Value::of(Integer::from(times_.of(timeline, mark.track, mark.time)));
  at(SampleColumn::kName) = Value::of(
      mark.name == kNoName ? std::string_view() : std::string_view(timeline.name(mark.name).text));
  at(SampleColumn::kTrack) = titles_.of(timeline, mark.track);
  at(SampleColumn::kTrace) = Value::of(std::string_view(origin.trace));
  at(SampleColumn::kHost) = Value::of(std::string_view(origin.host));
  at(SampleColumn::kProcess) = Value::of(std::string_view(origin.process));
  return query_.add_row(row_);
}

Result<void> SampleRows::finish(const Timeline&) {
  query_.note_samples(counts_);
  return {};
}

std::vector<std::string> SampleRows::notices() const {
  std::vector<std::string> sentences;
  if (counts_.samples == 0) sentences.push_back(render::say<"notice/no-samples">());
  if (counts_.perhaps_inside != 0)
    sentences.push_back(render::say<"notice/samples-before">(counts_.perhaps_inside));
  return sentences;
}

}  // namespace tracedeck::timeline
