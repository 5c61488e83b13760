#include "tracedeck/flow/select.hpp"

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/flow/last_times.hpp"
#include "tracedeck/format/output_batch.hpp"

namespace tracedeck::flow {
namespace {

class Select final : public RecordSource {
 public:
  Select(std::unique_ptr<RecordSource> source, std::unique_ptr<RecordFilter> filter, bool sorted)
      : source_(std::move(source)), filter_(std::move(filter)) {
    if (sorted) times_.emplace();
  }

  Result<BatchPtr> next() override {
    while (true) {
      Result<BatchPtr> batch = source_->next();
      if (!batch || *batch == nullptr) return batch;
      const std::span<const Record> records = (*batch)->records();
      if (passing_.size() < records.size()) passing_.resize(records.size());
      const std::size_t count = filter_->select(records, passing_);
      if (times_) find_places(records);
      if (count == records.size() && places_.empty()) return batch;
      if (count != 0) return copy(*batch, std::span(passing_).first(count));
    }
  }

 private:
  void find_places(std::span<const Record> records) {
    if (!places_.empty()) places_.clear();
    while (true) {
      records = records.subspan(times_->see_events(records));
      if (records.empty()) return;
      const Record& record = records.front();
      times_->see_other(record);
      if (record.kind == RecordKind::kLoss && !record.loss->place)
        places_.emplace(&record, times_->place_of(*record.loss));
      records = records.subspan(1);
    }
  }

  BatchPtr copy(const BatchPtr& batch, std::span<const Record* const> passing) const {
    OutputBatch output;
    output.pin(batch);
    for (const Record* const record : passing) {
      const auto place = record->kind == RecordKind::kLoss ? places_.find(record) : places_.end();
      if (place == places_.end()) {
        output.add(*record);
        continue;
      }
      Loss loss = *record->loss;
      loss.place = place->second;
      output.add_loss(loss);
    }
    return output.take();
  }

  std::unique_ptr<RecordSource> source_;
  std::unique_ptr<RecordFilter> filter_;
  std::vector<const Record*> passing_;
  std::optional<LastTimes> times_;  // of all records
  // Of the losses in the batch at hand.
  std::unordered_map<const Record*, std::optional<Nanoseconds>> places_;
};

}  // namespace

std::unique_ptr<RecordSource> select(std::unique_ptr<RecordSource> source,
                                     std::unique_ptr<RecordFilter> filter, bool sorted) {
  return std::make_unique<Select>(std::move(source), std::move(filter), sorted);
}

}  // namespace tracedeck::flow
