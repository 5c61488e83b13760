#include "tracedeck/timeline/span_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "tracedeck/render/sentences.hpp"

namespace tracedeck::timeline {
namespace {

using query::SpanColumn;
using query::Value;

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
      row_(query::kSpanColumns + query.spans()->arguments.size()) {
  for (std::size_t i = 0; i < query::kSpanColumns; ++i) row_[i] = blank(static_cast<SpanColumn>(i));
  if (!query.spans()->arguments.empty()) arguments_.emplace(query.spans()->arguments);
  query_.note_spans(counts_);
}

Result<void> SpanRows::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) {
    if (mark.kind == MarkKind::kSliceBegin) {
      if (arguments_) arguments_->begin(mark);
    } else if (mark.kind == MarkKind::kSliceEnd || mark.kind == MarkKind::kWait) {
      if (auto added = add(timeline, mark); !added) return added;
    }
  }
  // The query may want no more.
  query_.note_spans(counts_);
  return {};
}

Result<void> SpanRows::finish(const Timeline& timeline) {
  counts_.unmatched_ends = timeline.counts().unmatched_ends;
  counts_.not_held = timeline.counts().not_held;
  counts_.ended_early = timeline.counts().ended_early;
  tables_ = timeline.tables();
  std::erase(tables_, "inferred");
  is_whole_ = timeline.counts().events != 0;
  query_.note_spans(counts_);
  return {};
}

// Only what differs between rows.
void SpanRows::put_columns(const Timeline& timeline, const Mark& mark) {
  const auto at = [&](SpanColumn column) -> Value& { return row_[std::to_underlying(column)]; };
  const MarkName& name = timeline.name(mark.name);
  const WaysToSay& ways = said_.try_emplace(mark.name, name).first->second;
  const bool whole = mark.has_duration();
  at(SpanColumn::kName) = Value::of(std::string_view(name.identity()), ways.names);
  at(SpanColumn::kCategory).text = name.category;
  at(SpanColumn::kLabel) = Value::of(std::string_view(ways.full_label), ways.labels);
  at(SpanColumn::kTrack) = titles_.of(timeline, mark.track);
  const TrackOrigin& origin = timeline.origin_of(mark.track);
  at(SpanColumn::kTrace).text = origin.trace;
  at(SpanColumn::kHost).text = origin.host;
  at(SpanColumn::kProcess).text = origin.process;
  at(SpanColumn::kKind).text = mark.kind == MarkKind::kWait ? "wait" : "slice";
  at(SpanColumn::kTime).integer = Integer::from(times_.of(timeline, mark.track, mark.begin));
  at(SpanColumn::kEnd).integer = Integer::from(times_.of(timeline, mark.track, mark.time));
  at(SpanColumn::kDuration).kind = whole ? Value::Kind::kInteger : Value::Kind::kUnknown;
  at(SpanColumn::kDuration).integer = Integer::from_signed(whole ? mark.duration() : 0);
  at(SpanColumn::kWhole).boolean = whole;
  for (const FlagColumn& each : kFlagColumns) at(each.column).boolean = mark.has(each.flag);
}

Result<void> SpanRows::add(const Timeline& timeline, const Mark& mark) {
  if (arguments_) {
    const std::span<const Value> values = arguments_->end(mark);
    std::ranges::copy(values, row_.begin() + query::kSpanColumns);
  }
  if (mark.has(kMoved) || (begin_ && mark.time < *begin_)) return {};
  const bool whole = mark.has_duration();
  ++(whole ? counts_.whole : counts_.left_out);
  if (!whole && mark.has(kOpenAtEnd)) ++counts_.open;
  if (!whole && mark.has(kBeganBefore)) ++counts_.began_before;
  if (!whole && mark.has(kAcrossLoss)) ++counts_.across_loss;
  if (!whole && !all_) return {};
  put_columns(timeline, mark);
  return query_.add_row(row_);
}

std::vector<std::string> SpanRows::notices() const {
  std::vector<std::string> sentences;
  const bool none = counts_.whole + counts_.left_out == 0;
  if (none && is_whole_) {
    sentences.push_back(tables_.empty()
                            ? render::say<"notice/no-spans">()
                            : render::say<"notice/no-span-ends">(
                                  tables_.size(), fmt::format("{}", fmt::join(tables_, ", "))));
  }
  if (!arguments_) return sentences;
  if (!none && is_whole_)
    std::ranges::move(arguments_->unknown("span", query::span_columns()),
                      std::back_inserter(sentences));
  std::ranges::move(arguments_->not_held(), std::back_inserter(sentences));
  return sentences;
}

}  // namespace tracedeck::timeline
