#include "tracedeck/convert/several_traces.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/convert/silent_observer.hpp"
#include "tracedeck/flow/pipeline.hpp"

namespace tracedeck {
namespace {

bool is_result(const flow::Pipeline& pipeline) {
  const auto descriptions = pipeline.descriptions();
  return descriptions.size() == 1 && descriptions.front() != nullptr &&
         !descriptions.front()->stored_as().empty();
}

}  // namespace

bool holds_several_traces(flow::PipelineOptions reading, const std::stop_token& stop) {
  std::vector<flow::TracePlace> places = flow::list_traces(
      {.names = reading.operands, .format = reading.format, .follow = reading.follow}, stop);
  if (places.size() != 1 || !places.front().reopens()) return false;
  reading.selection = {.order = flow::Order::kRecorded};
  reading.needs = {};
  SilentObserver observer;
  const auto pipeline = flow::Pipeline::open(std::move(reading), observer, stop, std::move(places));
  if (pipeline == nullptr || !is_result(*pipeline)) return false;
  std::optional<std::uint64_t> first;
  for (;;) {
    const auto batch = pipeline->next();
    if (!batch || *batch == nullptr) return false;
    for (const std::uint32_t place : (*batch)->others()) {
      const Record& record = (*batch)->records()[place];
      if (record.kind != RecordKind::kStreamBegin) continue;
      if (first.value_or(record.stream->entity.trace) != record.stream->entity.trace) return true;
      first = record.stream->entity.trace;
    }
  }
}

}  // namespace tracedeck
