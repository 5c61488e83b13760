#include "tracedeck/format/made_up_trace_test.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tracedeck {
namespace {

using What = PlannedRecord::What;

constexpr Rule kRule = {.id = "made-up/rule",
                        .severity = Severity::kWarning,
                        .section = "Nowhere",
                        .summary = "A rule for tests."};

// Random slots, and the bytes they point into.
class ValueMaker {
 public:
  ValueMaker(std::uint64_t seed, std::vector<Slot>& slots, std::deque<std::string>& bytes)
      : random_(seed), slots_(slots), bytes_(bytes) {}

  void add(int depth) {
    const std::uint64_t kinds = depth == 0 ? 11 : 17;
    const auto kind = static_cast<SlotKind>(random_() % kinds);
    const auto flags = static_cast<std::uint8_t>(random_() % 4);
    switch (kind) {
      case SlotKind::kBoolean:
        slots_.push_back(boolean_slot(random_() % 2 == 0));
        break;
      case SlotKind::kUnsigned:
        slots_.push_back(unsigned_slot(random_() >> (random_() % 64), flags));
        break;
      case SlotKind::kSigned:
        slots_.push_back(signed_slot(static_cast<std::int64_t>(random_()) >> (random_() % 64)));
        break;
      case SlotKind::kReal:
        slots_.push_back(real_slot(static_cast<double>(random_()) / 3));
        break;
      case SlotKind::kUnresolved:
        slots_.push_back(unresolved_slot(random_()));
        break;
      case SlotKind::kPackedArray: {
        const auto element = static_cast<PackedElement>(random_() % 18);
        const std::string& text = some_bytes(element_size(element) * (random_() % 5));
        slots_.push_back(packed_slot(element, as_bytes(text).data(),
                                     static_cast<std::uint32_t>(text.size()), flags));
        break;
      }
      case SlotKind::kString:
      case SlotKind::kBlob:
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
      case SlotKind::kWideReal: {
        const std::string& text = some_bytes(random_() % (random_() % 16 == 0 ? 300 : 20));
        slots_.push_back(bytes_slot(kind, as_bytes(text).data(),
                                    static_cast<std::uint32_t>(text.size()), flags));
        break;
      }
      default:
        add_compound(kind, depth);
    }
  }

 private:
  void add_compound(SlotKind kind, int depth) {
    const std::uint64_t count = random_() % 4;
    std::uint64_t values = count;
    std::uint64_t bits = count;
    if (kind == SlotKind::kOptional) bits = values = random_() % 2;
    if (kind == SlotKind::kVariant) values = 1;
    if (kind == SlotKind::kStringMap || kind == SlotKind::kMap) values = 2 * count;
    if (kind == SlotKind::kStructure) bits = 0;
    const std::size_t head = slots_.size();
    slots_.push_back(head_slot(kind, bits, 0));
    for (std::uint64_t i = 0; i < values; ++i) add(depth - 1);
    slots_[head].length = static_cast<std::uint32_t>(slots_.size() - head - 1);
  }

  const std::string& some_bytes(std::size_t size) {
    std::string& text = bytes_.emplace_back();
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(random_());
    return text;
  }

  std::mt19937_64 random_;
  std::vector<Slot>& slots_;
  std::deque<std::string>& bytes_;
};

std::string values_as_bytes(std::span<const Slot> slots) {
  std::string result;
  const auto append = [&](const auto& value) {
    result.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const Slot& slot : slots) {
    append(slot.kind);
    append(slot.flags);
    append(slot.detail);
    append(slot.length);
    switch (slot.kind) {
      case SlotKind::kString:
      case SlotKind::kBlob:
      case SlotKind::kPackedArray:
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
      case SlotKind::kWideReal:
        result += slot.text();
        break;
      default:
        append(slot.bits);
    }
  }
  return result;
}

const EventClass& add_class(TraceDescription& description, const char* name,
                            const ClockClass* clock) {
  EventClass event_class;
  event_class.name = name;
  event_class.clock = clock;
  event_class.has_duration = std::strcmp(name, "duration") == 0;
  return description.add_event_class(std::move(event_class));
}

EntityId id_of(const DataStream* stream) {
  return stream == nullptr ? EntityId::none() : stream->entity;
}

// What distinguishes a packet from others.
std::string values_of(const Packet& packet) {
  return "packet of " + packet.stream->file + " at " + std::to_string(packet.offset) + ": " +
         values_as_bytes(packet.context);
}

}  // namespace

MadeUpTrace::MadeUpTrace(const std::string& name)
    : description_(std::make_shared<TraceDescription>(name, "made-up", "1")) {
  const ClockClass& nanoseconds = description_->add_clock({.id = "ns"});
  const ClockClass& odd = description_->add_clock(
      {.id = "odd", .tick = {7, 3}, .offset_seconds = -1, .shift = 999'999'990});
  timed_ = &add_class(*description_, "timed", &nanoseconds);
  odd_ = &add_class(*description_, "odd", &odd);
  duration_ = &add_class(*description_, "duration", &nanoseconds);
  timeless_ = &add_class(*description_, "timeless", nullptr);
  describing_ = &description_->add_event_class(
      {.name = "describing",
       .stream_class = &description_->add_stream_class({.has_describing_events = true}),
       .clock = &nanoseconds,
       .describes_others = true});
  for (std::uint64_t i = 0; i < 3; ++i) {
    streams_.push_back(
        std::make_shared<DataStream>(DataStream{.entity = description_->next_stream(),
                                                .keys = {{"segment", i}},
                                                .file = i < 2 ? name : ""}));
  }
  auto packet = std::make_shared<Packet>();
  packet->stream = streams_[0].get();
  packet->offset = 77;
  packet->context = {unsigned_slot(5), real_slot(0.5)};
  packet_ = std::move(packet);
}

std::vector<BatchPtr> MadeUpTrace::batches(const std::vector<PlannedRecord>& plan,
                                           std::size_t batch_size, std::uint64_t serial,
                                           bool values) const {
  std::vector<BatchPtr> result;
  std::shared_ptr<Batch> batch;
  for (const PlannedRecord& record : plan) {
    if (batch == nullptr || batch->records().size() == batch_size) {
      if (batch != nullptr) result.push_back(batch);
      batch = std::make_shared<Batch>(0);
      batch->pin(description_);
      for (const auto& stream : streams_) batch->pin(stream);
    }
    add(*batch, record, serial++, values);
  }
  if (batch != nullptr) result.push_back(batch);
  return result;
}

void MadeUpTrace::add(Batch& batch, const PlannedRecord& record, std::uint64_t serial,
                      bool values) const {
  const auto notice = [&](RecordKind kind) {
    batch.add_notice(kind,
                     {.input = description_->input(),
                      .finding = {.rule = &kRule, .offset = serial, .length = 3, .text = "text"},
                      .trace = serial % 2 == 0 ? "" : "trace"});
  };
  switch (record.what) {
    case What::kFinding:
      return notice(RecordKind::kFinding);
    case What::kProblem:
      return notice(RecordKind::kProblem);
    case What::kLoss:
      return batch.add_loss(
          {.stream = streams_[0].get(), .events = serial, .begin = Nanoseconds(-5)});
    case What::kStreamBegin:
      return batch.add_stream(RecordKind::kStreamBegin, streams_[record.stream]);
    case What::kStreamEnd:
      return batch.add_stream(RecordKind::kStreamEnd, streams_[record.stream]);
    case What::kDescription:
      return batch.add(Record(timed_));
    case What::kPacketBegin:
      return batch.add_packet(RecordKind::kPacketBegin, packet_);
    default:
      return add_event(batch, record, serial, values);
  }
}

void MadeUpTrace::add_event(Batch& batch, const PlannedRecord& record, std::uint64_t serial,
                            bool values) const {
  struct Storage {
    std::vector<Slot> slots;
    std::deque<std::string> bytes;
  };
  auto storage = std::make_shared<Storage>();
  Event event;
  event.event_class = record.what == What::kOddClock     ? odd_
                      : record.what == What::kDuration   ? duration_
                      : record.what == What::kTimeless   ? timeless_
                      : record.what == What::kDescribing ? describing_
                                                         : timed_;
  event.stream = streams_[record.stream].get();
  if (record.stream == 0) {
    event.packet = packet_.get();
    batch.pin(packet_);
  }
  if (event.has_time()) event.time = record.time;
  event.end_time = event.time + (event.event_class->has_duration ? record.duration : 0);
  event.offset = serial;
  event.size = static_cast<std::uint32_t>(serial % 1000);
  if (values) {
    ValueMaker maker(serial, storage->slots, storage->bytes);
    for (std::uint64_t i = 0; i < serial % 3; ++i) maker.add(2);
    event.common_count = static_cast<std::uint32_t>(storage->slots.size());
    for (std::uint64_t i = 0; i < serial % 4; ++i) maker.add(2);
    event.specific_count = static_cast<std::uint32_t>(storage->slots.size()) - event.common_count;
    for (std::uint64_t i = 0; i < serial % 5; ++i) maker.add(3);
    event.slot_count = static_cast<std::uint32_t>(storage->slots.size());
    event.slots = storage->slots.data();
    batch.pin(storage);
  }
  batch.add_event(event);
}

SeenRecord see(const Record& record) {
  SeenRecord seen;
  seen.kind = record.kind;
  switch (record.kind) {
    case RecordKind::kEvent: {
      const Event& event = record.event;
      seen.serial = event.offset;
      seen.what = event.event_class;
      seen.stream = id_of(event.stream);
      seen.time = event.time;
      seen.end_time = event.end_time;
      seen.size = event.size;
      for (const auto& part : {event.common_context(), event.specific_context(), event.payload()}) {
        seen.values += values_as_bytes(part) + '/';
      }
      if (event.packet != nullptr) seen.values += values_of(*event.packet);
      break;
    }
    case RecordKind::kLoss:
      seen.serial = *record.loss->events;
      seen.stream = id_of(record.loss->stream);
      if (record.loss->begin) seen.values = record.loss->begin->to_string();
      break;
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      seen.serial = record.notice->finding.offset;
      seen.what = record.notice->finding.rule;
      seen.size = static_cast<std::uint32_t>(record.notice->finding.length);
      seen.values =
          record.notice->input + record.notice->finding.text + record.notice->trace_input();
      break;
    case RecordKind::kDescription:
      seen.what = record.event_class;
      break;
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      seen.stream = id_of(record.stream);
      seen.values = record.stream->file;
      break;
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      seen.values = values_of(*record.packet);
      break;
  }
  return seen;
}

Result<std::vector<SeenRecord>> see_all(RecordSource& source) {
  std::vector<SeenRecord> seen;
  while (true) {
    const Result<BatchPtr> batch = source.next();
    if (!batch) return std::unexpected(batch.error());
    if (*batch == nullptr) return seen;
    RC_ASSERT(!(*batch)->empty());
    for (const Record& record : (*batch)->records()) seen.push_back(see(record));
  }
}

rc::Gen<std::vector<PlannedRecord>> gen_plan(std::uint64_t times) {
  const auto what = rc::gen::weightedElement<What>({{20, What::kEvent},
                                                    {5, What::kOddClock},
                                                    {5, What::kDuration},
                                                    {4, What::kTimeless},
                                                    {1, What::kFinding},
                                                    {1, What::kProblem},
                                                    {1, What::kLoss},
                                                    {1, What::kStreamBegin},
                                                    {1, What::kStreamEnd},
                                                    {1, What::kDescription},
                                                    {1, What::kPacketBegin}});
  return rc::gen::container<std::vector<PlannedRecord>>(rc::gen::build<PlannedRecord>(
      rc::gen::set(&PlannedRecord::what, what),
      rc::gen::set(&PlannedRecord::time, rc::gen::inRange<std::uint64_t>(0, times)),
      rc::gen::set(&PlannedRecord::duration, rc::gen::inRange<std::uint64_t>(0, times)),
      rc::gen::set(&PlannedRecord::stream, rc::gen::inRange<std::size_t>(0, 3))));
}

std::vector<PlannedRecord> plan_nearly_sorted(std::size_t count, std::uint64_t disorder,
                                              std::uint64_t seed) {
  // All that does not bring in times far from those of the others.
  static constexpr std::array kWhatever = {
      What::kDuration, What::kTimeless,    What::kFinding,     What::kProblem,
      What::kLoss,     What::kStreamBegin, What::kDescription, What::kPacketBegin};
  std::mt19937_64 random(seed);
  std::vector<PlannedRecord> plan(count);
  for (std::size_t i = 0; i < count; ++i) {
    plan[i].time = 10 * disorder + i - random() % (disorder + 1);
    plan[i].stream = random() % 3;
    if (random() % 16 == 0) plan[i].what = kWhatever[random() % kWhatever.size()];
    plan[i].duration = random() % 100;
  }
  return plan;
}

}  // namespace tracedeck
