// The batch that a stage puts together from other batches' records or from records of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "tracedeck/model/batch.hpp"

namespace tracedeck {

// Collects records. Copied ones leave their values where they are, in the batch that they come from
// and that is kept alive; new ones bring them along.
class OutputBatch {
 public:
  [[nodiscard]] bool empty() const { return records_ == 0; }
  // Whether it is time to hand the batch on: it has enough records, or keeps too much alive.
  [[nodiscard]] bool full() const {
    return records_ >= Batch::kRecords || finished_batches_ >= kFinishedBatches ||
           kept_bytes_ >= kKeptBytes;
  }

  // How many records it takes before it is time, at least.
  [[nodiscard]] std::size_t room_for_records() const {
    return Batch::kRecords - std::min(Batch::kRecords, records_);
  }

  void add(const Record& record) {
    batch_->add(record);
    ++records_;
  }
  // A new event, to be filled in place.
  [[nodiscard]] Event& add_event() {
    ++records_;
    return started().add_event();
  }
  // Before the first record of `source` is added. Its lasting pins become this batch's own.
  void pin(const BatchPtr& source) {
    Batch& batch = started();
    for (const auto& owner : source->lasting_pins()) batch.pin_lasting(owner);
    batch.pin(source);
  }
  // Says that only this batch still needs a batch that it pins.
  void note_finished_batch() { ++finished_batches_; }

  // Keeps `owner` alive: one that outlasts the batch, or one that values point into.
  void pin_lasting(const std::shared_ptr<const void>& owner) {
    if (owner.get() == std::exchange(last_lasting_, owner.get())) return;
    started().pin_lasting(owner);
  }
  void pin_bytes(const std::shared_ptr<const void>& owner) {
    if (owner.get() == std::exchange(last_bytes_, owner.get())) return;
    started().pin(owner);
  }

  // Room for `count` slots of a new event, to be committed; null when the batch has to be handed on
  // first.
  [[nodiscard]] Slot* room(std::size_t count) {
    Batch& batch = started();
    if (static_cast<std::size_t>(batch.tape_end() - batch.tape_position()) >= count) {
      return batch.tape_position();
    }
    if (!batch.tape_unused()) return nullptr;
    batch.grow_tape(std::max(count, Batch::kSlots));
    return batch.tape_position();
  }
  void commit(Slot* end) { batch_->commit_tape(end); }

  // Copies bytes that the slots of a new event point to.
  [[nodiscard]] const std::uint8_t* keep(ByteSpan bytes) {
    if (bytes.size() > chunk_left_) add_chunk(bytes.size());
    std::uint8_t* const kept = chunk_;
    if (!bytes.empty()) std::memcpy(kept, bytes.data(), bytes.size());
    chunk_ += bytes.size();
    chunk_left_ -= bytes.size();
    return kept;
  }

  // Adds a new record of that kind.
  void add_loss(const Loss& loss) {
    started().add_loss(loss);
    ++records_;
  }
  void add_notice(RecordKind kind, Notice notice) {
    started().add_notice(kind, std::move(notice));
    ++records_;
  }

  // The batch, after which a new one begins.
  [[nodiscard]] BatchPtr take() {
    records_ = 0;
    finished_batches_ = 0;
    kept_bytes_ = 0;
    chunk_left_ = 0;
    last_lasting_ = nullptr;
    last_bytes_ = nullptr;
    return std::exchange(batch_, nullptr);
  }

 private:
  // A hundred sources may all come to the end of a batch at the same time.
  static constexpr std::size_t kFinishedBatches = 8;
  static constexpr std::size_t kChunk = std::size_t{32} << 10;
  static constexpr std::size_t kKeptBytes = std::size_t{512} << 10;

  Batch& started() {
    if (batch_ == nullptr) {
      batch_ = std::make_shared<Batch>(0);
      batch_->reserve(Batch::kRecords);
    }
    return *batch_;
  }

  void add_chunk(std::size_t least) {
    chunk_left_ = std::max(least, kChunk);
    const std::shared_ptr<std::uint8_t[]> chunk =
        std::make_shared_for_overwrite<std::uint8_t[]>(chunk_left_);
    chunk_ = chunk.get();
    kept_bytes_ += chunk_left_;
    pin_bytes(std::shared_ptr<const void>(chunk, chunk.get()));
  }

  std::shared_ptr<Batch> batch_;
  std::size_t records_ = 0;
  std::size_t finished_batches_ = 0;
  std::size_t kept_bytes_ = 0;
  const void* last_lasting_ = nullptr;  // what was pinned last, so that it is not again
  const void* last_bytes_ = nullptr;
  std::uint8_t* chunk_ = nullptr;
  std::size_t chunk_left_ = 0;
};

}  // namespace tracedeck
