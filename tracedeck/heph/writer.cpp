#include "tracedeck/heph/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/heph/wire.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::heph {
namespace {

// An output takes so many bytes as they are, without copying them.
constexpr std::size_t kChunk = std::size_t{192} << 10;

bool is_own(const Event& event) {
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  return stream_class != nullptr && stream_class->context_identifies && event.common_count == 2 &&
         event.stream != nullptr && !event.stream->keys.empty();
}

}  // namespace

TraceWriter::TraceWriter(io::Output& output)
    : encoder_([&output](ByteSpan bytes) { return output.write(bytes); }, kChunk) {}

Result<void> TraceWriter::write(const Record& record) {
  if (record.kind == RecordKind::kLoss) {
    const Loss& loss = *record.loss;
    if (loss.events && loss.stream != nullptr && !loss.stream->keys.empty())
      note_lost(static_cast<std::uint32_t>(loss.stream->keys[0].value), *loss.events,
                loss.taken_back);
  }
  if (record.kind != RecordKind::kEvent) return {};
  const Event& event = record.event;
  const EventClass& event_class = *event.event_class;
  if (!is_own(event)) return fail(ErrorCode::kInvalidArgument, "the event is no span of Heph's");
  const TraceDescription& trace = *event_class.stream_class->trace;
  if (!begun_ || written_options_ != trace.environment().size()) [[unlikely]] {
    if (Result<void> done = write_options(trace, event_class.clock); !done) return done;
  }
  const std::span<const Slot> place = event.common_context();
  const EventHead head = {.stream = static_cast<std::uint32_t>(event.stream->keys[0].value),
                          .counter = static_cast<std::uint32_t>(place[1].bits),
                          .substream = place[0].bits,
                          .start = event.time,
                          .end = event.end_time};
  count(head.stream, head.counter);
  return put_other(event_class, head, event.payload());
}

void TraceWriter::note_lost(std::uint32_t stream, std::uint64_t events, bool came_after_all) {
  std::uint64_t& lost = counted_[stream].lost;
  lost = came_after_all ? lost - std::min(lost, events) : lost + events;
}

Receipt TraceWriter::receipt() const {
  std::uint64_t left_out = 0;
  for (const auto& [stream, counted] : counted_) {
    if (counted.events == 0) continue;
    const auto numbers = static_cast<std::uint64_t>(counted.highest - counted.first) + 1;
    const std::uint64_t known = counted.events + counted.lost;
    left_out += numbers - std::min(known, numbers);
  }
  if (left_out == 0) return {};
  return {{.what = "counters between others that no event of the result has",
           .done = "readers of Heph take their events for lost",
           .count = left_out,
           .lossy = false}};
}

Result<void> TraceWriter::put_other(const EventClass& event_class, const EventHead& head,
                                    std::span<const Slot> payload) {
  attributes_.begin_event();
  std::string_view description = event_class.name ? std::string_view(*event_class.name) : "";
  if (event_class.self_described) {
    description = payload[0].text();
    attributes_.add_pairs(payload[1]);
  } else {
    attributes_.add_members(payload, *event_class.payload->as<StructureClass>());
  }
  return encoder_.write(head, description, attributes_.attributes());
}

Result<void> TraceWriter::describe(const TraceDescription& trace) {
  const StableList<ClockClass>& clocks = trace.clocks();
  return write_options(trace, clocks.empty() ? nullptr : &clocks[0]);
}

Result<void> TraceWriter::finish() {
  const auto finished = encoder_.finish();
  if (!finished) return std::unexpected(finished.error());
  return {};
}

Result<void> TraceWriter::write_options(const TraceDescription& trace, const ClockClass* clock) {
  if (!begun_ && clock != nullptr && clock->origin == ClockOrigin::kUnixEpoch) {
    const auto epoch = static_cast<std::uint64_t>(clock->to_nanoseconds(0).magnitude());
    if (Result<void> set = encoder_.set_epoch(epoch); !set) return set;
  }
  begun_ = true;
  const Attributes& environment = trace.environment();
  for (; written_options_ < environment.size(); ++written_options_) {
    const tracedeck::Attribute& entry = environment[written_options_];
    if (entry.key == kEpochName) continue;
    if (Result<void> set = encoder_.set_option(entry.key, as_bytes(entry.value)); !set) return set;
  }
  return {};
}

Result<std::unique_ptr<Writer>> create_writer(io::Output& output, const WriteOptions& options) {
  if (!options.version.empty() && options.version != "0.1.0") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the Heph trace format has no version {}: use 0.1.0", options.version));
  }
  return std::make_unique<TraceWriter>(output);
}

}  // namespace tracedeck::heph
