#include "tracedeck/tband/writer.hpp"

#include <utility>

namespace tracedeck::tband {

Result<void> TraceWriter::write(const Record& record) {
  if (record.kind != RecordKind::kEvent) return {};
  const Event& event = record.event;
  const std::uint64_t id = event.event_class->id.value_or(UINT64_MAX);
  const EventLayout& layout = kEventTable[static_cast<std::uint8_t>(id)];
  if (id > UINT8_MAX || layout.facts == nullptr)
    return fail(ErrorCode::kInvalidArgument, "the event is none of the format's");
  return put(layout, event.time, SlotFields(event.payload()));
}

Result<void> TraceWriter::flush() {
  if (used_ == 0) return {};
  return output_.write(ByteSpan(bytes_).first(std::exchange(used_, 0)));
}

std::unique_ptr<TraceWriter> create_writer(io::Output& output) {
  return std::make_unique<TraceWriter>(output);
}

}  // namespace tracedeck::tband
