// Events with a duration that begin at the same time. The longest encloses the others, so all of
// them are collected before the first of them is marked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/timeline/class_plans.hpp"
#include "tracedeck/timeline/kept_event.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {

class SimultaneousEvents {
 public:
  // Memory is bounded: beyond so many events, or bytes of events of earlier batches, the collected
  // ones are to be taken, however many more begin at that time.
  static constexpr std::size_t kMostEvents = 65'536;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] bool full() const {
    return events_.size() >= kMostEvents || copied_bytes_ >= kMostBytes;
  }
  // Requires that there are events.
  [[nodiscard]] std::int64_t time() const { return events_.front().now.time; }

  // `plan` must live until the event is taken.
  void add(ClassPlan& plan, const Moment& now) { events_.push_back({&plan, now}); }

  // Calls `visit(plan, now)` for all events, the longest first, and removes them.
  template <class Visit>
  void take_all(const Visit& visit) {
    std::ranges::stable_sort(events_, [](const Collected& a, const Collected& b) {
      return a.now.end_time > b.now.end_time;
    });
    for (Collected& each : events_) visit(*each.plan, each.now);
    events_.clear();
    copied_ = 0;
    copied_bytes_ = 0;
  }

  // Whether any event was copied from an earlier batch.
  [[nodiscard]] bool any_copied() const { return copied_ != 0; }
  // Copies those events that were added last and lie in `batch`, which may be gone then. Returns
  // the owner of the copies, which must live until marks of them were handed on; null: there are
  // none.
  [[nodiscard]] BatchPtr copy_from(const Batch& batch) {
    if (copied_ == events_.size()) return nullptr;
    auto owner = std::make_shared<Batch>(0);
    for (const auto& pin : batch.lasting_pins()) owner->pin_lasting(pin);
    for (; copied_ != events_.size(); ++copied_) {
      Moment& now = events_[copied_].now;
      auto copy = std::make_shared<const KeptEvent>(*now.event, now.event->stream);
      now.event = &copy->event();
      copied_bytes_ += copy->memory();
      owner->pin(std::move(copy));
    }
    return owner;
  }

 private:
  struct Collected {
    ClassPlan* plan;
    Moment now;
  };

  std::vector<Collected> events_;
  std::size_t copied_ = 0;  // of the events, from the front on
  std::size_t copied_bytes_ = 0;
};

}  // namespace tracedeck::timeline
