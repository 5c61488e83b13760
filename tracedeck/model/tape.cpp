#include "tracedeck/model/tape.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace tracedeck {
namespace {

// How the elements of each PackedElement lie, in the order of the enumeration.
struct PackedLayout {
  enum class Type : std::uint8_t { kUnsigned, kSigned, kReal };
  Type type;
  std::uint8_t size;
  bool big_endian;
};
using Type = PackedLayout::Type;
constexpr std::array<PackedLayout, 18> kLayouts = {{
    {Type::kUnsigned, 1, false},
    {Type::kUnsigned, 2, false},
    {Type::kUnsigned, 4, false},
    {Type::kUnsigned, 8, false},
    {Type::kSigned, 1, false},
    {Type::kSigned, 2, false},
    {Type::kSigned, 4, false},
    {Type::kSigned, 8, false},
    {Type::kReal, 4, false},
    {Type::kReal, 8, false},
    {Type::kUnsigned, 2, true},
    {Type::kUnsigned, 4, true},
    {Type::kUnsigned, 8, true},
    {Type::kSigned, 2, true},
    {Type::kSigned, 4, true},
    {Type::kSigned, 8, true},
    {Type::kReal, 4, true},
    {Type::kReal, 8, true},
}};

const PackedLayout& layout_of(PackedElement element) {
  return kLayouts[std::to_underlying(element)];
}
const PackedLayout& layout_of(const Slot& array) {
  return layout_of(static_cast<PackedElement>(array.detail));
}

template <class T>
T load(const std::uint8_t* from, bool big_endian) {
  return big_endian ? load_be<T>(from) : load_le<T>(from);
}

std::uint64_t load_element(const std::uint8_t* from, const PackedLayout& layout) {
  switch (layout.size) {
    case 1:
      return *from;
    case 2:
      return load<std::uint16_t>(from, layout.big_endian);
    case 4:
      return load<std::uint32_t>(from, layout.big_endian);
    default:
      return load<std::uint64_t>(from, layout.big_endian);
  }
}

bool same_bytes(ByteSpan a, ByteSpan b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

bool same_packed(const Slot& a, const Slot& b) {
  const PackedLayout& left = layout_of(a);
  const PackedLayout& right = layout_of(b);
  if (left.type == right.type && left.size == right.size && left.big_endian == right.big_endian) {
    return same_bytes(a.bytes(), b.bytes());
  }
  if (packed_count(a) != packed_count(b)) return false;
  for (std::size_t i = 0; i < packed_count(a); ++i) {
    const Slot x = packed_element(a, i);
    const Slot y = packed_element(b, i);
    if (x.kind != y.kind || x.bits != y.bits) return false;
  }
  return true;
}

// Whether a packed array holds what the elements after a kArray head do.
bool same_as_array(const Slot& packed, const Slot* head) {
  const std::size_t count = packed_count(packed);
  if (head->length != count || head->bits != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Slot element = packed_element(packed, i);
    const Slot& other = head[1 + i];
    if (element.kind != other.kind || element.bits != other.bits) return false;
  }
  return true;
}

// Two slots of the same kind, compound heads without what belongs to them.
bool same_slot(const Slot& a, const Slot& b) {
  switch (a.kind) {
    case SlotKind::kString:
    case SlotKind::kBlob:
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
    case SlotKind::kWideReal:
      return same_bytes(a.bytes(), b.bytes());
    case SlotKind::kPackedArray:
      return same_packed(a, b);
    case SlotKind::kStructure:
      return true;
    default:
      return a.bits == b.bits;
  }
}

}  // namespace

std::uint32_t element_size(PackedElement element) { return layout_of(element).size; }

Slot packed_element(const Slot& array, std::size_t index) {
  const PackedLayout& layout = layout_of(array);
  const std::uint64_t raw = load_element(array.pointer + index * layout.size, layout);
  switch (layout.type) {
    case Type::kUnsigned:
      return unsigned_slot(raw, array.flags & kSlotAddress);
    case Type::kSigned: {
      const int unused = 64 - 8 * layout.size;
      return signed_slot(static_cast<std::int64_t>(raw << unused) >> unused);
    }
    case Type::kReal:
      break;
  }
  if (layout.size == 8) return real_slot(std::bit_cast<double>(raw));
  return real_slot(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw))));
}

bool same_values(std::span<const Slot> a, std::span<const Slot> b) {
  // Slots lie in the order of a walk and most heads say how many values follow, so comparing slot
  // by slot compares the trees. Only where structures end has to be watched. A packed array stands
  // for a head and its elements.
  const Slot* x = a.data();
  const Slot* y = b.data();
  std::vector<std::pair<const Slot*, const Slot*>> ends = {{x + a.size(), y + b.size()}};
  for (;;) {
    while (!ends.empty() && (x == ends.back().first || y == ends.back().second)) {
      if (std::pair(x, y) != ends.back()) return false;
      ends.pop_back();
    }
    if (ends.empty()) return true;
    if (x->kind == y->kind) {
      if (!same_slot(*x, *y)) return false;
      if (x->kind == SlotKind::kStructure) ends.emplace_back(x->next(), y->next());
      ++x;
      ++y;
    } else if (x->kind == SlotKind::kPackedArray && y->kind == SlotKind::kArray) {
      if (!same_as_array(*x++, y)) return false;
      y = y->next();
    } else if (x->kind == SlotKind::kArray && y->kind == SlotKind::kPackedArray) {
      if (!same_as_array(*y++, x)) return false;
      x = x->next();
    } else {
      return false;
    }
  }
}

}  // namespace tracedeck
