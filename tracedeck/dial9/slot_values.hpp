// Slots of the tape back as native values: the inverse of `TapePolicy`.
#pragma once

#include <deque>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/dial9/value.hpp"
#include "tracedeck/dial9/value_encode.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::dial9 {

// Whether the value of a field is the number in the slot and nothing else.
[[nodiscard]] inline bool is_plain_number(const FieldDefinition& field, const Slot& slot) {
  return !field.optional && slot.kind <= SlotKind::kReal && number_facts(field.type).size != 0;
}

// Converts the fields of one event after the other. Values point into the slots' bytes or into
// memory of this object, until the next event.
class SlotValues {
 public:
  explicit SlotValues(Encoder& encoder) : encoder_(encoder) {}

  // Forgets the values of the event before.
  void begin_event() { containers_used_ = 0; }

  // The value of `field` from the slots at `slot`. Pooled strings and stacks are interned with the
  // encoder, whose errors are handed on.
  [[nodiscard]] Result<Value> convert(const FieldDefinition& field, const Slot& slot);

  // A new segment begins, with empty pools.
  void forget_pools() { strings_ = stacks_ = 0; }
  // References to undefined pool entries whose id had to change, because the pool has that id now.
  [[nodiscard]] std::uint64_t renumbered() const { return renumbered_; }

 private:
  Result<Value> convert_present(FieldType type, const Slot& slot);
  // A reference to an undefined pool entry; an empty stack where the version has no references.
  Value unresolved(FieldType type, const Slot& slot);
  Result<std::uint32_t> intern(FieldType type, const Slot& slot);
  // Encodes a compound slot and all that belongs to it.
  Result<void> put_container(std::vector<std::uint8_t>& wire, const Slot& head);
  Result<void> put_element(std::vector<std::uint8_t>& wire, const Slot& slot);

  Encoder& encoder_;
  std::deque<std::vector<std::uint8_t>> containers_;  // wire bytes of maps and lists, reused
  std::size_t containers_used_ = 0;
  std::uint64_t strings_ = 0;  // pool entries the segment has
  std::uint64_t stacks_ = 0;
  std::uint64_t renumbered_ = 0;
};

}  // namespace tracedeck::dial9
