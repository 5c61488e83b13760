// The walk over a value on the tape that all forms share: order, names, separators and nesting
// are decided here, their spelling by a `Style`.
//
// The walk keeps its own stack, so the nesting depth of a trace is bounded by memory alone.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

// `field_class` as a class of one kind, or null when it is null or of another.
template <class Class>
const Class* class_as(const FieldClass* field_class) {
  return field_class == nullptr ? nullptr : field_class->as<Class>();
}

// The class of an optional's value where there is one, else the class itself. It may be null.
inline const FieldClass* present(const FieldClass* field_class) {
  const auto* const optional = class_as<OptionalClass>(field_class);
  return optional == nullptr ? field_class : optional->value.get();
}

// What spells the parts of a value in one language. A field class is null where the trace has none
// for a value.
template <class T>
concept ValueStyle = requires(T& style, TextBuffer& out, const Slot& slot,
                              const FieldClass* field_class, const StructureClass* structure,
                              SlotKind kind, std::string_view name, std::size_t index) {
  // A value that is neither compound nor packed.
  style.scalar(out, slot, field_class);
  // A packed array, and the class of its elements.
  style.packed(out, slot, field_class);
  // An optional without a value.
  style.absent(out);
  // Before and behind the parts of a compound value, and before part `index` of them.
  style.open(out, kind);
  style.close(out, kind);
  style.begin_part(out, kind, index);
  // Before the value of a structure's member: its name.
  style.member(out, name);
  // Before the value of a pair of a string map: its key.
  style.key(out, slot);
  // Before the key, between key and value, and behind the value of a pair of any other map.
  style.open_pair(out);
  style.split_pair(out);
  style.close_pair(out);
  // Whether optionals and variants are opened and closed like compound values.
  { T::kOpensChoices } -> std::convertible_to<bool>;
  // Which members of a structure, which may be null, are shown; null: all.
  { style.shown_members(structure) } -> std::convertible_to<const std::vector<bool>*>;
};

template <ValueStyle Style>
class ValueWalk {
 public:
  explicit ValueWalk(Style& style) : style_(style) {}

  // Writes the value at `slot` and returns the slot after it.
  const Slot* value(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    return finish(out, begin(out, slot, field_class));
  }

  // Writes members that lie one after the other without a head, with what is around them.
  void members(TextBuffer& out, std::span<const Slot> slots, const FieldClass* field_class) {
    open(out, SlotKind::kStructure, slots.data() + slots.size(), field_class);
    finish(out, slots.data());
  }

 private:
  // A compound value that has been opened.
  struct Frame {
    const Slot* end;
    const FieldClass* field_class;
    const std::vector<bool>* shown;  // members of a structure; null: all
    std::size_t count = 0;           // parts met; of a map, keys and values
    std::size_t written = 0;         // of these, of a structure
    SlotKind kind;
  };

  // Writes the rest of what is open, from `slot` on, and returns the slot after it.
  const Slot* finish(TextBuffer& out, const Slot* slot) {
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.shown != nullptr) skip_hidden(frame, slot);
      if (slot < frame.end) {
        const FieldClass* const field_class = go_on(out, slot);
        slot = begin(out, slot, field_class);
      } else {
        if (frame.kind == SlotKind::kMap && frame.count != 0) style_.close_pair(out);
        style_.close(out, frame.kind);
        frames_.pop_back();
      }
    }
    return slot;
  }

  static void skip_hidden(Frame& frame, const Slot*& slot) {
    for (; slot < frame.end && frame.count < frame.shown->size() && !(*frame.shown)[frame.count];
         ++frame.count)
      slot = slot->next();
  }

  void open(TextBuffer& out, SlotKind kind, const Slot* end, const FieldClass* field_class) {
    style_.open(out, kind);
    const std::vector<bool>* const shown =
        kind == SlotKind::kStructure ? static_cast<const std::vector<bool>*>(style_.shown_members(
                                           class_as<StructureClass>(field_class)))
                                     : nullptr;
    frames_.push_back({.end = end, .field_class = field_class, .shown = shown, .kind = kind});
  }

  // Writes a scalar, or opens a compound value.
  const Slot* begin(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    while (slot->kind == SlotKind::kOptional || slot->kind == SlotKind::kVariant) {
      if (slot->kind == SlotKind::kOptional && slot->bits == 0) {
        style_.absent(out);
        return slot + 1;
      }
      field_class = chosen(*slot, field_class);
      if constexpr (Style::kOpensChoices) {
        open(out, slot->kind, slot->next(), field_class);
        return slot + 1;
      }
      ++slot;
    }
    if (slot->kind == SlotKind::kPackedArray) {
      style_.packed(out, *slot, element_of(field_class));
    } else if (slot->kind < kFirstCompound) {
      style_.scalar(out, *slot, field_class);
    } else {
      open(out, slot->kind, slot->next(), field_class);
    }
    return slot + 1;
  }

  // Writes what stands between two parts of the innermost compound value, and the name of the next
  // part. Returns the class of that part's value.
  const FieldClass* go_on(TextBuffer& out, const Slot*& slot) {
    Frame& frame = frames_.back();
    const std::size_t index = frame.count++;
    switch (frame.kind) {
      case SlotKind::kOptional:
      case SlotKind::kVariant:
        return frame.field_class;
      case SlotKind::kStructure:
        style_.begin_part(out, frame.kind, frame.written++);
        return member(out, class_as<StructureClass>(frame.field_class), index);
      case SlotKind::kStringMap: {
        style_.begin_part(out, frame.kind, index);
        style_.key(out, *slot++);
        const auto* const map = class_as<MapClass>(frame.field_class);
        return map == nullptr ? nullptr : map->value.get();
      }
      case SlotKind::kMap: {
        const auto* const map = class_as<MapClass>(frame.field_class);
        if (index % 2 != 0) {
          style_.split_pair(out);
          return map == nullptr ? nullptr : map->value.get();
        }
        if (index != 0) style_.close_pair(out);
        style_.begin_part(out, frame.kind, index / 2);
        style_.open_pair(out);
        return map == nullptr ? nullptr : map->key.get();
      }
      default:
        style_.begin_part(out, frame.kind, index);
        return element_of(frame.field_class);
    }
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

// Writes values off the tape in one style.
template <ValueStyle Style>
class StyledValues {
 public:
  template <class... Arguments>
  explicit StyledValues(Arguments&&... arguments) : style_(std::forward<Arguments>(arguments)...) {}
  StyledValues(const StyledValues&) = delete;
  StyledValues& operator=(const StyledValues&) = delete;

  // The value at `slot`, of a class that may be null. Returns the slot after it.
  const Slot* append(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    return walk_.value(out, slot, field_class);
  }
  // A structure of members that lie one after the other without a head.
  void append_members(TextBuffer& out, std::span<const Slot> slots, const FieldClass* structure) {
    walk_.members(out, slots, structure);
  }
  [[nodiscard]] Style& style() { return style_; }
  [[nodiscard]] const Style& style() const { return style_; }

 private:
  Style style_;
  ValueWalk<Style> walk_{style_};
};

}  // namespace tracedeck::render
