#include "tracedeck/flow/trim.hpp"

#include <utility>

#include "tracedeck/flow/output_batch.hpp"
#include "tracedeck/flow/stream_times.hpp"

namespace tracedeck::flow {
namespace {

class Trim final : public RecordSource {
 public:
  Trim(std::unique_ptr<RecordSource> source, const TrimRange& range)
      : source_(std::move(source)),
        begin_(range.begin ? OrderKey::from(*range.begin) : OrderKey::first()),
        end_(OrderKey::from(range.end.value_or(Nanoseconds::from_unsigned(~Uint128{0})))) {}

  Result<BatchPtr> next() override {
    while (true) {
      Result<BatchPtr> batch = source_->next();
      if (!batch || *batch == nullptr) return batch;
      const std::span<const Record> records = (*batch)->records();
      std::size_t passed = 0;
      while (passed < records.size() && passes(records[passed])) ++passed;
      if (passed == records.size()) return batch;
      if (BatchPtr rest = without_rejected(*batch, passed)) return rest;
    }
  }

 private:
  bool passes(const Record& record) {
    const OrderKey key = times_(record);
    return record.kind != RecordKind::kEvent || (begin_ <= key && key <= end_);
  }

  // The batch without record `rejected` and those after it that do not pass; null when nothing is
  // left.
  BatchPtr without_rejected(const BatchPtr& batch, std::size_t rejected) {
    const std::span<const Record> records = batch->records();
    OutputBatch output;
    output.pin(batch);
    for (const Record& record : records.first(rejected)) output.add(record);
    for (const Record& record : records.subspan(rejected + 1)) {
      if (passes(record)) output.add(record);
    }
    return output.empty() ? nullptr : output.take();
  }

  std::unique_ptr<RecordSource> source_;
  StreamTimes times_;
  OrderKey begin_;
  OrderKey end_;
};

}  // namespace

std::unique_ptr<RecordSource> trim(std::unique_ptr<RecordSource> source, const TrimRange& range) {
  if (!range.begin && !range.end) return source;
  return std::make_unique<Trim>(std::move(source), range);
}

}  // namespace tracedeck::flow
