// Turns the values of an event, off the tape, into attributes.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/heph/attribute.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::heph {

// The attributes of one event after the other, whose values are numbers, texts and arrays of one of
// them; an optional value that is absent is none. They refer to the slots' bytes and to memory of
// this object, until the next event.
class SlotAttributes {
 public:
  void begin_event();
  // Values of the members of a structure.
  void add_members(std::span<const Slot> slots, const StructureClass& structure);
  // Names and values of the map of an event that describes itself.
  void add_pairs(const Slot& map);
  [[nodiscard]] std::span<const Attribute> attributes() const { return attributes_; }

 private:
  void add(std::string_view name, const Slot& slot, const FieldClass* field_class);
  [[nodiscard]] AttributeValue packed(const Slot& slot);
  [[nodiscard]] AttributeValue array(const Slot& head, const FieldClass* element);

  std::vector<Attribute> attributes_;
  std::deque<std::vector<std::uint64_t>> numbers_;
  std::deque<std::vector<std::string_view>> strings_;
};

}  // namespace tracedeck::heph
