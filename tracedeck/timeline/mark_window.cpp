#include "tracedeck/timeline/mark_window.hpp"

#include <algorithm>

namespace tracedeck::timeline {

void MarkWindow::note(const Mark& mark) {
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
  tracks_.clear();
}

Result<void> MarkWindow::take(const Timeline& timeline, std::span<const Mark> marks) {
  marks_.clear();
  bool drops_flow = false;
  for (const Mark& mark : marks) {
    if (mark.has(kUnplaced)) continue;
    if (!begin_) {
      marks_.push_back(mark);
      continue;
    }
    if (!opened_ && mark.time < *begin_) {
      note(mark);
      continue;
    }
    if (!opened_) open_window();
    // What comes late may lie before; both ends of a flow come one after the other.
    if (mark.kind == MarkKind::kFlowOut) drops_flow = mark.time < *begin_;
    const bool is_flow = mark.kind == MarkKind::kFlowOut || mark.kind == MarkKind::kFlowIn;
    if (is_flow ? drops_flow : mark.time < *begin_) continue;
    marks_.push_back(mark);
  }
  if (marks_.empty()) return {};
  return next_.take(timeline, marks_);
}

Result<void> MarkWindow::finish(const Timeline& timeline) { return next_.finish(timeline); }

}  // namespace tracedeck::timeline
