#include "tracedeck/model/packed_elements.hpp"

#include <cstdint>
#include <variant>

namespace tracedeck {
namespace {

std::optional<PackedElement> packed_integer(std::uint32_t width, bool is_signed, ByteOrder order) {
  const bool big = order == ByteOrder::kBig;
  switch (width) {
    case 8:
      return is_signed ? PackedElement::kI8 : PackedElement::kU8;
    case 16:
      return is_signed ? (big ? PackedElement::kI16Be : PackedElement::kI16Le)
                       : (big ? PackedElement::kU16Be : PackedElement::kU16Le);
    case 32:
      return is_signed ? (big ? PackedElement::kI32Be : PackedElement::kI32Le)
                       : (big ? PackedElement::kU32Be : PackedElement::kU32Le);
    case 64:
      return is_signed ? (big ? PackedElement::kI64Be : PackedElement::kI64Le)
                       : (big ? PackedElement::kU64Be : PackedElement::kU64Le);
    default:
      return {};
  }
}

}  // namespace

std::optional<PackedElement> packed_element_of(const FieldClass& element) {
  const FixedLayout* layout = nullptr;
  const auto* const integer = element.as<IntegerClass>();
  const auto* const real = element.as<RealClass>();
  if (integer != nullptr) layout = std::get_if<FixedLayout>(&integer->layout);
  if (real != nullptr) layout = &real->layout;
  if (layout == nullptr || layout->reversed || layout->width % element.alignment != 0) return {};
  if (integer != nullptr)
    return packed_integer(layout->width, integer->is_signed, layout->byte_order);
  const bool big = layout->byte_order == ByteOrder::kBig;
  if (layout->width == 32) return big ? PackedElement::kF32Be : PackedElement::kF32Le;
  if (layout->width == 64) return big ? PackedElement::kF64Be : PackedElement::kF64Le;
  return {};
}

}  // namespace tracedeck
