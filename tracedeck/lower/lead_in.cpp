#include "tracedeck/lower/lead_in.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/spill/kept_values.hpp"

namespace tracedeck::lower {
namespace {

bool can_wait(const Event& event) {
  const EventClass& of = *event.event_class;
  return of.describes_others && !of.has_real_time() && event.packet == nullptr &&
         event.stream != nullptr && of.stream_class != nullptr && of.stream_class->trace != nullptr;
}

}  // namespace

Result<void> LeadIn::write(const Record& record) {
  if (!released_) {
    const auto retained = takes(record);
    if (!retained) return std::unexpected(retained.error());
    if (*retained) return {};
  }
  return next_->write(record);
}

Result<void> LeadIn::write_batch(const Batch& batch, Written& written) {
  if (released_) [[likely]]
    return next_->write_batch(batch, written);
  for (const Record& record : batch.records()) {
    if (auto done = write_or_refuse(record, written); !done) return done;
  }
  return {};
}

Result<bool> LeadIn::takes(const Record& record) {
  const bool is_event = record.kind == RecordKind::kEvent;
  if (is_event && can_wait(record.event) && size_ < kMostRetained) {
    hold(record.event);
    return true;
  }
  if (!is_event && record.kind != RecordKind::kStreamEnd) return false;
  if (is_event && record.event.event_class->has_real_time()) next_->begin_at(record.event);
  if (auto released = release(); !released) return std::unexpected(released.error());
  return false;
}

void LeadIn::hold(const Event& event) {
  const std::span<const Slot> slots(event.slots, event.slot_count);
  const std::size_t size = slots.size_bytes() + bytes_behind(slots);
  Retained& retained = retained_.emplace_back(
      Retained{.event = event, .values = std::make_unique<std::byte[]>(size)});
  size_ += size + sizeof(Retained);
  auto* const copies = reinterpret_cast<Slot*>(retained.values.get());
  if (!slots.empty()) {
    std::memcpy(copies, slots.data(), slots.size_bytes());
    keep_bytes({copies, slots.size()},
               reinterpret_cast<std::uint8_t*>(retained.values.get() + slots.size_bytes()));
  }
  retained.event.slots = copies;
  retained.event.header_count = 0;
  retained.event.stream = &streams_.try_emplace(event.stream->entity, *event.stream).first->second;
  std::shared_ptr<const TraceDescription>& trace = traces_[event.event_class->entity.trace];
  if (trace == nullptr) trace = event.event_class->stream_class->trace->shared_from_this();
}

Result<void> LeadIn::release() {
  released_ = true;
  for (const Retained& each : std::exchange(retained_, {})) {
    if (auto done = next_->write_or_refuse(Record(each.event), late_); !done) return done;
  }
  return {};
}

Result<void> LeadIn::flush() {
  if (auto released = release(); !released) return released;
  return next_->flush();
}

Result<void> LeadIn::finish() {
  if (auto released = release(); !released) return released;
  return next_->finish();
}

Receipt LeadIn::receipt() const {
  Receipt receipt = next_->receipt();
  if (late_.refused != 0) {
    receipt.push_back({.what = "events that describe others and that the target cannot hold at all",
                       .done = "left out; the first: " + late_.first_refusal,
                       .count = late_.refused,
                       .lossy = true});
  }
  return receipt;
}

}  // namespace tracedeck::lower
