#include "tracedeck/flow/select.hpp"

#include <utility>
#include <vector>

#include "tracedeck/flow/output_batch.hpp"

namespace tracedeck::flow {
namespace {

class Select final : public RecordSource {
 public:
  Select(std::unique_ptr<RecordSource> source, std::unique_ptr<RecordFilter> filter)
      : source_(std::move(source)), filter_(std::move(filter)) {}

  Result<BatchPtr> next() override {
    while (true) {
      Result<BatchPtr> batch = source_->next();
      if (!batch || *batch == nullptr) return batch;
      const std::span<const Record> records = (*batch)->records();
      if (passing_.size() < records.size()) passing_.resize(records.size());
      const std::size_t count = filter_->select(records, passing_);
      if (count == records.size()) return batch;
      if (count != 0) return copy(*batch, std::span(passing_).first(count));
    }
  }

 private:
  static BatchPtr copy(const BatchPtr& batch, std::span<const Record* const> passing) {
    OutputBatch output;
    output.pin(batch);
    for (const Record* const record : passing) output.add(*record);
    return output.take();
  }

  std::unique_ptr<RecordSource> source_;
  std::unique_ptr<RecordFilter> filter_;
  std::vector<const Record*> passing_;
};

}  // namespace

std::unique_ptr<RecordSource> select(std::unique_ptr<RecordSource> source,
                                     std::unique_ptr<RecordFilter> filter) {
  return std::make_unique<Select>(std::move(source), std::move(filter));
}

}  // namespace tracedeck::flow
