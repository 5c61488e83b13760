#include "tracedeck/render/babeltrace_leftovers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/render/babeltrace_time.hpp"
#include "tracedeck/render/value_walk.hpp"

namespace tracedeck::render {
namespace {

// Messages that are read and handed on at a time.
constexpr std::size_t kMessages = 15;

// Distinguishes data streams of the same description, and of another that was read from the same
// files.
std::string name_of(const DataStream& stream) {
  const DataStreamClass& of = *stream.stream_class;
  std::string name = fmt::format("{}\n{}\n{}", of.trace == nullptr ? "" : of.trace->input(),
                                 of.id.value_or(0), stream.file);
  for (const StreamKey& key : stream.keys)
    name += fmt::format("\n{} {} {}", key.name, key.value, key.digits);
  return name;
}

std::optional<std::int64_t> time_of(const DataStream* stream, std::optional<std::uint64_t> value) {
  if (stream == nullptr || stream->stream_class == nullptr || !value) return {};
  const ClockClass* const clock = stream->stream_class->default_clock;
  if (clock == nullptr) return {};
  return BabeltraceClock(clock).time_of(*value, [&] { return clock->to_nanoseconds(*value); });
}

// `seen`: classes that were looked at, of which none has strings.
bool has_text_beyond(const FieldClass* field_class, std::unordered_set<const FieldClass*>& seen) {
  if (field_class == nullptr || !seen.insert(field_class).second) return false;
  const auto has = [&seen](const auto& part) {
    return has_text_beyond(part.field_class.get(), seen);
  };
  if (const auto* const structure = field_class->as<StructureClass>())
    return std::ranges::any_of(structure->members, has);
  if (const auto* const variant = field_class->as<VariantClass>())
    return std::ranges::any_of(variant->options, has);
  if (const auto* const array = field_class->as<ArrayClass>())
    return has_text_beyond(array->element.get(), seen);
  return field_class->as<StringClass>() != nullptr;
}

}  // namespace

// The strings of a field or of an event, and of the fields in it.
struct BabeltraceLeftovers::Memory {
  std::string text = {};
  std::vector<Memory> parts = {};

  [[nodiscard]] Memory& part(std::size_t index) {
    if (parts.size() <= index) parts.resize(index + 1);
    return parts[index];
  }
};

struct BabeltraceLeftovers::Message {
  std::optional<std::int64_t> time = {};  // absent: it has none
  EntityId event_class = EntityId::none();
  std::unique_ptr<Memory> memory = {};  // of an event whose class has strings
  bool has_empty_text = false;
  std::uint64_t offset = 0;
  std::vector<Text> texts = {};
};

struct BabeltraceLeftovers::Stream {
  std::unique_ptr<RecordSource> source;
  BatchPtr batch = {};
  std::size_t at = 0;  // in the batch
  std::string name = {};
  std::deque<Message> messages = {};
  bool any_packet = false;
  bool ended = false;
};

bool has_text(const FieldClass* field_class) {
  std::unordered_set<const FieldClass*> seen;
  return has_text_beyond(field_class, seen);
}

BabeltraceLeftovers::BabeltraceLeftovers(Sources streams) {
  streams_.reserve(streams.size());
  for (auto& source : streams)
    streams_.push_back(std::make_unique<Stream>(Stream{.source = std::move(source)}));
}

BabeltraceLeftovers::~BabeltraceLeftovers() = default;

std::vector<BabeltraceLeftovers::Text> BabeltraceLeftovers::take(const Event& event) {
  if (event.stream == nullptr) return {};
  const Key key(name_of(*event.stream), event.offset);
  for (;;) {
    const auto found = known_.find(key);
    if (found != known_.end()) {
      std::vector<Text> texts = std::move(found->second);
      known_.erase(found);
      return texts;
    }
    const bool goes_on = std::ranges::any_of(
        streams_, [](const auto& stream) { return !stream->ended || !stream->messages.empty(); });
    if (!goes_on) return {};
    follow();
  }
}

// Reads, hands on, prints and lets go of what that program does in one turn.
void BabeltraceLeftovers::follow() {
  std::vector<Message> printed;
  while (printed.size() < kMessages) {
    Stream* const stream = choose();
    if (stream == nullptr) break;
    Message message = std::move(stream->messages.front());
    stream->messages.pop_front();
    if (message.time) last_time_ = message.time;
    if (message.has_empty_text)
      known_.emplace(Key(stream->name, message.offset), std::move(message.texts));
    printed.push_back(std::move(message));
  }
  for (Message& message : printed) {
    if (message.memory != nullptr) free_[message.event_class].push_back(std::move(message.memory));
  }
}

// The data stream with the earliest message; null: there are no more.
BabeltraceLeftovers::Stream* BabeltraceLeftovers::choose() {
  Stream* chosen = nullptr;
  std::int64_t earliest = 0;
  for (const auto& stream : streams_) {
    if (stream->messages.empty() && !stream->ended) read_on(*stream);
  }
  for (const auto& stream : streams_) {
    if (stream->messages.empty()) continue;
    // What has no time is handed on at once.
    const std::int64_t time =
        stream->messages.front().time.value_or(last_time_.value_or(INT64_MIN));
    if (chosen != nullptr && time >= earliest) continue;
    chosen = stream.get();
    earliest = time;
  }
  return chosen;
}

void BabeltraceLeftovers::read_on(Stream& stream) {
  while (stream.messages.size() < kMessages) {
    if (stream.batch == nullptr || stream.at == stream.batch->records().size()) {
      auto batch = stream.source->next();
      stream.at = 0;
      stream.batch = batch ? std::move(*batch) : nullptr;
      if (stream.batch == nullptr) {
        stream.ended = true;
        stream.source.reset();
        return;
      }
    }
    add(stream, stream.batch->records()[stream.at++]);
  }
}

void BabeltraceLeftovers::add(Stream& stream, const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent:
      add_event(stream, record.event);
      break;
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      stream.messages.push_back({});
      break;
    case RecordKind::kPacketBegin: {
      const Packet& packet = *record.packet;
      const auto time = time_of(packet.stream, packet.begin);
      if (!std::exchange(stream.any_packet, true) && packet.discarded.value_or(0) != 0)
        stream.messages.push_back({.time = time});
      stream.messages.push_back({.time = time});
      break;
    }
    case RecordKind::kPacketEnd:
      stream.messages.push_back({.time = time_of(record.packet->stream, record.packet->end)});
      break;
    case RecordKind::kLoss: {
      if (!stream.any_packet) break;  // it comes with the packet
      std::optional<std::int64_t> time;
      const Loss& loss = *record.loss;
      if (loss.begin_value) {
        time = time_of(loss.stream, loss.begin_value);
      } else if (loss.begin && loss.stream != nullptr && loss.stream->stream_class != nullptr) {
        time = BabeltraceClock(loss.stream->stream_class->default_clock).time_of(*loss.begin);
      }
      stream.messages.push_back({.time = time});
      break;
    }
    default:
      break;
  }
}

void BabeltraceLeftovers::add_event(Stream& stream, const Event& event) {
  Message message{.event_class = event.event_class->entity, .offset = event.offset};
  if (event.has_time()) {
    message.time = BabeltraceClock(event.event_class->clock).time_of(event.time, [&] {
      return event.began_at();
    });
  }
  const DataStreamClass* const parent = event.event_class->stream_class;
  if (has_text(event.event_class->payload) || has_text(event.event_class->specific_context) ||
      (parent != nullptr && has_text(parent->common_context))) {
    auto& free = free_[event.event_class->entity];
    if (free.empty()) {
      message.memory = std::make_unique<Memory>();
    } else {
      message.memory = std::move(free.back());
      free.pop_back();
    }
    const std::span<const Slot> slots(event.slots, event.slot_count);
    message.has_empty_text = std::ranges::any_of(slots, is_empty_text);
    if (message.has_empty_text && event.stream != nullptr) stream.name = name_of(*event.stream);
    fill(event, *message.memory, message.texts);
  }
  stream.messages.push_back(std::move(message));
}

void BabeltraceLeftovers::fill(const Event& event, Memory& memory, std::vector<Text>& texts) {
  first_slot_ = event.slots;
  texts_ = &texts;
  const DataStreamClass* const parent = event.event_class->stream_class;
  const std::pair<const FieldClass*, std::span<const Slot>> roots[] = {
      {parent == nullptr ? nullptr : parent->common_context.get(), event.common_context()},
      {event.event_class->specific_context.get(), event.specific_context()},
      {event.event_class->payload.get(), event.payload()}};
  for (std::size_t i = 0; i < std::size(roots); ++i) {
    const auto& [root, slots] = roots[i];
    const auto* const structure = class_as<StructureClass>(root);
    if (structure == nullptr || !has_text(root)) continue;
    const Slot* slot = slots.data();
    const Slot* const end = slot + slots.size();
    for (std::size_t k = 0; k < structure->members.size() && slot < end; ++k)
      slot = fill(structure->members[k].field_class.get(), slot, memory.part(i).part(k));
  }
}

// Returns the slot behind the value.
const Slot* BabeltraceLeftovers::fill(const FieldClass* field_class, const Slot* slot,
                                      Memory& memory) {
  const Slot* const next = slot->next();
  if (slot->kind == SlotKind::kString) {
    if (is_empty_text(*slot)) {
      texts_->push_back(
          {.slot = static_cast<std::uint32_t>(slot - first_slot_), .text = memory.text});
    } else {
      memory.text = slot->text().substr(0, slot->text().find('\0'));
    }
    return next;
  }
  if (!has_text(field_class)) return next;
  if (const auto* const structure = field_class->as<StructureClass>();
      structure != nullptr && slot->kind == SlotKind::kStructure) {
    const Slot* part = slot + 1;
    for (std::size_t i = 0; i < structure->members.size() && part < next; ++i)
      part = fill(structure->members[i].field_class.get(), part, memory.part(i));
  } else if (const auto* const array = field_class->as<ArrayClass>();
             array != nullptr && slot->kind == SlotKind::kArray) {
    const Slot* part = slot + 1;
    for (std::size_t i = 0; part < next; ++i)
      part = fill(array->element.get(), part, memory.part(i));
  } else if (const auto* const variant = field_class->as<VariantClass>();
             variant != nullptr && slot->kind == SlotKind::kVariant &&
             slot->bits < variant->options.size() && slot + 1 < next) {
    fill(variant->options[slot->bits].field_class.get(), slot + 1, memory.part(slot->bits));
  }
  return next;
}

bool BabeltraceLeftovers::has_text(const FieldClassPtr& root) {
  if (root == nullptr) return false;
  if (const auto known = has_text_.find(root.get()); known != has_text_.end()) return known->second;
  roots_.insert(root);
  return has_text(root.get());
}

bool BabeltraceLeftovers::has_text(const FieldClass* field_class) {
  if (field_class == nullptr) return false;
  const auto known = has_text_.find(field_class);
  if (known != has_text_.end()) return known->second;
  const bool has = render::has_text(field_class);
  has_text_.emplace(field_class, has);
  return has;
}

}  // namespace tracedeck::render
