// In which order events are read for the answer of a query.
#pragma once

#include "tracedeck/flow/selection.hpp"
#include "tracedeck/query/query.hpp"
#include "tracedeck/timeline/mark_stream.hpp"

namespace tracedeck::timeline {

// `is_given`: the order of `selection` is asked for, and stays. The query is told of clock steps.
inline void choose_order(flow::Selection& selection, query::Query& query, bool is_given) {
  // Pairs have durations.
  selection.one_offset = query.needs_order();
  const bool is_by_time = !is_given || selection.order == flow::Order::kTime;
  if (query.minds_clock_steps()) {
    // As recorded, events may be in disorder, but not by so much.
    constexpr Nanoseconds kFarBack = 1'000'000'000;
    if (is_by_time) selection.kept_steps = MarkStream::kMostClockSteps;
    query.expect_clock_steps(is_by_time ? Nanoseconds() : kFarBack);
  }
  if (is_given) return;
  if (query.needs_order()) selection.order = flow::Order::kTime;
  // One trace after the other takes the least memory.
  if (query.any_order()) selection.order = flow::Order::kRecorded;
}

}  // namespace tracedeck::timeline
