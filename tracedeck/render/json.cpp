#include "tracedeck/render/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tracedeck/base/real.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/model/labels.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/plain_characters.hpp"

namespace tracedeck::render {
namespace {

void append_literal(TextBuffer& out, std::string_view text) { out.append(text); }

// Whether a double would round the integer that `slot` is.
bool is_large_integer(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kUnsigned:
      return slot.bits > kLargestExactInteger;
    case SlotKind::kSigned:
      return slot.integer > static_cast<std::int64_t>(kLargestExactInteger) ||
             slot.integer < -static_cast<std::int64_t>(kLargestExactInteger);
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
      return true;
    default:
      return false;
  }
}

// Appends `count` values that `write_one(to, index)` writes into room of `size` each, as an array.
template <class WriteOne>
void append_array(TextBuffer& out, std::size_t count, std::size_t size, WriteOne write_one) {
  out.append('[');
  for (std::size_t i = 0; i < count; ++i) {
    char* at = out.reserve(size + 1);
    if (i != 0) *at++ = ',';
    out.commit(write_one(at, i));
  }
  out.append(']');
}

}  // namespace

ValueForm JsonStyle::form_of(const FieldClass* field_class, Spelling&) {
  field_class = present(field_class);
  if (as_enumeration(field_class) != nullptr) return ValueForm::kLabels;
  if (class_as<IntegerClass>(field_class) != nullptr) return ValueForm::kNumber;
  if (class_as<RealClass>(field_class) != nullptr) return ValueForm::kReal;
  return class_as<StringClass>(field_class) != nullptr ? ValueForm::kText : ValueForm::kWalk;
}

void JsonStyle::scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class) {
  const IntegerClass* const enumeration = as_enumeration(field_class);
  if (enumeration == nullptr) return plain(out, slot);
  out.append("{\"value\":");
  plain(out, slot);
  out.append(",\"labels\":[");
  const std::optional<Int128> value = integer_value(slot);
  bool first = true;
  for (const Mapping& mapping : enumeration->mappings) {
    if (!has_label(mapping, slot, value)) continue;
    if (!first) out.append(',');
    first = false;
    string(out, mapping.label);
  }
  out.append("]}");
}

void JsonStyle::plain(TextBuffer& out, const Slot& slot) {
  if (is_large_integer(slot)) [[unlikely]] {
    if (large_as_strings_) return quoted(out, slot);
    ++faults_.large_numbers;
  }
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return append_literal(out, slot.bits != 0 ? "true" : "false");
    case SlotKind::kUnsigned:
      return append_decimal(out, slot.bits);
    case SlotKind::kSigned:
      return append_decimal(out, slot.integer);
    case SlotKind::kReal:
      return append_json_real(out, slot.real);
    case SlotKind::kString:
      return string(out, slot.text());
    case SlotKind::kBlob:
      return append_json_base64(out, slot.bytes());
    case SlotKind::kWideUnsigned:
      return append_wide_decimal(out, slot.bytes(), false);
    case SlotKind::kWideSigned:
      return append_wide_decimal(out, slot.bytes(), true);
    case SlotKind::kWideReal: {
      const NearestReal nearest = nearest_real(slot.bytes());
      if (!nearest.exact) ++faults_.rounded_reals;
      return append_json_real(out, nearest.value);
    }
    default:
      out.append("{\"unresolved\":");
      append_decimal(out, slot.bits);
      out.append('}');
  }
}

void JsonStyle::quoted(TextBuffer& out, const Slot& slot) {
  out.append('"');
  JsonStyle().plain(out, slot);
  out.append('"');
}

void JsonStyle::packed(TextBuffer& out, const Slot& slot, const FieldClass* element) {
  const std::size_t count = packed_count(slot);
  if (!large_as_strings_ && as_enumeration(element) == nullptr &&
      slot.detail == static_cast<std::uint8_t>(PackedElement::kU64Le)) {
    return append_array(out, count, kIntegerSize, [&](char* to, std::size_t i) {
      const auto value = load_le<std::uint64_t>(slot.pointer + 8 * i);
      faults_.large_numbers += value > kLargestExactInteger ? 1 : 0;
      return write_decimal(to, value);
    });
  }
  out.append('[');
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out.append(',');
    scalar(out, packed_element(slot, i), element);
  }
  out.append(']');
}

}  // namespace tracedeck::render
