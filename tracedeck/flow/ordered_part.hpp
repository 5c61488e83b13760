// The begin of a source that is in order of time, and the rest of it. A part of sort.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include "tracedeck/flow/stream_times.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

[[nodiscard]] inline bool is_event(const Record& record) {
  return record.kind == RecordKind::kEvent;
}

// Says that an input is not what the survey found.
[[nodiscard]] Error changed_meanwhile();

// Yields the records of a source that go before a time, which a survey found to come first and in
// order: its batches as they are, where they lie before it as a whole. Errors beyond those of the
// source: kReadFailed when they are in order no more, or fewer.
class OrderedPart final : public RecordSource {
 public:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  // `events`: of the source; more are not read, and fewer only once a stop is requested.
  // `keeps_steps`: where they go back in time they are in order too, as far as `until` is the last
  // place.
  OrderedPart(std::unique_ptr<RecordSource> source, std::uint64_t events, const OrderKey& until,
              bool keeps_steps = false, std::stop_token stop = {})
      : source_(std::move(source)),
        is_counted_(events != kUnknown),
        events_left_(events),
        until_(until),
        keeps_steps_(keeps_steps),
        stop_(std::move(stop)) {}

  Result<BatchPtr> next() override;

  // Records that do not go before the time, and the batch that they lie in.
  struct Rest {
    BatchPtr batch;
    std::span<const Record> records;
  };
  // After the end of `next`: what is left, part by part; without a batch at the end. Errors: those
  // of the source, which `next` had among them.
  [[nodiscard]] Result<Rest> rest();
  // Gives the records of the rest their keys.
  [[nodiscard]] StreamTimes& times() { return times_; }
  [[nodiscard]] const OrderKey& until() const { return until_; }

 private:
  // Fetches a batch and returns it; null at the end.
  [[nodiscard]] Result<BatchPtr> fetch();
  // Returns the first record from `at` on that does not go before the time, or `end`; null when
  // they are not in order. Adds the events to `events`.
  [[nodiscard]] const Record* pass(const Record* at, const Record* end, std::uint64_t& events);
  // Those records of the batch without the events beyond those that were found; null if none is.
  [[nodiscard]] BatchPtr first_events(const BatchPtr& batch, std::span<const Record> records) const;

  std::unique_ptr<RecordSource> source_;  // null at its end
  bool is_counted_;
  std::uint64_t events_left_;
  OrderKey until_;
  bool keeps_steps_;
  std::stop_token stop_;
  StreamTimes times_;
  OrderKey last_ = OrderKey::first();
  Rest rest_ = {};
  std::optional<Error> failure_ = {};
};

}  // namespace tracedeck::flow
