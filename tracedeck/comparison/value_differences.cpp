#include "tracedeck/comparison/value_differences.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <utility>

#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::comparison {
namespace {

constexpr std::size_t kBytesInWords = 32;

std::string bytes_in_words(std::string_view what, const Slot& slot) {
  std::string words = std::string(what) + " of " + std::to_string(slot.length) + " bytes: ";
  for (const std::uint8_t byte :
       slot.bytes().first(std::min<std::size_t>(slot.length, kBytesInWords))) {
    if (byte >= 0x20 && byte < 0x7F) {
      words += static_cast<char>(byte);
      continue;
    }
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "\\x%02x", byte);
    words += text.data();
  }
  return slot.length > kBytesInWords ? words + "..." : words;
}

std::string real_in_words(const Slot& slot) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.17g (0x%016llx)", slot.real,
                static_cast<unsigned long long>(slot.bits));
  return text.data();
}

bool is_wide_integer(const Slot& slot) {
  return slot.kind == SlotKind::kWideUnsigned || slot.kind == SlotKind::kWideSigned;
}

// Whether two wide integers of one kind are the same number. One that came as LEB128 takes as many
// bytes as lay on the wire.
bool same_number(const Slot& a, const Slot& b) {
  const auto byte_at = [](const Slot& slot, std::size_t i) -> std::uint8_t {
    if (i < slot.length) return slot.bytes()[i];
    const bool negative =
        slot.kind == SlotKind::kWideSigned && slot.length > 0 && (slot.bytes().back() & 0x80U) != 0;
    return negative ? 0xFF : 0;
  };
  for (std::size_t i = 0; i < std::max(a.length, b.length); ++i) {
    if (byte_at(a, i) != byte_at(b, i)) return false;
  }
  return true;
}

// Compares the values of two trees, and reports the leaves that differ.
class ValueComparison {
 public:
  explicit ValueComparison(const DifferentValue& report) : report_(report) {}

  void members(const std::string& prefix, std::span<const NamedValue> left,
               std::span<const NamedValue> right) {
    std::vector<bool> paired(right.size(), false);
    std::size_t next = 0;  // members of one shape stand in the same order
    for (const NamedValue& each : left) {
      const std::string path = joined(prefix, each.name);
      const std::size_t other = find(each.name, right, paired, next);
      if (other == right.size()) {
        report_(path, each.slot, nullptr);
        continue;
      }
      paired[other] = true;
      next = other + 1;
      values(path, each, right[other]);
    }
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (!paired[i]) report_(joined(prefix, right[i].name), nullptr, right[i].slot);
    }
  }

 private:
  static std::string joined(const std::string& prefix, std::string_view name) {
    return prefix.empty() ? std::string(name) : prefix + '.' + std::string(name);
  }

  static std::size_t find(std::string_view name, std::span<const NamedValue> among,
                          const std::vector<bool>& paired, std::size_t first) {
    if (first < among.size() && !paired[first] && among[first].name == name) return first;
    for (std::size_t i = 0; i < among.size(); ++i) {
      if (!paired[i] && among[i].name == name) return i;
    }
    return among.size();
  }

  void values(const std::string& path, const NamedValue& left, const NamedValue& right) {
    const Slot& a = *left.slot;
    const Slot& b = *right.slot;
    if (same_values({&a, a.next()}, {&b, b.next()})) return;
    if (a.kind == b.kind && is_wide_integer(a) && same_number(a, b)) return;
    if (a.kind != b.kind || a.kind < kFirstCompound) return report_(path, &a, &b);
    if (a.kind == SlotKind::kStructure) {
      return members(path, named_members({&a + 1, a.next()}, left.field_class),
                     named_members({&b + 1, b.next()}, right.field_class));
    }
    if (a.bits != b.bits) return report_(path, &a, &b);
    inside(path, left, right);
  }

  // As many values on both sides.
  void inside(const std::string& path, const NamedValue& left, const NamedValue& right) {
    const Slot* a = left.slot + 1;
    const Slot* b = right.slot + 1;
    const std::string below = path + marker(left.slot->kind);
    for (bool is_key = true; a != left.slot->next() && b != right.slot->next(); is_key = !is_key) {
      values(below, {.slot = a, .field_class = class_inside(left, is_key)},
             {.slot = b, .field_class = class_inside(right, is_key)});
      a = a->next();
      b = b->next();
    }
  }

  static const char* marker(SlotKind kind) {
    switch (kind) {
      case SlotKind::kArray:
        return "[]";
      case SlotKind::kMap:
      case SlotKind::kStringMap:
        return "{}";
      default:
        return "";
    }
  }

  static const FieldClass* class_inside(const NamedValue& value, bool is_key) {
    if (value.field_class == nullptr) return nullptr;
    if (value.slot->kind == SlotKind::kArray) return element_class(value.field_class);
    if (const auto* const map = value.field_class->as<MapClass>())
      return is_key ? map->key.get() : map->value.get();
    return held_class(*value.slot, value.field_class);
  }

  const DifferentValue& report_;
};

void add_without_roles(std::span<const Slot> slots, const FieldClass* structure,
                       std::vector<NamedValue>& members) {
  for (const NamedValue& each : named_members(slots, structure)) {
    if (each.field_class == nullptr || each.field_class->roles.empty()) members.push_back(each);
  }
}

}  // namespace

std::vector<NamedValue> named_members(std::span<const Slot> slots, const FieldClass* structure) {
  const auto* const shape = structure == nullptr ? nullptr : structure->as<StructureClass>();
  std::vector<NamedValue> members;
  const Slot* const end = slots.data() + slots.size();
  for (const Slot* slot = slots.data(); slot != end; slot = slot->next()) {
    NamedValue& member = members.emplace_back();
    member.slot = slot;
    if (shape == nullptr || members.size() > shape->members.size()) continue;
    const Member& described = shape->members[members.size() - 1];
    member.name = described.name.view();
    member.field_class = described.field_class.get();
  }
  return members;
}

std::vector<NamedValue> packet_members(const Packet* packet) {
  std::vector<NamedValue> members;
  if (packet == nullptr || packet->stream == nullptr) return members;
  const DataStreamClass* const stream_class = packet->stream->stream_class;
  if (stream_class == nullptr) return members;
  if (stream_class->trace != nullptr) {
    add_without_roles(packet->header, stream_class->trace->trace_class().packet_header.get(),
                      members);
  }
  add_without_roles(packet->context, stream_class->packet_context.get(), members);
  return members;
}

StructureClass members_without_roles(const FieldClass* structure) {
  StructureClass result;
  const auto* const all = structure == nullptr ? nullptr : structure->as<StructureClass>();
  if (all == nullptr) return result;
  for (const Member& member : all->members) {
    if (member.field_class == nullptr || member.field_class->roles.empty())
      result.members.push_back(member);
  }
  return result;
}

void compare_members(const std::string& prefix, std::span<const NamedValue> left,
                     std::span<const NamedValue> right, const DifferentValue& report) {
  ValueComparison(report).members(prefix, left, right);
}

std::string words_of(const Slot* slot) {
  if (slot == nullptr) return "";
  std::string count = std::to_string(slot->bits);
  switch (slot->kind) {
    case SlotKind::kBoolean:
      return slot->bits != 0 ? "true" : "false";
    case SlotKind::kUnsigned:
      return count;
    case SlotKind::kSigned:
      return "signed " + std::to_string(slot->integer);
    case SlotKind::kReal:
      return real_in_words(*slot);
    case SlotKind::kString:
      return bytes_in_words("string", *slot);
    case SlotKind::kBlob:
      return bytes_in_words("blob", *slot);
    case SlotKind::kPackedArray:
      return bytes_in_words("packed array", *slot);
    case SlotKind::kWideUnsigned:
      return bytes_in_words("wide integer", *slot);
    case SlotKind::kWideSigned:
      return bytes_in_words("wide signed integer", *slot);
    case SlotKind::kWideReal:
      return bytes_in_words("wide real", *slot);
    case SlotKind::kUnresolved:
      return "unresolved " + count;
    case SlotKind::kArray:
      return "array of " + count;
    case SlotKind::kStructure:
      return "structure";
    case SlotKind::kStringMap:
    case SlotKind::kMap:
      return "map of " + count;
    case SlotKind::kOptional:
      return slot->bits != 0 ? "present" : "absent";
    case SlotKind::kVariant:
      return "option " + count;
  }
  return "";
}

}  // namespace tracedeck::comparison
