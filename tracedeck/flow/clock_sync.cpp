#include "tracedeck/flow/clock_sync.hpp"

#include <algorithm>

namespace tracedeck::flow {
namespace {

bool is_sync(const EventClass& event_class, const FormatInfo& format) {
  return event_class.name == format.clock_sync_event && event_class.clock != nullptr &&
         event_class.payload != nullptr;
}

// The value of a top-level field that is an unsigned integer.
std::optional<std::uint64_t> unsigned_field(const Event& event, std::string_view name) {
  const auto* const payload = event.event_class->payload->as<StructureClass>();
  const std::span<const Slot> slots = event.payload();
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (const Member& member : payload->members) {
    if (slot == end) break;
    if (member.name == name && slot->kind == SlotKind::kUnsigned) return slot->bits;
    slot = slot->next();
  }
  return std::nullopt;
}

// What the first such event of a batch says.
std::optional<Nanoseconds> offset_in(const Batch& batch, const FormatInfo& format) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent || !is_sync(*record.event.event_class, format)) continue;
    const auto utc = unsigned_field(record.event, format.clock_sync_field);
    if (utc) return Nanoseconds::from_unsigned(*utc) - record.event.began_at();
  }
  return std::nullopt;
}

template <class GoesOn>
std::optional<Nanoseconds> first_offset(RecordSource& source, const FormatInfo& format,
                                        GoesOn goes_on) {
  if (format.clock_sync_event.empty()) return std::nullopt;
  while (goes_on()) {
    const auto batch = source.next();
    if (!batch || *batch == nullptr) break;
    if (const auto offset = offset_in(**batch, format)) return offset;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Nanoseconds> utc_offset(RecordSource& source, const FormatInfo& format) {
  return first_offset(source, format, [] { return true; });
}

std::optional<Nanoseconds> early_utc_offset(Reader& reader, const FormatInfo& format,
                                            std::uint64_t most) {
  return first_offset(reader, format, [&] { return reader.bytes_read().value_or(0) < most; });
}

bool describes_clock_sync(const TraceDescription& description, const FormatInfo& format) {
  return !format.clock_sync_event.empty() &&
         std::ranges::any_of(description.event_classes(), [&](const EventClass& event_class) {
           return is_sync(event_class, format);
         });
}

}  // namespace tracedeck::flow
