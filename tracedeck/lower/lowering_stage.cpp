#include "tracedeck/lower/lowering_stage.hpp"

#include <algorithm>
#include <iterator>

namespace tracedeck::lower {

Result<void> LoweringStage::write(const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent:
      return write_event(record.event, record);
    case RecordKind::kStreamBegin:
      return is_held(*record.stream) ? target_->write(record) : begin_stream(*record.stream);
    case RecordKind::kStreamEnd:
      return is_held(*record.stream) ? target_->write(record) : end_stream(*record.stream);
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      return is_held(*record.packet->stream) ? target_->write(record) : Result<void>();
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

Result<void> LoweringStage::describe(const TraceDescription& trace) {
  const DataStreamClass any{.trace = &trace};
  const bool held = profile_.plain == nullptr && is_held(any);
  return held ? target_->describe(trace) : describe_lowered(trace);
}

Receipt LoweringStage::receipt() const {
  Receipt receipt = receipt_.entries();
  std::ranges::move(target_->receipt(), std::back_inserter(receipt));
  return receipt;
}

bool LoweringStage::is_held(const DataStream& stream) const {
  if (profile_.plain != nullptr) return false;
  return stream.stream_class == nullptr || is_held(*stream.stream_class);
}

bool LoweringStage::is_held(const DataStreamClass& stream_class) const {
  const EventClass any{.stream_class = &stream_class};
  return stream_class.trace == nullptr || profile_.holds(any);
}

}  // namespace tracedeck::lower
