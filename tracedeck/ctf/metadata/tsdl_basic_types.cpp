// Integers, floating point numbers, strings and enumerations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/metadata/range_set.hpp"
#include "tracedeck/ctf/metadata/tsdl_types.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

// Bits of an integer, and of a real.
constexpr std::uint64_t kMostBits = 65'536;

enum IntegerAttribute : std::size_t {
  kSigned,
  kIntegerByteOrder,
  kSize,
  kIntegerAlign,
  kBase,
  kIntegerEncoding,
  kMap,
};
constexpr std::array<KnownAttribute, 7> kIntegerAttributes = {
    {{"signed"}, {"byte_order"}, {"size"}, {"align"}, {"base"}, {"encoding"}, {"map"}}};

enum RealAttribute : std::size_t { kExponent, kMantissa, kRealByteOrder, kRealAlign };
constexpr std::array<KnownAttribute, 4> kRealAttributes = {
    {{"exp_dig"}, {"mant_dig"}, {"byte_order"}, {"align"}}};

constexpr std::array<KnownAttribute, 1> kStringAttributes = {{{"encoding"}}};

// Bits of the exponent of an interchange format of IEEE 754 with `width` bits; 0: there is none.
std::uint64_t exponent_bits(std::uint64_t width) {
  switch (width) {
    case 16:
      return 5;
    case 32:
      return 8;
    case 64:
      return 11;
    case 128:
      return 15;
    default:
      break;
  }
  if (width < 128 || width % 32 != 0 || width > kMostBits) return 0;
  return static_cast<std::uint64_t>(std::lround(4 * std::log2(static_cast<double>(width)))) - 13;
}

}  // namespace

TypeBuilder::Built TypeBuilder::integer_class(const TypeSpecifier& type) {
  const AttributeSet given(type.attributes, kIntegerAttributes, "an integer", findings_);
  IntegerClass integer;
  FixedLayout layout{.width = 0, .byte_order = native_};
  NodeInfo info{.place = type.place};
  std::uint32_t alignment = 0;
  bool valid = true;
  // Whether an attribute is there; what it says goes where it belongs, if it is sound.
  const auto take = [&](std::size_t index, const auto& read, auto& into) {
    const Expression* const value = given.value(index);
    if (value == nullptr) return;
    const auto result = read(*value);
    valid = valid && result.has_value();
    if (result) into = *result;
  };
  using From = const Expression&;
  std::uint64_t size = 0;
  take(
      kSize,
      [&](From from) {
        return values_.number(from, "the size of an integer", 1, kMostBits, TsdlRule::kInteger);
      },
      size);
  take(kSigned, [&](From from) { return values_.boolean(from, "`signed`"); }, integer.is_signed);
  take(
      kIntegerByteOrder, [&](From from) { return values_.byte_order(from, native_); },
      layout.byte_order);
  take(kIntegerAlign, [&](From from) { return values_.alignment(from); }, alignment);
  take(kBase, [&](From from) { return values_.base(from); }, integer.display_base);
  take(kIntegerEncoding, [&](From from) { return values_.encoding(from); }, info.is_character);
  take(kMap, [&](From from) { return values_.mapped_clock(from); }, info.clock);
  if (given.value(kSize) == nullptr) {
    findings_.report(TsdlRule::kAttributeMissing, type.place,
                     "this integer has no `size`; one is always needed");
    return {};
  }
  if (!valid) return {};
  layout.width = static_cast<std::uint32_t>(size);
  integer.layout = layout;
  if (alignment == 0) alignment = size % 8 == 0 ? 8 : 1;
  return {.field_class = add_node({.kind = std::move(integer), .alignment = alignment}, info)};
}

TypeBuilder::Built TypeBuilder::real_class(const TypeSpecifier& type) {
  const AttributeSet given(type.attributes, kRealAttributes, "a floating point number", findings_);
  const Expression* const exponent = given.value(kExponent);
  const Expression* const mantissa = given.value(kMantissa);
  if (exponent == nullptr || mantissa == nullptr) {
    findings_.report(TsdlRule::kAttributeMissing, type.place,
                     "this floating point number lacks `exp_dig` or `mant_dig`");
    return {};
  }
  const auto exponent_digits =
      values_.number(*exponent, "`exp_dig`", 1, kMostBits, TsdlRule::kReal);
  const auto mantissa_digits =
      values_.number(*mantissa, "`mant_dig`", 1, kMostBits, TsdlRule::kReal);
  std::optional<ByteOrder> order = native_;
  std::optional<std::uint32_t> alignment = 8;
  if (const Expression* const value = given.value(kRealByteOrder))
    order = values_.byte_order(*value, native_);
  if (const Expression* const value = given.value(kRealAlign))
    alignment = values_.alignment(*value);
  if (!exponent_digits || !mantissa_digits || !order || !alignment) return {};
  const std::uint64_t width = *exponent_digits + *mantissa_digits;
  if (exponent_bits(width) != *exponent_digits) {
    findings_.report(
        TsdlRule::kReal, type.place,
        fmt::format("`exp_dig` {} and `mant_dig` {} are no interchange format; 5 and 11, 8 and 24, "
                    "11 and 53, 15 and 113 or a wider one was expected",
                    *exponent_digits, *mantissa_digits));
    return {};
  }
  const RealClass real{
      .layout = {.width = static_cast<std::uint32_t>(width), .byte_order = *order}};
  return {.field_class = add_node({.kind = real, .alignment = *alignment}, {.place = type.place})};
}

TypeBuilder::Built TypeBuilder::string_class(const TypeSpecifier& type) {
  const AttributeSet given(type.attributes, kStringAttributes, "a string", findings_);
  if (const Expression* const encoding = given.value(0))
    if (!values_.encoding(*encoding)) return {};
  return {.field_class = add_node({.kind = StringClass{}, .alignment = 8}, {.place = type.place})};
}

TypeBuilder::Built TypeBuilder::enumeration_class(const TypeSpecifier& type, const Site& site) {
  Built container;
  if (type.container != nullptr) {
    container = type_class(*type.container, site);
  } else if (TypeEntry* const entry = find_entry("int", "int", type.place, site)) {
    container = entry_class(*entry, site);
  }
  auto labels = mappings(type);
  if (container.field_class == nullptr || !labels) return {};
  const auto* const integer = container.field_class->as<IntegerClass>();
  if (integer == nullptr || integer->form != IntegerClass::Form::kNumber) {
    findings_.report(TsdlRule::kEnumeration, type.place,
                     fmt::format("this enumeration has a container of class {}; an integer was "
                                 "expected",
                                 kind_name(*container.field_class)));
    return {};
  }
  FieldClass enumeration = *container.field_class;
  auto& made = std::get<IntegerClass>(enumeration.kind);
  made.form = IntegerClass::Form::kEnumeration;
  made.mappings = std::move(*labels);
  check_ranges(type, made);
  NodeInfo info{.place = type.place, .clock = nodes_.info(container.field_class.get()).clock};
  if (!spend(type.enumerators->size(), type.place)) return {};
  container.field_class = add_node(std::move(enumeration), std::move(info));
  return container;
}

// Values that the integer cannot have are labels that no field gets.
void TypeBuilder::check_ranges(const TypeSpecifier& type, const IntegerClass& integer) {
  const auto& layout = std::get<FixedLayout>(integer.layout);
  for (const Mapping& mapping : integer.mappings) {
    for (const IntegerRange& range : mapping.ranges) {
      if (holds(layout, integer.is_signed, range)) continue;
      const auto at = std::ranges::find(*type.enumerators, mapping.label, &Enumerator::label);
      findings_.report(
          TsdlRule::kEnumerationRange, at->place,
          fmt::format("label `{}` stands for {} to {}, which {} integer of {} bits "
                      "does not hold",
                      mapping.label.view(), range.lower.to_string(), range.upper.to_string(),
                      integer.is_signed ? "a signed" : "an unsigned", layout.width));
      break;
    }
  }
}

std::optional<std::vector<Mapping>> TypeBuilder::mappings(const TypeSpecifier& type) {
  std::vector<Mapping> result;
  NameIndex by_label;
  const auto label_of = [&](std::size_t index) { return result[index].label.view(); };
  bool valid = !type.enumerators->empty();
  if (!valid)
    findings_.report(TsdlRule::kEnumeration, type.place, "this enumeration has no labels");
  Integer next = 0;
  result.reserve(type.enumerators->size());
  for (const Enumerator& each : *type.enumerators) {
    const IntegerRange range = each.range.empty() ? IntegerRange{next, next} : each.range.front();
    if (each.wrong != nullptr) {
      findings_.report(TsdlRule::kEnumeration, each.wrong->place,
                       fmt::format("the value of a label is `{}`; an integer was expected",
                                   plain_text(*each.wrong)));
      valid = false;
    } else if (range.lower > range.upper) {
      findings_.report(TsdlRule::kEnumeration, each.place,
                       fmt::format("the range of a label goes from {} to {}; the lower end was "
                                   "expected first",
                                   range.lower.to_string(), range.upper.to_string()));
      valid = false;
    }
    next = add(range.upper, 1).value_or(range.upper);
    result.push_back({.label = each.label});
    const std::size_t found = by_label.add(result.size() - 1, label_of);
    if (found + 1 != result.size()) result.pop_back();
    result[found].ranges.push_back(range);
  }
  if (!valid) return std::nullopt;
  return result;
}

}  // namespace tracedeck::ctf::tsdl
