#include "tracedeck/flow/trim.hpp"

#include <optional>
#include <unordered_map>
#include <utility>

#include "tracedeck/flow/select.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::flow {
namespace {

// An event without a time goes by the timed event before it in its data stream.
class InRange final : public RecordFilter {
 public:
  InRange(const TrimRange& range, TrimOptions options)
      : options_(std::move(options)),
        range_(range),
        begin_(first_time(range)),
        end_(last_time(range)) {}

  std::size_t select(std::span<const Record> records, std::span<const Record*> passing) override {
    std::size_t count = 0;
    for (const Record& record : records) {
      if (passes(record)) {
        passing[count++] = &record;
      } else {
        note_left_out(record);
      }
    }
    return count;
  }

 private:
  bool passes(const Record& record) {
    if (record.kind == RecordKind::kEvent) [[likely]]
      return is_inside(record.event) ||
             (options_.keeps_describing && record.event.event_class->describes_others);
    if (record.kind == RecordKind::kStreamEnd) forget(record.stream->entity);
    if (record.kind == RecordKind::kLoss) return !lies_outside(*record.loss);
    const bool is_packet =
        record.kind == RecordKind::kPacketBegin || record.kind == RecordKind::kPacketEnd;
    return !is_packet || overlaps(*record.packet);
  }

  void note_left_out(const Record& record) {
    if (options_.left_out == nullptr || record.kind != RecordKind::kEvent ||
        !record.event.event_class->has_real_time())
      return;
    options_.left_out->add(record.event.began_at(), record.event.event_class->clock->origin);
  }

  static OrderKey first_time(const TrimRange& range) {
    return range.begin ? OrderKey::from(*range.begin) : OrderKey::first();
  }
  static OrderKey last_time(const TrimRange& range) {
    return OrderKey::from(range.end.value_or(Nanoseconds::from_unsigned(~Uint128{0})));
  }

  bool is_inside(const Event& event) {
    if (last_ == nullptr || event.stream == nullptr || event.stream->entity != stream_) [[unlikely]]
      go_to(event.stream == nullptr ? EntityId::none() : event.stream->entity);
    if (const ClockClass* const clock = event.event_class->clock; clock != nullptr) {
      if (clock->entity != clock_) [[unlikely]]
        know(*clock);
      *last_ = values_ && values_->contain(event.time);
      if (options_.utc && *last_) [[unlikely]]
        *last_ = options_.utc->contains(clock->to_nanoseconds(event.time));
    }
    return *last_;
  }
  void know(const ClockClass& clock) {
    clock_ = clock.entity;
    const auto [known, is_new] = values_of_.try_emplace(clock_);
    if (is_new) {
      known->second =
          clock.values_between(range_.begin.value_or(Nanoseconds::from_unsigned(~Uint128{0}, true)),
                               range_.end.value_or(Nanoseconds::from_unsigned(~Uint128{0})));
    }
    values_ = known->second;
  }
  void go_to(const EntityId& stream) {
    stream_ = stream;
    last_ = &inside_.try_emplace(stream, !range_.begin).first->second;
  }
  void forget(const EntityId& stream) {
    inside_.erase(stream);
    last_ = nullptr;
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

  TrimOptions options_;
  TrimRange range_;
  KeyMaker packet_keys_;
  OrderKey begin_;
  OrderKey end_;
  EntityId clock_ = EntityId::none();
  std::optional<ClockValues> values_;  // of `clock_`
  // The values of clocks that lie in the range.
  std::unordered_map<EntityId, std::optional<ClockValues>, EntityIdHash> values_of_;
  EntityId stream_ = EntityId::none();
  bool* last_ = nullptr;  // of `stream_`
  // Whether the last event with a time lay in the range, by data stream.
  std::unordered_map<EntityId, bool, EntityIdHash> inside_;
};

}  // namespace

std::unique_ptr<RecordSource> trim(std::unique_ptr<RecordSource> source, const TrimRange& range,
                                   TrimOptions options) {
  if (!range.begin && !range.end) return source;
  const bool sorted = options.sorted;
  return select(std::move(source), std::make_unique<InRange>(range, std::move(options)), sorted);
}

}  // namespace tracedeck::flow
