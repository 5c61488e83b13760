#include "tracedeck/ctf/stream/event_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/counter_wrap.hpp"
#include "tracedeck/ctf/dialect.hpp"

namespace tracedeck::ctf {

void EventDecoder::begin(const StreamSchema& schema, const PacketHead& head, const Packet& packet,
                         std::uint64_t offset, std::optional<std::uint64_t> previous) {
  schema_ = &schema;
  packet_ = &packet;
  offset_ = offset;
  const auto& clock = schema.stream_class->default_clock;
  has_clock_ = clock != nullptr;
  const std::uint64_t correction = head.clock_correction;
  packet_least_ = packet.begin ? *packet.begin - correction : 0;
  most_ = packet.end ? *packet.end - correction : ~std::uint64_t{0};
  any_time_ = previous.has_value();
  previous_ = previous.value_or(0);
  least_ = std::max(packet_least_, previous_);
  found_ = {};
  state_.packet = nullptr;
  state_.bad_text = false;
  state_.content = head.content_bits();
  state_.position = head.bits;
  state_.clock = head.clock;
  may_wrap_ =
      has_clock_ && clock->id == kImplicitClock && head.content_bits() == DecodeState::kEndless;
  added_ = correction;
}

EventDecoder::Stop EventDecoder::run(Batch& batch, PaddedView bytes, std::uint64_t first,
                                     bool last) {
  state_.base = reinterpret_cast<std::uintptr_t>(bytes.data) - first;
  state_.limit = std::min((first + bytes.size) * 8, state_.content);
  last_ = last;
  // The tape's values may point into the arena, which lives as long as the batch.
  state_.arena.reset();
  events_ = schema_->events();
  Stop result = Stop::kPacketEnd;
  for (;;) {
    if (state_.position >= state_.limit) {
      if (state_.position >= state_.content) break;
      if (last && state_.content == DecodeState::kEndless) break;
      state_.needed = state_.position + 8;
      state_.fault = {StreamRule::kPacketCut, state_.position,
                      "the data stream ends before the packet does"};
      result = last ? Stop::kFault : Stop::kNeedBytes;
      break;
    }
    if (batch.full()) {
      result = Stop::kBatchFull;
      break;
    }
    result = one(batch);
    if (result != Stop::kPacketEnd) break;
  }
  if (state_.arena != nullptr) batch.pin(std::shared_ptr<const Arena>(state_.arena));
  return result;
}

// Returns kPacketEnd when all went well.
EventDecoder::Stop EventDecoder::one(Batch& batch) {
  const std::uint64_t begin = state_.position;
  const std::uint64_t clock = state_.clock;
  begin_order_ = state_.last_order;
  Slot* const slots = batch.tape_position();
  state_.out = state_.out_begin = slots;
  state_.out_end = batch.tape_end();
  state_.promised = 0;
  state_.depth = 0;
  begin_empty_ = state_.empty_elements;
  state_.event_class_id = 0;
  state_.event_class_beyond = false;
  RunStatus status = RunStatus::kDone;
  if (headers_ || !schema_->short_header || !schema_->short_header->take(state_)) {
    status = tracedeck::ctf::run(schema_->event_header, state_);
    if (status != RunStatus::kDone) return stop(status, begin, clock);
  }
  const EventSchema* const event_schema =
      state_.event_class_beyond ? nullptr : events_->find(state_.event_class_id);
  if (event_schema == nullptr) [[unlikely]] {
    rewind(begin, clock);
    return Stop::kUnknownClass;
  }
  if (!headers_) state_.out = slots;
  const Slot* const common = state_.out;
  if (!promise_slots(state_, event_schema->slots)) return stop(RunStatus::kNeedSlots, begin, clock);
  const auto decode = [&](const Program& program) {
    return program.empty() ? RunStatus::kDone : run_promised(program, state_);
  };
  status = decode(schema_->common_context);
  if (status != RunStatus::kDone) return stop(status, begin, clock);
  const Slot* const specific = state_.out;
  if (event_schema->specific_context != nullptr)
    status = run_promised(*event_schema->specific_context, state_);
  if (status != RunStatus::kDone) return stop(status, begin, clock);
  const Slot* const payload = state_.out;
  status = decode(event_schema->payload);
  if (status != RunStatus::kDone) return stop(status, begin, clock);
  // Alignments at its end are not compared with what is at hand.
  if (state_.position > state_.limit || state_.position == begin) [[unlikely]]
    return not_whole(begin, clock);
  Event& event = batch.add_event();
  event.event_class = event_schema->event_class;
  event.stream = packet_->stream;
  event.packet = packet_;
  if (has_clock_) {
    if (state_.clock < least_ || state_.clock > most_) [[unlikely]]
      look_at(begin);
    event.time = state_.clock + added_;
    event.end_time = event.time;
    least_ = std::max(state_.clock, packet_least_);
    previous_ = state_.clock;
    any_time_ = true;
  }
  if (state_.bad_text) [[unlikely]] {
    state_.bad_text = false;
    odd(2, StreamRule::kUtf8, begin, "a string of the event record is not valid UTF-8");
  }
  event.offset = offset_ + begin / 8;
  event.size = static_cast<std::uint32_t>((state_.position - begin + 7) / 8);
  if (values_) {
    event.slots = common;
    event.slot_count = static_cast<std::uint32_t>(state_.out - common);
    event.header_count = static_cast<std::uint32_t>(common - slots);
    event.common_count = static_cast<std::uint32_t>(specific - common);
    event.specific_count = static_cast<std::uint32_t>(payload - specific);
    batch.commit_tape(state_.out);
  }
  return Stop::kPacketEnd;
}

// Of an event record whose fields are decoded, and which takes no bits or more than there are.
EventDecoder::Stop EventDecoder::not_whole(std::uint64_t begin, std::uint64_t clock) {
  RunStatus status = RunStatus::kFault;
  if (state_.position == begin) {
    state_.fault = {StreamRule::kEventEmpty, begin, "the event record takes no bits"};
  } else if (state_.position > state_.content) {
    state_.fault = {StreamRule::kEventCut, begin,
                    "the event record ends behind the packet's content"};
  } else {
    state_.needed = state_.position;
    state_.fault = {
        StreamRule::kPacketCut, begin,
        "the data stream ends within the padding that aligns the event record's fields"};
    status = RunStatus::kNeedBytes;
  }
  return stop(status, begin, clock);
}

EventDecoder::Stop EventDecoder::stop(RunStatus status, std::uint64_t begin, std::uint64_t clock) {
  if (status == RunStatus::kNeedBytes && last_) status = RunStatus::kFault;
  rewind(begin, clock);
  switch (status) {
    case RunStatus::kNeedBytes:
      return Stop::kNeedBytes;
    case RunStatus::kNeedSlots:
      return Stop::kNeedSlots;
    default:
      return Stop::kFault;
  }
}

// To where the event record at hand begins.
void EventDecoder::rewind(std::uint64_t begin, std::uint64_t clock) {
  state_.position = begin;
  state_.clock = clock;
  state_.last_order = begin_order_;
  state_.empty_elements = begin_empty_;
}

void EventDecoder::look_at(std::uint64_t begin) {
  if (may_wrap_ && any_time_) {
    if (const auto wrap = wrapped_counter(previous_, state_.clock)) {
      added_ += wrap->period;
      if (findings_)
        odd(0, StreamRule::kEventOrder, begin,
            fmt::format(
                "{}, as where a 32-bit counter behind it wraps: times from here on are {} later, "
                "which is right if it counts at {} MHz",
                event_order_text(state_.clock, previous_), wrap->period, wrap->megahertz));
      return;
    }
  }
  if (!findings_) return;
  const std::uint64_t time = state_.clock;
  if (any_time_ && time < previous_) {
    odd(0, StreamRule::kEventOrder, begin, event_order_text(time, previous_));
  }
  if (packet_->begin && time < packet_least_) {
    odd(1, StreamRule::kEventTime, begin,
        fmt::format("the event record's clock value, {}, is before its packet begins, {}", time,
                    packet_least_));
  }
  if (packet_->end && time > most_) {
    odd(1, StreamRule::kEventTime, begin,
        fmt::format("the event record's clock value, {}, is after its packet ends, {}", time,
                    most_));
  }
}

std::string event_order_text(std::uint64_t time, std::uint64_t previous) {
  return fmt::format("the event record's clock value, {}, is less than the one before it, {}", time,
                     previous);
}

void EventDecoder::odd(std::size_t kind, StreamRule rule, std::uint64_t begin, std::string text) {
  if (std::exchange(found_[kind], true)) return;
  oddities_.push_back({rule, begin, std::move(text)});
}

}  // namespace tracedeck::ctf
