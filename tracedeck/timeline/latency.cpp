#include "tracedeck/timeline/latency.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/query/parser.hpp"
#include "tracedeck/query/span_rows.hpp"
#include "tracedeck/query/stage_names.hpp"
#include "tracedeck/timeline/rule_values.hpp"

namespace tracedeck::timeline {
namespace {

using query::Value;

// Those of the stage `spans` that a slice is chosen by: up to its duration.
constexpr std::size_t kSliceColumns = std::to_underlying(query::SpanColumn::kDuration) + 1;

// Waits and slices of one name are apart.
std::string key_of(const Mark& mark, bool is_wait, std::string_view by) {
  std::string key = std::to_string(mark.name);
  key += is_wait ? 'w' : 's';
  key += by;
  return key;
}

}  // namespace

const std::vector<query::Column>& slice_columns() {
  static const std::vector<query::Column> kColumns(query::span_columns().begin(),
                                                   query::span_columns().begin() + kSliceColumns);
  return kColumns;
}

Result<std::unique_ptr<Latency>> Latency::make(LatencyOptions options) {
  auto latency = std::unique_ptr<Latency>(new Latency(std::move(options)));
  const LatencyOptions& wanted = latency->options_;
  latency->has_where_ = !wanted.where.empty();
  std::vector<query::ExpressionPtr> expressions;
  std::string text;
  if (!wanted.where.empty()) {
    text = wanted.where;
    auto parsed = query::parse_condition(text);
    if (!parsed) return std::unexpected(parsed.error());
    expressions.push_back(*std::move(parsed));
  }
  if (!wanted.by.empty()) {
    text = wanted.by;
    auto parsed = query::parse_expression(text);
    if (!parsed) return std::unexpected(parsed.error());
    expressions.push_back(*std::move(parsed));
  }
  if (expressions.empty()) return latency;
  std::vector<query::Column> columns = slice_columns();
  std::vector<std::string> names;
  for (const std::string& each : query::arguments_of_spans(expressions, slice_columns())) {
    columns.push_back({.name = each, .seen = &latency->units_.emplace_back()});
    // `.name` is the argument of that name.
    names.push_back(each.substr(each.starts_with('.') ? 1 : 0));
  }
  latency->row_.resize(columns.size());
  if (!names.empty()) latency->arguments_.emplace(std::move(names));
  auto list = query::ExpressionList::from(std::move(expressions), text);
  if (!list) return std::unexpected(list.error());
  for (const query::ExpressionPtr& each : list->expressions())
    latency->compared_.add(*each, columns, false);
  auto projection = query::RowProjection::from(*std::move(list), columns, text);
  if (!projection) return std::unexpected(projection.error());
  latency->projection_ = *std::move(projection);
  return latency;
}

void Latency::enter(const Timeline& timeline, const Mark& mark) {
  if (mark.has(kBeganBefore)) return;
  std::int64_t inside = 0;
  if (mark.has(kMoved) && !moving_.empty()) {
    inside = moving_.back();
    moving_.pop_back();
  }
  totals_.track(mark.track).inside.push(inside);
  TrackTimes& track = whole_track(timeline, mark);
  if (track.depth++ == 0) track.outer_begin = mark.time;
}

std::int64_t Latency::leave(const Timeline& timeline, const Mark& mark) {
  if ((mark.flags & (kUnplaced | kBeganBefore)) != 0) return 0;
  auto& open = totals_.track(mark.track).inside;
  if (open.empty()) return 0;
  const std::int64_t inside = open.back();
  open.pop();
  const bool moves = mark.has(kMoved);
  // What is moved goes on behind the end of what it seemed to be inside.
  if (!open.empty() && !moves) open.back() += mark.duration();
  // Those that no lane had room for were moved and did not come again.
  if (moves && !moves_) moving_.clear();
  moves_ = moves;
  if (moves) moving_.push_back(inside);
  TrackTimes& track = whole_track(timeline, mark);
  if (track.depth == 0) return inside;
  --track.depth;
  if (track.depth != 0) return inside;
  const std::int64_t begin = std::max(track.outer_begin, totals_.begin());
  // How long it lasted is not known.
  if (mark.time <= begin || mark.has(kInferredEnd) || mark.has(kAcrossLoss)) return inside;
  (mark.has(kOpenAtEnd) ? track.busy_open : track.busy) += mark.time - begin;
  return inside;
}

// What goes on at the end counts until then.
Result<void> Latency::finish(const Timeline& timeline) {
  for (LatencyRow& row : rows_) row.settle();
  name_rows(timeline);
  for (TrackStates& track : states_) {
    if (track.state == kNoName || track.is_doubtful) continue;
    const std::int64_t begin = std::max(track.begin, totals_.begin());
    if (timeline.end() > begin) state_of(track, track.state).open += timeline.end() - begin;
  }
  return {};
}

void Latency::add(LatencyRow& row, const Mark& mark, std::int64_t inside) {
  if (mark.has_duration()) return row.add(mark.track, mark.begin, mark.time, inside);
  ++row.left_out;
  if (mark.has(kAcrossLoss)) ++row.across_loss;
  if (mark.has(kClockStep)) ++row.across_clock_step;
  constexpr std::uint16_t kOther = kOpenAtEnd | kAcrossLoss | kClockStep;
  if (mark.has(kInferredEnd) && (mark.flags & kOther) == 0) ++row.unclear;
  if (!mark.has(kOpenAtEnd)) return;
  row.is_open_unclear = row.is_open_unclear || mark.has(kInferredEnd);
  if (row.open++ != 0 && mark.duration() <= row.oldest_open) return;
  row.oldest_open = mark.duration();
  row.oldest_open_begin = mark.begin;
}

LatencyRow* Latency::count_end(const Timeline& timeline, const Mark& mark, bool is_wait) {
  totals_.know(timeline);
  return count(timeline, mark, is_wait, 0);
}

LatencyRow* Latency::count(const Timeline& timeline, const Mark& mark, bool is_wait,
                           std::int64_t inside) {
  if (arguments_) take_arguments(mark);
  if (mark.has(kMoved) || mark.time < totals_.begin()) return nullptr;
  LatencyRow* const row =
      projection_ ? general_row(timeline, mark, is_wait) : row_of(timeline, mark, is_wait);
  if (row != nullptr) add(*row, mark, inside);
  return row;
}

Result<void> Latency::take(const Timeline& timeline, std::span<const Mark> marks) {
  totals_.know(timeline);
  for (const Mark& mark : marks) see(timeline, mark);
  return {};
}

void Latency::see(const Timeline& timeline, const Mark& mark) {
  switch (mark.kind) {
    case MarkKind::kSliceBegin:
      see_begin(mark);
      enter(timeline, mark);
      break;
    case MarkKind::kSliceEnd:
      count(timeline, mark, false, leave(timeline, mark));
      break;
    case MarkKind::kWait:
      count(timeline, mark, true, 0);
      break;
    case MarkKind::kState:
      see_state(mark);
      break;
    case MarkKind::kOtherState:
      see_other_state(mark);
      break;
    case MarkKind::kCounter:
      see_counter(mark);
      break;
    default:
      break;
  }
}

LatencyRow* Latency::row_of(const Timeline& timeline, const Mark& mark, bool is_wait) {
  if (LatencyRow* const known = totals_.row(mark.name, is_wait)) return known;
  LatencyRow& row = rows_.emplace_back();
  row.is_wait = is_wait;
  row.id = mark.name;
  row.name = timeline.name(mark.name);
  totals_.set_row(mark.name, is_wait, row);
  return &row;
}

// Those of what ended; behind the columns of its row.
void Latency::take_arguments(const Mark& mark) {
  const std::span<const Value> values = arguments_->end(mark);
  std::ranges::copy(values, row_.begin() + kSliceColumns);
  for (std::size_t i = 0; i != values.size(); ++i) {
    if (values[i].known()) units_[i].see(values[i].unit);
  }
  any_ended_ = true;
}

std::vector<std::string> Latency::unknown_arguments() const {
  return arguments_ && any_ended_ ? arguments_->unknown("slice and no wait", slice_columns())
                                  : std::vector<std::string>();
}

std::vector<std::string> Latency::notices() const {
  std::vector<std::string> sentences = compared_.sentences("span");
  if (arguments_) std::ranges::move(arguments_->not_held(), std::back_inserter(sentences));
  return sentences;
}

// Null: the condition leaves it out.
LatencyRow* Latency::general_row(const Timeline& timeline, const Mark& mark, bool is_wait) {
  const MarkName& name = timeline.name(mark.name);
  const WaysToSay& ways = said_.try_emplace(mark.name, name).first->second;
  const TrackOrigin& origin = timeline.origin_of(mark.track);
  const std::array<Value, kSliceColumns> columns = {
      Value::of(std::string_view(name.identity()), ways.names),
      Value::of(std::string_view(name.category)),
      Value::of(std::string_view(ways.full_label), ways.labels),
      titles_.of(timeline, mark.track),
      Value::of(std::string_view(origin.trace)),
      Value::of(std::string_view(origin.host)),
      Value::of(std::string_view(origin.process)),
      Value::of(is_wait ? std::string_view("wait") : std::string_view("slice")),
      Value::of(Integer::from(timeline.absolute(mark.begin))),
      Value::of(Integer::from(timeline.absolute(mark.time))),
      mark.has_duration() ? Value::of(Integer::from_signed(mark.duration())) : Value(),
  };
  std::ranges::copy(columns, row_.begin());
  const std::span<const Value> results = (*projection_)(row_);
  if (has_where_ && !(results.front().kind == Value::Kind::kBoolean && results.front().boolean)) {
    ++filtered_;
    return nullptr;
  }
  std::string by = options_.by.empty() ? std::string() : argument_text(results.back());
  std::string key = key_of(mark, is_wait, by);
  const auto found = grouped_.find(key);
  if (found != grouped_.end()) return found->second;
  if (rows_.size() >= options_.most_rows) {
    by = "(others)";
    key = key_of(mark, is_wait, by);
    if (const auto others = grouped_.find(key); others != grouped_.end()) return others->second;
  }
  LatencyRow& row = rows_.emplace_back();
  row.is_wait = is_wait;
  row.id = mark.name;
  row.name = name;
  row.by = std::move(by);
  grouped_.emplace(std::move(key), &row);
  return &row;
}

void Latency::see_state(const Mark& mark) {
  if (mark.track > states_.size()) states_.resize(mark.track);
  TrackStates& track = states_[mark.track - 1];
  // Said again, of another processor: it goes on.
  if (track.state == mark.name && mark.name != kNoName && mark.flags == 0 && !track.is_doubtful) {
    if (mark.value != 0) state_of(track, track.state).spent += mark.value;
    return;
  }
  if (track.state != kNoName && !track.is_doubtful) {
    const std::int64_t begin = std::max(track.begin, totals_.begin());
    TrackUse::State& state = state_of(track, track.state);
    if (mark.time > begin) {
      (mark.has(kOpenAtEnd) ? state.open : state.time) += mark.time - begin;
      state.spent += mark.value;
    }
  }
  track.state = mark.name;
  track.begin = mark.time;
  track.is_doubtful = mark.has(kClockStep);
}

void Latency::see_other_state(const Mark& mark) {
  if (mark.track > states_.size()) states_.resize(mark.track);
  const std::int64_t begin = std::max(mark.begin, totals_.begin());
  if (mark.time <= begin) return;
  TrackUse::State& state = state_of(states_[mark.track - 1], mark.name);
  (mark.has(kOpenAtEnd) ? state.open : state.time) += mark.time - begin;
}

TrackUse::State& Latency::state_of(TrackStates& track, NameId name) {
  const auto known = std::ranges::find(track.states, name, &TrackUse::State::name);
  if (known != track.states.end()) return *known;
  return track.states.emplace_back(TrackUse::State{.name = name});
}

namespace {

template <class Number>
void widen(CounterUse::Range<Number>& range, Number value, bool is_first) {
  range.least = is_first ? value : std::min(range.least, value);
  range.most = is_first ? value : std::max(range.most, value);
  range.last = value;
}

}  // namespace

// The value that holds at the begin is one that it had.
void Latency::see_counter(const Mark& mark) {
  if (mark.track >= counter_of_.size()) counter_of_.resize(mark.track + 1);
  CounterUse*& known = counter_of_[mark.track];
  if (known == nullptr) {
    known = &counters_.emplace_back(CounterUse{.track = mark.track, .is_real = mark.has(kReal)});
  }
  CounterUse& use = *known;
  const bool counts = mark.time >= totals_.begin();
  const bool is_first = !counts || (use.count == 0 && !use.has_before);
  if (mark.has(kReal)) {
    use.is_real = true;
    widen(use.reals, mark.real, is_first);
  } else {
    widen(use.integers, mark.value, is_first);
    widen(use.reals, static_cast<double>(mark.value), is_first);
  }
  if (counts)
    ++use.count;
  else
    use.has_before = true;
}

std::vector<TrackUse> Latency::uses() const {
  std::vector<TrackUse> uses;
  const std::vector<TrackTimes>& tracks = totals_.tracks();
  for (TrackId id = 1; id < std::max(tracks.size(), states_.size() + 1); ++id) {
    TrackUse use{.track = id};
    if (id < tracks.size()) use.busy = tracks[id].busy;
    if (id < tracks.size()) use.busy_open = tracks[id].busy_open;
    if (id <= states_.size()) use.states = states_[id - 1].states;
    if (use.busy != 0 || use.busy_open != 0 || !use.states.empty()) uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace tracedeck::timeline
