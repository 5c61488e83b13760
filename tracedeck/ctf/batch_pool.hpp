// Batches that are used again, whichever thread lets go of them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "tracedeck/model/batch.hpp"

namespace tracedeck::ctf {

// Memory that comes fresh from the system costs more than decoding into it. Any thread; a batch may
// outlive its pool.
class BatchPool {
 public:
  // Every batch has room for `slots` on its tape and is full after `records` records.
  BatchPool(std::size_t slots, std::size_t records)
      : spare_(std::make_shared<Spare>()), slots_(slots), records_(records) {}

  [[nodiscard]] std::shared_ptr<Batch> take() {
    std::unique_ptr<Batch> batch = spare_->take();
    if (batch == nullptr) {
      batch = std::make_unique<Batch>(slots_);
      batch->reserve(records_);
    }
    return {batch.release(), [spare = spare_](Batch* used) { spare->put_back(used); }};
  }

 private:
  static constexpr std::size_t kMostSpare = 64;

  class Spare {
   public:
    [[nodiscard]] std::unique_ptr<Batch> take() {
      const std::scoped_lock lock(mutex_);
      if (batches_.empty()) return nullptr;
      std::unique_ptr<Batch> batch = std::move(batches_.back());
      batches_.pop_back();
      return batch;
    }

    void put_back(Batch* used) {
      std::unique_ptr<Batch> batch(used);
      batch->clear();
      const std::scoped_lock lock(mutex_);
      if (batches_.size() < kMostSpare) batches_.push_back(std::move(batch));
    }

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Batch>> batches_;
  };

  std::shared_ptr<Spare> spare_;
  std::size_t slots_;
  std::size_t records_;
};

}  // namespace tracedeck::ctf
