#include "tracedeck/flow/stream_times.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/formats.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {
namespace {

constexpr Nanoseconds kFarBack = 1'000'000'000;
// Less is late: an interrupt comes between an event's time and its bytes.
constexpr Nanoseconds kLate = 1'000'000;

const Format* format_of_stream(const DataStream& stream) {
  const DataStreamClass* const of = stream.stream_class;
  return of == nullptr || of->trace == nullptr ? nullptr : find_format(of->trace->format());
}

}  // namespace

bool may_restart(const DataStream& stream) {
  const Format* const format = format_of_stream(stream);
  return format != nullptr && format->info().clock_restarts;
}

OrderKey StreamTimes::moved(const OrderKey& key, Nanoseconds by) {
  return OrderKey::from(key.time() + by);
}

void StreamTimes::select(const DataStream* stream) {
  stream_ = id_of(stream);
  const auto [found, is_new] = streams_.try_emplace(stream_);
  at_ = &found->second;
  if (!is_new || stream == nullptr || !may_restart(*stream)) return;
  at_->restarts = true;
  at_->untimely = format_of_stream(*stream)->info().untimely_event;
  at_->run = run_;
  at_->moved_by = moved_by_;
}

OrderKey StreamTimes::in_its_run(const Event& event, const OrderKey& key) {
  Stream& stream = *at_;
  const ClockClass& clock = *event.event_class->clock;
  if (stream.run != run_ && is_of_latest_run(key)) enter_run(stream, clock);
  stream.is_behind = key < stream.high;
  if (stream.is_behind && is_restart(stream, event, key)) {
    if (stream.run == run_) begin_run(clock);
    enter_run(stream, clock);
  }
  stream.high = std::max(stream.high, key);
  if (stream.run == run_) high_ = std::max(high_, key);
  return stream.run == 0 ? key : moved(key, stream.moved_by);
}

bool StreamTimes::is_of_latest_run(const OrderKey& key) const {
  const auto distance = [&](const OrderKey& from) {
    return from < key ? key.time() - from.time() : from.time() - key.time();
  };
  return distance(high_) < distance(high_before_);
}

bool StreamTimes::is_restart(const Stream& stream, const Event& event, const OrderKey& key) {
  if (event.event_class->name == stream.untimely) return false;
  const Nanoseconds high = stream.high.time();
  const Nanoseconds back = high - key.time();
  if (back > kFarBack) return true;
  const Nanoseconds passed = high - event.event_class->clock->to_nanoseconds(0);
  return back > kLate && back + back > passed;
}

void StreamTimes::begin_run(const ClockClass& clock) {
  ++run_;
  moved_by_ = highest_.time() - clock.to_nanoseconds(0);
  high_before_ = std::exchange(high_, OrderKey::first());
}

void StreamTimes::enter_run(Stream& stream, const ClockClass& clock) const {
  const Nanoseconds own = stream.high.time() + stream.moved_by - clock.to_nanoseconds(0);
  stream.run = run_;
  stream.moved_by = std::max(moved_by_, own);
  stream.high = OrderKey::first();
  stream.is_behind = false;
}

OrderKey StreamTimes::place_of(const Loss& loss, const DataStream* stream) const {
  const OrderKey key = OrderKey::from(*loss.place);
  const auto found = streams_.find(id_of(stream));
  return found == streams_.end() ? key : moved(key, found->second.moved_by);
}

}  // namespace tracedeck::flow
