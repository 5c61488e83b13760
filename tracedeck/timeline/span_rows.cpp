#include "tracedeck/timeline/span_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/nearest.hpp"
#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::timeline {
namespace {

using query::SpanColumn;
using query::Value;

// Names of arguments that are kept for who misspelt one.
constexpr std::size_t kMostNames = 1'000;

struct FlagColumn {
  SpanColumn column;
  MarkFlag flag;
};
constexpr std::array kFlagColumns = {
    FlagColumn{SpanColumn::kBeganBefore, kBeganBefore},
    FlagColumn{SpanColumn::kOpenAtEnd, kOpenAtEnd},
    FlagColumn{SpanColumn::kAcrossLoss, kAcrossLoss},
    FlagColumn{SpanColumn::kInferredEnd, kInferredEnd},
    FlagColumn{SpanColumn::kNegative, kNegative},
    FlagColumn{SpanColumn::kClockStep, kClockStep},
    FlagColumn{SpanColumn::kOverlapLane, kOverlap},
};

// A value of the kind that a column has.
Value blank(SpanColumn column) {
  if (column <= SpanColumn::kKind) return Value::of(std::string_view());
  return column <= SpanColumn::kDuration ? Value::of(Integer()) : Value::of(false);
}

}  // namespace

SpanRows::SpanRows(query::Query& query)
    : query_(query),
      all_(query.spans()->all),
      wanted_(query.spans()->arguments),
      seen_(wanted_.size()),
      cells_(wanted_.size()),
      row_(query::kSpanColumns + wanted_.size()) {
  for (std::size_t i = 0; i < query::kSpanColumns; ++i) row_[i] = blank(static_cast<SpanColumn>(i));
  query_.note_spans(counts_);
}

Result<void> SpanRows::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) {
    if (mark.kind == MarkKind::kSliceBegin) {
      if (!wanted_.empty()) begin(mark);
    } else if (mark.kind == MarkKind::kSliceEnd) {
      if (auto ended = end(timeline, mark); !ended) return ended;
    } else if (mark.kind == MarkKind::kWait) {
      if (auto added = add(timeline, mark, {}); !added) return added;
    }
  }
  // The query may want no more.
  query_.note_spans(counts_);
  return {};
}

Result<void> SpanRows::finish(const Timeline& timeline) {
  counts_.unmatched_ends = timeline.counts().unmatched_ends;
  counts_.not_held = timeline.counts().not_held;
  tables_ = timeline.tables();
  std::erase(tables_, "inferred");
  is_whole_ = timeline.counts().events != 0;
  query_.note_spans(counts_);
  return {};
}

void SpanRows::begin(const Mark& mark) {
  if (mark.track > tracks_.size()) tracks_.resize(mark.track);
  std::vector<OpenSlice>& track = tracks_[mark.track - 1];
  const bool goes_on = mark.has(kMoved);
  if (goes_on && !moving_.empty()) {
    track.push_back(std::move(moving_.back()));
    moving_.pop_back();
    return;
  }
  OpenSlice& slice = track.emplace_back(OpenSlice{.name = mark.name, .begin = mark.time});
  put_aside(slice.arguments, mark);
  held_ += slice.arguments.size();
  if (held_ <= kMostHeld) return;
  held_ -= slice.arguments.size();
  std::string().swap(slice.arguments);
  ++not_held_;
}

std::optional<SpanRows::OpenSlice> SpanRows::take_open(const Mark& mark) {
  if (mark.has(kUnplaced) || mark.track > tracks_.size()) return std::nullopt;
  std::vector<OpenSlice>& track = tracks_[mark.track - 1];
  if (track.empty() || track.back().name != mark.name) return std::nullopt;
  std::optional<OpenSlice> taken = std::move(track.back());
  track.pop_back();
  return taken;
}

Result<void> SpanRows::end(const Timeline& timeline, const Mark& mark) {
  if (wanted_.empty()) return add(timeline, mark, {});
  if (mark.has(kUnplaced)) ++without_lane_;
  std::optional<OpenSlice> open = take_open(mark);
  // Where no lane had room, nothing took those that were to move before.
  if (mark.has(kMoved) && !std::exchange(moves_, true)) {
    for (const OpenSlice& each : moving_) held_ -= each.arguments.size();
    moving_.clear();
  }
  if (mark.has(kMoved)) {
    if (open) moving_.push_back(*std::move(open));
    return {};
  }
  moves_ = false;
  if (!open) return add(timeline, mark, {});
  held_ -= open->arguments.size();
  return add(timeline, mark, open->arguments);
}

void SpanRows::put_aside(std::string& into, const Mark& mark) {
  visit_arguments(mark, [&](std::string_view name, const Value& value) {
    const auto place = std::ranges::find(wanted_, name);
    if (place == wanted_.end()) {
      if (names_.size() < kMostNames && !names_.contains(name)) names_.emplace(name);
      return;
    }
    const auto index = static_cast<std::size_t>(place - wanted_.begin());
    seen_[index] = true;
    put_varint(into, index);
    query::encode(into, value);
  });
}

// Of two values the later one holds.
void SpanRows::put_arguments(std::string_view aside) {
  std::ranges::fill(cells_, query::Cell());
  std::span<const std::uint8_t> bytes = as_bytes(aside);
  while (!bytes.empty()) {
    const auto index = take_varint(bytes);
    if (!index || *index >= cells_.size()) break;
    auto cell = query::decode_cell(bytes);
    if (!cell) break;
    // An argument may be asked for as `x` and as `.x`.
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (wanted_[i] == wanted_[static_cast<std::size_t>(*index)]) cells_[i] = *cell;
    }
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) row_[query::kSpanColumns + i] = cells_[i].value();
}

// Only what differs between rows.
void SpanRows::put_columns(const Timeline& timeline, const Mark& mark) {
  const auto at = [&](SpanColumn column) -> Value& { return row_[std::to_underlying(column)]; };
  const MarkName& name = timeline.name(mark.name);
  if (mark.name >= labels_.size()) labels_.resize(mark.name + 1);
  std::string& label = labels_[mark.name];
  if (label.empty()) label = name.label();
  const bool whole = mark.has_duration();
  at(SpanColumn::kName).text = name.text;
  at(SpanColumn::kCategory).text = name.category;
  at(SpanColumn::kLabel).text = label;
  at(SpanColumn::kTrack).text = timeline.track(mark.track).name;
  at(SpanColumn::kKind).text = mark.kind == MarkKind::kWait ? "wait" : "slice";
  at(SpanColumn::kTime).integer = Integer::from_signed(mark.begin);
  at(SpanColumn::kEnd).integer = Integer::from_signed(mark.time);
  at(SpanColumn::kDuration).kind = whole ? Value::Kind::kInteger : Value::Kind::kUnknown;
  at(SpanColumn::kDuration).integer = Integer::from_signed(whole ? mark.duration() : 0);
  at(SpanColumn::kWhole).boolean = whole;
  for (const FlagColumn& each : kFlagColumns) at(each.column).boolean = mark.has(each.flag);
}

Result<void> SpanRows::add(const Timeline& timeline, const Mark& mark, std::string_view arguments) {
  if (mark.has(kMoved) || (begin_ && mark.time < *begin_)) return {};
  const bool whole = mark.has_duration();
  ++(whole ? counts_.whole : counts_.left_out);
  if (!whole && mark.has(kOpenAtEnd)) ++counts_.open;
  if (!whole && mark.has(kBeganBefore)) ++counts_.began_before;
  if (!whole && mark.has(kAcrossLoss)) ++counts_.across_loss;
  if (!whole && !all_) return {};
  put_columns(timeline, mark);
  if (!wanted_.empty()) {
    both_ = arguments;
    put_aside(both_, mark);
    put_arguments(both_);
  }
  return query_.add_span(row_);
}

std::vector<std::string> SpanRows::notices() const {
  std::vector<std::string> sentences;
  const bool none = counts_.whole + counts_.left_out == 0;
  if (none && is_whole_) {
    sentences.push_back(
        tables_.empty() ? "no table says which of these events begin and end spans, and no names "
                          "of theirs come "
                          "in pairs; --table FILE says it: docs/timeline.md"
                        : fmt::format("none of these events ends a span by the table{} {}",
                                      tables_.size() == 1 ? "" : "s", fmt::join(tables_, ", ")));
  }
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const auto first = std::ranges::find(wanted_, wanted_[i]) - wanted_.begin();
    if (seen_[static_cast<std::size_t>(first)] || std::cmp_less(first, i)) continue;
    if (none || !is_whole_) continue;
    std::vector<std::string_view> words = known;
    for (const query::Column& column : query::span_columns()) words.push_back(column.name);
    const std::string_view near = nearest(wanted_[i], words);
    std::string sentence = fmt::format("no span has `{}`", wanted_[i]);
    if (!near.empty()) {
      sentence += fmt::format("; did you mean `{}`?", near);
    } else if (!known.empty()) {
      constexpr std::size_t kShown = 10;
      const auto shown = std::span(known).first(std::min(kShown, known.size()));
      sentence += fmt::format("; arguments that there are: {}{}", fmt::join(shown, ", "),
                              known.size() > kShown ? ", ..." : "");
    }
    sentences.push_back(std::move(sentence));
  }
  const auto unknown = [&](std::uint64_t count, std::string_view why) {
    if (count != 0)
      sentences.push_back(
          fmt::format("arguments of the begin of {} slices are not known: {}", count, why));
  };
  unknown(not_held_, "more were open than memory holds");
  unknown(without_lane_, "more were open at a time on one track than it has lanes");
  return sentences;
}

}  // namespace tracedeck::timeline
