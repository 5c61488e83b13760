#include "tracedeck/flow/tail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "tracedeck/spill/packed_block.hpp"

namespace tracedeck::flow {
namespace {

// Batches that are held as they came: each keeps what its values point into, a window at least.
constexpr std::size_t kMostBatches = 64;
constexpr std::size_t kBlock = std::size_t{1} << 20;

bool counts(const Record& record) { return record.kind == RecordKind::kEvent; }

// Holds the last batches of the source, the older ones as packed records.
class Tail final : public RecordSource {
 public:
  Tail(std::unique_ptr<RecordSource> source, std::uint64_t events, std::size_t memory)
      : source_(std::move(source)), wanted_(events), most_blocks_(memory / kBlock) {}

  Result<BatchPtr> next() override {
    for (;;) {
      if (!ready_.empty()) {
        BatchPtr batch = std::move(ready_.front());
        ready_.pop_front();
        return batch;
      }
      if (source_ != nullptr) {
        read();
      } else if (!blocks_.empty()) {
        drop_block(excess());
      } else if (!batches_.empty()) {
        drop_batch(excess());
      } else if (failure_) {
        return std::unexpected(*std::exchange(failure_, std::nullopt));
      } else {
        return nullptr;
      }
    }
  }

 private:
  struct HeldBatch {
    BatchPtr batch;
    std::uint64_t events;
  };
  struct HeldBlock {
    PackedBlock block;
    std::uint64_t events = 0;
  };

  // Events that are held and are none of the last.
  [[nodiscard]] std::uint64_t excess() const { return events_ - std::min(events_, wanted_); }

  void read() {
    auto batch = source_->next();
    if (!batch) failure_ = std::move(batch.error());
    if (!batch || *batch == nullptr) {
      source_.reset();
      return;
    }
    const auto events =
        static_cast<std::uint64_t>(std::ranges::count_if((*batch)->records(), counts));
    batches_.push_back({*std::move(batch), events});
    events_ += events;
    while (!blocks_.empty() && blocks_.front().events <= excess()) drop_block(excess());
    while (blocks_.empty() && batches_.front().events <= excess() && batches_.size() > 1)
      drop_batch(excess());
    while (batches_.size() > kMostBatches && source_ != nullptr) pack_batch();
  }

  // Hands on what the oldest batch holds but for its first `left_out` events.
  void drop_batch(std::uint64_t left_out) {
    const HeldBatch held = std::move(batches_.front());
    batches_.pop_front();
    events_ -= held.events;
    if (left_out == 0) return ready_.push_back(held.batch);
    OutputBatch output;
    output.pin(held.batch);
    for (const Record& record : held.batch->records()) {
      if (counts(record) && left_out != 0) {
        --left_out;
      } else {
        output.add(record);
      }
    }
    if (!output.empty()) ready_.push_back(output.take());
  }

  // The same of the oldest block.
  void drop_block(std::uint64_t left_out) {
    const HeldBlock held = std::move(blocks_.front());
    blocks_.pop_front();
    events_ -= held.events;
    OutputBatch output;
    const auto records = held.block.records();
    bool goes_on = !records->ended();
    while (goes_on) {
      const std::uint8_t* const packed = records->packed().data();
      if (left_out != 0 && RecordCodec::is_event(packed)) {
        --left_out;
      } else {
        while (!codec_.unpack(packed, records->key().coarse, records->owner(), output))
          ready_.push_back(output.take());
        if (output.full()) ready_.push_back(output.take());
      }
      goes_on = records->advance().has_value() && !records->ended();
    }
    if (!output.empty()) ready_.push_back(output.take());
  }

  // Puts the oldest batch behind the packed records.
  void pack_batch() {
    const HeldBatch held = std::move(batches_.front());
    batches_.pop_front();
    codec_.take_over(*held.batch);
    for (const Record& record : held.batch->records()) {
      // Each has a key of its own, so that blocks keep the order.
      const OrderKey key = OrderKey::from(++packed_);
      if (blocks_.empty() || !blocks_.back().block.add(codec_, key, record)) {
        if (blocks_.size() >= most_blocks_) return give_up();
        blocks_.push_back(
            {PackedBlock(std::max(kBlock, RecordCodec::bound(record) + kBlockOverhead))});
        static_cast<void>(blocks_.back().block.add(codec_, key, record));
      }
      blocks_.back().events += counts(record) ? 1 : 0;
    }
  }

  void give_up() {
    failure_ = Error{.code = ErrorCode::kLimitExceeded,
                     .message = fmt::format("the last {} events do not fit into {} MiB of memory; "
                                            "fewer do, and a time before the end, as end-2s, "
                                            "bounds them without any",
                                            wanted_, most_blocks_ * kBlock >> 20)};
    source_.reset();
    blocks_.clear();
    batches_.clear();
  }

  std::unique_ptr<RecordSource> source_;
  std::uint64_t wanted_;
  std::size_t most_blocks_;
  std::deque<BatchPtr> ready_;     // to be handed on
  std::deque<HeldBlock> blocks_;   // behind those
  std::deque<HeldBatch> batches_;  // behind those
  std::uint64_t events_ = 0;       // in both
  std::uint64_t packed_ = 0;       // records so far
  RecordCodec codec_;
  std::optional<Error> failure_;
};

}  // namespace

std::unique_ptr<RecordSource> tail(std::unique_ptr<RecordSource> source, std::uint64_t events,
                                   std::size_t memory) {
  return std::make_unique<Tail>(std::move(source), events, memory);
}

}  // namespace tracedeck::flow
