#include "tracedeck/flow/described_traces.hpp"

#include <utility>

namespace tracedeck::flow {

DescribedTraces::DescribedTraces(std::shared_ptr<const TraceDescription> first) {
  numbers_.insert(first->number());
  list_.push_back(std::move(first));
}

void DescribedTraces::see(const Record& record) {
  if (record.kind != RecordKind::kStreamBegin) return;
  const DataStreamClass* const stream_class = record.stream->stream_class;
  if (stream_class == nullptr || stream_class->trace == nullptr) return;
  if (numbers_.insert(stream_class->trace->number()).second)
    list_.push_back(stream_class->trace->shared_from_this());
}

}  // namespace tracedeck::flow
