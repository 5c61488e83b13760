// What exporters have in common that write something for each mark.
#pragma once

#include <span>

#include "tracedeck/export/exporter.hpp"

namespace tracedeck::exporting {

// `Target` derives from it and has a function for each kind of mark; `before`, called before each;
// `begin_trace`, called with the time of the first mark before any; and `status`, of its output.
template <class Target>
class MarkExporter : public Exporter {
 public:
  Result<void> take(const timeline::Timeline& timeline,
                    std::span<const timeline::Mark> marks) final {
    if (!marks.empty()) start(timeline, marks.front().time);
    for (const timeline::Mark& mark : marks) put(timeline, mark);
    return target().status();
  }

 protected:
  void start(const timeline::Timeline& timeline, std::int64_t first) {
    if (started_) return;
    started_ = true;
    target().begin_trace(timeline, first);
  }

 private:
  friend Target;
  MarkExporter() = default;

  [[nodiscard]] Target& target() { return static_cast<Target&>(*this); }

  void put(const timeline::Timeline& timeline, const timeline::Mark& mark) {
    using timeline::MarkKind;
    target().before(timeline, mark);
    switch (mark.kind) {
      case MarkKind::kSliceBegin:
        return target().begin_slice(timeline, mark);
      case MarkKind::kSliceEnd:
        // `TimelineCounts::without_lane` has those that are on no track.
        return mark.has(timeline::kUnplaced) ? void() : target().end_slice(timeline, mark);
      case MarkKind::kInstant:
        return target().put_instant(timeline, mark);
      case MarkKind::kState:
        return target().put_state(timeline, mark);
      case MarkKind::kCounter:
        return target().put_counter(timeline, mark);
      case MarkKind::kFlowOut:
      case MarkKind::kFlowIn:
        return target().put_flow(timeline, mark);
      case MarkKind::kWait:
        return target().put_wait(timeline, mark);
      case MarkKind::kGap:
        return target().put_gap(timeline, mark);
      case MarkKind::kOtherState:
        return;
    }
  }

  bool started_ = false;
};

}  // namespace tracedeck::exporting
