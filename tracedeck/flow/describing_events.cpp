#include "tracedeck/flow/describing_events.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "tracedeck/spill/kept_values.hpp"

namespace tracedeck::flow {
namespace {

// Copies slots, and behind them the bytes that they point to. Returns the first slot.
const Slot* copied(std::span<const Slot> slots, std::byte* to) {
  if (slots.empty()) return nullptr;
  std::memcpy(to, slots.data(), slots.size_bytes());
  auto* const copies = reinterpret_cast<Slot*>(to);
  keep_bytes({copies, slots.size()}, reinterpret_cast<std::uint8_t*>(to + slots.size_bytes()));
  return copies;
}

bool may_describe(const DataStream& stream) {
  return stream.stream_class != nullptr && stream.stream_class->has_describing_events;
}

}  // namespace

Result<void> DescribingEvents::see(const Record& record) {
  if (record.kind == RecordKind::kStreamBegin) begin_stream(*record.stream);
  if (record.kind != RecordKind::kEvent || !record.event.event_class->describes_others) return {};
  return add(record.event);
}

Result<void> DescribingEvents::add(const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (stream_class == nullptr || stream_class->trace == nullptr || event.stream == nullptr)
    return {};
  const std::span<const Slot> slots(event.slots, event.slot_count);
  const std::size_t size = slots.size_bytes() + bytes_behind(slots);
  const std::size_t taken = size + sizeof(Kept);
  if (taken > left_) {
    return fail(
        ErrorCode::kLimitExceeded,
        "the events that describe others (names, symbols), which each part is to have, take "
        "more memory than --max-state allows",
        stream_class->trace->input());
  }
  left_ -= taken;
  Kept& kept = kept_.emplace_back(Kept{.trace = traces_.of(event.stream->entity.trace),
                                       .stream = event.stream->entity,
                                       .event = event,
                                       .values = std::make_unique<std::byte[]>(size)});
  kept.event.slots = copied(slots, kept.values.get());
  kept.event.header_count = 0;
  kept.event.stream = nullptr;
  kept.event.packet = nullptr;
  std::shared_ptr<const TraceDescription>& description =
      descriptions_[stream_class->trace->number()];
  if (description == nullptr) description = stream_class->trace->shared_from_this();
  return {};
}

Result<void> collect_describing(RecordSource& source, bool begun_first, DescribingEvents& into) {
  bool wanted = !begun_first;
  for (;;) {
    auto batch = source.next();
    if (!batch) return std::unexpected(std::move(batch.error()));
    if (*batch == nullptr) return {};
    for (const Record& record : (*batch)->records()) {
      wanted = wanted || (record.kind == RecordKind::kStreamBegin && may_describe(*record.stream));
      if (record.kind == RecordKind::kEvent && !wanted) return {};
      if (auto seen = into.see(record); !seen) return seen;
    }
  }
}

}  // namespace tracedeck::flow
