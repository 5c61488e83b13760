#include "tracedeck/format/writer.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck {
namespace {

bool is_refusal(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kLimitExceeded ||
         error.code == ErrorCode::kUnsupported;
}

}  // namespace

Result<void> Writer::counted(Result<void>&& result, bool is_event, Written& written) {
  if (result) [[likely]] {
    written.events += is_event ? 1 : 0;
    return std::move(result);
  }
  if (!is_refusal(result.error())) return std::move(result);
  if (written.refused++ == 0) written.first_refusal = result.error().to_string();
  return {};
}

std::uint64_t damaged_ranges(const Batch& batch) {
  return static_cast<std::uint64_t>(std::ranges::count_if(batch.others(), [&](std::uint32_t place) {
    const Record& record = batch.records()[place];
    return record.kind == RecordKind::kProblem && record.notice->may_cost_events();
  }));
}

Result<void> Writer::write_or_refuse(const Record& record, Written& written) {
  return counted(write(record), record.kind == RecordKind::kEvent, written);
}

Result<void> Writer::describe(const TraceDescription&) { return {}; }

Result<void> Writer::write_batch(const Batch& batch, Written& written) {
  for (const Record& record : batch.records()) {
    Result<void> result = write(record);
    if (result) [[likely]] {
      written.events += record.kind == RecordKind::kEvent ? 1 : 0;
      continue;
    }
    result = counted(std::move(result), false, written);
    if (!result) return result;
  }
  return {};
}

}  // namespace tracedeck
