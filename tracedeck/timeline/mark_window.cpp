#include "tracedeck/timeline/mark_window.hpp"

#include <algorithm>

namespace tracedeck::timeline {

void MarkWindow::note(const Mark& mark) {
  if (mark.track == kNoTrack) return;
  if (mark.track > tracks_.size()) tracks_.resize(mark.track);
  TrackBefore& track = tracks_[mark.track - 1];
  switch (mark.kind) {
    case MarkKind::kSliceBegin:
      track.open.push_back(mark);
      break;
    case MarkKind::kSliceEnd:
      if (!mark.has(kUnplaced) && !track.open.empty()) track.open.pop_back();
      break;
    case MarkKind::kState:
      track.state = mark;
      break;
    default:
      break;
  }
}

void MarkWindow::open_window() {
  opened_ = true;
  for (TrackBefore& track : tracks_) {
    if (track.state && track.state->name != kNoName) {
      track.state->time = *begin_;
      track.state->value = 0;
      track.state->event = nullptr;
      marks_.push_back(*track.state);
    }
    for (Mark& each : track.open) {
      each.time = *begin_;
      each.flags |= kBeganBefore;
      // The event that it came of is gone.
      each.event = nullptr;
      each.arguments = nullptr;
      marks_.push_back(each);
    }
  }
  if (!end_) tracks_.clear();
}

void MarkWindow::close_window() {
  closed_ = true;
  const auto end = [&](MarkKind kind, const Mark& begun) {
    Mark& mark = marks_.emplace_back();
    mark.kind = kind;
    mark.flags = kOpenAtEnd;
    mark.track = begun.track;
    mark.time = *end_;
    return &mark;
  };
  for (TrackBefore& track : tracks_) {
    for (; !track.open.empty(); track.open.pop_back()) {
      Mark* const mark = end(MarkKind::kSliceEnd, track.open.back());
      mark->name = track.open.back().name;
      mark->begin = track.open.back().time;
    }
    if (track.state && track.state->name != kNoName) end(MarkKind::kState, *track.state);
  }
  tracks_.clear();
}

bool MarkWindow::admit(const Mark& mark) {
  if (closed_ || (mark.has(kUnplaced) && unplaced_ == Unplaced::kLeftOut)) return false;
  if (begin_ && !opened_) {
    if (mark.time < *begin_) {
      note(mark);
      return false;
    }
    open_window();
  }
  if (end_ && mark.time > *end_) {
    close_window();
    return false;
  }
  if (begin_) {
    // What comes late may lie before; both ends of a flow come one after the other.
    if (mark.kind == MarkKind::kFlowOut) drops_flow_ = mark.time < *begin_;
    const bool is_flow = mark.kind == MarkKind::kFlowOut || mark.kind == MarkKind::kFlowIn;
    if (is_flow ? drops_flow_ : mark.time < *begin_) return false;
  }
  if (end_) note(mark);
  return true;
}

Result<void> MarkWindow::take(const Timeline& timeline, std::span<const Mark> marks) {
  marks_.clear();
  for (const Mark& mark : marks) {
    if (admit(mark)) marks_.push_back(mark);
  }
  if (marks_.empty()) return {};
  return next_.take(timeline, marks_);
}

Result<void> MarkWindow::finish(const Timeline& timeline) { return next_.finish(timeline); }

}  // namespace tracedeck::timeline
