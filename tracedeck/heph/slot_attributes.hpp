// Turns the values of an event, off the tape, into attributes. docs/formats/heph.md has the
// conventions for what is neither a number, a string nor an array of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/heph/adaptations.hpp"
#include "tracedeck/heph/attribute.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::heph {

// The attributes of one event after the other. They refer to the slots' bytes and to memory of this
// object, until the next event.
class SlotAttributes {
 public:
  explicit SlotAttributes(Adaptations& adaptations) : adaptations_(adaptations) {}

  void begin_event();
  // Values of the members of a structure (or null). `prefix` is put before their names.
  void add_members(std::span<const Slot> slots, const FieldClass* structure,
                   std::string_view prefix = {});
  // Names and values of the map of an event that describes itself.
  void add_pairs(const Slot& map);
  [[nodiscard]] std::span<const Attribute> attributes() const { return attributes_; }

  // A description or name that is short enough.
  [[nodiscard]] std::string_view fitting(std::string_view text);

 private:
  const Slot* add(std::string_view name, const Slot* slot, const FieldClass* field_class);
  void add_scalar(std::string_view name, const Slot& slot, const FieldClass* field_class);
  void add_packed(std::string_view name, const Slot& slot);
  void add_array(std::string_view name, const Slot& head, const FieldClass* element);
  void add_numbers(std::string_view name, const Slot& head, SlotKind kind);
  void add_strings(std::string_view name, const Slot& head);
  void add_map(std::string_view name, const Slot& head, const FieldClass* value);
  void put(std::string_view name, AttributeValue value) {
    attributes_.push_back({fitting(name), value});
  }
  [[nodiscard]] std::string_view keep(std::string text) {
    return texts_.emplace_back(std::move(text));
  }
  [[nodiscard]] std::size_t fitting_count(std::size_t count);

  Adaptations& adaptations_;
  std::vector<Attribute> attributes_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::uint64_t>> numbers_;
  std::deque<std::vector<std::string_view>> strings_;
};

}  // namespace tracedeck::heph
