#include "tracedeck/render/babeltrace_scalar.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/real.hpp"
#include "tracedeck/model/labels.hpp"
#include "tracedeck/render/value_walk.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {
namespace {

// `width` low bits, rounded up to whole digits of `bits` each. A shift by 64 counts as one by 0, as
// on the processors that babeltrace2 runs on: hexadecimal integers of 61 to 63 bits are all 0x0.
std::uint64_t digit_mask(unsigned width, unsigned bits) {
  if (width >= 64) return ~std::uint64_t{0};
  const unsigned rounded = (width + bits - 1) / bits * bits;
  return (std::uint64_t{1} << rounded % 64) - 1;
}

// `count` digits of `bits` each, the highest first.
char* write_digits(char* to, std::uint64_t value, unsigned bits, unsigned count) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (unsigned i = count; i-- > 0; value >>= bits) to[i] = "0123456789ABCDEF"[value & mask];
  return to + count;
}

// How many digits a value has without zeros in front.
unsigned digit_count(std::uint64_t value, unsigned bits) {
  const auto width = static_cast<unsigned>(std::bit_width(value | 1));
  return (width + bits - 1) / bits;
}

// How each character of a string is spelt: 0 as it is, `x` in hexadecimal, else a letter behind a
// backslash.
constexpr std::array<char, 256> kStringEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t i = 0; i < 32; ++i) escapes[i] = 'x';
  escapes[127] = 'x';
  for (const char itself : {'\\', '\'', '"', '?'})
    escapes[static_cast<unsigned char>(itself)] = itself;
  escapes[7] = 'a';
  escapes[8] = 'b';
  escapes[9] = 't';
  escapes[10] = 'n';
  escapes[11] = 'v';
  escapes[12] = 'f';
  escapes[13] = 'r';
  escapes[27] = 'e';
  return escapes;
}();
constexpr std::size_t kLongestEscape = 4;

char* write_escaped(char* to, std::string_view text) {
  for (const char character : text) {
    const char escape = kStringEscapes[static_cast<unsigned char>(character)];
    if (escape == 0) [[likely]] {
      *to++ = character;
      continue;
    }
    *to++ = '\\';
    *to++ = escape;
    if (escape != 'x') continue;
    *to++ = "01234567"[static_cast<unsigned char>(character) / 16];
    *to++ = "0123456789abcdef"[character % 16];
  }
  return to;
}

void append_wide_integer(TextBuffer& out, const Slot& slot, DisplayBase base) {
  const bool is_signed = slot.kind == SlotKind::kWideSigned;
  if (base == DisplayBase::kDecimal) return append_wide_decimal(out, slot.bytes(), is_signed);
  const unsigned bits = base == DisplayBase::kBinary ? 1 : base == DisplayBase::kOctal ? 3 : 4;
  TextBuffer digits(nullptr, 256);
  append_prefixed_wide(digits, slot.bytes(), is_signed, bits);
  std::string text(digits.view());
  const std::size_t first = text.find_first_of("box") + 1;
  std::transform(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                 text.begin() + static_cast<std::ptrdiff_t>(first), [](char digit) {
                   return digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
                 });
  if (base == DisplayBase::kOctal) text.erase(first - 1, 1);
  out.append(text);
}

}  // namespace

BabeltraceInteger::BabeltraceInteger(const FieldClass* field_class) {
  const auto* const integer = class_as<IntegerClass>(field_class);
  if (integer == nullptr) return;
  if (const auto* const fixed = std::get_if<FixedLayout>(&integer->layout))
    width_ = std::min<unsigned>(fixed->width, 64);
  switch (integer->form) {
    case IntegerClass::Form::kBitArray:
    case IntegerClass::Form::kBitMap:
    case IntegerClass::Form::kAddress:
      base_ = DisplayBase::kHexadecimal;
      return;
    case IntegerClass::Form::kNumber:
    case IntegerClass::Form::kEnumeration:
      break;
  }
  base_ = integer->display_base;
  mask_ = digit_mask(width_, 4);
  signed_mask_ = digit_mask(width_, 3);
}

char* BabeltraceInteger::write(char* to, const Slot& slot) const {
  const bool is_signed = slot.kind == SlotKind::kSigned;
  switch (base_) {
    case DisplayBase::kDecimal:
      break;
    case DisplayBase::kBinary:
      *to++ = '0';
      *to++ = 'b';
      return write_digits(to, slot.bits, 1, width_);
    case DisplayBase::kOctal: {
      *to++ = '0';
      const std::uint64_t value = is_signed ? slot.bits & signed_mask_ : slot.bits;
      return write_digits(to, value, 3, digit_count(value, 3));
    }
    case DisplayBase::kHexadecimal:
      *to++ = '0';
      *to++ = 'x';
      return write_upper_hexadecimal(to, slot.bits & mask_);
  }
  return is_signed ? write_decimal(to, slot.integer) : write_decimal(to, slot.bits);
}

char* write_upper_hexadecimal(char* to, std::uint64_t value) {
  return write_digits(to, value, 4, digit_count(value, 4));
}

void append_babeltrace_string(TextBuffer& out, std::string_view text) {
  // What one piece of the text becomes fits into the buffer whole.
  constexpr std::size_t kPiece = 4096;
  text = text.substr(0, text.find('\0'));
  char* at = out.reserve(std::min(text.size(), kPiece) * kLongestEscape + 2);
  *at++ = '"';
  while (text.size() > kPiece) {
    out.commit(write_escaped(at, text.substr(0, kPiece)));
    text.remove_prefix(kPiece);
    at = out.reserve(std::min(text.size(), kPiece) * kLongestEscape + 1);
  }
  at = write_escaped(at, text);
  *at++ = '"';
  out.commit(at);
}

char* write_babeltrace_real(char* to, double value) {
  return std::to_chars(to, to + kRealSize, value, std::chars_format::general, 6).ptr;
}

BabeltraceEnumeration::BabeltraceEnumeration(const FieldClass& field_class,
                                             BabeltracePalette palette)
    : palette_(palette), integer_(&field_class) {
  TextViewMap<std::uint32_t> places;
  for (const Mapping& mapping : field_class.as<IntegerClass>()->mappings) {
    const auto [place, is_new] =
        places.try_emplace(mapping.label, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) {
      TextBuffer text(nullptr, 256);
      palette_.begin(text, BabeltracePaint::kValue);
      append_babeltrace_string(text, mapping.label);
      palette_.end(text);
      labels_.push_back({.text = std::string(text.view()), .ranges = {}});
    }
    Label& label = labels_[place->second];
    label.ranges.insert(label.ranges.end(), mapping.ranges.begin(), mapping.ranges.end());
    for (const IntegerRange& range : mapping.ranges)
      ranges_.push_back({.lower = range.lower, .upper = range.upper, .label = place->second});
  }
  std::ranges::sort(ranges_, {}, &Range::lower);
  const auto overlap = [](const Range& a, const Range& b) { return b.lower <= a.upper; };
  if (std::ranges::adjacent_find(ranges_, overlap) != ranges_.end()) ranges_.clear();
}

void BabeltraceEnumeration::append(TextBuffer& out, const Slot& slot) const {
  out.append("( ");
  append_labels(out, wide_integer_value(slot));
  out.append(" : container = ");
  palette_.begin(out, BabeltracePaint::kValue);
  if (is_narrow_integer(slot)) {
    out.commit(integer_.write(out.reserve(BabeltraceInteger::kSize), slot));
  } else {
    append_wide_integer(out, slot, integer_.base());
  }
  palette_.end(out);
  out.append(" )");
}

void BabeltraceEnumeration::append_labels(TextBuffer& out,
                                          const std::optional<Integer>& value) const {
  bool any = false;
  if (!ranges_.empty()) {
    const Range* const range = value ? range_of(*value) : nullptr;
    any = range != nullptr;
    if (any) out.append(labels_[range->label].text);
  } else {
    for (const Label& label : labels_) {
      const auto holds = [&](const IntegerRange& range) {
        return value && range.lower <= *value && *value <= range.upper;
      };
      if (std::ranges::none_of(label.ranges, holds)) continue;
      if (any) out.append(", ");
      any = true;
      out.append(label.text);
    }
  }
  if (!any) palette_.text(out, BabeltracePaint::kUnknown, "<unknown>");
}

const BabeltraceEnumeration::Range* BabeltraceEnumeration::range_of(const Integer& value) const {
  const auto after = std::ranges::upper_bound(ranges_, value, {}, &Range::lower);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = *std::prev(after);
  return value <= range.upper ? &range : nullptr;
}

void append_babeltrace_scalar(TextBuffer& out, const Slot& slot, const FieldClass* field_class) {
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return out.append(slot.bits != 0 ? "true" : "false");
    case SlotKind::kUnsigned:
    case SlotKind::kSigned:
      return out.commit(
          BabeltraceInteger(field_class).write(out.reserve(BabeltraceInteger::kSize), slot));
    case SlotKind::kReal:
      return out.commit(write_babeltrace_real(out.reserve(kRealSize), slot.real));
    case SlotKind::kWideReal:
      return out.commit(
          write_babeltrace_real(out.reserve(kRealSize), nearest_real(slot.bytes()).value));
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
      return append_wide_integer(out, slot, BabeltraceInteger(field_class).base());
    case SlotKind::kString:
      return append_babeltrace_string(out, slot.text());
    default:
      return out.append("<unknown>");
  }
}

}  // namespace tracedeck::render
