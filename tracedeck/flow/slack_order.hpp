// Events of live traces in the order of time, as far as they come soon enough.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// Holds records back until an event came whose time is `slack` later, or until nothing came for so
// long, and hands them on by their times; equal ones, and what has no time, behind what they came
// behind. Up to 65,536 records are held, of up to 1,024 batches; beyond, the earliest go on.
class SlackOrder final : public RecordSource {
 public:
  using Ready = std::function<bool(std::chrono::milliseconds)>;

  // `ready`: whether `source.next` would return within the time given. `slack`: 0 to a day.
  SlackOrder(RecordSource& source, Ready ready, Nanoseconds slack);

  // Errors: those of the source.
  [[nodiscard]] Result<BatchPtr> next() override;
  // Whether `next` would return within `patience`, as far as that depends on the source.
  [[nodiscard]] bool ready(std::chrono::milliseconds patience);

  // Events that came after later ones had been handed on; they go on at once.
  [[nodiscard]] std::uint64_t late() const { return late_; }
  // Records that went on early, as there was no room for more.
  [[nodiscard]] std::uint64_t hurried() const { return hurried_; }

 private:
  struct Held {
    Nanoseconds time;
    std::uint64_t number = 0;  // in the order that they came in
    Record record;
    BatchPtr from;
  };
  using Clock = std::chrono::steady_clock;

  static bool goes_after(const Held& a, const Held& b) {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }
  void hold(const BatchPtr& batch);
  [[nodiscard]] bool may_go() const;
  void release_first();
  // Whether there was nothing to wait for any more.
  [[nodiscard]] bool wait();

  RecordSource& source_;
  Ready ready_;
  Nanoseconds slack_;
  std::vector<Held> held_;                                 // a heap, the first to go in front
  std::unordered_map<const Batch*, std::size_t> batches_;  // how many records of each are held
  OutputBatch out_;
  const Batch* pinned_ = nullptr;  // by the batch that is made
  Nanoseconds last_ = {};          // the time of the event that came last
  Nanoseconds latest_ = {};        // of all that came
  Nanoseconds gone_ = {};          // the latest of those that were handed on
  bool any_came_ = false;
  bool any_gone_ = false;
  bool all_go_ = false;  // nothing is waited for
  bool ended_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t late_ = 0;
  std::uint64_t hurried_ = 0;
  Clock::time_point came_ = Clock::now();
};

}  // namespace tracedeck::flow
