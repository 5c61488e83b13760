#include "tracedeck/ctf/write/dynamic_options.hpp"

namespace tracedeck::ctf {
namespace {

enum class Option : std::uint8_t {
  kBoolean,
  kU8,
  kU16,
  kU32,
  kU64,
  kI64,
  kReal,
  kText,
  kBytes,
  kAddresses,
  kList,
  kMap,
  kAbsent,
};

FieldClassPtr unsigned_class(std::uint32_t width, DisplayBase base = DisplayBase::kDecimal) {
  FieldClass made{.kind =
                      IntegerClass{.layout = FixedLayout{.width = width}, .display_base = base}};
  made.alignment = 8;
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr aligned(FieldClass::Kind kind) {
  FieldClass made{.kind = std::move(kind)};
  made.alignment = 8;
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr make_class() {
  const FieldClassPtr address = unsigned_class(64, DisplayBase::kHexadecimal);
  VariantClass variant;
  const auto add = [&](std::string_view name, FieldClassPtr field_class) {
    variant.options.push_back(
        {.name = name, .field_class = std::move(field_class), .ranges = {}, .attributes = {}});
  };
  // In the order of `Option`.
  add("boolean", aligned(BooleanClass{}));
  add("u8", unsigned_class(8));
  add("u16", unsigned_class(16));
  add("u32", unsigned_class(32));
  add("u64", unsigned_class(64));
  add("i64", aligned(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}}));
  add("real", aligned(RealClass{}));
  add("text", make_field_class(StringClass{.extent = LengthPrefixed{}}));
  add("bytes", make_field_class(BlobClass{.extent = LengthPrefixed{}}));
  add("addresses", make_field_class(ArrayClass{.element = address, .extent = LengthPrefixed{}}));
  add("list", unsigned_class(32));
  add("map", unsigned_class(32));
  add("absent", make_field_class(StructureClass{}));
  return make_field_class(std::move(variant));
}

Option unsigned_option(const Slot& slot) {
  if (slot.detail == 8) return Option::kU8;
  if (slot.detail == 16) return Option::kU16;
  return slot.detail == 32 ? Option::kU32 : Option::kU64;
}

Option option_of(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return Option::kBoolean;
    case SlotKind::kUnsigned:
      return unsigned_option(slot);
    case SlotKind::kSigned:
      return Option::kI64;
    case SlotKind::kReal:
      return Option::kReal;
    case SlotKind::kString:
      return Option::kText;
    case SlotKind::kBlob:
      return Option::kBytes;
    case SlotKind::kPackedArray:
      return Option::kAddresses;
    case SlotKind::kArray:
      return Option::kList;
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      return Option::kMap;
    default:
      return Option::kAbsent;
  }
}

}  // namespace

FieldClassPtr dynamic_node_class() {
  static const FieldClassPtr kClass = make_class();
  return kClass;
}

std::array<Slot, 2> dynamic_slots(const Slot& slot) {
  const Option option = option_of(slot);
  Slot value = slot;
  if (option == Option::kList || option == Option::kMap) value = unsigned_slot(slot.bits);
  if (option == Option::kAbsent) value = head_slot(SlotKind::kStructure, 0, 0);
  return {head_slot(SlotKind::kVariant, static_cast<std::uint64_t>(option), 1), value};
}

}  // namespace tracedeck::ctf
