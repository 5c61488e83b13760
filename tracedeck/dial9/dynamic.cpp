#include "tracedeck/dial9/dynamic.hpp"

#include <array>
#include <cstddef>

#include "tracedeck/base/leb128.hpp"

namespace tracedeck::dial9 {
namespace {

// Bytes from `at` to `end`; negative when a load in the padding went past it.
std::ptrdiff_t left(const std::uint8_t* at, const std::uint8_t* end) { return end - at; }

SkipResult incomplete(const std::uint8_t* walked_to, const std::uint8_t* needed_up_to) {
  return {.status = FieldStatus::kIncomplete, .end = walked_to, .fault = needed_up_to};
}

SkipResult fault(FieldStatus status, const std::uint8_t* at) {
  return {.status = status, .end = at, .fault = at};
}

// Skips a u32 count at `at` and the elements it counts. False when incomplete; then `needed` is how
// far the input would have to reach.
bool skip_counted(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t element_size,
                  const std::uint8_t*& needed) {
  needed = at + kCountSize;
  if (left(at, end) < static_cast<std::ptrdiff_t>(kCountSize)) return false;
  const std::uint64_t size = std::uint64_t{load_le<std::uint32_t>(at)} * element_size;
  needed += size;
  if (size > static_cast<std::uint64_t>(left(at, end)) - kCountSize) return false;
  at = needed;
  return true;
}

// The same for text, noting whether it is all ASCII.
bool skip_text(const std::uint8_t*& at, const std::uint8_t* end, bool& odd,
               const std::uint8_t*& needed) {
  const std::uint8_t* const begin = at + kCountSize;
  if (!skip_counted(at, end, 1, needed)) return false;
  odd |= has_high_bit(begin, static_cast<std::size_t>(at - begin));
  return true;
}

}  // namespace

std::uint64_t read_value_count(FieldType type, const std::uint8_t*& at) {
  const std::uint32_t count = load_le<std::uint32_t>(at);
  at += kCountSize;
  return type == FieldType::kDynamicMap ? std::uint64_t{count} * 2 : count;
}

SkipResult skip_string_map(const std::uint8_t* at, const std::uint8_t* end) {
  if (left(at, end) < static_cast<std::ptrdiff_t>(kCountSize))
    return incomplete(at, at + kCountSize);
  const std::uint32_t count = load_le<std::uint32_t>(at);
  at += kCountSize;
  bool odd = false;
  const std::uint8_t* needed = nullptr;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!skip_text(at, end, odd, needed) || !skip_text(at, end, odd, needed))
      return incomplete(at, needed);
  }
  return {.end = at, .slots = std::uint64_t{count} * 2, .odd = odd};
}

SkipResult skip_dynamic(FieldType type, const std::uint8_t* at, const std::uint8_t* end) {
  std::array<std::uint64_t, kMaxNesting> open;  // tagged values still to come, outermost first
  std::size_t depth = 0;
  std::uint64_t slots = 0;
  bool odd = false;
  const std::uint8_t* needed = nullptr;
  for (;;) {
    // A list or map opens: its count.
    if (depth == kMaxNesting) return fault(FieldStatus::kDynamicNesting, at);
    if (left(at, end) < static_cast<std::ptrdiff_t>(kCountSize))
      return incomplete(at, at + kCountSize);
    open[depth++] = read_value_count(type, at);
    bool opened = false;
    while (!opened) {
      while (depth != 0 && open[depth - 1] == 0) --depth;
      if (depth == 0) return {.end = at, .slots = slots, .odd = odd};
      --open[depth - 1];
      ++slots;
      if (left(at, end) < 1) return incomplete(at, at + 1);
      const std::uint8_t tag = *at;
      const FieldTypeFacts* const known = field_type_facts(tag);
      if (known == nullptr) return fault(FieldStatus::kDynamicTag, at);
      ++at;
      switch (known->type) {
        case FieldType::kVarint: {
          const std::uint8_t* const begin = at;
          std::uint64_t ignored = 0;
          if (!decode_leb128(at, ignored)) return fault(FieldStatus::kVarintLength, at);
          odd |= is_overlong(begin, at);
          break;
        }
        case FieldType::kString:
          if (!skip_text(at, end, odd, needed)) return incomplete(at, needed);
          break;
        case FieldType::kBytes:
          if (!skip_counted(at, end, 1, needed)) return incomplete(at, needed);
          break;
        case FieldType::kStackFrames:
          if (!skip_counted(at, end, 8, needed)) return incomplete(at, needed);
          break;
        case FieldType::kStringMap: {
          const SkipResult map = skip_string_map(at, end);
          if (map.status != FieldStatus::kOk) return map;
          slots += map.slots;
          odd |= map.odd;
          at = map.end;
          break;
        }
        case FieldType::kDynamicList:
        case FieldType::kDynamicMap:
          type = known->type;
          opened = true;
          break;
        case FieldType::kBool:
          odd |= *at > 1;
          at += 1;
          break;
        case FieldType::kPooledString:
        case FieldType::kPooledStackFrames:
          odd = true;  // may be unresolved
          at += known->fixed_size;
          break;
        default:
          at += known->fixed_size;
          break;
      }
      if (at > end) return incomplete(end, at);
    }
  }
}

bool StringMapView::next(std::string_view& key, std::string_view& value) {
  if (position_ == end_) return false;
  for (std::string_view* part : {&key, &value}) {
    const std::uint32_t size = load_le<std::uint32_t>(position_);
    *part = as_text({position_ + kCountSize, size});
    position_ += kCountSize + size;
  }
  return true;
}

bool DynamicView::next(Value& element) {
  if (position_ == end_) return false;
  element = read_tagged_value(position_, end_);
  return true;
}

Value read_tagged_value(const std::uint8_t*& at, const std::uint8_t* end) {
  const auto type = static_cast<FieldType>(*at++);
  return read_value(type, at, end);
}

Value read_value(FieldType type, const std::uint8_t*& at, const std::uint8_t* end) {
  Value value{.bits = 0, .length = 0, .type = type, .present = true, .reserved = 0};
  switch (value.type) {
    case FieldType::kU8:
    case FieldType::kBool:
      value.bits = value.type == FieldType::kBool ? (*at != 0 ? 1U : 0U) : *at;
      at += 1;
      break;
    case FieldType::kU16:
      value.bits = load_le<std::uint16_t>(at);
      at += 2;
      break;
    case FieldType::kU32:
    case FieldType::kPooledString:
    case FieldType::kPooledStackFrames:
      value.bits = load_le<std::uint32_t>(at);
      at += 4;
      break;
    case FieldType::kI64:
    case FieldType::kF64:
      value.bits = load_le<std::uint64_t>(at);
      at += 8;
      break;
    case FieldType::kVarint: {
      std::uint64_t number = 0;
      static_cast<void>(decode_leb128(at, number));  // checked before
      value.bits = number;
      break;
    }
    case FieldType::kString:
    case FieldType::kBytes:
    case FieldType::kStackFrames:
      value.length = load_le<std::uint32_t>(at) * (value.type == FieldType::kStackFrames ? 8U : 1U);
      value.pointer = at + kCountSize;
      at = value.pointer + value.length;
      break;
    case FieldType::kStringMap:
    case FieldType::kDynamicList:
    case FieldType::kDynamicMap: {
      const SkipResult extent = value.type == FieldType::kStringMap
                                    ? skip_string_map(at, end)
                                    : skip_dynamic(value.type, at, end);
      value.pointer = at + kCountSize;
      value.length = static_cast<std::uint32_t>(extent.end - value.pointer);
      at = extent.end;
      break;
    }
  }
  return value;
}

}  // namespace tracedeck::dial9
