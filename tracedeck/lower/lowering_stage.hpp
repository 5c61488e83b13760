// What writers that lower have in common: records of traces that the target holds pass, the others
// are lowered.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/writer.hpp"
#include "tracedeck/lower/lowering_receipt.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::lower {

class LoweringStage : public Writer {
 public:
  Result<void> write(const Record& record) final;
  Result<void> write_batch(const Batch& batch, Written& written) final;
  Result<void> describe(const TraceDescription& trace) final;
  Result<void> flush() override { return next().flush(); }
  // Of the lowering, then of the target.
  [[nodiscard]] Receipt receipt() const override;

 protected:
  // What of traces that the target holds is lowered nevertheless.
  struct Lowers {
    bool heads = false;  // their packets get other heads
    bool all = false;
  };
  // `profile` must outlive it.
  LoweringStage(const TargetProfile& profile, std::unique_ptr<Writer> target, Lowers lowers)
      : profile_(profile), lowers_(lowers), target_(std::move(target)) {}

  // Of any trace.
  [[nodiscard]] virtual Result<void> write_event(const Event& event, const Record& record) = 0;
  // Of what the target does not hold.
  [[nodiscard]] virtual Result<void> begin_stream(const DataStream& stream) = 0;
  [[nodiscard]] virtual Result<void> end_stream(const DataStream& stream) = 0;
  [[nodiscard]] virtual Result<void> begin_packet(const Packet&) { return {}; }
  [[nodiscard]] virtual Result<void> end_packet(const Packet&) { return {}; }
  [[nodiscard]] virtual Result<void> write_loss(const Loss& loss) = 0;
  [[nodiscard]] virtual Result<void> describe_lowered(const TraceDescription& trace) = 0;
  // Before the target gets the beginning of a data stream or packet that it holds.
  virtual void see_held(const DataStream&) {}
  virtual void see_held(const Packet&) {}
  // After it got the end of such a data stream.
  [[nodiscard]] virtual Result<void> end_held(const DataStream&) { return {}; }

  // Whether the classes of a data stream are held as they are, which is the same for all of one
  // trace.
  [[nodiscard]] bool is_held(const DataStream& stream);
  [[nodiscard]] bool is_held(const DataStreamClass& stream_class);

  [[nodiscard]] const TargetProfile& profile() const { return profile_; }
  // The target, which the records go to next.
  [[nodiscard]] Writer& next() { return *target_; }
  [[nodiscard]] LoweringReceipt& own_receipt() { return receipt_; }

 private:
  const TargetProfile& profile_;
  Lowers lowers_;
  std::unordered_map<std::uint64_t, bool> held_;  // traces, by their numbers
  std::unique_ptr<Writer> target_;
  LoweringReceipt receipt_;
};

}  // namespace tracedeck::lower
