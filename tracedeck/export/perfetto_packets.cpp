#include "tracedeck/export/perfetto_packets.hpp"

#include <algorithm>
#include <limits>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::exporting::perfetto {
namespace {

constexpr std::uint64_t kSequence = 1;
// Bytes that the packet of an event takes before its name, and those before its time.
constexpr std::size_t kMostHeader = 48;

}  // namespace

void Packets::start(ClockId base, std::int64_t first, std::int64_t earliest) {
  earliest_ = std::min<std::int64_t>(earliest, 0);
  times_.shift = std::uint64_t{0} - static_cast<std::uint64_t>(earliest_);
  last_ = moved(first);
  packet_ = writer_.open(trace_field::kPacket);
  writer_.integer(packet_field::kSequenceId, kSequence);
  writer_.integer(packet_field::kSequenceFlags, kStateCleared);
  const std::size_t snapshot = writer_.open(packet_field::kClockSnapshot);
  put_clock(ClockId::kDelta, last_);
  put_clock(ClockId::kAbsolute, last_);
  put_clock(ClockId::kBoottime, last_);
  if (base != ClockId::kBoottime) put_clock(base, last_);
  writer_.integer(snapshot_field::kPrimaryClock, static_cast<std::uint64_t>(base));
  writer_.close(snapshot);
  const std::size_t defaults = writer_.open(packet_field::kDefaults);
  writer_.integer(defaults_field::kTimestampClockId, static_cast<std::uint64_t>(ClockId::kDelta));
  writer_.close(defaults);
  end();
}

void Packets::put_clock(ClockId id, std::uint64_t time) {
  const std::size_t clock = writer_.open(snapshot_field::kClocks);
  writer_.integer(snapshot_field::kClockId, static_cast<std::uint64_t>(id));
  writer_.integer(snapshot_field::kTimestamp, time);
  if (id == ClockId::kDelta) writer_.integer(snapshot_field::kIsIncremental, 1);
  writer_.close(clock);
}

void Packets::begin() {
  end();
  packet_ = writer_.open(trace_field::kPacket);
  writer_.integer(packet_field::kSequenceId, kSequence);
}

void Packets::begin(std::int64_t time) {
  end();
  packet_ = writer_.open(trace_field::kPacket);
  writer_.commit(put_header(writer_.reserve(kMostHeader), moved(time)));
}

void Packets::begin_event(EventType type, std::int64_t time, std::uint32_t track_uuid) {
  end();
  std::uint8_t* at = writer_.reserve(2 * kMostHeader);
  const std::uint8_t* const begin = at;
  at = encode_leb128(at, protobuf_tag(trace_field::kPacket, WireType::kBytes)) + 1;
  packet_ = writer_.size() + static_cast<std::size_t>(at - begin);
  at = put_header(at, moved(time));
  at = encode_leb128(at, protobuf_tag(packet_field::kTrackEvent, WireType::kBytes)) + 1;
  event_ = writer_.size() + static_cast<std::size_t>(at - begin);
  at = put_integer(at, event_field::kType, static_cast<std::uint64_t>(type));
  writer_.commit(put_integer(at, event_field::kTrackUuid, track_uuid));
}

void Packets::end() {
  if (packet_ == kNone) return;
  if (event_ != kNone) writer_.close(event_);
  if (!interned_.empty() || !interned_numbers_.empty()) [[unlikely]]
    put_interned();
  writer_.close(packet_);
  packet_ = kNone;
  event_ = kNone;
  writer_.drain_if_full();
}

// A time that is later than the last one, or the same, is the difference; others are whole.
std::uint8_t* Packets::put_header(std::uint8_t* at, std::uint64_t time) {
  if (time >= last_) [[likely]] {
    at = put_integer(at, packet_field::kTimestamp, time - last_);
    last_ = time;
  } else {
    at = put_integer(at, packet_field::kTimestamp, time);
    at = put_integer(at, packet_field::kTimestampClockId,
                     static_cast<std::uint64_t>(ClockId::kAbsolute));
  }
  at = put_integer(at, packet_field::kSequenceId, kSequence);
  return put_integer(at, packet_field::kSequenceFlags, kNeedsState);
}

// Perfetto drops what is before 0.
std::uint64_t Packets::moved(std::int64_t time) {
  constexpr auto kLatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (time < earliest_) [[unlikely]] {
    ++times_.clamped;
    return 0;
  }
  const std::uint64_t at = static_cast<std::uint64_t>(time) + times_.shift;
  if (at <= kLatest) [[likely]]
    return at;
  ++times_.clamped;
  return kLatest;
}

void Packets::put_interned() {
  const std::size_t data = writer_.open(packet_field::kInternedData);
  for (const Interned& each : interned_) {
    const std::size_t entry = writer_.open(each.field);
    writer_.integer(interned_field::kIid, each.iid);
    text(interned_field::kName, each.text);
    writer_.close(entry);
  }
  for (const auto& [field, numbers] : interned_numbers_) {
    const std::size_t entry = writer_.open(field);
    for (const auto& [number, value] : numbers) writer_.integer(number, value);
    writer_.close(entry);
  }
  writer_.close(data);
  interned_.clear();
  interned_numbers_.clear();
}

void Packets::text(std::uint32_t number, std::string_view text) {
  if (is_valid_utf8(text)) return writer_.text(number, text);
  ++repaired_;
  writer_.text(number, repaired_utf8(text));
}

Result<void> Packets::finish() {
  end();
  return writer_.drain();
}

}  // namespace tracedeck::exporting::perfetto
