// What precedes the first event of a result whose target gives every event a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "tracedeck/lower/lowering_stage.hpp"

namespace tracedeck::lower {

// A lowering writer for such a target.
class TimedLowering : public LoweringStage {
 public:
  using LoweringStage::LoweringStage;

  // Events without a time of their own get the begin of `first`, until one has a time. Requires
  // that `first` has one.
  virtual void begin_at(const Event& first) = 0;
};

// Retains the events that describe others and have no time of their own until the first other event
// comes, so that they get its time: else they would stand at time 0 and stretch the trace. At most
// `kMostRetained` bytes of values, and nothing once `flush` is called.
class LeadIn final : public Writer {
 public:
  static constexpr std::size_t kMostRetained = std::size_t{4} << 20;

  explicit LeadIn(std::unique_ptr<TimedLowering> next) : next_(std::move(next)) {}

  Result<void> write(const Record& record) override;
  Result<void> write_batch(const Batch& batch, Written& written) override;
  Result<void> describe(const TraceDescription& trace) override { return next_->describe(trace); }
  Result<void> flush() override;
  Result<void> finish() override;
  [[nodiscard]] Receipt receipt() const override;

 private:
  struct Retained {
    Event event = {};
    std::unique_ptr<std::byte[]> values = {};
  };

  // Whether the record is retained; else all that was is released.
  [[nodiscard]] Result<bool> takes(const Record& record);
  void hold(const Event& event);
  // Hands on what is retained, and everything from now on.
  [[nodiscard]] Result<void> release();

  std::unique_ptr<TimedLowering> next_;
  bool released_ = false;
  Written late_;  // of those that were retained
  std::deque<Retained> retained_;
  std::size_t size_ = 0;  // bytes of their values
  // Copies that the retained events refer to, and the descriptions that these are a part of.
  std::unordered_map<EntityId, DataStream, EntityIdHash> streams_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const TraceDescription>> traces_;
};

}  // namespace tracedeck::lower
