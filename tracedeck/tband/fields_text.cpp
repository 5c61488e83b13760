#include "tracedeck/tband/fields_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "tracedeck/base/real.hpp"

namespace tracedeck::tband {
namespace {

template <class Class>
const Class* class_as(const FieldClass* field_class) {
  return field_class == nullptr ? nullptr : field_class->as<Class>();
}

void append_real(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

// The bytes as digits; of integers the last byte first.
void append_hexadecimal(std::string& out, ByteSpan bytes, bool reversed) {
  out += '"';
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint8_t byte = bytes[reversed ? bytes.size() - 1 - i : i];
    fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  }
  out += '"';
}

class Walk {
 public:
  explicit Walk(std::string& out) : out_(out) {}

  const Slot* value(const Slot* slot, const FieldClass* field_class, int depth) {
    switch (slot->kind) {
      case SlotKind::kOptional:
      case SlotKind::kVariant:
        return chosen(slot, field_class, depth);
      case SlotKind::kArray:
      case SlotKind::kStructure:
      case SlotKind::kStringMap:
      case SlotKind::kMap:
        return compound(slot, field_class, depth);
      case SlotKind::kPackedArray:
        packed(*slot);
        return slot + 1;
      default:
        scalar(*slot);
        return slot + 1;
    }
  }

  void members(const Slot* slot, const Slot* end, const StructureClass* structure, int depth) {
    for (std::size_t i = 0; slot < end; ++i) {
      if (i != 0) out_ += ',';
      const Member* const member =
          structure != nullptr && i < structure->members.size() ? &structure->members[i] : nullptr;
      append_text(out_, member == nullptr ? std::string_view() : member->name.view());
      out_ += ':';
      slot = value(slot, member == nullptr ? nullptr : member->field_class.get(), depth);
    }
  }

 private:
  const Slot* chosen(const Slot* slot, const FieldClass* field_class, int depth) {
    const bool absent = slot->kind == SlotKind::kOptional && slot->bits == 0;
    if (absent || depth >= kDeepest) {
      out_ += "null";
      return slot->next();
    }
    const FieldClass* of = nullptr;
    if (const auto* const optional = class_as<OptionalClass>(field_class)) {
      of = optional->value.get();
    } else if (const auto* const variant = class_as<VariantClass>(field_class);
               variant != nullptr && slot->bits < variant->options.size()) {
      of = variant->options[slot->bits].field_class.get();
    }
    return value(slot + 1, of, depth + 1);
  }

  const Slot* compound(const Slot* slot, const FieldClass* field_class, int depth) {
    const Slot* const end = slot->next();
    if (depth >= kDeepest) {
      out_ += "null";
      return end;
    }
    const bool object = slot->kind == SlotKind::kStructure || slot->kind == SlotKind::kStringMap;
    out_ += object ? '{' : '[';
    if (slot->kind == SlotKind::kStructure) {
      members(slot + 1, end, class_as<StructureClass>(field_class), depth + 1);
    } else if (slot->kind == SlotKind::kArray) {
      const auto* const array = class_as<ArrayClass>(field_class);
      elements(slot + 1, end, array == nullptr ? nullptr : array->element.get(), depth + 1);
    } else {
      pairs(slot + 1, end, class_as<MapClass>(field_class), object, depth + 1);
    }
    out_ += object ? '}' : ']';
    return end;
  }

  void elements(const Slot* slot, const Slot* end, const FieldClass* element, int depth) {
    for (bool first = true; slot < end; first = false) {
      if (!first) out_ += ',';
      slot = value(slot, element, depth);
    }
  }

  void pairs(const Slot* slot, const Slot* end, const MapClass* map, bool object, int depth) {
    for (bool first = true; slot < end; first = false) {
      if (!first) out_ += ',';
      if (!object) out_ += '[';
      slot = value(slot, map == nullptr ? nullptr : map->key.get(), depth);
      out_ += object ? ':' : ',';
      slot = value(slot, map == nullptr ? nullptr : map->value.get(), depth);
      if (!object) out_ += ']';
    }
  }

  void packed(const Slot& array) {
    out_ += '[';
    for (std::size_t i = 0; i < packed_count(array); ++i) {
      if (i != 0) out_ += ',';
      scalar(packed_element(array, i));
    }
    out_ += ']';
  }

  void scalar(const Slot& slot) {
    switch (slot.kind) {
      case SlotKind::kBoolean:
        out_ += slot.bits != 0 ? "true" : "false";
        break;
      case SlotKind::kUnsigned:
        fmt::format_to(std::back_inserter(out_), "{}", slot.bits);
        break;
      case SlotKind::kSigned:
        fmt::format_to(std::back_inserter(out_), "{}", slot.integer);
        break;
      case SlotKind::kReal:
        append_real(out_, slot.real);
        break;
      case SlotKind::kWideReal:
        append_real(out_, nearest_real(slot.bytes()).value);
        break;
      case SlotKind::kString:
        append_text(out_, slot.text());
        break;
      case SlotKind::kBlob:
        append_hexadecimal(out_, slot.bytes(), false);
        break;
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
        append_hexadecimal(out_, slot.bytes(), true);
        break;
      default:
        fmt::format_to(std::back_inserter(out_), "{{\"unresolved\":{}}}", slot.bits);
        break;
    }
  }

  std::string& out_;
};

}  // namespace

void append_members(std::string& out, std::span<const Slot> slots, const FieldClass* structure) {
  Walk(out).members(slots.data(), slots.data() + slots.size(), class_as<StructureClass>(structure),
                    0);
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char character : text) {
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
    } else {
      out += character;
    }
  }
  out += '"';
}

}  // namespace tracedeck::tband
