// The batch that a stage puts together from records of other batches.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "tracedeck/model/batch.hpp"

namespace tracedeck::flow {

// Collects copies of records and keeps the batches alive that they come from.
class OutputBatch {
 public:
  [[nodiscard]] bool empty() const { return batch_ == nullptr || batch_->empty(); }
  // Whether it is time to hand the batch on: it has enough records, or keeps too much alive.
  [[nodiscard]] bool full() const {
    return records_ >= Batch::kRecords || finished_batches_ >= kFinishedBatches;
  }

  void add(const Record& record) {
    batch_->add(record);
    ++records_;
  }
  // Before the first record of `source` is added. Its lasting pins become this batch's own.
  void pin(const BatchPtr& source) {
    if (batch_ == nullptr) start();
    for (const auto& owner : source->lasting_pins()) batch_->pin_lasting(owner);
    batch_->pin(source);
  }
  // Tells that only this batch still needs a batch that it pins.
  void note_finished_batch() { ++finished_batches_; }

  // The batch, after which a new one begins.
  [[nodiscard]] BatchPtr take() {
    records_ = 0;
    finished_batches_ = 0;
    return std::exchange(batch_, nullptr);
  }

 private:
  // A hundred sources may all come to the end of a batch at the same time.
  static constexpr std::size_t kFinishedBatches = 8;

  void start() {
    batch_ = std::make_shared<Batch>(0);
    batch_->reserve(Batch::kRecords);
  }

  std::shared_ptr<Batch> batch_;
  std::size_t records_ = 0;
  std::size_t finished_batches_ = 0;
};

}  // namespace tracedeck::flow
