// What stages have in common that leave records out.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "tracedeck/flow/output_batch.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// Decides about records, one after the other.
template <class T>
concept RecordJudge = requires(T judge, const Record& record) {
  { judge.passes(record) } -> std::same_as<bool>;
  judge.left_out(record);  // is called of each record that does not pass
};

// A source without the records that do not pass. Batches of which all pass are handed on as they
// are; of others the records are copied, and their values stay where they are.
template <RecordJudge Judge>
class Select final : public RecordSource {
 public:
  Select(std::unique_ptr<RecordSource> source, Judge judge)
      : source_(std::move(source)), judge_(std::move(judge)) {}

  Result<BatchPtr> next() override {
    while (true) {
      Result<BatchPtr> batch = source_->next();
      if (!batch || *batch == nullptr) return batch;
      const std::span<const Record> records = (*batch)->records();
      std::size_t passed = 0;
      while (passed < records.size() && judge_.passes(records[passed])) ++passed;
      if (passed == records.size()) return batch;
      if (BatchPtr rest = without_rejected(*batch, passed)) return rest;
    }
  }

 private:
  // The batch without record `rejected` and those after it that do not pass; null when nothing is
  // left.
  BatchPtr without_rejected(const BatchPtr& batch, std::size_t rejected) {
    const std::span<const Record> records = batch->records();
    OutputBatch output;
    if (rejected != 0) output.pin(batch);
    for (const Record& record : records.first(rejected)) output.add(record);
    judge_.left_out(records[rejected]);
    for (const Record& record : records.subspan(rejected + 1)) {
      if (!judge_.passes(record)) {
        judge_.left_out(record);
        continue;
      }
      if (output.empty()) output.pin(batch);
      output.add(record);
    }
    return output.empty() ? nullptr : output.take();
  }

  std::unique_ptr<RecordSource> source_;
  Judge judge_;
};

}  // namespace tracedeck::flow
