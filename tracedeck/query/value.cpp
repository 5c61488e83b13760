#include "tracedeck/query/value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tracedeck/base/real.hpp"
#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck::query {
namespace {

using Kind = Value::Kind;

constexpr std::size_t kIntegerBytes = sizeof(Uint128);

ByteSpan without_zeros(ByteSpan little_endian) {
  while (!little_endian.empty() && little_endian.back() == 0)
    little_endian = little_endian.first(little_endian.size() - 1);
  return little_endian;
}

Uint128 load(ByteSpan little_endian) {
  Uint128 value = 0;
  for (std::size_t i = little_endian.size(); i-- > 0;) value = value << 8 | little_endian[i];
  return value;
}

// Whether a label, or flag, of the class stands for the value.
bool stands_for(const Mapping& mapping, const Value& value) {
  const bool is_wide = value.kind == Kind::kWide;
  if (value.labels->form != IntegerClass::Form::kBitMap)
    return !is_wide && mapping.ranges.contains(value.integer);
  const std::size_t bits = 8 * (is_wide ? std::size_t{value.slot->length} : kIntegerBytes);
  const auto is_set = [&](std::size_t bit) {
    return is_wide ? (value.slot->bytes()[bit / 8] >> bit % 8 & 1) != 0
                   : (value.integer.magnitude >> bit & 1) != 0;
  };
  for (const IntegerRange& range : mapping.ranges) {
    if (range.upper < 0) continue;
    const auto end = static_cast<std::size_t>(std::min<Integer>(range.upper, bits - 1)) + 1;
    for (auto bit = static_cast<std::size_t>(std::clamp<Integer>(range.lower, 0, end)); bit < end;
         ++bit) {
      if (is_set(bit)) return true;
    }
  }
  return false;
}

// A wide integer, as one of 128 bits where those are enough.
Value wide_value(const Slot& slot) {
  const bool negative =
      slot.kind == SlotKind::kWideSigned && slot.length > 0 && (slot.bytes().back() & 0x80U) != 0;
  if (!negative) {
    const ByteSpan bytes = without_zeros(slot.bytes());
    if (bytes.size() <= kIntegerBytes) return Value::of(Integer::of(load(bytes), false));
    return {.kind = Kind::kWide, .slot = &slot};
  }
  // The magnitude is that of the complement, plus one.
  ByteSpan bytes = slot.bytes();
  while (!bytes.empty() && bytes.back() == 0xFF) bytes = bytes.first(bytes.size() - 1);
  if (bytes.size() > kIntegerBytes) return {.kind = Kind::kWide, .slot = &slot};
  Uint128 complement = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    complement = complement << 8 | static_cast<std::uint8_t>(~bytes[i]);
  if (complement == ~Uint128{0}) return {.kind = Kind::kWide, .slot = &slot};
  return Value::of(Integer::of(complement + 1, true));
}

Value integer_of(const Slot& slot) {
  return Value::of(slot.kind == SlotKind::kSigned ? Integer::from_signed(slot.integer)
                                                  : Integer::from(slot.bits));
}

bool is_negative(const Value& wide) {
  return wide.slot->kind == SlotKind::kWideSigned && (wide.slot->bytes().back() & 0x80U) != 0;
}

std::strong_ordering compare_wide(const Value& a, const Value& b) {
  const bool negative = is_negative(a);
  if (negative != is_negative(b))
    return negative ? std::strong_ordering::less : std::strong_ordering::greater;
  // Of the same sign, two's complement compares as the bits do, once both are of one length.
  const std::uint8_t filling = negative ? 0xFF : 0;
  const ByteSpan x = a.slot->bytes();
  const ByteSpan y = b.slot->bytes();
  for (std::size_t i = std::max(x.size(), y.size()); i-- > 0;) {
    const std::uint8_t left = i < x.size() ? x[i] : filling;
    const std::uint8_t right = i < y.size() ? y[i] : filling;
    if (left != right) return left <=> right;
  }
  return std::strong_ordering::equal;
}

// What a number is for arithmetic.
std::optional<double> real_of(const Value& value) {
  if (value.kind == Kind::kReal) return value.real;
  if (value.kind == Kind::kInteger) return value.integer.to_real();
  return std::nullopt;
}

// A boolean beside a number counts as 0 or 1.
Value as_number(const Value& value) {
  return value.kind == Kind::kBoolean ? Value::of(std::uint64_t{value.boolean ? 1U : 0U}) : value;
}

std::optional<std::partial_ordering> compare_numbers(const Value& a, const Value& b) {
  if (a.kind == Kind::kInteger && b.kind == Kind::kInteger) return a.integer <=> b.integer;
  if (a.kind == Kind::kReal && b.kind == Kind::kReal) return a.real <=> b.real;
  if (a.kind == Kind::kInteger && b.kind == Kind::kReal) return compare(a.integer, b.real);
  if (a.kind == Kind::kReal && b.kind == Kind::kInteger) return 0 <=> compare(b.integer, a.real);
  if (a.kind == Kind::kWide && b.kind == Kind::kWide) return compare_wide(a, b);
  // Nothing of 128 bits is as far from 0.
  if (a.kind == Kind::kWide && b.kind == Kind::kInteger)
    return is_negative(a) ? std::partial_ordering::less : std::partial_ordering::greater;
  if (a.kind == Kind::kInteger && b.kind == Kind::kWide)
    return is_negative(b) ? std::partial_ordering::greater : std::partial_ordering::less;
  return std::nullopt;
}

using IntegerOperation = std::optional<Integer> (*)(const Integer&, const Integer&);

IntegerOperation integer_operation(Operator operation) {
  switch (operation) {
    case Operator::kAdd:
      return add;
    case Operator::kSubtract:
      return subtract;
    case Operator::kMultiply:
      return multiply;
    case Operator::kDivide:
      return divide;
    case Operator::kRemainder:
      return remainder;
    case Operator::kBitAnd:
      return bit_and;
    case Operator::kBitOr:
      return bit_or;
    case Operator::kBitXor:
      return bit_xor;
    case Operator::kShiftLeft:
      return shift_left;
    case Operator::kShiftRight:
      return shift_right;
    default:
      return nullptr;
  }
}

Value apply_to_reals(Operator operation, double a, double b) {
  switch (operation) {
    case Operator::kAdd:
      return Value::of(a + b);
    case Operator::kSubtract:
      return Value::of(a - b);
    case Operator::kMultiply:
      return Value::of(a * b);
    case Operator::kDivide:
      return b == 0 ? Value{} : Value::of(a / b);
    case Operator::kRemainder:
      return b == 0 ? Value{} : Value::of(std::fmod(a, b));
    default:
      return {};
  }
}

std::uint64_t length_of(const Value& value) {
  if (value.kind != Kind::kCompound) return value.text.size();
  if (value.slot->kind == SlotKind::kPackedArray) return packed_count(*value.slot);
  if (value.slot->kind != SlotKind::kStructure) return value.slot->bits;
  std::uint64_t members = 0;
  for (const Slot* slot = value.slot + 1; slot < value.slot->next(); slot = slot->next()) ++members;
  return members;
}

}  // namespace

Value value_of(const Slot* slot, const FieldClass* field_class, const ValueNames* names) {
  while (slot->kind == SlotKind::kOptional || slot->kind == SlotKind::kVariant) {
    if (slot->kind == SlotKind::kOptional && slot->bits == 0) return {};
    field_class = held_class(*slot, field_class);
    ++slot;
  }
  const auto* const integer = field_class == nullptr ? nullptr : field_class->as<IntegerClass>();
  const auto with_labels = [&](Value value) {
    if (integer == nullptr) return value;
    if (gives_labels(*integer)) value.labels = integer;
    value.is_hexadecimal = integer->display_base == DisplayBase::kHexadecimal ||
                           integer->form == IntegerClass::Form::kAddress;
    return value;
  };
  switch (slot->kind) {
    case SlotKind::kBoolean:
      return Value::of(slot->bits != 0);
    case SlotKind::kUnsigned:
    case SlotKind::kSigned: {
      Value value = with_labels(integer_of(*slot));
      if (slot->name() != 0 && names != nullptr) {
        value.has_name = true;
        value.text = (*names)[slot->name()];
      }
      return value;
    }
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
      return with_labels(wide_value(*slot));
    case SlotKind::kReal:
      return Value::of(slot->real);
    case SlotKind::kWideReal:
      return Value::of(nearest_real(slot->bytes()).value);
    case SlotKind::kString:
      return Value::of(slot->text());
    case SlotKind::kBlob:
      return {.kind = Kind::kBlob, .text = slot->text()};
    case SlotKind::kUnresolved:
      return {};
    default:
      return {.kind = Kind::kCompound, .slot = slot, .field_class = field_class};
  }
}

std::optional<bool> any_text(const Value& value,
                             const std::function<bool(std::string_view)>& visit) {
  if (value.is_text())
    return visit(value.text) ||
           (value.names != nullptr && std::ranges::any_of(*value.names, visit)) ||
           std::ranges::any_of(value.functions, visit, &Function::name);
  if (value.kind != Kind::kInteger && value.kind != Kind::kWide) return std::nullopt;
  if (value.labels != nullptr) {
    return std::ranges::any_of(value.labels->mappings, [&](const Mapping& mapping) {
      return stands_for(mapping, value) && visit(mapping.label);
    });
  }
  if (value.names != nullptr && !value.names->empty())
    return std::ranges::any_of(*value.names, visit);
  if (value.has_name) return visit(value.text);
  return std::nullopt;
}

std::optional<std::partial_ordering> compare(const Value& a, const Value& b) {
  if (a.is_text() && b.is_text()) return a.text.compare(b.text) <=> 0;
  return compare_numbers(as_number(a), as_number(b));
}

std::optional<bool> equals(const Value& a, const Value& b) {
  const auto is = [](const Value& value, std::string_view text) {
    return any_text(value, [&](std::string_view each) { return each == text; });
  };
  const bool a_is_several = a.names != nullptr || !a.functions.empty();
  const bool b_is_several = b.names != nullptr || !b.functions.empty();
  if (a.is_text() && b.is_text() && a_is_several != b_is_several)
    return a_is_several ? is(a, b.text) : is(b, a.text);
  if (const auto order = compare(a, b)) return *order == 0;
  if (a.is_text()) return is(b, a.text);
  if (b.is_text()) return is(a, b.text);
  return std::nullopt;
}

Value apply(Operator operation, const Value& a) {
  switch (operation) {
    case Operator::kNegate:
      if (a.kind == Kind::kInteger)
        return Value::of(Integer::of(a.integer.magnitude, !a.integer.negative));
      return a.kind == Kind::kReal ? Value::of(-a.real) : Value{};
    case Operator::kAbsolute:
      if (a.kind == Kind::kInteger) return Value::of(Integer::of(a.integer.magnitude, false));
      return a.kind == Kind::kReal ? Value::of(std::fabs(a.real)) : Value{};
    case Operator::kComplement:
      return a.kind == Kind::kInteger ? Value::of(complement(a.integer)) : Value{};
    case Operator::kLength:
      if (a.kind != Kind::kCompound && !a.is_text()) return {};
      return Value::of(length_of(a));
    case Operator::kLabel: {
      if (a.is_text()) return {};
      std::optional<std::string_view> first;
      (void)any_text(a, [&](std::string_view text) {
        first = text;
        return true;
      });
      return first ? Value::of(*first) : Value{};
    }
    default:
      return {};
  }
}

Value apply(Operator operation, const Value& a, const Value& b) {
  switch (operation) {
    case Operator::kEqual:
      return Value::of(equals(a, b));
    case Operator::kNotEqual: {
      const auto equal = equals(a, b);
      return equal ? Value::of(!*equal) : Value{};
    }
    case Operator::kLess:
    case Operator::kLessOrEqual:
    case Operator::kGreater:
    case Operator::kGreaterOrEqual: {
      const auto order = compare(a, b);
      if (!order) return {};
      return Value::of(operation == Operator::kLess          ? *order < 0
                       : operation == Operator::kLessOrEqual ? *order <= 0
                       : operation == Operator::kGreater     ? *order > 0
                                                             : *order >= 0);
    }
    case Operator::kContains:
      if (a.is_text() && a.functions.empty())
        return Value::of(any_text(b, [&](std::string_view part) { return a.text.contains(part); }));
      if (!b.is_text()) return {};
      return Value::of(any_text(a, [&](std::string_view text) { return text.contains(b.text); }));
    default:
      break;
  }
  if (a.kind == Kind::kInteger && b.kind == Kind::kInteger) {
    const IntegerOperation on_integers = integer_operation(operation);
    return on_integers == nullptr ? Value{} : Value::of(on_integers(a.integer, b.integer));
  }
  const auto x = real_of(a);
  const auto y = real_of(b);
  return x && y ? apply_to_reals(operation, *x, *y) : Value{};
}

}  // namespace tracedeck::query
