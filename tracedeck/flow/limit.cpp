#include "tracedeck/flow/limit.hpp"

#include <unordered_set>
#include <utility>

#include "tracedeck/format/output_batch.hpp"

namespace tracedeck::flow {
namespace {

class Limit final : public RecordSource {
 public:
  Limit(std::unique_ptr<RecordSource> source, std::uint64_t events, const LimitOptions& options)
      : source_(std::move(source)), left_(events), options_(options) {}

  Result<BatchPtr> next() override {
    while (left_ != 0 || reads_on()) {
      if (source_ == nullptr) return nullptr;
      Result<BatchPtr> batch = source_->next();
      if (!batch || *batch == nullptr) return batch;
      const std::size_t count = passing(**batch);
      if (count == (*batch)->records().size()) return batch;
      if (BatchPtr rest = part(*batch, count)) return rest;
    }
    source_.reset();
    return nullptr;
  }

 private:
  [[nodiscard]] bool reads_on() const { return options_.reads_on && has_describing_; }

  // How many of the records come before the limit or reach it.
  std::size_t passing(const Batch& batch) {
    const std::span<const Record> records = batch.records();
    std::size_t count = 0;
    while (count < records.size() && left_ != 0) {
      const Record& record = records[count++];
      if (record.kind == RecordKind::kEvent) {
        const EventClass& event_class = *record.event.event_class;
        if (options_.counts_describing || !event_class.describes_others) --left_;
        const DataStreamClass* const stream_class = event_class.stream_class;
        if (stream_class != nullptr && stream_class->has_describing_events) has_describing_ = true;
      } else if (options_.reads_on) {
        follow(record);
      }
    }
    return count;
  }

  // The first `count` records of the batch, and of the others those that describe.
  BatchPtr part(const BatchPtr& batch, std::size_t count) {
    OutputBatch output;
    output.pin(batch);
    for (const Record& record : batch->records().first(count)) output.add(record);
    if (!reads_on()) return output.empty() ? nullptr : output.take();
    for (const Record& record : batch->records().subspan(count)) {
      if (record.kind == RecordKind::kEvent) {
        if (record.event.event_class->describes_others) add_describing(output, record);
      } else if (record.kind == RecordKind::kStreamEnd && open_.erase(record.stream->entity) != 0) {
        output.add(record);
      }
    }
    return output.empty() ? nullptr : output.take();
  }

  void add_describing(OutputBatch& output, const Record& record) {
    const DataStream* const stream = record.event.stream;
    if (stream != nullptr && open_.insert(stream->entity).second)
      output.add(Record(RecordKind::kStreamBegin, stream));
    output.add(record);
  }

  void follow(const Record& record) {
    if (record.kind == RecordKind::kStreamBegin) open_.insert(record.stream->entity);
    if (record.kind == RecordKind::kStreamEnd) open_.erase(record.stream->entity);
  }

  std::unique_ptr<RecordSource> source_;
  std::uint64_t left_;
  LimitOptions options_;
  bool has_describing_ = false;  // a source may have events that describe others
  // Data streams that who reads this has seen begin, and not end.
  std::unordered_set<EntityId, EntityIdHash> open_;
};

}  // namespace

std::unique_ptr<RecordSource> limit(std::unique_ptr<RecordSource> source, std::uint64_t events,
                                    const LimitOptions& options) {
  return std::make_unique<Limit>(std::move(source), events, options);
}

}  // namespace tracedeck::flow
