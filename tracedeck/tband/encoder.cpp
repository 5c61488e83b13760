#include "tracedeck/tband/encoder.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "tracedeck/base/cobs.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/tband/event_layout.hpp"
#include "tracedeck/tband/wire.hpp"

namespace tracedeck::tband {
namespace {

// Bytes of the integers of any event, and its id, and what is written behind an integer.
constexpr std::size_t kMostFixed = 1 + 10 + kMaxFields * 10 + 8;

std::uint64_t largest(FieldType type) {
  switch (type) {
    case FieldType::kU8:
      return std::numeric_limits<std::uint8_t>::max();
    case FieldType::kU32:
      return std::numeric_limits<std::uint32_t>::max();
    default:
      return std::numeric_limits<std::uint64_t>::max();
  }
}

Result<void> check(const EventFacts& event, std::span<const FieldValue> fields) {
  const std::span<const FieldFacts> known = event.used_fields();
  if (fields.size() > known.size() ||
      (fields.size() < known.size() && !known[fields.size()].optional)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} has {} fields, not {}", event.name, known.size(), fields.size()));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].number > largest(known[i].type)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("field `{}` of {} is a {} and cannot hold {}", known[i].name,
                              event.name, field_type_name(known[i].type), fields[i].number));
    }
  }
  return {};
}

}  // namespace

Result<void> encode_event(const EventFacts& event, std::uint64_t timestamp,
                          std::span<const FieldValue> fields, std::vector<std::uint8_t>& out) {
  if (auto checked = check(event, fields); !checked) return checked;
  std::size_t room = kMostFixed;
  for (const FieldValue& field : fields) room += field.text.size();
  // The payload is made behind the frame that it becomes.
  const std::size_t had = out.size();
  const std::size_t bound = cobs_bound(room) + 1;
  out.resize(had + bound + room);
  std::uint8_t* const payload = out.data() + had + bound;
  std::uint8_t* at = payload;
  *at++ = event.id;
  if (!event.metadata) at = encode_leb128(at, timestamp);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldValue& field = fields[i];
    switch (event.fields[i].type) {
      case FieldType::kU8:
        *at++ = static_cast<std::uint8_t>(field.number);
        break;
      case FieldType::kU32:
      case FieldType::kU64:
        at = encode_leb128(at, field.number);
        break;
      case FieldType::kS64:
        at = encode_leb128(at, sign_magnitude(static_cast<std::int64_t>(field.number)));
        break;
      case FieldType::kString:
        if (!field.text.empty()) std::memcpy(at, field.text.data(), field.text.size());
        at += field.text.size();
        break;
    }
  }
  std::uint8_t* end =
      cobs_encode({payload, static_cast<std::size_t>(at - payload)}, out.data() + had);
  *end++ = kCobsDelimiter;
  out.resize(static_cast<std::size_t>(end - out.data()));
  return {};
}

}  // namespace tracedeck::tband
