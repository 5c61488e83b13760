#include "tracedeck/tband/encoder.hpp"

#include <fmt/format.h>

#include <limits>

#include "tracedeck/tband/device.hpp"
#include "tracedeck/tband/event_layout.hpp"

namespace tracedeck::tband {
namespace {

// Bytes of the integers of any event, and its id.
constexpr std::size_t kMostFixed = 1 + 10 + kMaxFields * 10;

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
  const std::size_t had = out.size();
  std::size_t room = kMostFixed;
  for (const FieldValue& field : fields) room += field.text.size();
  out.resize(had + device::frame_bound(room));
  device::Frame frame(out.data() + had, event.id);
  if (!event.metadata) frame.u64(timestamp);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldValue& field = fields[i];
    switch (event.fields[i].type) {
      case FieldType::kU8:
        frame.u8(static_cast<std::uint8_t>(field.number));
        break;
      case FieldType::kU32:
        frame.u32(static_cast<std::uint32_t>(field.number));
        break;
      case FieldType::kU64:
        frame.u64(field.number);
        break;
      case FieldType::kS64:
        frame.s64(static_cast<std::int64_t>(field.number));
        break;
      case FieldType::kString:
        frame.text(field.text.data(), field.text.size());
        break;
    }
  }
  out.resize(had + frame.finish());
  return {};
}

}  // namespace tracedeck::tband
