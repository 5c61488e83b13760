#include "tracedeck/flow/order_survey.hpp"

namespace tracedeck::flow {
namespace {

// What an event that is held takes beside its values: its record, and its place among the sorted.
constexpr std::uint64_t kEventMemory = 160;
// And for each byte on the wire: at worst every byte is a slot.
constexpr std::uint64_t kByteMemory = sizeof(Slot);

constexpr std::uint64_t kNear = 1'000'000'000;  // ns

}  // namespace

OrderSurvey::OrderSurvey() {
  std::uint64_t chunk = kSmallestChunk;
  for (State& state : states_) {
    state.level.chunk_events = chunk;
    chunk *= 2;
  }
}

void OrderSurvey::add(const Batch& batch) {
  const Record* const end = batch.records().data() + batch.size();
  for (const Record* at = batch.records().data(); at != end;) at = add(at, end);
}

const Record* OrderSurvey::add(const Record* first, const Record* end) {
  if (first->kind == RecordKind::kEvent && events_ % kSmallestChunk == 0 && events_ != 0)
    end_chunks();
  const OrderKey key = times_(*first);
  if (key < last_) [[unlikely]] {
    lowest_step_ = std::min(lowest_step_, key);
    ++steps_;
    near_steps_ += last_.coarse - key.coarse <= kNear ? 1 : 0;
  }
  last_ = key;
  if (first->kind == RecordKind::kEvent) note_stream(first->event);
  // The smaller the chunks, the later is what they call late.
  const bool late = key < states_.front().low;
  if (first->kind != RecordKind::kEvent) {
    if (late) [[unlikely]]
      add_late(key, kEventMemory);
    return first + 1;
  }
  if (late) [[unlikely]] {
    ++events_;
    const std::uint64_t memory = kEventMemory + kByteMemory * first->event.size;
    memory_ += memory;
    add_late(key, memory);
    return first + 1;
  }
  // What follows it in a run is not late either.
  const auto room = static_cast<std::ptrdiff_t>(kSmallestChunk - events_ % kSmallestChunk);
  const Record* const run_end = times_.end_of_run(first, end - first > room ? first + room : end);
  std::uint64_t bytes = 0;
  for (const Record* at = first; at != run_end; ++at) bytes += at->event.size;
  const auto events = static_cast<std::uint64_t>(run_end - first);
  events_ += events;
  memory_ += events * kEventMemory + bytes * kByteMemory;
  if (events != 1) last_ = times_(run_end[-1]);
  high_ = std::max(high_, last_);
  return run_end;
}

void OrderSurvey::end_chunks() {
  for (State& state : states_) {
    if (events_ % state.level.chunk_events == 0) end_chunk(state);
  }
}

void OrderSurvey::end_chunk(State& state) {
  state.low = state.next_low;
  state.next_low = high_;
  const std::uint64_t chunk = memory_ - state.chunk_begin;
  state.level.memory = std::max(state.level.memory, state.last_chunk + chunk);
  state.last_chunk = chunk;
  state.chunk_begin = memory_;
}

void OrderSurvey::add_late(const OrderKey& key, std::uint64_t memory) {
  for (State& state : states_) {
    if (key >= state.low) return;
    ++state.level.late_records;
    state.level.late_memory += memory;
  }
}

void OrderSurvey::finish() {
  for (State& state : states_) end_chunk(state);
}

std::vector<OrderSurvey::Level> OrderSurvey::levels() const {
  std::vector<Level> levels;
  for (const State& state : states_) levels.push_back(state.level);
  return levels;
}

std::optional<OrderSurvey::Level> OrderSurvey::choose(std::span<const Level> levels,
                                                      std::uint64_t memory) {
  for (const Level& level : levels) {
    if (level.late_records == 0 && level.memory <= memory) return level;
  }
  for (const Level& level : levels) {
    if (level.late_memory <= memory / 4 && level.memory <= memory - memory / 4) return level;
  }
  return std::nullopt;
}

}  // namespace tracedeck::flow
