#include "tracedeck/tband/encoder.hpp"

#include <fmt/format.h>

#include "tracedeck/tband/frame.hpp"

namespace tracedeck::tband {
namespace {

std::uint64_t largest(FieldType type) {
  if (type == FieldType::kU8) return UINT8_MAX;
  return type == FieldType::kU32 ? UINT32_MAX : UINT64_MAX;
}

// Why the fields do not suit the event.
std::unexpected<Error> unsuitable(const EventFacts& event, std::span<const FieldValue> fields) {
  const std::span<const FieldFacts> known = event.used_fields();
  const bool all = fields.size() == known.size() ||
                   (fields.size() < known.size() && known[fields.size()].optional);
  if (all) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].number <= largest(known[i].type)) continue;
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("field `{}` of {} is a {} and cannot hold {}", known[i].name,
                              event.name, field_type_name(known[i].type), fields[i].number));
    }
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{} has {} fields, not {}", event.name, known.size(), fields.size()));
}

}  // namespace

Result<void> encode_event(const EventFacts& event, std::uint64_t timestamp,
                          std::span<const FieldValue> fields, std::vector<std::uint8_t>& out) {
  const std::size_t text = fields.empty() ? 0 : fields.back().text.size();
  const std::size_t had = out.size();
  out.resize(had + frame_room(text));
  const EventLayout layout = layout_of(event);
  const std::uint8_t* const end = put_frame(out.data() + had, layout, timestamp, fields);
  if (end == nullptr) {
    out.resize(had);
    return unsuitable(event, fields);
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
  return {};
}

}  // namespace tracedeck::tband
