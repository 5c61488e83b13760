#include "tracedeck/flow/trim.hpp"

#include <utility>

#include "tracedeck/flow/output_batch.hpp"
#include "tracedeck/flow/stream_times.hpp"

namespace tracedeck::flow {
namespace {

class Trim final : public RecordSource {
 public:
  Trim(std::unique_ptr<RecordSource> source, const TrimRange& range,
       std::shared_ptr<TimesSeen> left_out)
      : source_(std::move(source)),
        left_out_(std::move(left_out)),
        range_(range),
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
    if (record.kind == RecordKind::kEvent) [[likely]]
      return (begin_ <= key && key <= end_) || record.event.event_class->describes_others;
    if (record.kind == RecordKind::kLoss) return !lies_outside(*record.loss);
    const bool is_packet =
        record.kind == RecordKind::kPacketBegin || record.kind == RecordKind::kPacketEnd;
    return !is_packet || overlaps(*record.packet);
  }

  bool lies_outside(const Loss& loss) const {
    return (range_.begin && loss.end && *loss.end < *range_.begin) ||
           (range_.end && loss.begin && *loss.begin > *range_.end);
  }

  // Whether a packet may hold events that pass, by its own times.
  bool overlaps(const Packet& packet) {
    const DataStreamClass* const stream_class = packet.stream->stream_class;
    const ClockClass* const clock = stream_class == nullptr ? nullptr : stream_class->default_clock;
    if (clock == nullptr) return true;
    return !(packet.end && packet_keys_(*clock, *packet.end) < begin_) &&
           !(packet.begin && end_ < packet_keys_(*clock, *packet.begin));
  }

  // The batch without record `rejected` and those after it that do not pass; null when nothing is
  // left.
  BatchPtr without_rejected(const BatchPtr& batch, std::size_t rejected) {
    const std::span<const Record> records = batch->records();
    OutputBatch output;
    output.pin(batch);
    for (const Record& record : records.first(rejected)) output.add(record);
    note_left_out(records[rejected]);
    for (const Record& record : records.subspan(rejected + 1)) {
      if (passes(record)) {
        output.add(record);
      } else {
        note_left_out(record);
      }
    }
    return output.empty() ? nullptr : output.take();
  }

  void note_left_out(const Record& record) {
    if (left_out_ == nullptr || record.kind != RecordKind::kEvent ||
        !record.event.event_class->has_real_time())
      return;
    left_out_->add(record.event.began_at(), record.event.event_class->clock->origin);
  }

  std::unique_ptr<RecordSource> source_;
  std::shared_ptr<TimesSeen> left_out_;
  StreamTimes times_;
  TrimRange range_;
  KeyMaker packet_keys_;
  OrderKey begin_;
  OrderKey end_;
};

}  // namespace

std::unique_ptr<RecordSource> trim(std::unique_ptr<RecordSource> source, const TrimRange& range,
                                   std::shared_ptr<TimesSeen> left_out) {
  if (!range.begin && !range.end) return source;
  return std::make_unique<Trim>(std::move(source), range, std::move(left_out));
}

}  // namespace tracedeck::flow
