// How events of one class become packets, off the tape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracedeck/heph/packet.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::heph {

// What is the same in all packets of a class, description and names, is made once. This is for
// events whose values are numbers, texts, and arrays of numbers as they lie somewhere; those of
// others go by `SlotAttributes`.
class SpanLayout {
 public:
  // Of a class as the writer takes them, which must outlive it.
  explicit SpanLayout(const EventClass& event_class);

  [[nodiscard]] const EventClass& event_class() const { return event_class_; }

  // Bytes that must be writable where the packet of an event is made; 0: its values are others, or
  // too long.
  [[nodiscard]] std::size_t room(std::span<const Slot> payload) const;
  // Writes the packet to `to`, where there is such room, and returns its end.
  [[nodiscard]] std::uint8_t* put(std::uint8_t* to, const EventHead& head,
                                  std::span<const Slot> payload) const;

 private:
  void keep(std::string_view text);

  const EventClass& event_class_;
  // Description and first name, then one name after the other, each behind its length; padded.
  std::vector<std::uint8_t> literals_;
  std::vector<std::uint32_t> sizes_;  // of what comes before each value
  std::size_t room_ = 0;              // that a packet of numbers takes
};

}  // namespace tracedeck::heph
