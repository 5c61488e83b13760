#include "tracedeck/format/writer.hpp"

namespace tracedeck {
namespace {

bool is_refusal(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kLimitExceeded ||
         error.code == ErrorCode::kUnsupported;
}

}  // namespace

Result<void> Writer::write_or_refuse(const Record& record, Written& written) {
  auto result = write(record);
  if (result) [[likely]] {
    written.events += record.kind == RecordKind::kEvent ? 1 : 0;
    return result;
  }
  if (!is_refusal(result.error())) return result;
  if (written.refused++ == 0) written.first_refusal = result.error().to_string();
  return {};
}

Result<void> Writer::describe(const TraceDescription&) { return {}; }

Result<void> Writer::write_batch(const Batch& batch, Written& written) {
  for (const Record& record : batch.records()) {
    if (auto result = write_or_refuse(record, written); !result) [[unlikely]]
      return result;
  }
  return {};
}

}  // namespace tracedeck
