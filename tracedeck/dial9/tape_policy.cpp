#include "tracedeck/dial9/tape_policy.hpp"

#include <vector>

#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {
namespace {

Slot* expand_string_map(Slot* out, const Value& map) {
  Slot* const head = out++;
  StringMapView pairs(map);
  std::string_view key;
  std::string_view text;
  while (pairs.next(key, text)) {
    for (const std::string_view part : {key, text}) {
      *out++ = bytes_slot(SlotKind::kString, as_bytes(part).data(),
                          static_cast<std::uint32_t>(part.size()));
    }
  }
  const auto extent = static_cast<std::uint32_t>(out - head - 1);
  *head = head_slot(SlotKind::kStringMap, extent / 2, extent);
  return out;
}

// An element has no field class to say which pool an unresolved id belongs to.
Slot* mark_type(Slot* end, FieldType type) {
  if (end[-1].kind == SlotKind::kUnresolved) end[-1].detail = static_cast<std::uint8_t>(type);
  return end;
}

// A value that is neither a list nor a dynamic map.
Slot* expand_value(Slot* out, const Value& value, const Pools& pools) {
  bool odd = false;
  switch (value.type) {
    case FieldType::kVarint:
    case FieldType::kU8:
    case FieldType::kU16:
    case FieldType::kU32:
      *out = unsigned_slot(value.bits);
      out->detail = static_cast<std::uint8_t>(8 * facts(value.type).fixed_size);
      return out + 1;
    case FieldType::kI64:
      return TapePolicy::signed_integer(out, value.integer);
    case FieldType::kF64:
      return TapePolicy::real(out, value.real);
    case FieldType::kBool:
      return TapePolicy::boolean(out, value.bits != 0);
    case FieldType::kString:
      return TapePolicy::string(out, value.pointer, value.length);
    case FieldType::kBytes:
      return TapePolicy::blob(out, value.pointer, value.length);
    case FieldType::kStackFrames:
      return TapePolicy::stack(out, value.pointer, value.length);
    case FieldType::kPooledString:
      return mark_type(
          TapePolicy::pooled_string(out, static_cast<std::uint32_t>(value.bits), pools, odd),
          value.type);
    case FieldType::kPooledStackFrames:
      return mark_type(
          TapePolicy::pooled_stack(out, static_cast<std::uint32_t>(value.bits), pools, odd),
          value.type);
    case FieldType::kStringMap:
      return expand_string_map(out, value);
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap:
      break;
  }
  return out;
}

// A list or map being expanded: its head and how many values are still to come.
struct Open {
  Slot* head;
  std::uint64_t values;
};

Open open_container(Slot*& out, FieldType type, const std::uint8_t*& at) {
  const std::uint64_t values = read_value_count(type, at);
  const bool is_map = type == FieldType::kDynamicMap;
  *out = head_slot(is_map ? SlotKind::kMap : SlotKind::kArray, is_map ? values / 2 : values, 0);
  return {out++, values};
}

}  // namespace

Slot* expand_container(Slot* out, FieldType type, const std::uint8_t* at, const SkipResult& extent,
                       const Pools& pools) {
  const std::uint8_t* const end = extent.end;
  if (type == FieldType::kStringMap) {
    return expand_string_map(out, {.pointer = at + 4,
                                   .length = static_cast<std::uint32_t>(end - at - 4),
                                   .type = type,
                                   .present = true,
                                   .reserved = 0});
  }
  std::vector<Open> open = {open_container(out, type, at)};
  while (!open.empty()) {
    if (open.back().values == 0) {
      Slot* const head = open.back().head;
      head->length = static_cast<std::uint32_t>(out - head - 1);
      open.pop_back();
      continue;
    }
    --open.back().values;
    const auto element = static_cast<FieldType>(*at);
    if (element == FieldType::kDynamicList || element == FieldType::kDynamicMap) {
      ++at;
      open.push_back(open_container(out, element, at));
    } else {
      out = expand_value(out, read_tagged_value(at, end), pools);
    }
  }
  return out;
}

}  // namespace tracedeck::dial9
