// Events made up in memory, as a reader would deliver them, for the benchmarks of stages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::bench {

// Batches of events of one class with four unsigned fields, at the given times.
class MadeUpEvents {
 public:
  MadeUpEvents() : description_(std::make_shared<TraceDescription>("bench", "none", "1")) {
    EventClass event_class;
    event_class.clock = &description_->add_clock({.id = "ns"});
    event_class_ = &description_->add_event_class(std::move(event_class));
  }

  [[nodiscard]] std::vector<BatchPtr> batches(const std::vector<std::uint64_t>& times) const {
    std::vector<BatchPtr> result;
    for (std::size_t i = 0; i < times.size(); i += Batch::kRecords) {
      auto batch = std::make_shared<Batch>();
      batch->pin(description_);
      const std::size_t end = std::min(i + Batch::kRecords, times.size());
      for (std::size_t j = i; j < end; ++j) add(*batch, times[j], j);
      result.push_back(std::move(batch));
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kFields = 4;
  static constexpr std::uint32_t kWireSize = 16;

  void add(Batch& batch, std::uint64_t time, std::uint64_t number) const {
    Slot* const slots = batch.tape_position();
    for (std::uint64_t i = 0; i < kFields; ++i)
      slots[i] = unsigned_slot(number % (std::uint64_t{7} << (3 * i)));
    batch.commit_tape(slots + kFields);
    Event event;
    event.event_class = event_class_;
    event.time = time;
    event.end_time = time;
    event.offset = number * kWireSize;
    event.size = kWireSize;
    event.slots = slots;
    event.slot_count = kFields;
    batch.add_event(event);
  }

  std::shared_ptr<TraceDescription> description_;
  const EventClass* event_class_;
};

// Delivers batches that somebody else keeps.
class KeptBatches final : public RecordSource {
 public:
  explicit KeptBatches(const std::vector<BatchPtr>& batches) : batches_(batches) {}
  Result<BatchPtr> next() override { return at_ == batches_.size() ? nullptr : batches_[at_++]; }

 private:
  const std::vector<BatchPtr>& batches_;
  std::size_t at_ = 0;
};

// Reads a source to its end and returns the number of its records.
inline std::uint64_t drain(RecordSource& source) {
  std::uint64_t records = 0;
  while (const BatchPtr batch = source.next().value()) records += batch->records().size();
  return records;
}

}  // namespace tracedeck::bench
