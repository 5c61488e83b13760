#include "tracedeck/flow/trim.hpp"

#include <utility>

#include "tracedeck/flow/select.hpp"
#include "tracedeck/flow/stream_times.hpp"

namespace tracedeck::flow {
namespace {

class InRange {
 public:
  InRange(const TrimRange& range, std::shared_ptr<TimesSeen> left_out)
      : left_out_(std::move(left_out)),
        range_(range),
        begin_(range.begin ? OrderKey::from(*range.begin) : OrderKey::first()),
        end_(OrderKey::from(range.end.value_or(Nanoseconds::from_unsigned(~Uint128{0})))) {}

  bool passes(const Record& record) {
    const OrderKey key = times_(record);
    if (record.kind == RecordKind::kEvent) [[likely]]
      return (begin_ <= key && key <= end_) || record.event.event_class->describes_others;
    if (record.kind == RecordKind::kLoss) return !lies_outside(*record.loss);
    const bool is_packet =
        record.kind == RecordKind::kPacketBegin || record.kind == RecordKind::kPacketEnd;
    return !is_packet || overlaps(*record.packet);
  }

  void left_out(const Record& record) {
    if (left_out_ == nullptr || record.kind != RecordKind::kEvent ||
        !record.event.event_class->has_real_time())
      return;
    left_out_->add(record.event.began_at(), record.event.event_class->clock->origin);
  }

 private:
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
  return std::make_unique<Select<InRange>>(std::move(source), InRange(range, std::move(left_out)));
}

}  // namespace tracedeck::flow
