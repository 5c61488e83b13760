#include "tracedeck/render/babeltrace_value.hpp"

#include "tracedeck/model/labels.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {

ValueForm BabeltraceStyle::form_of(const FieldClass* field_class, Spelling& spelling) const {
  if (as_enumeration(field_class) != nullptr) return ValueForm::kLabels;
  if (palette_.color()) return ValueForm::kWalk;
  if (class_as<IntegerClass>(field_class) != nullptr) {
    spelling = BabeltraceInteger(field_class);
    return spelling.decimal() ? ValueForm::kNumber : ValueForm::kInteger;
  }
  if (class_as<RealClass>(field_class) != nullptr) return ValueForm::kReal;
  return class_as<StringClass>(field_class) != nullptr ? ValueForm::kText : ValueForm::kWalk;
}

void BabeltraceStyle::scalar(TextBuffer& out, const Slot& slot,
                             const FieldClass* field_class) const {
  if (as_enumeration(field_class) != nullptr && is_integer(slot))
    return notes_->enumeration(*field_class).append(out, slot);
  // A BLOB is an array, whose elements babeltrace2 would colour one by one.
  if (slot.kind == SlotKind::kBlob) return bytes(out, slot.bytes());
  palette_.begin(out, BabeltracePaint::kValue);
  append_babeltrace_scalar(out, slot, field_class);
  palette_.end(out);
}

void BabeltraceStyle::bytes(TextBuffer& out, ByteSpan bytes) const {
  open(out, SlotKind::kArray);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    begin_part(out, SlotKind::kArray, i);
    append_decimal(out, std::uint64_t{bytes[i]});
  }
  close(out, SlotKind::kArray);
}

void BabeltraceStyle::packed(TextBuffer& out, const Slot& slot, const FieldClass* element) const {
  open(out, SlotKind::kArray);
  const std::size_t count = packed_count(slot);
  for (std::size_t i = 0; i < count; ++i) {
    begin_part(out, SlotKind::kArray, i);
    scalar(out, packed_element(slot, i), element);
  }
  close(out, SlotKind::kArray);
}

void BabeltraceStyle::begin_part(TextBuffer& out, SlotKind kind, std::size_t index) const {
  out.append(index == 0 ? " " : ", ");
  if (kind != SlotKind::kArray || !names_) return;
  out.append('[');
  append_decimal(out, std::uint64_t{index});
  out.append("] = ");
}

void BabeltraceStyle::member(TextBuffer& out, std::string_view name) const {
  if (!names_) return;
  palette_.text(out, BabeltracePaint::kFieldName, name);
  out.append(" = ");
}

}  // namespace tracedeck::render
