#include "tracedeck/ctf/growing_schema.hpp"

#include <cstddef>
#include <utility>

namespace tracedeck::ctf {

bool GrowingSchema::reload(Batch& batch) {
  const std::size_t known = trace_.description()->event_classes().size();
  const bool more = trace_.reload();
  for (FileFinding& each : trace_.take_findings())
    batch.add_notice(RecordKind::kFinding, {std::move(each.file), std::move(each.finding)});
  if (!more) return false;
  const auto& classes = trace_.description()->event_classes();
  for (std::size_t i = known; i < classes.size(); ++i) batch.add(Record(&classes[i]));
  update();
  return true;
}

bool GrowingSchema::renew(PacketJob& job, Batch& batch) {
  // Somebody else may have missed it before.
  if (trace_.metadata().schema() == schema_ && !reload(batch)) {
    const auto now = schema_->streams.find(job.head.class_id());
    if (now == schema_->streams.end() || now->second == job.head.stream) return false;
  }
  update();
  auto stream = decode_again(*schema_, *job.head.packet, job.max_state, job.registers);
  if (stream == nullptr) return false;
  job.head.stream = std::move(stream);
  return true;
}

}  // namespace tracedeck::ctf
