// The walk over a value on the tape that JSON and text share: order, names, separators and nesting
// are decided here, their spelling by a `Style`.
//
// The walk keeps its own stack, so the nesting depth of a trace is bounded by memory alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/render/text_buffer.hpp"

namespace tracedeck::render {

// `field_class` as a class of one kind, or null when it is null or of another.
template <class Class>
const Class* class_as(const FieldClass* field_class) {
  return field_class == nullptr ? nullptr : field_class->as<Class>();
}

// What spells the parts of a value in one language. A field class is null where the trace has none
// for a value.
template <class T>
concept ValueStyle = requires(T& style, TextBuffer& out, const Slot& slot,
                              const FieldClass* field_class, SlotKind kind, std::string_view name) {
  // A value that is neither compound nor packed.
  style.scalar(out, slot, field_class);
  // A packed array, and the class of its elements.
  style.packed(out, slot, field_class);
  // An optional without a value.
  style.absent(out);
  // Before and behind the parts of a compound value, and between two of them.
  style.open(out, kind);
  style.close(out, kind);
  style.separate(out);
  // Before the value of a structure's member: its name.
  style.member(out, name);
  // Before the value of a pair of a string map: its key.
  style.key(out, slot);
  // Before the key, between key and value, and behind the value of a pair of any other map.
  style.open_pair(out);
  style.split_pair(out);
  style.close_pair(out);
};

template <ValueStyle Style>
class ValueWalk {
 public:
  explicit ValueWalk(Style& style) : style_(style) {}

  // Writes the value at `slot` and returns the slot after it.
  const Slot* value(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    for (;;) {
      slot = begin(out, slot, field_class);
      while (!frames_.empty() && slot >= frames_.back().end) finish(out);
      if (frames_.empty()) return slot;
      field_class = go_on(out, slot);
    }
  }

  // Writes members that lie one after the other without a head, with what is around them.
  void members(TextBuffer& out, std::span<const Slot> slots, const FieldClass* field_class) {
    const auto* const structure = class_as<StructureClass>(field_class);
    const Slot* slot = slots.data();
    const Slot* const end = slot + slots.size();
    style_.open(out, SlotKind::kStructure);
    for (std::size_t i = 0; slot < end; ++i) {
      if (i != 0) style_.separate(out);
      slot = value(out, slot, member(out, structure, i));
    }
    style_.close(out, SlotKind::kStructure);
  }

 private:
  // A compound value that has been opened.
  struct Frame {
    const Slot* end;
    const FieldClass* field_class;
    std::size_t count = 0;  // parts begun; of a map, keys and values
    SlotKind kind;
  };

  // Writes a scalar, or opens a compound value.
  const Slot* begin(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    while (slot->kind == SlotKind::kOptional || slot->kind == SlotKind::kVariant) {
      if (slot->kind == SlotKind::kOptional && slot->bits == 0) {
        style_.absent(out);
        return slot + 1;
      }
      field_class = chosen(*slot, field_class);
      ++slot;
    }
    if (slot->kind == SlotKind::kPackedArray) {
      style_.packed(out, *slot, element_of(field_class));
    } else if (slot->kind < kFirstCompound) {
      style_.scalar(out, *slot, field_class);
    } else {
      style_.open(out, slot->kind);
      frames_.push_back({.end = slot->next(), .field_class = field_class, .kind = slot->kind});
    }
    return slot + 1;
  }

  // Writes what stands between two parts of the innermost compound value, and the name of the next
  // part. Returns the class of that part's value.
  const FieldClass* go_on(TextBuffer& out, const Slot*& slot) {
    Frame& frame = frames_.back();
    const std::size_t index = frame.count++;
    if (frame.kind == SlotKind::kMap) {
      const auto* const map = class_as<MapClass>(frame.field_class);
      if (index % 2 != 0) {
        style_.split_pair(out);
        return map == nullptr ? nullptr : map->value.get();
      }
      if (index != 0) {
        style_.close_pair(out);
        style_.separate(out);
      }
      style_.open_pair(out);
      return map == nullptr ? nullptr : map->key.get();
    }
    if (index != 0) style_.separate(out);
    if (frame.kind == SlotKind::kStructure) {
      return member(out, class_as<StructureClass>(frame.field_class), index);
    }
    if (frame.kind == SlotKind::kStringMap) {
      style_.key(out, *slot++);
      const auto* const map = class_as<MapClass>(frame.field_class);
      return map == nullptr ? nullptr : map->value.get();
    }
    return element_of(frame.field_class);
  }

  void finish(TextBuffer& out) {
    const Frame& frame = frames_.back();
    if (frame.kind == SlotKind::kMap && frame.count != 0) style_.close_pair(out);
    style_.close(out, frame.kind);
    frames_.pop_back();
  }

  // Writes the name of a structure's member and returns its class. Without a class the index stands
  // in.
  const FieldClass* member(TextBuffer& out, const StructureClass* structure, std::size_t index) {
    if (structure == nullptr || index >= structure->members.size()) {
      style_.member(out, std::to_string(index));
      return nullptr;
    }
    style_.member(out, structure->members[index].name);
    return structure->members[index].field_class.get();
  }

  static const FieldClass* element_of(const FieldClass* field_class) {
    const auto* const array = class_as<ArrayClass>(field_class);
    return array == nullptr ? nullptr : array->element.get();
  }

  static const FieldClass* chosen(const Slot& head, const FieldClass* field_class) {
    if (const auto* const optional = class_as<OptionalClass>(field_class))
      return optional->value.get();
    const auto* const variant = class_as<VariantClass>(field_class);
    if (variant == nullptr || head.bits >= variant->options.size()) return nullptr;
    return variant->options[head.bits].field_class.get();
  }

  Style& style_;
  std::vector<Frame> frames_;
};

}  // namespace tracedeck::render
