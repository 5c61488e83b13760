#include "tracedeck/ctf/write/encode_program.hpp"

#include <algorithm>
#include <string>

#include "tracedeck/base/real.hpp"
#include "tracedeck/ctf/bits.hpp"
#include "tracedeck/ctf/text_encoding.hpp"
#include "tracedeck/ctf/write/integer_bytes.hpp"

namespace tracedeck::ctf {
namespace {

// Of seven bits, in LEB128 of 64.
constexpr std::size_t kMostGroups = 10;

// At once.
constexpr std::size_t kMostPlainMembers = 64;

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

std::span<const EncodeChild> EncodeProgram::plain_members(std::uint32_t structure) const {
  const EncodeNode& node = nodes[structure];
  if (node.op != EncodeOp::kStructure || node.has_head || node.alignment > 8 ||
      node.child_count > kMostPlainMembers)
    return {};
  const std::span members(children.data() + node.first_child, node.child_count);
  const auto is_plain = [](const EncodeChild& each) { return each.plain_bytes != 0; };
  return std::ranges::all_of(members, is_plain) ? members : std::span<const EncodeChild>();
}

// One call of `encode`. Nodes nest as deep as classes may.
class Encoder::Walk {
 public:
  Walk(Encoder& encoder, const EncodeProgram& program, BitWriter& out,
       std::span<WrittenValue> values, std::span<const WrittenValue> packet_values)
      : encoder_(encoder),
        program_(program),
        out_(out),
        values_(values),
        packet_values_(packet_values) {}

  EncodeStatus root(std::uint32_t index, std::span<const Slot> slots) {
    const Slot* slot = slots.data();
    end_ = slot + slots.size();
    const EncodeNode& root = program_.nodes[index];
    return root.op == EncodeOp::kStructure ? structure(root, slot) : node(index, slot);
  }

 private:
  // Writes one node; `slot` is the value to write, and steps over what it takes.
  EncodeStatus node(std::uint32_t index, const Slot*& slot) {
    const EncodeNode& node = program_.nodes[index];
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
      case EncodeOp::kSkip:
        slot = slot->next();
        return EncodeStatus::kOk;
      case EncodeOp::kStructure:
        break;
    }
    return EncodeStatus::kKind;
  }

  [[nodiscard]] std::uint32_t child(const EncodeNode& node, std::uint32_t i = 0) const {
    return program_.children[node.first_child + i].node;
  }

  // Writes the members of a structure from `first` on that are plain, as far as their values are
  // too. Returns the next one.
  std::uint32_t plain_members(const EncodeNode& structure, std::uint32_t first, const Slot*& slot) {
    const std::size_t count = std::min({static_cast<std::size_t>(structure.child_count - first),
                                        static_cast<std::size_t>(end_ - slot), kMostPlainMembers});
    const std::span members(program_.children.data() + structure.first_child + first, count);
    const std::size_t done = put_plain(out_, members, slot);
    if (!values_.empty()) {
      for (std::size_t i = 0; i < done; ++i) written(members[i].node, slot[i].bits);
    }
    slot += done;
    return first + static_cast<std::uint32_t>(done);
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
    if (!values_.empty()) values_[index] = {value, ++encoder_.clock_};
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
    if (node.width > 64 || is_wide_integer(*slot) || slot->kind >= SlotKind::kString)
      return wide_integer(node, index, slot);
    std::uint64_t bits = slot->bits;
    if (slot->kind == SlotKind::kReal) return EncodeStatus::kKind;
    if (!fits(node, *slot)) return EncodeStatus::kTooLarge;
    written(index, bits);
    bits &= low_bit_mask(node.width);
    if (node.reversed) bits = reverse_bits(bits, node.width);
    out_.align(node.alignment);
    out_.put(bits, node.width, node.byte_order);
    placed(node, node.width, slot->bits);
    ++slot;
    return EncodeStatus::kOk;
  }

  static bool fits(const EncodeNode& node, const Slot& slot) {
    if (node.width >= 64) return true;
    if (node.width == 0) return slot.bits == 0;
    if (slot.kind == SlotKind::kSigned) {
      const std::int64_t limit = std::int64_t{1} << (node.width - 1);
      return slot.integer >= -limit && slot.integer < limit;
    }
    return slot.bits <= low_bit_mask(node.width);
  }

  EncodeStatus wide_integer(const EncodeNode& node, std::uint32_t index, const Slot*& slot) {
    if (slot->kind >= kFirstCompound || slot->kind == SlotKind::kString ||
        slot->kind == SlotKind::kUnresolved)
      return EncodeStatus::kKind;
    const IntegerBytes value(*slot, node.is_signed);
    if (!value.fits(node.width, node.is_signed)) return EncodeStatus::kTooLarge;
    put_wide(node, value);
    const std::uint64_t low = value.low();
    written(index, low);
    placed(node, node.width, low);
    slot = slot->next();
    return EncodeStatus::kOk;
  }

  void put_wide(const EncodeNode& node, const IntegerBytes& value) {
    out_.align(node.alignment);
    ctf::put_wide(out_, value, node.width, node.byte_order, node.reversed);
  }

  EncodeStatus leb128(const EncodeNode& node, std::uint32_t index, const Slot*& slot) {
    const bool padded = (node.roles & encoder_.padded_) != 0;
    if (slot->kind == SlotKind::kUnsigned && !node.is_signed && !padded) [[likely]] {
      const std::uint64_t size = out_.put_leb128(slot->bits);
      written(index, slot->bits);
      placed(node, size, slot->bits);
      ++slot;
      return EncodeStatus::kOk;
    }
    if (slot->kind > SlotKind::kSigned && !is_wide_integer(*slot)) return EncodeStatus::kKind;
    const IntegerBytes value(*slot, node.is_signed);
    const std::uint64_t low = slot->kind <= SlotKind::kSigned ? slot->bits : 0;
    if (!node.is_signed && value.rest() != 0) return EncodeStatus::kTooLarge;
    out_.align(8);
    written(index, low);
    std::size_t last = value.last_group(node.is_signed);
    if (padded) last = std::max<std::size_t>(last, kMostGroups - 1);
    for (std::size_t group = 0; group <= last; ++group) {
      const std::uint8_t more = group < last ? 0x80 : 0;
      out_.put_byte(static_cast<std::uint8_t>(value.seven_bits(group) | more));
    }
    placed(node, 8 * (last + 1), low);
    slot = slot->next();
    return EncodeStatus::kOk;
  }

  EncodeStatus real(const EncodeNode& node, const Slot*& slot) {
    out_.align(node.alignment);
    if (slot->kind == SlotKind::kReal) {
      std::uint64_t bits = slot->bits;
      if (node.width == 32) bits = single_bits(slot->real);
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

  // How many bytes a string or blob of `size` bytes must take.
  [[nodiscard]] std::uint64_t wanted_size(const EncodeNode& node, std::uint64_t size) {
    if (node.extent == EncodeExtent::kStatic) return node.length;
    if (node.extent == EncodeExtent::kLocated) return located(node);
    return size;
  }

  EncodeStatus string(const EncodeNode& node, const Slot*& slot) {
    if (slot->kind != SlotKind::kString) return EncodeStatus::kKind;
    std::string_view text = slot->text();
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos) {
      ++encoder_.cut_strings_;
      if (node.extent == EncodeExtent::kTerminated) text = text.substr(0, nul);
    }
    ++slot;
    if (node.encoding == TextEncoding::kUtf8) return put_text(node, as_bytes(text));
    const std::string other = from_utf8(text, node.encoding);
    return put_text(node, as_bytes(other));
  }

  EncodeStatus put_text(const EncodeNode& node, ByteSpan text) {
    out_.align(8);
    const std::uint64_t wanted = wanted_size(node, text.size());
    if (text.size() > wanted) return EncodeStatus::kLength;
    out_.put_bytes(text);
    if (node.extent == EncodeExtent::kTerminated) {
      out_.put_zeros(code_unit_size(node.encoding));
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
      const bool has_bytes = head->kind >= SlotKind::kString && head->kind < kFirstCompound &&
                             head->kind != SlotKind::kUnresolved;
      if (!has_bytes) return EncodeStatus::kKind;
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
    if (slot->kind == SlotKind::kPackedArray) return packed(node, *slot++);
    const bool has_elements =
        slot->kind == SlotKind::kBlob ||
        (slot->kind >= SlotKind::kWideUnsigned && slot->kind != SlotKind::kUnresolved);
    return has_elements ? elements(node, slot, count) : EncodeStatus::kKind;
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
    for (std::uint32_t i = 0; i < node.child_count;) {
      if (slot < end_ && program_.children[node.first_child + i].plain_bytes != 0) {
        const std::uint32_t next = plain_members(node, i, slot);
        if (next != i) {
          i = next;
          continue;
        }
      }
      if (const EncodeStatus status = this->node(child(node, i++), slot);
          status != EncodeStatus::kOk)
        return status;
    }
    return EncodeStatus::kOk;
  }

  EncodeStatus optional(const EncodeNode& node, const Slot*& slot) {
    if (slot->kind != SlotKind::kOptional) return EncodeStatus::kKind;
    if (slot->bits == 0) {
      slot = slot->next();
      return EncodeStatus::kOk;
    }
    ++slot;
    return this->node(child(node), slot);
  }

  EncodeStatus variant(const EncodeNode& node, const Slot*& slot) {
    if (slot->kind != SlotKind::kVariant) return EncodeStatus::kKind;
    const std::uint64_t option = slot->bits;
    if (option >= node.child_count) return EncodeStatus::kOption;
    ++slot;
    return this->node(child(node, static_cast<std::uint32_t>(option)), slot);
  }

  static constexpr std::uint64_t kMostPadding = std::uint64_t{1} << 30;

  Encoder& encoder_;
  const EncodeProgram& program_;
  BitWriter& out_;
  std::span<WrittenValue> values_;
  std::span<const WrittenValue> packet_values_;
  const Slot* end_ = nullptr;  // of the values at hand
};

EncodeStatus Encoder::encode(const EncodeProgram& program, std::uint32_t root,
                             std::span<const Slot> slots, BitWriter& out,
                             std::span<WrittenValue> values,
                             std::span<const WrittenValue> packet_values) {
  return Walk(*this, program, out, values, packet_values).root(root, slots);
}

EncodeStatus Encoder::encode(const EncodeProgram& program, std::span<const EncodeRoot> roots,
                             BitWriter& out, std::span<WrittenValue> values,
                             std::span<const WrittenValue> packet_values) {
  Walk walk(*this, program, out, values, packet_values);
  for (const EncodeRoot& each : roots) {
    if (const EncodeStatus status = walk.root(each.node, each.slots); status != EncodeStatus::kOk)
      return status;
  }
  return EncodeStatus::kOk;
}

}  // namespace tracedeck::ctf
