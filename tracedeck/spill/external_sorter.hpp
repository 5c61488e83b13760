// Sorts records by key in a given amount of memory, with a temporary file for what does not fit.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/spill/merged_runs.hpp"
#include "tracedeck/spill/packed_block.hpp"
#include "tracedeck/spill/record_codec.hpp"

namespace tracedeck {

// First all records are added, then they are taken out in the order of their keys, ties in the
// order in which they were added.
class ExternalSorter {
 public:
  // `memory`: bytes for records at any time; one record that is larger takes what it needs.
  // `directory`: as for `SpillFile::create`.
  ExternalSorter(std::size_t memory, std::string directory);

  // Before records of `batch` are added.
  void take_over(const Batch& batch) { codec_.take_over(batch); }
  // Errors: those of `SpillFile`.
  [[nodiscard]] Result<void> add(const OrderKey& key, const Record& record);
  // No more records come. Errors: those of `SpillFile`.
  [[nodiscard]] Result<void> finish();

  // After `finish`: the record at hand.
  [[nodiscard]] bool ended() const { return sorted_->ended(); }
  [[nodiscard]] const OrderKey& key() const { return sorted_->key(); }
  // Appends it to `output`; returns false when that has to be handed on first.
  [[nodiscard]] bool unpack(OutputBatch& output) const {
    return codec_.unpack(sorted_->packed().data(), sorted_->key().coarse, sorted_->owner(), output);
  }
  [[nodiscard]] Result<void> advance() { return sorted_->advance(); }

  // Bytes that went into temporary files, for tests and benchmarks.
  [[nodiscard]] std::uint64_t spilled() const { return spilled_; }

 private:
  [[nodiscard]] Result<void> spill(PackedBlock& block);

  std::size_t memory_;
  std::string directory_;
  RecordCodec codec_;
  std::optional<PackedBlock> block_;
  std::unique_ptr<SpillFile> file_;
  std::optional<RunWriter> writer_;
  std::vector<SortedRun> runs_;
  std::unique_ptr<SortedRecords> sorted_;
  std::uint64_t spilled_ = 0;
};

}  // namespace tracedeck
