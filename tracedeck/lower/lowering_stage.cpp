#include "tracedeck/lower/lowering_stage.hpp"

#include <algorithm>
#include <iterator>

#include "tracedeck/lower/located_fields.hpp"
#include "tracedeck/model/altered.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

Result<void> LoweringStage::write(const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent:
      return write_event(record.event, record);
    case RecordKind::kStreamBegin:
      if (!is_held(*record.stream)) return begin_stream(*record.stream);
      see_held(*record.stream);
      return target_->write(record);
    case RecordKind::kStreamEnd:
      if (!is_held(*record.stream)) return end_stream(*record.stream);
      if (auto ended = target_->write(record); !ended) return ended;
      return end_held(*record.stream);
    case RecordKind::kPacketBegin:
      if (!is_held(*record.packet->stream)) return begin_packet(*record.packet);
      see_held(*record.packet);
      return target_->write(record);
    case RecordKind::kPacketEnd:
      return is_held(*record.packet->stream) ? target_->write(record) : end_packet(*record.packet);
    case RecordKind::kLoss:
      if (profile_.plain == nullptr &&
          (record.loss->stream == nullptr || is_held(*record.loss->stream)))
        return target_->write(record);
      return write_loss(*record.loss);
    case RecordKind::kDescription:
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      return target_->write(record);
  }
  return {};
}

Result<void> LoweringStage::write_batch(const Batch& batch, Written& written) {
  for (const Record& record : batch.records()) {
    const bool is_event = record.kind == RecordKind::kEvent;
    auto result = is_event ? write_event(record.event, record) : write(record);
    if (result && is_event) [[likely]] {
      ++written.events;
    } else if (auto done = counted(std::move(result), is_event, written); !done) {
      return done;
    }
  }
  return {};
}

Result<void> LoweringStage::describe(const TraceDescription& trace) {
  const DataStreamClass any{.trace = &trace};
  const bool held = profile_.plain == nullptr && is_held(any);
  return held ? target_->describe(trace) : describe_lowered(trace);
}

Receipt LoweringStage::receipt() const {
  Receipt receipt = receipt_.entries(profile_.marks);
  std::ranges::move(target_->receipt(), std::back_inserter(receipt));
  return receipt;
}

bool LoweringStage::is_held(const DataStream& stream) {
  if (profile_.plain != nullptr) return false;
  return stream.stream_class == nullptr || is_held(*stream.stream_class);
}

bool LoweringStage::is_held(const DataStreamClass& stream_class) {
  const TraceDescription* const trace = stream_class.trace;
  if (trace == nullptr) return true;
  const auto [place, is_new] = held_.try_emplace(trace->number());
  if (is_new) {
    const EventClass any{.stream_class = &stream_class};
    const bool has_heads = !lowers_.heads && trace->has_heads();
    place->second = !lowers_.all && !is_altered(*trace) && profile_.holds(any) &&
                    (has_heads || !leads_into_heads(*trace));
  }
  return place->second;
}

}  // namespace tracedeck::lower
