#include "tracedeck/flow/clock_sync.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tracedeck/format/clock_anchor.hpp"
#include "tracedeck/format/output_batch.hpp"

namespace tracedeck::flow {
namespace {

bool is_sync(const EventClass& event_class, const FormatInfo& format) {
  return event_class.name == format.clock_sync_event && event_class.clock != nullptr &&
         event_class.payload != nullptr;
}

// Calls `take(event, utc)` with each such event of a batch, until it returns false.
template <class Take>
bool see_anchors(const Batch& batch, const FormatInfo& format, const Take& take) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent || !is_sync(*record.event.event_class, format)) continue;
    const auto utc = unsigned_member(record.event, format.clock_sync_field);
    if (utc && !take(record.event, Nanoseconds::from_unsigned(*utc))) return false;
  }
  return true;
}

// Moves each event to where its time is on the wall.
class OnWallClock final : public RecordSource {
 public:
  OnWallClock(std::unique_ptr<RecordSource> source, std::shared_ptr<const WallClock> wall,
              Nanoseconds offset)
      : source_(std::move(source)), wall_(std::move(wall)), offset_(offset) {}

  Result<BatchPtr> next() override {
    auto batch = source_->next();
    if (!batch || *batch == nullptr) return batch;
    OutputBatch output;
    output.pin(*batch);
    for (const Record& record : (*batch)->records()) {
      if (record.kind != RecordKind::kEvent || record.event.event_class->clock == nullptr) {
        output.add(record);
        continue;
      }
      Event& event = output.add_event();
      event = record.event;
      event.time = moved(*event.event_class->clock, event.time);
      event.end_time = moved(*event.event_class->clock, event.end_time);
    }
    return output.take();
  }

 private:
  // Clocks of such formats count ns.
  [[nodiscard]] std::uint64_t moved(const ClockClass& clock, std::uint64_t value) const {
    const Nanoseconds recorded = clock.to_nanoseconds(value) - offset_;
    const Nanoseconds more = wall_->offset_at(recorded) - wall_->least_offset();
    constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
    const auto room = static_cast<Uint128>(kLast - value);
    return more.magnitude() > room ? kLast : value + static_cast<std::uint64_t>(more.magnitude());
  }

  std::unique_ptr<RecordSource> source_;
  std::shared_ptr<const WallClock> wall_;
  Nanoseconds offset_;
};

}  // namespace

std::shared_ptr<const WallClock> read_wall_clock(RecordSource& source, const FormatInfo& format) {
  if (format.clock_sync_event.empty()) return nullptr;
  auto wall = std::make_shared<WallClock>();
  for (;;) {
    const auto batch = source.next();
    if (!batch || *batch == nullptr) break;
    see_anchors(**batch, format, [&](const Event& event, Nanoseconds utc) {
      wall->add(event.began_at(), utc);
      return true;
    });
  }
  wall->finish();
  return wall->empty() ? nullptr : wall;
}

std::optional<Nanoseconds> early_utc_offset(Reader& reader, const FormatInfo& format,
                                            std::uint64_t most) {
  if (format.clock_sync_event.empty()) return std::nullopt;
  std::optional<Nanoseconds> offset;
  while (!offset && reader.bytes_read().value_or(0) < most) {
    const auto batch = reader.next();
    if (!batch || *batch == nullptr) break;
    see_anchors(**batch, format, [&](const Event& event, Nanoseconds utc) {
      offset = utc - event.began_at();
      return false;
    });
  }
  return offset;
}

bool describes_clock_sync(const TraceDescription& description, const FormatInfo& format) {
  return !format.clock_sync_event.empty() &&
         std::ranges::any_of(description.event_classes(), [&](const EventClass& event_class) {
           return is_sync(event_class, format);
         });
}

std::unique_ptr<RecordSource> on_wall_clock(std::unique_ptr<RecordSource> source,
                                            std::shared_ptr<const WallClock> wall,
                                            Nanoseconds offset) {
  return std::make_unique<OnWallClock>(std::move(source), std::move(wall), offset);
}

}  // namespace tracedeck::flow
