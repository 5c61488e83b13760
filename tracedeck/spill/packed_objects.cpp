#include "tracedeck/spill/packed_objects.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/spill/slot_codec.hpp"

namespace tracedeck {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;

std::size_t place_of(std::size_t hash, std::size_t count) {
  return (hash * 0x9E3779B97F4A7C15U >> 32U) % count;
}

void append_varint(std::vector<std::uint8_t>& to, std::uint64_t value) {
  std::array<std::uint8_t, kMaxVarint> bytes;
  to.insert(to.end(), bytes.data(), put_varint(bytes.data(), value));
}

void append_text(std::vector<std::uint8_t>& to, std::string_view text) {
  append_varint(to, text.size());
  to.insert(to.end(), text.begin(), text.end());
}

std::string take_text(const std::uint8_t*& from) { return std::string(as_text(take_bytes(from))); }

void append_slots(std::vector<std::uint8_t>& to, std::span<const Slot> slots) {
  append_varint(to, slots.size());
  for (const Slot& slot : slots) {
    const std::size_t before = to.size();
    to.resize(before + kSlotBound + (points_to_bytes(slot) ? slot.length : 0));
    to.resize(static_cast<std::size_t>(pack_slot(slot, to.data() + before) - to.data()));
  }
}

// Their pointers lead into the packed bytes.
std::vector<Slot> take_slots(const std::uint8_t*& from) {
  std::vector<Slot> slots(take_varint(from));
  for (Slot& slot : slots) slot = unpack_slot(from);
  return slots;
}

// The numbers that a packet may have, in the order in which they are packed.
constexpr std::array<std::optional<std::uint64_t> Packet::*, 6> kPacketNumbers = {
    &Packet::begin,      &Packet::end,          &Packet::sequence,
    &Packet::total_size, &Packet::content_size, &Packet::discarded};

// A packet and what keeps what it points to.
struct KeptPacket {
  Packet packet;
  std::shared_ptr<const DataStream> stream;
  std::vector<std::uint8_t> bytes;
};

}  // namespace

std::uint64_t NumberedBytes::add(ByteSpan bytes) {
  const std::size_t need = kMaxVarint + bytes.size();
  if (chunks_.empty() || chunks_.back().size - chunks_.back().used < need) {
    const std::size_t size = std::max(kChunk, need);
    chunks_.push_back({.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(size),
                       .size = size,
                       .first = count_ + 1});
    offsets_.emplace_back();
  }
  Chunk& chunk = chunks_.back();
  ++count_;
  if ((count_ - chunk.first) % kStep == 0)
    offsets_.back().push_back(static_cast<std::uint32_t>(chunk.used));
  std::uint8_t* const to = chunk.bytes.get() + chunk.used;
  chunk.used = static_cast<std::size_t>(put_bytes(to, bytes) - chunk.bytes.get());
  return count_;
}

ByteSpan NumberedBytes::operator[](std::uint64_t number) const {
  const auto after = std::ranges::upper_bound(chunks_, number, {}, &Chunk::first);
  const auto index = static_cast<std::size_t>(after - chunks_.begin()) - 1;
  const std::uint64_t in_chunk = number - chunks_[index].first;
  const std::uint8_t* from = chunks_[index].bytes.get() + offsets_[index][in_chunk / kStep];
  for (std::uint64_t i = in_chunk / kStep * kStep; i < in_chunk; ++i)
    static_cast<void>(take_bytes(from));
  return take_bytes(from);
}

std::uint64_t PackedObjects::number_of(const DataStreamClass* stream_class) {
  if (stream_class == nullptr) return 0;
  const auto [place, is_new] =
      class_numbers_.try_emplace(stream_class->entity, std::uint64_t{classes_.size()});
  if (is_new) classes_.push_back(stream_class);
  return place->second;
}

std::uint64_t PackedObjects::number_of(const DataStream* stream) {
  if (stream == nullptr) return 0;
  RememberedStream& known =
      known_streams_[place_of(EntityIdHash()(stream->entity), known_streams_.size())];
  if (known.entity == stream->entity) return known.number;
  pack(*stream);
  known = {.entity = stream->entity, .number = streams_.add(scratch_)};
  return known.number;
}

void PackedObjects::pack(const DataStream& stream) {
  scratch_.clear();
  append_varint(scratch_, number_of(stream.stream_class));
  append_varint(scratch_, stream.entity.trace);
  append_varint(scratch_, stream.entity.ordinal);
  append_varint(scratch_, stream.keys.size());
  for (const StreamKey& key : stream.keys) {
    append_text(scratch_, key.name);
    append_varint(scratch_, key.value);
    append_text(scratch_, key.digits);
  }
  append_text(scratch_, stream.file);
  append_varint(scratch_, stream.damage_end.has_value() ? 1 : 0);
  append_varint(scratch_, stream.damage_end.value_or(0));
}

std::shared_ptr<const DataStream> PackedObjects::make_stream(ByteSpan packed) const {
  const std::uint8_t* from = packed.data();
  auto stream = std::make_shared<DataStream>();
  stream->stream_class = classes_[take_varint(from)];
  stream->entity.trace = take_varint(from);
  stream->entity.ordinal = take_varint(from);
  stream->keys.resize(take_varint(from));
  for (StreamKey& key : stream->keys) {
    key.name = take_text(from);
    key.value = take_varint(from);
    key.digits = take_text(from);
  }
  stream->file = take_text(from);
  const bool has_damage_end = take_varint(from) != 0;
  const std::uint64_t damage_end = take_varint(from);
  if (has_damage_end) stream->damage_end = damage_end;
  return stream;
}

const std::shared_ptr<const DataStream>& PackedObjects::stream(std::uint64_t number) {
  Made<DataStream>& made = made_streams_[number % made_streams_.size()];
  if (made.number != number) made = {.number = number, .object = make_stream(streams_[number])};
  return made.object;
}

std::uint64_t PackedObjects::number_of(const Packet* packet) {
  if (packet == nullptr) return 0;
  RememberedPacket& known = known_packets_[place_of(reinterpret_cast<std::uintptr_t>(packet) >> 4U,
                                                    known_packets_.size())];
  if (known.packet == packet && known.batch == batch_) return known.number;
  pack(*packet);
  // It may have come with an earlier batch, perhaps from another place.
  const std::string_view content = as_text(ByteSpan(scratch_));
  std::uint64_t& last =
      last_packets_[place_of(std::hash<std::string_view>()(content), last_packets_.size())];
  if (last == 0 || as_text(packets_[last]) != content) last = packets_.add(scratch_);
  known = {.packet = packet, .batch = batch_, .number = last};
  return last;
}

void PackedObjects::pack(const Packet& packet) {
  const std::uint64_t stream = number_of(packet.stream);
  scratch_.clear();
  append_varint(scratch_, stream);
  std::uint8_t which = 0;
  for (std::size_t i = 0; i < kPacketNumbers.size(); ++i)
    which |= static_cast<std::uint8_t>((packet.*kPacketNumbers[i]).has_value() ? 1U << i : 0U);
  scratch_.push_back(which);
  for (const auto number : kPacketNumbers) {
    if (packet.*number) append_varint(scratch_, *(packet.*number));
  }
  append_varint(scratch_, packet.offset);
  append_slots(scratch_, packet.header);
  append_slots(scratch_, packet.context);
}

std::shared_ptr<const Packet> PackedObjects::make_packet(ByteSpan packed) {
  auto kept = std::make_shared<KeptPacket>();
  kept->bytes.assign(packed.begin(), packed.end());
  const std::uint8_t* from = kept->bytes.data();
  Packet& packet = kept->packet;
  if (const std::uint64_t number = take_varint(from); number != 0) kept->stream = stream(number);
  packet.stream = kept->stream.get();
  const unsigned which = *from++;
  for (std::size_t i = 0; i < kPacketNumbers.size(); ++i) {
    if ((which >> i & 1U) != 0) packet.*kPacketNumbers[i] = take_varint(from);
  }
  packet.offset = take_varint(from);
  packet.header = take_slots(from);
  packet.context = take_slots(from);
  return {kept, &kept->packet};
}

const std::shared_ptr<const Packet>& PackedObjects::packet(std::uint64_t number) {
  Made<Packet>& made = made_packets_[number % made_packets_.size()];
  if (made.number != number) made = {.number = number, .object = make_packet(packets_[number])};
  return made.object;
}

}  // namespace tracedeck
