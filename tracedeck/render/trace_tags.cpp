#include "tracedeck/render/trace_tags.hpp"

namespace tracedeck::render {
namespace {

const DataStreamClass* class_of(const DataStream* stream) {
  return stream == nullptr ? nullptr : stream->stream_class;
}

}  // namespace

std::string_view TraceTags::of(const DataStreamClass* stream_class) {
  const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
  if (trace == nullptr) return {};
  if (trace->number() != last_) {
    last_ = trace->number();
    const std::string name = names_(*trace);
    tag_ = name.empty() ? std::string() : form_(name);
  }
  return tag_;
}

std::string_view TraceTags::of(const EventClass& event_class) {
  return of(event_class.stream_class);
}

std::string_view TraceTags::of(const Record& record) {
  switch (record.kind) {
    case RecordKind::kEvent:
      return of(*record.event.event_class);
    case RecordKind::kStreamBegin:
    case RecordKind::kStreamEnd:
      return of(class_of(record.stream));
    case RecordKind::kPacketBegin:
    case RecordKind::kPacketEnd:
      return of(class_of(record.packet->stream));
    case RecordKind::kLoss:
      return of(class_of(record.loss->stream));
    case RecordKind::kDescription:
    case RecordKind::kProblem:
    case RecordKind::kFinding:
      return {};
  }
  return {};
}

}  // namespace tracedeck::render
