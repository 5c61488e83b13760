#include "tracedeck/value.hpp"

#include <algorithm>

#include "tracedeck/base/real.hpp"
#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck {
namespace {

const FieldClass* class_of(const FieldClassPtr& field_class) { return field_class.get(); }

// The labels of a value that are wanted, at most `most`.
std::vector<std::string_view> labels_of(const Value& value, std::size_t most) {
  std::vector<std::string_view> labels;
  const auto* const integer =
      value.field_class() == nullptr ? nullptr : value.field_class()->as<IntegerClass>();
  if (!value || integer == nullptr) return labels;
  for (const Mapping& mapping : integer->mappings) {
    if (labels.size() == most) break;
    if (stands_for(mapping, *integer, value.slot())) labels.push_back(mapping.label);
  }
  return labels;
}

}  // namespace

void Value::set_compound(const Slot* slot, const FieldClass* field_class) {
  while (slot->kind == SlotKind::kOptional || slot->kind == SlotKind::kVariant) {
    if (slot->kind == SlotKind::kOptional && slot->bits == 0) return;
    field_class = held_class(*slot, field_class);
    ++slot;
  }
  slot_ = *slot;
  inside_ = slot->kind >= kFirstCompound ? slot + 1 : nullptr;
  class_ = field_class;
  there_ = true;
}

Value::Kind Value::kind() const {
  if (!there_) return Kind::kNone;
  switch (slot_.kind) {
    case SlotKind::kBoolean:
      return Kind::kBoolean;
    case SlotKind::kUnsigned:
    case SlotKind::kWideUnsigned:
      return Kind::kUnsigned;
    case SlotKind::kSigned:
    case SlotKind::kWideSigned:
      return Kind::kSigned;
    case SlotKind::kReal:
    case SlotKind::kWideReal:
      return Kind::kReal;
    case SlotKind::kString:
      return Kind::kText;
    case SlotKind::kBlob:
      return Kind::kBytes;
    case SlotKind::kPackedArray:
    case SlotKind::kArray:
      return Kind::kArray;
    case SlotKind::kStructure:
      return Kind::kStructure;
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      return Kind::kMap;
    case SlotKind::kUnresolved:
      return Kind::kUnresolved;
    case SlotKind::kOptional:
    case SlotKind::kVariant:
      break;  // stand for what they hold
  }
  return Kind::kNone;
}

std::optional<Uint128> Value::wide_unsigned() const {
  const ByteSpan bytes = slot_.bytes();
  Uint128 value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    if (i >= sizeof(value) && bytes[i] != 0) return {};
    value = value << 8 | bytes[i];
  }
  return value;
}

std::optional<Int128> Value::wide_integer() const { return integer_value(slot_); }

std::optional<double> Value::real() const {
  switch (slot_.kind) {
    case SlotKind::kReal:
      return slot_.real;
    case SlotKind::kUnsigned:
      return static_cast<double>(slot_.bits);
    case SlotKind::kSigned:
      return static_cast<double>(slot_.integer);
    case SlotKind::kWideReal:
      return nearest_real(slot_.bytes()).value;
    case SlotKind::kWideUnsigned:
      if (const auto value = wide_unsigned()) return static_cast<double>(*value);
      return {};
    case SlotKind::kWideSigned:
      if (const auto value = wide_integer()) return static_cast<double>(*value);
      return {};
    default:
      return {};
  }
}

std::vector<std::string_view> Value::labels() const {
  return labels_of(*this, std::numeric_limits<std::size_t>::max());
}

std::string_view Value::label() const {
  const auto labels = labels_of(*this, 1);
  return labels.empty() ? std::string_view() : labels[0];
}

std::size_t Value::size() const {
  if (!there_) return 0;
  switch (slot_.kind) {
    case SlotKind::kPackedArray:
      return packed_count(slot_);
    case SlotKind::kArray:
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      return static_cast<std::size_t>(slot_.bits);
    case SlotKind::kStructure: {
      std::size_t count = 0;
      for (const Slot* at = inside_; at < inside_ + slot_.length; at = at->next()) ++count;
      return count;
    }
    default:
      return 0;
  }
}

const FieldClass* Value::element_class() const { return tracedeck::element_class(class_); }

Value Value::operator[](std::size_t index) const {
  if (!there_ || (slot_.kind != SlotKind::kPackedArray && slot_.kind != SlotKind::kArray) ||
      index >= size())
    return {};
  if (slot_.kind == SlotKind::kPackedArray)
    return Value(packed_element(slot_, index), element_class());
  const Slot* at = inside_;
  for (std::size_t i = 0; i < index; ++i) at = at->next();
  return {at, element_class()};
}

std::vector<Value::Named> Value::members() const {
  std::vector<Named> named;
  if (!there_) return named;
  const Slot* const end = inside_ == nullptr ? nullptr : inside_ + slot_.length;
  if (slot_.kind == SlotKind::kStructure && class_ != nullptr) {
    const auto* structure = class_->as<StructureClass>();
    const Slot* at = inside_;
    for (std::size_t i = 0; structure != nullptr && i < structure->members.size() && at < end;
         ++i) {
      named.push_back(
          {structure->members[i].name, Value(at, class_of(structure->members[i].field_class))});
      at = at->next();
    }
  } else if (slot_.kind == SlotKind::kStringMap || slot_.kind == SlotKind::kMap) {
    const auto* map = class_ == nullptr ? nullptr : class_->as<MapClass>();
    for (const Slot* at = inside_; at < end; at = at->next()) {
      const Value key(at, map == nullptr ? nullptr : class_of(map->key));
      at = at->next();
      if (const auto name = key.get<std::string_view>())
        named.push_back({*name, Value(at, map == nullptr ? nullptr : class_of(map->value))});
    }
  }
  return named;
}

Value Value::operator[](std::string_view path) const { return at(parse_path(path)); }

Value Value::at(std::span<const PathStep> path) const {
  if (path.empty() || !there_) return *this;
  if (slot_.kind == SlotKind::kPackedArray) return element(path);
  if (inside_ == nullptr) return {};
  const Located found = follow({inside_ - 1, class_}, path);
  if (found.slot == nullptr) return {};
  const Value value(found.slot, found.field_class);
  return path.empty() ? value : value.element(path);
}

// The element of a packed array that a path of one index leads to.
Value Value::element(std::span<const PathStep> path) const {
  if (path.size() != 1 || path.front().kind != PathStep::Kind::kIndex) return {};
  const auto index = element_index(path.front().index, size());
  return index ? (*this)[*index] : Value();
}

Value::Iterator Value::begin() const {
  const bool packed = there_ && slot_.kind == SlotKind::kPackedArray;
  const bool array = there_ && slot_.kind == SlotKind::kArray;
  return packed || array ? Iterator(slot_, array ? inside_ : nullptr, element_class(), 0)
                         : Iterator();
}

Value::Iterator Value::end() const {
  const bool elements =
      there_ && (slot_.kind == SlotKind::kPackedArray || slot_.kind == SlotKind::kArray);
  return elements ? Iterator(slot_, nullptr, nullptr, size()) : Iterator();
}

Value Value::Iterator::operator*() const {
  if (at_ == nullptr) return Value(packed_element(array_, index_), element_);
  return {at_, element_};
}

}  // namespace tracedeck
