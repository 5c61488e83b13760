#include "tracedeck/flow/limit.hpp"

#include <utility>

#include "tracedeck/flow/output_batch.hpp"

namespace tracedeck::flow {
namespace {

class Limit final : public RecordSource {
 public:
  Limit(std::unique_ptr<RecordSource> source, std::uint64_t events)
      : source_(std::move(source)), left_(events) {}

  Result<BatchPtr> next() override {
    if (left_ == 0) source_.reset();
    if (source_ == nullptr) return nullptr;
    Result<BatchPtr> batch = source_->next();
    if (!batch || *batch == nullptr) return batch;

    const std::span<const Record> records = (*batch)->records();
    std::size_t count = 0;
    while (count < records.size() && left_ != 0) {
      if (records[count++].kind == RecordKind::kEvent) --left_;
    }
    if (count == records.size()) return batch;
    return head(*batch, count);
  }

 private:
  static BatchPtr head(const BatchPtr& batch, std::size_t count) {
    OutputBatch output;
    output.pin(batch);
    for (const Record& record : batch->records().first(count)) output.add(record);
    return output.take();
  }

  std::unique_ptr<RecordSource> source_;
  std::uint64_t left_;
};

}  // namespace

std::unique_ptr<RecordSource> limit(std::unique_ptr<RecordSource> source, std::uint64_t events) {
  return std::make_unique<Limit>(std::move(source), events);
}

}  // namespace tracedeck::flow
