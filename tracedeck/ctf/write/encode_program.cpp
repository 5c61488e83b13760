#include "tracedeck/ctf/write/encode_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/ctf/write/dynamic_options.hpp"

namespace tracedeck::ctf {
namespace {

// Of seven bits, in LEB128 of 64.
constexpr std::size_t kMostGroups = 10;

constexpr std::uint64_t low_bits(std::uint32_t width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::uint64_t reverse_bits(std::uint64_t value, std::uint32_t width) {
  std::uint64_t reversed = 0;
  for (std::uint32_t i = 0; i < width; ++i) reversed |= (value >> i & 1) << (width - 1 - i);
  return reversed;
}

bool is_wide_integer(const Slot& slot) {
  return slot.kind == SlotKind::kWideUnsigned || slot.kind == SlotKind::kWideSigned;
}

// An integer of any size as little-endian bytes, endless by its sign.
class IntegerBytes {
 public:
  // `of_signed`: what bytes stand for is a signed number.
  explicit IntegerBytes(const Slot& slot, bool of_signed = false) {
    if (slot.kind == SlotKind::kPackedArray || slot.kind == SlotKind::kBlob ||
        is_wide_integer(slot) || slot.kind == SlotKind::kWideReal) {
      bytes_ = slot.bytes();
    } else {
      store_le(inline_.data(), slot.bits);
      bytes_ = inline_;
    }
    const bool is_signed =
        slot.kind == SlotKind::kSigned || slot.kind == SlotKind::kWideSigned ||
        (of_signed && (slot.kind == SlotKind::kPackedArray || slot.kind == SlotKind::kBlob));
    if (is_signed && !bytes_.empty() && (bytes_.back() & 0x80) != 0) rest_ = 0xff;
  }
  IntegerBytes(const IntegerBytes&) = delete;
  IntegerBytes& operator=(const IntegerBytes&) = delete;

  [[nodiscard]] std::uint8_t operator[](std::size_t i) const {
    return i < bytes_.size() ? bytes_[i] : rest_;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::uint8_t rest() const { return rest_; }

 private:
  std::array<std::uint8_t, 8> inline_{};
  ByteSpan bytes_;
  std::uint8_t rest_ = 0;
};

void append_utf16(std::string& out, char32_t code_point, bool big) {
  const auto unit = [&](std::uint32_t value) {
    const char high = static_cast<char>(value >> 8);
    const char low = static_cast<char>(value & 0xff);
    out.push_back(big ? high : low);
    out.push_back(big ? low : high);
  };
  if (code_point < 0x10000) return unit(code_point);
  unit(0xd800 + ((code_point - 0x10000) >> 10));
  unit(0xdc00 + ((code_point - 0x10000) & 0x3ff));
}

void append_utf32(std::string& out, char32_t code_point, bool big) {
  for (int i = 0; i < 4; ++i)
    out.push_back(static_cast<char>(code_point >> (big ? 24 - 8 * i : 8 * i) & 0xff));
}

std::string transcoded(std::string_view utf8, TextEncoding encoding) {
  std::string out;
  const ByteSpan bytes = as_bytes(utf8);
  for (const std::uint8_t* at = bytes.data(); at < bytes.data() + bytes.size();) {
    const Utf8Step step = utf8_step(at, bytes.data() + bytes.size());
    at += step.length;
    if (encoding == TextEncoding::kUtf16Le || encoding == TextEncoding::kUtf16Be) {
      append_utf16(out, step.code_point, encoding == TextEncoding::kUtf16Be);
    } else {
      append_utf32(out, step.code_point, encoding == TextEncoding::kUtf32Be);
    }
  }
  return out;
}

std::size_t terminator_size(TextEncoding encoding) {
  if (encoding == TextEncoding::kUtf8) return 1;
  return encoding == TextEncoding::kUtf16Le || encoding == TextEncoding::kUtf16Be ? 2 : 4;
}

// Binary64 to binary32 keeps what was binary32 before, NaN payloads included.
std::uint32_t float_bits(double value) {
  const auto wide = std::bit_cast<std::uint64_t>(value);
  if (value == value) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<std::uint32_t>(wide >> 32 & 0x8000'0000U) | 0x7f80'0000U |
         std::max<std::uint32_t>(1, static_cast<std::uint32_t>(wide >> 29 & 0x7f'ffffU));
}

// Exact for what was binary16 before; others are rounded towards zero, and NaN stays one.
std::uint16_t half_bits(double value) {
  const auto wide = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(wide >> 48 & 0x8000U);
  const int exponent = static_cast<int>(wide >> 52 & 0x7ff) - 1023;
  const std::uint64_t fraction = wide & 0xf'ffff'ffff'ffffU;
  std::uint32_t bits = 0;
  if (exponent == 1024) {
    bits = 0x7c00U;
    if (fraction != 0)
      bits |= std::max<std::uint32_t>(1, static_cast<std::uint32_t>(fraction >> 42));
  } else if (exponent > 15) {
    bits = 0x7c00U;
  } else if (exponent >= -14) {
    bits = static_cast<std::uint32_t>(exponent + 15) << 10 |
           static_cast<std::uint32_t>(fraction >> 42);
  } else if (exponent >= -24) {
    bits = static_cast<std::uint32_t>((fraction | std::uint64_t{1} << 52) >> (28 - exponent));
  }
  return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace

std::string_view encode_fault(EncodeStatus status) {
  switch (status) {
    case EncodeStatus::kOk:
      break;
    case EncodeStatus::kTooLarge:
      return "an integer is too large for its field";
    case EncodeStatus::kLength:
      return "an array, string or blob is not as long as its length field says";
    case EncodeStatus::kKind:
      return "a value is of another kind than its field class";
    case EncodeStatus::kOption:
      return "a variant has no option of that index";
  }
  return {};
}

// One call of `encode`. Nodes nest as deep as classes may.
class Encoder::Walk {
 public:
  Walk(Encoder& encoder, const EncodeProgram& program, BitWriter& out,
       std::span<WrittenValue> values, std::span<const WrittenValue> packet_values, const Slot* end)
      : encoder_(encoder),
        program_(program),
        out_(out),
        values_(values),
        packet_values_(packet_values),
        end_(end) {}

  // Writes one node; `slot` is what comes, and steps over what it takes.
  EncodeStatus node(std::uint32_t index, const Slot*& slot) {
    const EncodeNode& node = program_.nodes[index];
    if (node.skips_head && slot < end_ && slot->kind == SlotKind::kStructure) ++slot;
    if (node.op == EncodeOp::kStructure) return structure(node, slot);
    if (slot >= end_) return EncodeStatus::kKind;
    switch (node.op) {
      case EncodeOp::kInteger:
        return integer(node, index, slot);
      case EncodeOp::kLeb128:
        return leb128(node, index, slot);
      case EncodeOp::kReal:
        return real(node, slot);
      case EncodeOp::kString:
        return string(node, slot);
      case EncodeOp::kBlob:
        return blob(node, slot);
      case EncodeOp::kArray:
        return array(node, slot);
      case EncodeOp::kOptional:
        return optional(node, slot);
      case EncodeOp::kVariant:
        return variant(node, slot);
      case EncodeOp::kMap:
        return map(node, slot);
      case EncodeOp::kDynamic:
        return dynamic(node, slot);
      case EncodeOp::kLength:
        return put_unsigned(node, index, length_of(*slot));
      case EncodeOp::kPresence:
        if (slot->kind != SlotKind::kOptional && slot->kind != SlotKind::kVariant)
          return EncodeStatus::kKind;
        return put_unsigned(node, index, slot->bits);
      case EncodeOp::kOption:
        if (slot->kind != SlotKind::kVariant) return EncodeStatus::kKind;
        return put_unsigned(node, index, slot->bits);
      case EncodeOp::kWhole:
        return whole(node, slot);
      case EncodeOp::kSkip:
        slot = slot->next();
        return EncodeStatus::kOk;
      case EncodeOp::kStructure:
        break;
    }
    return EncodeStatus::kKind;
  }

 private:
  [[nodiscard]] std::uint32_t child(const EncodeNode& node, std::uint32_t i = 0) const {
    return program_.children[node.first_child + i];
  }

  // The integer that ends where `out_` stands.
  void placed(const EncodeNode& node, std::uint64_t width, std::uint64_t value) {
    if (node.roles == 0 || encoder_.roles_ == nullptr) return;
    encoder_.roles_->push_back({.roles = node.roles,
                                .is_leb128 = node.op == EncodeOp::kLeb128,
                                .reversed = node.reversed,
                                .byte_order = node.byte_order,
                                .begin = out_.position() - width,
                                .width = width,
                                .value = value});
  }

  void written(std::uint32_t index, std::uint64_t value) {
    values_[index] = {value, ++encoder_.clock_};
  }

  EncodeStatus put_unsigned(const EncodeNode& node, std::uint32_t index, std::uint64_t value) {
    if (value > low_bits(node.width)) return EncodeStatus::kTooLarge;
    out_.align(node.alignment);
    out_.put(value, node.width, node.byte_order);
    written(index, value);
    return EncodeStatus::kOk;
  }

  // Elements, bytes or pairs that a value has.
  static std::uint64_t length_of(const Slot& slot) {
    switch (slot.kind) {
      case SlotKind::kPackedArray:
        return packed_count(slot);
      case SlotKind::kString:
      case SlotKind::kBlob:
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
      case SlotKind::kWideReal:
        return slot.length;
      case SlotKind::kArray:
      case SlotKind::kStringMap:
      case SlotKind::kMap:
        return slot.bits;
      default:
        return 0;
    }
  }

  EncodeStatus integer(const EncodeNode& node, std::uint32_t index, const Slot*& slot) {
    if (node.saturates) return saturated(node, index, slot);
    if (node.width > 64 || is_wide_integer(*slot) || slot->kind >= SlotKind::kString)
      return wide_integer(node, index, slot);
    std::uint64_t bits = slot->bits;
    if (slot->kind == SlotKind::kReal) return EncodeStatus::kKind;
    if (!fits(node, *slot)) return EncodeStatus::kTooLarge;
    written(index, bits);
    bits &= low_bits(node.width);
    if (node.reversed) bits = reverse_bits(bits, node.width);
    out_.align(node.alignment);
    out_.put(bits, node.width, node.byte_order);
    placed(node, node.width, slot->bits);
    ++slot;
    return EncodeStatus::kOk;
  }

  static bool fits(const EncodeNode& node, const Slot& slot) {
    if (node.width >= 64) return true;
    if (slot.kind == SlotKind::kSigned) {
      const std::int64_t limit = std::int64_t{1} << (node.width - 1);
      return slot.integer >= -limit && slot.integer < limit;
    }
    return slot.bits <= low_bits(node.width);
  }

  EncodeStatus wide_integer(const EncodeNode& node, std::uint32_t index, const Slot*& slot) {
    if (slot->kind == SlotKind::kUnresolved) {
      ++encoder_.counts_.unresolved;
    } else if (slot->kind >= kFirstCompound || slot->kind == SlotKind::kString) {
      return EncodeStatus::kKind;
    }
    const IntegerBytes value(*slot, node.is_signed);
    if (!wide_fits(node, value)) return EncodeStatus::kTooLarge;
    put_wide(node, value);
    std::uint64_t low = 0;
    for (std::size_t i = 0; i < 8; ++i) low |= std::uint64_t{value[i]} << (8 * i);
    written(index, low);
    placed(node, node.width, low);
    slot = slot->next();
    return EncodeStatus::kOk;
  }

  static bool wide_fits(const EncodeNode& node, const IntegerBytes& value) {
    for (std::size_t bit = node.is_signed ? node.width - 1 : node.width; bit < 8 * value.size();
         ++bit) {
      if ((value[bit / 8] >> (bit % 8) & 1) != (value.rest() & 1)) return false;
    }
    if (node.is_signed || value.rest() == 0) return true;
    return false;
  }

  void put_wide(const EncodeNode& node, const IntegerBytes& value) {
    out_.align(node.alignment);
    const auto bit = [&](std::uint32_t i) {
      if (node.reversed) i = node.width - 1 - i;
      return value[i / 8] >> (i % 8) & 1U;
    };
    // In portions of a byte, in the order in which they lie.
    for (std::uint32_t done = 0; done < node.width;) {
      const std::uint32_t count = std::min<std::uint32_t>(8, node.width - done);
      const std::uint32_t from =
          node.byte_order == ByteOrder::kLittle ? done : node.width - done - count;
      std::uint64_t part = 0;
      for (std::uint32_t i = 0; i < count; ++i) part |= std::uint64_t{bit(from + i)} << i;
      out_.put(part, count, node.byte_order);
      done += count;
    }
  }

  // The integer that comes, all of it, and what comes after; null: there is none.
  struct Whole {
    const Slot* value;
    const Slot* next;
  };
  [[nodiscard]] Whole whole_value(const EncodeNode& node, const Slot* slot) const {
    const Slot* value = slot;
    const bool in_parts = node.in_parts && slot->kind == SlotKind::kStructure && slot->length >= 2;
    if (in_parts) {
      const Slot* const bytes = slot + 2;
      value = slot->next();
      if (value >= end_) return {nullptr, nullptr};
      const Slot* const next = value->next();
      if (bytes->kind == SlotKind::kPackedArray && bytes->length != 0) return {bytes, next};
    }
    const bool scalar = value->kind <= SlotKind::kSigned || is_wide_integer(*value) ||
                        value->kind == SlotKind::kUnresolved;
    return {scalar ? value : nullptr, value->next()};
  }

  EncodeStatus whole(const EncodeNode& node, const Slot* slot) {
    const Slot* const source = whole_value(node, slot).value;
    if (source == nullptr) return EncodeStatus::kKind;
    const IntegerBytes value(*source, node.is_signed);
    const std::size_t size = wide_fits(node, value) ? 0 : value.size();
    out_.align(8);
    out_.put(size, 32, ByteOrder::kLittle);
    for (std::size_t i = 0; i < size; ++i) out_.put_byte(value[i]);
    return EncodeStatus::kOk;
  }

  EncodeStatus saturated(const EncodeNode& node, std::uint32_t index, const Slot*& slot) {
    const auto [source, next] = whole_value(node, slot);
    if (source == nullptr) return EncodeStatus::kKind;
    const IntegerBytes value(*source, node.is_signed);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i) bits |= std::uint64_t{value[i]} << (8 * i);
    if (!wide_fits(node, value)) {
      bits = low_bits(node.width);
      if (node.is_signed) bits = value.rest() != 0 ? std::uint64_t{1} << 63 : bits >> 1;
    }
    out_.align(node.alignment);
    out_.put(bits, node.width, node.byte_order);
    written(index, bits);
    placed(node, node.width, bits);
    slot = next;
    return EncodeStatus::kOk;
  }

  EncodeStatus leb128(const EncodeNode& node, std::uint32_t index, const Slot*& slot) {
    const auto [source, next] = whole_value(node, slot);
    if (source == nullptr) return EncodeStatus::kKind;
    const IntegerBytes value(*source, node.is_signed);
    if (!node.is_signed && value.rest() != 0) return EncodeStatus::kTooLarge;
    out_.align(8);
    written(index, source->kind <= SlotKind::kSigned ? source->bits : 0);
    std::size_t last = last_group(value, node.is_signed);
    const bool padded = (node.roles & encoder_.padded_) != 0;
    if (padded) last = std::max<std::size_t>(last, kMostGroups - 1);
    for (std::size_t group = 0; group <= last; ++group) {
      const std::uint8_t more = group < last ? 0x80 : 0;
      out_.put_byte(static_cast<std::uint8_t>(seven_bits(value, group) | more));
    }
    placed(node, 8 * (last + 1), source->kind <= SlotKind::kSigned ? source->bits : 0);
    slot = next;
    return EncodeStatus::kOk;
  }

  static std::uint8_t seven_bits(const IntegerBytes& value, std::size_t group) {
    const std::size_t bit = 7 * group;
    const auto pair = static_cast<std::uint32_t>(value[bit / 8] | value[bit / 8 + 1] << 8);
    return static_cast<std::uint8_t>(pair >> (bit % 8) & 0x7f);
  }

  // The last group of seven bits that is not told by the sign.
  static std::size_t last_group(const IntegerBytes& value, bool is_signed) {
    std::size_t last = (8 * value.size() + 6) / 7;
    const std::uint8_t rest = value.rest() & 0x7f;
    while (last > 0 && seven_bits(value, last) == rest) {
      const bool sign = (seven_bits(value, last - 1) & 0x40) != 0;
      if (is_signed && sign != (rest != 0)) break;
      --last;
    }
    return last;
  }

  EncodeStatus real(const EncodeNode& node, const Slot*& slot) {
    out_.align(node.alignment);
    if (slot->kind == SlotKind::kReal) {
      std::uint64_t bits = slot->bits;
      if (node.width == 32) bits = float_bits(slot->real);
      if (node.width == 16) bits = half_bits(slot->real);
      if (node.width > 64) return EncodeStatus::kKind;
      if (node.reversed) bits = reverse_bits(bits, node.width);
      out_.put(bits, node.width, node.byte_order);
    } else if (slot->kind == SlotKind::kWideReal || slot->kind == SlotKind::kPackedArray) {
      put_wide(node, IntegerBytes(*slot));
    } else {
      return EncodeStatus::kKind;
    }
    ++slot;
    return EncodeStatus::kOk;
  }

  // The length that was written last where the location leads.
  [[nodiscard]] std::uint64_t located(const EncodeNode& node) const {
    WrittenValue latest;
    for (std::uint32_t i = 0; i < node.ref_count; ++i) {
      const ValueRef ref = program_.refs[node.first_ref + i];
      const WrittenValue& value = ref.of_packet ? packet_values_[ref.node] : values_[ref.node];
      if (value.when >= latest.when) latest = value;
    }
    return latest.value;
  }

  // A length in the header becomes that of the value, unless it has to stand.
  [[nodiscard]] std::uint64_t header_size(std::uint32_t index, std::uint64_t size) {
    std::uint64_t& length = encoder_.header_lengths_[index];
    if (encoder_.lengths_stand_) return length;
    if (encoder_.header_lengths_set_[index] && length != size) encoder_.lengths_differ_ = true;
    encoder_.header_lengths_set_[index] = true;
    length = std::max(length, size);
    return size;
  }

  // How many bytes a string or blob of `size` bytes must take.
  [[nodiscard]] std::uint64_t wanted_size(const EncodeNode& node, std::uint64_t size) {
    if (node.header_length != 0) return header_size(node.header_length - 1, size);
    if (node.extent == EncodeExtent::kStatic) return node.length;
    if (node.extent == EncodeExtent::kLocated) return located(node);
    return size;
  }

  EncodeStatus string(const EncodeNode& node, const Slot*& slot) {
    std::string_view text;
    if (slot->kind == SlotKind::kUnresolved) {
      ++encoder_.counts_.unresolved;
    } else if (slot->kind != SlotKind::kString) {
      return EncodeStatus::kKind;
    } else {
      text = slot->text();
    }
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos) {
      ++encoder_.counts_.cut_strings;
      if (node.extent == EncodeExtent::kTerminated) text = text.substr(0, nul);
    }
    ++slot;
    if (node.encoding == TextEncoding::kUtf8) return put_text(node, as_bytes(text));
    const std::string other = transcoded(text, node.encoding);
    return put_text(node, as_bytes(other));
  }

  EncodeStatus put_text(const EncodeNode& node, ByteSpan text) {
    out_.align(8);
    const std::uint64_t wanted = wanted_size(node, text.size());
    if (text.size() > wanted) return EncodeStatus::kLength;
    out_.put_bytes(text);
    if (node.extent == EncodeExtent::kTerminated) {
      out_.put_zeros(terminator_size(node.encoding));
    } else if (wanted > text.size()) {
      if (wanted - text.size() > kMostPadding) return EncodeStatus::kLength;
      out_.put_zeros(static_cast<std::size_t>(wanted - text.size()));
    }
    return EncodeStatus::kOk;
  }

  EncodeStatus blob(const EncodeNode& node, const Slot*& slot) {
    out_.align(8);
    const Slot* const head = slot;
    slot = slot->next();
    if (wanted_size(node, length_of(*head)) != length_of(*head)) return EncodeStatus::kLength;
    if (head->kind != SlotKind::kArray) {
      if (head->kind == SlotKind::kUnresolved) return EncodeStatus::kOk;
      if (head->kind >= kFirstCompound || head->kind < SlotKind::kString)
        return EncodeStatus::kKind;
      out_.put_bytes(head->bytes());
      return EncodeStatus::kOk;
    }
    for (const Slot* byte = head + 1; byte < slot; ++byte)
      out_.put_byte(static_cast<std::uint8_t>(byte->bits));
    return EncodeStatus::kOk;
  }

  EncodeStatus array(const EncodeNode& node, const Slot*& slot) {
    out_.align(node.alignment);
    const std::uint64_t count = length_of(*slot);
    if (wanted_size(node, count) != count) return EncodeStatus::kLength;
    if (slot->kind == SlotKind::kUnresolved) {
      ++encoder_.counts_.unresolved;
    } else if (slot->kind == SlotKind::kPackedArray) {
      return packed(node, *slot++);
    } else if (slot->kind == SlotKind::kBlob || slot->kind >= SlotKind::kWideUnsigned) {
      return elements(node, slot, count);
    } else {
      return EncodeStatus::kKind;
    }
    ++slot;
    return EncodeStatus::kOk;
  }

  EncodeStatus elements(const EncodeNode& node, const Slot*& slot, std::uint64_t count) {
    if (slot->kind != SlotKind::kArray) {
      // A blob, or a number that the target knows as its bytes.
      const Slot bytes = packed_slot(PackedElement::kU8, slot->pointer, slot->length);
      ++slot;
      return packed(node, bytes);
    }
    ++slot;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (const EncodeStatus status = this->node(child(node), slot); status != EncodeStatus::kOk)
        return status;
    }
    return EncodeStatus::kOk;
  }

  EncodeStatus packed(const EncodeNode& node, const Slot& array) {
    const EncodeNode& element = program_.nodes[child(node)];
    if (lies_the_same(element, static_cast<PackedElement>(array.detail)) &&
        out_.position() % 8 == 0) {
      out_.put_bytes(array.bytes());
      return EncodeStatus::kOk;
    }
    const Slot* const end = end_;
    for (std::size_t i = 0; i < packed_count(array); ++i) {
      const Slot value = packed_element(array, i);
      const Slot* at = &value;
      end_ = at + 1;
      const EncodeStatus status = this->node(child(node), at);
      end_ = end;
      if (status != EncodeStatus::kOk) return status;
    }
    return EncodeStatus::kOk;
  }

  // Whether elements can be copied as bytes.
  static bool lies_the_same(const EncodeNode& element, PackedElement packed) {
    if (element.op != EncodeOp::kInteger && element.op != EncodeOp::kReal) return false;
    if (element.reversed || element.width != 8 * element_size(packed)) return false;
    if (element.alignment > element.width) return false;
    const bool is_real = packed == PackedElement::kF32Le || packed == PackedElement::kF64Le ||
                         packed == PackedElement::kF32Be || packed == PackedElement::kF64Be;
    const bool is_big = packed >= PackedElement::kU16Be;
    return is_real == (element.op == EncodeOp::kReal) &&
           (element.width == 8 || is_big == (element.byte_order == ByteOrder::kBig));
  }

  EncodeStatus structure(const EncodeNode& node, const Slot*& slot) {
    out_.align(node.alignment);
    if (node.has_head) {
      if (slot >= end_ || slot->kind != SlotKind::kStructure) return EncodeStatus::kKind;
      ++slot;
    }
    for (std::uint32_t i = 0; i < node.child_count; ++i) {
      if (const EncodeStatus status = this->node(child(node, i), slot); status != EncodeStatus::kOk)
        return status;
    }
    return EncodeStatus::kOk;
  }

  // Optionals that travelled as variants have the value as their second option.
  EncodeStatus optional(const EncodeNode& node, const Slot*& slot) {
    if (slot->kind != SlotKind::kOptional && slot->kind != SlotKind::kVariant)
      return EncodeStatus::kKind;
    if (slot->bits == 0) {
      slot = slot->next();
      return EncodeStatus::kOk;
    }
    ++slot;
    return this->node(child(node), slot);
  }

  EncodeStatus variant(const EncodeNode& node, const Slot*& slot) {
    if (slot->kind == SlotKind::kOptional) return optional_as_variant(node, slot);
    if (slot->kind != SlotKind::kVariant) return EncodeStatus::kKind;
    const std::uint64_t option = slot->bits;
    if (option >= node.child_count) return EncodeStatus::kOption;
    ++slot;
    return this->node(child(node, static_cast<std::uint32_t>(option)), slot);
  }

  // Options: an empty structure, the value.
  EncodeStatus optional_as_variant(const EncodeNode& node, const Slot*& slot) {
    const bool present = slot->bits != 0;
    ++slot;
    if (!present) return EncodeStatus::kOk;
    return this->node(child(node, 1), slot);
  }

  EncodeStatus map(const EncodeNode& node, const Slot*& slot) {
    out_.align(node.alignment);
    if (slot->kind == SlotKind::kArray) return elements(node, slot, slot->bits);
    if (slot->kind != SlotKind::kMap && slot->kind != SlotKind::kStringMap)
      return EncodeStatus::kKind;
    const std::uint64_t pairs = slot->bits;
    ++slot;
    for (std::uint64_t i = 0; i < pairs; ++i) {
      if (const EncodeStatus status = this->node(child(node), slot); status != EncodeStatus::kOk)
        return status;
    }
    return EncodeStatus::kOk;
  }

  // A value and all that belongs to it, slot after slot, each as an option of the child.
  EncodeStatus dynamic(const EncodeNode& node, const Slot*& slot) {
    if (slot->kind == SlotKind::kStructure) return EncodeStatus::kKind;
    const Slot* const value_end = slot->next();
    const Slot count = unsigned_slot(static_cast<std::uint64_t>(value_end - slot));
    const Slot* at = &count;
    const Slot* const end = end_;
    end_ = at + 1;
    EncodeStatus status = this->node(child(node, 0), at);
    for (; slot < value_end && status == EncodeStatus::kOk; ++slot) {
      const std::array<Slot, 2> tagged = dynamic_slots(*slot);
      at = tagged.data();
      end_ = at + tagged.size();
      status = this->node(child(node, 1), at);
    }
    end_ = end;
    return status;
  }

  static constexpr std::uint64_t kMostPadding = std::uint64_t{1} << 30;

  Encoder& encoder_;
  const EncodeProgram& program_;
  BitWriter& out_;
  std::span<WrittenValue> values_;
  std::span<const WrittenValue> packet_values_;
  const Slot* end_;
};

EncodeStatus Encoder::encode(const EncodeProgram& program, std::uint32_t root,
                             std::span<const Slot> slots, BitWriter& out,
                             std::span<WrittenValue> values,
                             std::span<const WrittenValue> packet_values) {
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  return Walk(*this, program, out, values, packet_values, end).node(root, slot);
}

}  // namespace tracedeck::ctf
