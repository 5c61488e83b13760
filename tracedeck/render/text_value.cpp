#include "tracedeck/render/text_value.hpp"

#include <cmath>

#include "tracedeck/base/real.hpp"
#include "tracedeck/model/labels.hpp"
#include "tracedeck/render/number.hpp"
#include "tracedeck/render/visible.hpp"

namespace tracedeck::render {
namespace {

bool is_integer(SlotKind kind) {
  return kind == SlotKind::kUnsigned || kind == SlotKind::kSigned ||
         kind == SlotKind::kWideUnsigned || kind == SlotKind::kWideSigned;
}

void append_integer(TextBuffer& out, const Slot& slot, DisplayBase base) {
  const bool is_signed = slot.kind == SlotKind::kSigned || slot.kind == SlotKind::kWideSigned;
  const bool is_wide = slot.kind == SlotKind::kWideUnsigned || slot.kind == SlotKind::kWideSigned;
  if (base == DisplayBase::kDecimal) {
    if (is_wide) return append_wide_decimal(out, slot.bytes(), is_signed);
    return is_signed ? append_decimal(out, slot.integer) : append_decimal(out, slot.bits);
  }
  const unsigned bits = base == DisplayBase::kBinary ? 1 : base == DisplayBase::kOctal ? 3 : 4;
  if (is_wide) return append_prefixed_wide(out, slot.bytes(), is_signed, bits);
  const bool negative = is_signed && slot.integer < 0;
  append_prefixed(out, negative ? 0 - slot.bits : slot.bits, negative, bits);
}

}  // namespace

void TextStyle::member(TextBuffer& out, std::string_view name) {
  columns_ += append_visible_name(out, name);
  put(out, Paint::kFaint, "=");
}

void TextStyle::key(TextBuffer& out, const Slot& slot) {
  columns_ += append_visible_quoted(out, slot.text());
  put(out, Paint::kPlain, ": ");
}

void TextStyle::scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class) {
  if (is_integer(slot.kind)) return integer(out, slot, class_as<IntegerClass>(field_class));
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return put(out, Paint::kPlain, slot.bits != 0 ? "true" : "false");
    case SlotKind::kReal:
      return real(out, slot.real);
    case SlotKind::kWideReal:
      return real(out, nearest_real(slot.bytes()).value);
    case SlotKind::kString:
      palette_.begin(out, Paint::kText);
      columns_ += append_visible_quoted(out, slot.text());
      return palette_.end(out, Paint::kText);
    case SlotKind::kBlob:
      return blob(out, slot.bytes());
    default:
      scratch_.clear();
      scratch_.append("unresolved(");
      append_decimal(scratch_, slot.bits);
      scratch_.append(')');
      return put(out, Paint::kWarning, scratch_.view());
  }
}

void TextStyle::packed(TextBuffer& out, const Slot& slot, const FieldClass* element) {
  put(out, Paint::kPlain, "[");
  for (std::size_t i = 0; i < packed_count(slot); ++i) {
    if (i != 0) separate(out);
    scalar(out, packed_element(slot, i), element);
  }
  put(out, Paint::kPlain, "]");
}

void TextStyle::integer(TextBuffer& out, const Slot& slot, const IntegerClass* integer) {
  if (integer == nullptr) {
    if ((slot.flags & kSlotAddress) != 0) return address(out, slot);
    return number(out, slot, DisplayBase::kDecimal, Paint::kPlain);
  }
  switch (integer->form) {
    case IntegerClass::Form::kEnumeration:
      return labels(out, slot, *integer);
    case IntegerClass::Form::kBitMap:
      return flags(out, slot, *integer);
    case IntegerClass::Form::kBitArray:
      return number(out, slot, DisplayBase::kHexadecimal, Paint::kPlain);
    case IntegerClass::Form::kAddress:
      return address(out, slot);
    case IntegerClass::Form::kNumber:
      return number(out, slot, integer->display_base, Paint::kPlain);
  }
}

// `A|B(3)`, or `?(3)` without a label.
void TextStyle::labels(TextBuffer& out, const Slot& slot, const IntegerClass& integer) {
  const std::optional<Int128> value = integer_value(slot);
  bool any = false;
  palette_.begin(out, Paint::kLabel);
  for (const Mapping& mapping : integer.mappings) {
    if (!has_label(mapping, slot, value)) continue;
    if (any) put(out, Paint::kPlain, "|");
    any = true;
    columns_ += append_visible_name(out, mapping.label);
  }
  if (!any) put(out, Paint::kPlain, "?");
  palette_.end(out, Paint::kLabel);
  put(out, Paint::kPlain, "(");
  number(out, slot, integer.display_base, Paint::kPlain);
  put(out, Paint::kPlain, ")");
}

// `read|write(0x3)`: the labels whose bits are set.
void TextStyle::flags(TextBuffer& out, const Slot& slot, const IntegerClass& integer) {
  bool any = false;
  palette_.begin(out, Paint::kLabel);
  for (const Mapping& mapping : integer.mappings) {
    if (!has_flag(mapping, slot)) continue;
    if (any) put(out, Paint::kPlain, "|");
    any = true;
    columns_ += append_visible_name(out, mapping.label);
  }
  palette_.end(out, Paint::kLabel);
  if (any) put(out, Paint::kPlain, "(");
  number(out, slot, DisplayBase::kHexadecimal, Paint::kPlain);
  if (any) put(out, Paint::kPlain, ")");
}

void TextStyle::number(TextBuffer& out, const Slot& slot, DisplayBase base, Paint paint) {
  scratch_.clear();
  append_integer(scratch_, slot, base);
  put(out, paint, scratch_.view());
  if (slot.name() != 0 && names_ != nullptr) name(out, (*names_)[slot.name()]);
}

void TextStyle::address(TextBuffer& out, const Slot& slot) {
  number(out, slot, DisplayBase::kHexadecimal, Paint::kAddress);
  if (symbols_ == nullptr || slot.kind != SlotKind::kUnsigned) return;
  const std::span<const Function> functions = symbols_->functions_at(slot.bits);
  if (functions.empty()) return;
  put(out, Paint::kPlain, " (");
  for (const Function& each : functions) {
    if (&each != functions.data()) put(out, Paint::kPlain, " < ");
    palette_.begin(out, Paint::kLabel);
    columns_ += append_visible(out, each.name);
    palette_.end(out, Paint::kLabel);
    if (const std::string place = each.place(); !place.empty()) {
      put(out, Paint::kPlain, " ");
      palette_.begin(out, Paint::kFaint);
      columns_ += append_visible(out, place);
      palette_.end(out, Paint::kFaint);
    }
  }
  put(out, Paint::kPlain, ")");
}

void TextStyle::name(TextBuffer& out, std::string_view name) {
  put(out, Paint::kPlain, " (");
  palette_.begin(out, Paint::kLabel);
  columns_ += append_visible(out, name);
  palette_.end(out, Paint::kLabel);
  put(out, Paint::kPlain, ")");
}

void TextStyle::real(TextBuffer& out, double value) {
  if (std::isnan(value)) return put(out, Paint::kPlain, "NaN");
  if (std::isinf(value)) return put(out, Paint::kPlain, value < 0 ? "-Infinity" : "Infinity");
  scratch_.clear();
  append_finite_real(scratch_, value);
  put(out, Paint::kPlain, scratch_.view());
}

void TextStyle::blob(TextBuffer& out, ByteSpan bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  put(out, Paint::kPlain, "<");
  for (const std::uint8_t byte : bytes) {
    char* const at = out.reserve(2);
    at[0] = kDigits[byte >> 4];
    at[1] = kDigits[byte & 0xF];
    out.commit(at + 2);
  }
  columns_ += 2 * bytes.size();
  put(out, Paint::kPlain, ">");
}

}  // namespace tracedeck::render
