// Whole traces as plain values, to be changed and made, for tests: classes, clocks, streams,
// packets and records that refer to one another by their indexes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tracedeck/model/batch.hpp"

namespace tracedeck::flow {

// Slots and the bytes that they point into. Copies share the bytes.
struct PlannedValues {
  std::vector<Slot> slots = {};
  std::shared_ptr<std::deque<std::string>> bytes = std::make_shared<std::deque<std::string>>();

  // A copy of `text` that slots may point into.
  const std::uint8_t* keep(std::string text) const {
    return reinterpret_cast<const std::uint8_t*>(bytes->emplace_back(std::move(text)).data());
  }
};

struct TracePlan {
  // The pointers of the classes are not looked at, the indexes beside them are.
  struct StreamClass {
    DataStreamClass of = {};
    std::optional<std::size_t> clock = {};
  };
  struct Class {
    EventClass of = {};
    std::size_t stream_class = 0;
    std::optional<std::size_t> clock = {};
  };
  struct Stream {
    std::size_t stream_class = 0;
    std::vector<StreamKey> keys = {};
  };
  struct PlannedPacket {
    std::size_t stream = 0;
    PlannedValues header = {};
    PlannedValues context = {};
  };
  struct PlannedEvent {
    std::size_t event_class = 0;
    std::optional<std::size_t> packet = {};
    std::uint64_t time = 0;
    std::uint64_t end_time = 0;
    PlannedValues common = {};
    PlannedValues specific = {};
    PlannedValues payload = {};
  };
  struct PlannedRecord {
    std::size_t stream = 0;
    std::variant<PlannedEvent, Loss> what = PlannedEvent{};
  };

  TraceClass trace_class = {};
  Attributes environment = {};
  std::vector<ClockClass> clocks = {};
  std::vector<StreamClass> stream_classes = {};
  std::vector<Class> event_classes = {};
  std::vector<Stream> streams = {};
  std::vector<PlannedPacket> packets = {};
  std::vector<PlannedRecord> records = {};
};

// A plan made a trace: its description and its records in batches. Streams and packets begin and
// end where it says nothing of that.
class MadeTrace {
 public:
  // `batch_size`: records of a batch, at least 1.
  explicit MadeTrace(const TracePlan& plan, std::size_t batch_size = 16)
      : description_(std::make_shared<TraceDescription>("made up", "made-up", "1")) {
    describe(plan);
    make_streams(plan);
    make_packets(plan);
    std::shared_ptr<Batch> batch = new_batch();
    for (const auto& stream : streams_) batch->add_stream(RecordKind::kStreamBegin, stream);
    for (const TracePlan::PlannedRecord& record : plan.records) {
      if (batch->size() >= batch_size) {
        batches_.push_back(std::move(batch));
        batch = new_batch();
      }
      add(*batch, record);
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      move_to(*batch, i, nullptr);
      batch->add_stream(RecordKind::kStreamEnd, streams_[i]);
    }
    batches_.push_back(std::move(batch));
  }

  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return description_;
  }
  [[nodiscard]] const std::vector<BatchPtr>& batches() const { return batches_; }

 private:
  void describe(const TracePlan& plan) {
    description_->set_trace_class(plan.trace_class);
    for (const Attribute& entry : plan.environment) description_->add_environment(entry);
    for (const ClockClass& clock : plan.clocks) clocks_.push_back(&description_->add_clock(clock));
    for (const TracePlan::StreamClass& each : plan.stream_classes) {
      DataStreamClass stream_class = each.of;
      stream_class.default_clock = each.clock ? clocks_[*each.clock] : nullptr;
      stream_classes_.push_back(&description_->add_stream_class(std::move(stream_class)));
    }
    for (const TracePlan::Class& each : plan.event_classes) {
      EventClass event_class = each.of;
      event_class.stream_class = stream_classes_[each.stream_class];
      event_class.clock = each.clock ? clocks_[*each.clock] : nullptr;
      event_classes_.push_back(&description_->add_event_class(std::move(event_class)));
    }
  }

  void make_streams(const TracePlan& plan) {
    for (const TracePlan::Stream& each : plan.streams) {
      streams_.push_back(std::make_shared<DataStream>(
          DataStream{.entity = description_->next_stream(),
                     .stream_class = stream_classes_[each.stream_class],
                     .keys = each.keys}));
    }
  }

  void make_packets(const TracePlan& plan) {
    for (const TracePlan::PlannedPacket& each : plan.packets) {
      auto packet = std::make_shared<Packet>();
      packet->stream = streams_[each.stream].get();
      packet->header = each.header.slots;
      packet->context = each.context.slots;
      kept_.push_back(each.header.bytes);
      kept_.push_back(each.context.bytes);
      packets_.push_back(std::move(packet));
    }
    current_.resize(streams_.size());
  }

  // Ends the packet that a data stream is in and begins another, which may be null, unless it is
  // that one.
  void move_to(Batch& batch, std::size_t stream, const std::shared_ptr<const Packet>& packet) {
    std::shared_ptr<const Packet>& current = current_[stream];
    if (current == packet) return;
    if (current != nullptr) batch.add_packet(RecordKind::kPacketEnd, current);
    if (packet != nullptr) batch.add_packet(RecordKind::kPacketBegin, packet);
    current = packet;
  }

  [[nodiscard]] std::shared_ptr<Batch> new_batch() const {
    auto batch = std::make_shared<Batch>(0);
    batch->pin(std::shared_ptr<const TraceDescription>(description_));
    for (const auto& stream : streams_) batch->pin(stream);
    for (const auto& packet : packets_) batch->pin(packet);
    for (const auto& bytes : kept_) batch->pin(bytes);
    return batch;
  }

  void add(Batch& batch, const TracePlan::PlannedRecord& record) {
    const DataStream* const stream = streams_[record.stream].get();
    if (const auto* const loss = std::get_if<Loss>(&record.what)) {
      Loss made = *loss;
      made.stream = stream;
      return batch.add_loss(std::move(made));
    }
    const auto& planned = std::get<TracePlan::PlannedEvent>(record.what);
    if (planned.packet) move_to(batch, record.stream, packets_[*planned.packet]);
    auto slots = std::make_shared<std::vector<Slot>>();
    for (const PlannedValues* part : {&planned.common, &planned.specific, &planned.payload}) {
      slots->insert(slots->end(), part->slots.begin(), part->slots.end());
      batch.pin(part->bytes);
    }
    Event event;
    event.event_class = event_classes_[planned.event_class];
    event.stream = stream;
    event.packet = planned.packet ? packets_[*planned.packet].get() : nullptr;
    event.time = event.has_time() ? planned.time : 0;
    event.end_time = event.event_class->has_duration ? planned.end_time : event.time;
    event.offset = offset_++;
    event.slots = slots->data();
    event.slot_count = static_cast<std::uint32_t>(slots->size());
    event.common_count = static_cast<std::uint32_t>(planned.common.slots.size());
    event.specific_count = static_cast<std::uint32_t>(planned.specific.slots.size());
    batch.pin(std::move(slots));
    batch.add_event(event);
  }

  std::shared_ptr<TraceDescription> description_;
  std::vector<const ClockClass*> clocks_;
  std::vector<const DataStreamClass*> stream_classes_;
  std::vector<const EventClass*> event_classes_;
  std::vector<std::shared_ptr<const DataStream>> streams_;
  std::vector<std::shared_ptr<const Packet>> packets_;
  std::vector<std::shared_ptr<const Packet>> current_;  // of each stream
  std::vector<std::shared_ptr<const void>> kept_;
  std::vector<BatchPtr> batches_;
  std::uint64_t offset_ = 0;
};

}  // namespace tracedeck::flow
