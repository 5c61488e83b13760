#include "tracedeck/model/field_class.hpp"

#include <memory>
#include <utility>

namespace tracedeck {
namespace {

struct KindName {
  std::string_view operator()(const BooleanClass&) const { return "boolean"; }
  std::string_view operator()(const IntegerClass& integer) const {
    switch (integer.form) {
      case IntegerClass::Form::kBitArray:
        return "bit-array";
      case IntegerClass::Form::kBitMap:
        return "bit-map";
      case IntegerClass::Form::kAddress:
        return "address";
      case IntegerClass::Form::kEnumeration:
        return integer.is_signed ? "signed-enumeration" : "unsigned-enumeration";
      case IntegerClass::Form::kNumber:
        break;
    }
    return integer.is_signed ? "signed-integer" : "unsigned-integer";
  }
  std::string_view operator()(const RealClass&) const { return "real"; }
  std::string_view operator()(const StringClass&) const { return "string"; }
  std::string_view operator()(const BlobClass&) const { return "blob"; }
  std::string_view operator()(const ArrayClass&) const { return "array"; }
  std::string_view operator()(const StructureClass&) const { return "structure"; }
  std::string_view operator()(const MapClass&) const { return "map"; }
  std::string_view operator()(const OptionalClass&) const { return "optional"; }
  std::string_view operator()(const VariantClass&) const { return "variant"; }
  std::string_view operator()(const DynamicClass&) const { return "dynamic"; }
};

}  // namespace

FieldClassPtr make_field_class(FieldClass::Kind kind) {
  return std::make_shared<const FieldClass>(FieldClass{.kind = std::move(kind)});
}

std::string_view kind_name(const FieldClass& field_class) {
  return std::visit(KindName{}, field_class.kind);
}

}  // namespace tracedeck
