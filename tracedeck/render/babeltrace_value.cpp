#include "tracedeck/render/babeltrace_value.hpp"

#include <string>

#include "tracedeck/model/labels.hpp"
#include "tracedeck/render/number.hpp"
#include "tracedeck/render/value_walk.hpp"

namespace tracedeck::render {
namespace {

const FieldClass* element_of(const FieldClass* field_class) {
  const auto* const array = class_as<ArrayClass>(field_class);
  return array == nullptr ? nullptr : array->element.get();
}

const FieldClass* chosen(const Slot& head, const FieldClass* field_class) {
  if (const auto* const optional = class_as<OptionalClass>(field_class))
    return optional->value.get();
  const auto* const variant = class_as<VariantClass>(field_class);
  if (variant == nullptr || head.bits >= variant->options.size()) return nullptr;
  return variant->options[head.bits].field_class.get();
}

}  // namespace

const Slot* BabeltraceValues::append(TextBuffer& out, const Slot* slot,
                                     const FieldClass* field_class, BabeltraceNotes& notes) {
  for (;;) {
    slot = begin(out, slot, field_class, notes);
    while (!frames_.empty() && !go_on(out, slot, field_class)) {
      out.append(frames_.back().form == Form::kArray ? " ]" : " }");
      frames_.pop_back();
    }
    if (frames_.empty()) return slot;
  }
}

// Writes a scalar, or opens a compound value. Returns the next slot.
const Slot* BabeltraceValues::begin(TextBuffer& out, const Slot* slot,
                                    const FieldClass* field_class, BabeltraceNotes& notes) {
  if (slot->kind == SlotKind::kOptional && slot->bits == 0) {
    out.append("<none>");
  } else if (slot->kind == SlotKind::kPackedArray) {
    packed(out, *slot, element_of(field_class), notes);
  } else if (slot->kind < kFirstCompound) {
    scalar(out, *slot, field_class, notes);
  } else {
    open(out, slot, field_class, notes);
  }
  return slot + 1;
}

void BabeltraceValues::open(TextBuffer& out, const Slot* slot, const FieldClass* field_class,
                            const BabeltraceNotes& notes) {
  Frame frame{
      .end = slot->next(), .field_class = field_class, .shown = nullptr, .form = Form::kChosen};
  switch (slot->kind) {
    case SlotKind::kArray:
      frame.form = Form::kArray;
      frame.field_class = element_of(field_class);
      out.append('[');
      break;
    case SlotKind::kStructure:
      frame.form = Form::kStructure;
      frame.shown = notes.shown_members(class_as<StructureClass>(field_class));
      out.append('{');
      break;
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      frame.form = Form::kMap;
      out.append('{');
      break;
    default:
      frame.field_class = chosen(*slot, field_class);
      out.append("{ ");
  }
  frames_.push_back(frame);
}

void BabeltraceValues::scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class,
                              BabeltraceNotes& notes) const {
  if (as_enumeration(field_class) != nullptr && is_integer(slot))
    return notes.enumeration(*field_class).append(out, slot);
  // A BLOB is an array, whose elements babeltrace2 would colour one by one.
  const bool painted = slot.kind != SlotKind::kBlob;
  if (painted) palette_.begin(out, BabeltracePaint::kValue);
  if (painted) {
    append_babeltrace_scalar(out, slot, field_class);
  } else {
    bytes(out, slot.bytes());
  }
  if (painted) palette_.end(out);
}

void BabeltraceValues::bytes(TextBuffer& out, ByteSpan bytes) const {
  out.append('[');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    index(out, i);
    append_decimal(out, std::uint64_t{bytes[i]});
  }
  out.append(" ]");
}

void BabeltraceValues::packed(TextBuffer& out, const Slot& slot, const FieldClass* element,
                              BabeltraceNotes& notes) const {
  out.append('[');
  const std::size_t count = packed_count(slot);
  for (std::size_t i = 0; i < count; ++i) {
    index(out, i);
    scalar(out, packed_element(slot, i), element, notes);
  }
  out.append(" ]");
}

// Writes what precedes the next part of the innermost compound value, and gives the class of
// that part. Returns false at the value's end.
bool BabeltraceValues::go_on(TextBuffer& out, const Slot*& slot, const FieldClass*& field_class) {
  Frame& frame = frames_.back();
  if (frame.form == Form::kStructure) return go_on_in_structure(out, slot, field_class);
  if (slot >= frame.end) return false;
  const std::size_t index = frame.index++;
  field_class = frame.field_class;
  if (frame.form == Form::kArray) {
    this->index(out, index);
  } else if (frame.form == Form::kMap) {
    const bool is_key = index % 2 == 0;
    out.append(!is_key ? " = " : index == 0 ? " " : ", ");
    const auto* const map = class_as<MapClass>(frame.field_class);
    field_class = map == nullptr ? nullptr : is_key ? map->key.get() : map->value.get();
  }
  return true;
}

bool BabeltraceValues::go_on_in_structure(TextBuffer& out, const Slot*& slot,
                                          const FieldClass*& field_class) {
  Frame& frame = frames_.back();
  const auto* const structure = class_as<StructureClass>(frame.field_class);
  while (frame.shown != nullptr && slot < frame.end && frame.index < frame.shown->size() &&
         !(*frame.shown)[frame.index]) {
    slot = slot->next();
    ++frame.index;
  }
  if (slot >= frame.end) return false;
  const std::size_t index = frame.index++;
  out.append(frame.written++ == 0 ? " " : ", ");
  const bool known = structure != nullptr && index < structure->members.size();
  field_class = known ? structure->members[index].field_class.get() : nullptr;
  name(out, known ? std::string_view(structure->members[index].name)
                  : std::string_view(std::to_string(index)));
  return true;
}

void BabeltraceValues::index(TextBuffer& out, std::size_t index) const {
  out.append(index == 0 ? " " : ", ");
  if (!names_) return;
  out.append('[');
  append_decimal(out, std::uint64_t{index});
  out.append("] = ");
}

void BabeltraceValues::name(TextBuffer& out, std::string_view text) const {
  if (!names_) return;
  palette_.text(out, BabeltracePaint::kFieldName, text);
  out.append(" = ");
}

}  // namespace tracedeck::render
