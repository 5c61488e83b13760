// Values of one event class from their slots straight onto the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/dial9/schema_mapping.hpp"
#include "tracedeck/dial9/value_encode.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::dial9 {

// Fields that are numbers, texts, bytes and stacks in place, none of them optional. An event may
// have other values all the same, such as references to pool entries that are not known.
class PlainFields {
 public:
  // Nothing: the class has other fields, or some that are left out.
  [[nodiscard]] static std::optional<PlainFields> of(const EventClass& event_class,
                                                     const SchemaMapping& mapping) {
    PlainFields plain;
    const Schema& schema = mapping.schema;
    if (schema.has_timestamp != (event_class.clock != nullptr)) return std::nullopt;
    if (mapping.kept.size() != schema.fields.size()) return std::nullopt;
    for (const FieldDefinition& field : schema.fields) {
      const NumberFacts& facts = number_facts(field.type);
      const bool is_extent = field.type == FieldType::kString || field.type == FieldType::kBytes ||
                             field.type == FieldType::kStackFrames;
      if (field.optional || (facts.size == 0 && !is_extent)) return std::nullopt;
      plain.fields_.push_back({field.type, facts.size, facts.most});
      plain.room_ += is_extent ? kCountSize : facts.size;
      plain.has_extents_ = plain.has_extents_ || is_extent;
    }
    return plain;
  }

  [[nodiscard]] std::size_t count() const { return fields_.size(); }
  // Bytes that the values take at most, and what is written behind them.
  [[nodiscard]] std::size_t room(std::span<const Slot> slots) const {
    std::size_t room = room_;
    if (has_extents_) {
      for (const Slot& slot : slots) room += slot.length;
    }
    return room;
  }
  // Writes them, and returns their end. Null: one of them is another.
  [[nodiscard]] std::uint8_t* put(std::uint8_t* to, const Slot* slot) const {
    for (const Field& field : fields_) {
      if (field.size != 0) [[likely]] {
        if (slot->kind > SlotKind::kReal || slot->bits > field.most) return nullptr;
        if (field.type == FieldType::kVarint) {
          to = encode_leb128(to, slot->bits);
        } else {
          store_le(to, slot->bits);
          to += field.size;
        }
      } else {
        const bool is_stack = field.type == FieldType::kStackFrames;
        if (slot->kind != kind_of(field.type) || (is_stack && slot->length % 8 != 0))
          return nullptr;
        store_le(to, is_stack ? slot->length / 8 : slot->length);
        to += kCountSize;
        if (slot->length != 0) std::memcpy(to, slot->pointer, slot->length);
        to += slot->length;
      }
      ++slot;
    }
    return to;
  }

 private:
  struct Field {
    FieldType type;
    std::uint8_t size;  // 0: it is no number
    std::uint64_t most;
  };
  static SlotKind kind_of(FieldType type) {
    if (type == FieldType::kString) return SlotKind::kString;
    return type == FieldType::kBytes ? SlotKind::kBlob : SlotKind::kPackedArray;
  }

  static constexpr std::size_t kOverrun = 16;

  std::vector<Field> fields_;
  std::size_t room_ = kOverrun;
  bool has_extents_ = false;
};

}  // namespace tracedeck::dial9
