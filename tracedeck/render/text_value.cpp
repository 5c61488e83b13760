#include "tracedeck/render/text_value.hpp"

#include <algorithm>
#include <string_view>

#include "tracedeck/base/real.hpp"
#include "tracedeck/model/labels.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

bool is_integer(SlotKind kind) {
  return kind == SlotKind::kUnsigned || kind == SlotKind::kSigned ||
         kind == SlotKind::kWideUnsigned || kind == SlotKind::kWideSigned;
}

// Bits of a digit; 0: decimal.
unsigned digit_bits(DisplayBase base) {
  switch (base) {
    case DisplayBase::kBinary:
      return 1;
    case DisplayBase::kOctal:
      return 3;
    case DisplayBase::kHexadecimal:
      return 4;
    case DisplayBase::kDecimal:
      break;
  }
  return 0;
}

// An integer of up to 64 bits.
char* write_narrow(char* to, const Slot& slot, DisplayBase base) {
  const bool is_signed = slot.kind == SlotKind::kSigned;
  const unsigned bits = digit_bits(base);
  if (bits == 0) return is_signed ? write_decimal(to, slot.integer) : write_decimal(to, slot.bits);
  const bool negative = is_signed && slot.integer < 0;
  return write_prefixed(to, negative ? 0 - slot.bits : slot.bits, negative, bits);
}

// Whether a packed array is one of addresses as they mostly lie there.
bool shows_addresses(const Slot& array, const FieldClass* element) {
  if (array.detail != static_cast<std::uint8_t>(PackedElement::kU64Le)) return false;
  const auto* const integer = class_as<IntegerClass>(element);
  return integer == nullptr ? (array.flags & kSlotAddress) != 0
                            : integer->form == IntegerClass::Form::kAddress;
}

void append_wide(TextBuffer& out, const Slot& slot, DisplayBase base) {
  const bool is_signed = slot.kind == SlotKind::kWideSigned;
  const unsigned bits = digit_bits(base);
  if (bits == 0) return append_wide_decimal(out, slot.bytes(), is_signed);
  append_prefixed_wide(out, slot.bytes(), is_signed, bits);
}

}  // namespace

ValueForm TextStyle::form_of(const FieldClass* field_class, Spelling& spelling) const {
  field_class = present(field_class);
  if (class_as<RealClass>(field_class) != nullptr) return ValueForm::kReal;
  if (class_as<StringClass>(field_class) != nullptr)
    return palette_.color() ? ValueForm::kWalk : ValueForm::kText;
  const auto* const integer = class_as<IntegerClass>(field_class);
  if (integer == nullptr) return ValueForm::kWalk;
  switch (integer->form) {
    case IntegerClass::Form::kEnumeration:
    case IntegerClass::Form::kBitMap:
      return ValueForm::kLabels;
    case IntegerClass::Form::kAddress:
      spelling.is_address = true;
      [[fallthrough]];
    case IntegerClass::Form::kBitArray:
      spelling.base = DisplayBase::kHexadecimal;
      break;
    case IntegerClass::Form::kNumber:
      spelling.base = integer->display_base;
      break;
  }
  return spelling.base == DisplayBase::kDecimal ? ValueForm::kNumber : ValueForm::kInteger;
}

char* TextStyle::write_integer(char* to, const Slot& slot, Spelling spelling) const {
  if (spelling.is_address && (palette_.color() || symbols_ != nullptr)) return nullptr;
  return write_narrow(to, slot, spelling.base);
}

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
    default: {
      TextBuffer text(nullptr, 512);
      text.append("unresolved(");
      append_decimal(text, slot.bits);
      text.append(')');
      return put(out, Paint::kWarning, text.view());
    }
  }
}

void TextStyle::packed(TextBuffer& out, const Slot& slot, const FieldClass* element) {
  const std::size_t count = packed_count(slot);
  const bool bare = shows_addresses(slot, element) && !palette_.color() &&
                    (count == 0 || symbols_ == nullptr || symbols_->empty());
  if (bare) return addresses(out, slot.pointer, count);
  put(out, Paint::kPlain, "[");
  for (std::size_t i = 0; i < count; ++i) {
    begin_part(out, slot.kind, i);
    scalar(out, packed_element(slot, i), element);
  }
  put(out, Paint::kPlain, "]");
}

// An array of addresses that have no names and no colour.
void TextStyle::addresses(TextBuffer& out, const std::uint8_t* from, std::size_t count) {
  constexpr std::size_t kSize = 2 + kHexadecimalSize;
  out.append('[');
  std::size_t columns = 2;
  for (std::size_t i = 0; i < count; ++i) {
    char* const begin = out.reserve(2 + kSize);
    char* at = begin;
    if (i != 0) at = std::ranges::copy(std::string_view(", "), at).out;
    at = std::ranges::copy(std::string_view("0x"), at).out;
    at = write_hexadecimal(at, load_le<std::uint64_t>(from + 8 * i));
    columns += static_cast<std::size_t>(at - begin);
    out.commit(at);
  }
  out.append(']');
  columns_ += columns;
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
  palette_.begin(out, paint);
  if (slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned) {
    char* const at = out.reserve(kPrefixedSize);
    char* const end = write_narrow(at, slot, base);
    out.commit(end);
    columns_ += static_cast<std::size_t>(end - at);
  } else {
    TextBuffer digits(nullptr, 512);
    append_wide(digits, slot, base);
    put(out, Paint::kPlain, digits.view());
  }
  palette_.end(out, paint);
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
  char* const at = out.reserve(kRealSize);
  char* const end = write_finite_real(at, value);
  out.commit(end);
  columns_ += static_cast<std::size_t>(end - at);
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
