// What renderers made of data streams and of the packets that events lie in, kept for a while.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/render/member_program.hpp"

namespace tracedeck::render {

// Values by which a packet context is known again: those of numbers alone, as others point to
// memory that may change.
class KnownContext {
 public:
  [[nodiscard]] bool is_of(const Packet& packet) const {
    return packet.context.size() == slots_.size() && !slots_.empty() &&
           std::memcmp(packet.context.data(), slots_.data(), slots_.size() * sizeof(Slot)) == 0;
  }
  // Returns whether it will be known again.
  bool remember(const Packet& packet) {
    const bool numbers = std::ranges::all_of(packet.context, is_number);
    slots_ = numbers ? packet.context : std::vector<Slot>();
    return numbers;
  }
  void forget() { slots_.clear(); }

 private:
  static bool is_number(const Slot& slot) {
    return (slot.kind <= SlotKind::kReal || slot.kind >= kFirstCompound) && slot.name() == 0;
  }

  std::vector<Slot> slots_;
};

// Of each data stream what `Entry` holds, until others take its place.
template <class Entry>
class StreamTexts {
 public:
  // The entry of a data stream: a new one if it is not remembered. Valid until the next call.
  [[nodiscard]] Entry& operator[](const DataStream& stream) {
    const EntityId& entity = stream.entity;
    Place& place =
        places_[(31 * entity.trace + entity.ordinal) * 0x9E3779B97F4A7C15U >> (64 - kBits)];
    // One of no description has no identity.
    if (place.entity != entity || entity.trace == 0) [[unlikely]]
      begin(place, entity);
    return place.entry;
  }

 private:
  struct Place {
    EntityId entity = EntityId::none();
    Entry entry = {};
  };

  static constexpr unsigned kBits = 6;

  [[gnu::noinline]] static void begin(Place& place, const EntityId& entity) {
    place = {.entity = entity, .entry = {}};
  }

  std::vector<Place> places_ = std::vector<Place>(std::size_t{1} << kBits);
};

}  // namespace tracedeck::render
