#include "tracedeck/flow/order_survey.hpp"

namespace tracedeck::flow {
namespace {

// What an event that is held takes beside its values: its record, and its place among the sorted.
constexpr std::uint64_t kEventMemory = 160;
// And for each byte on the wire: at worst every byte is a slot.
constexpr std::uint64_t kByteMemory = sizeof(Slot);

}  // namespace

OrderSurvey::OrderSurvey() {
  std::uint64_t chunk = kSmallestChunk;
  for (State& state : states_) {
    state.level.chunk_events = chunk;
    chunk *= 2;
  }
}

void OrderSurvey::add(const Batch& batch) {
  for (const Record& record : batch.records()) {
    const OrderKey key = times_(record);
    if (record.kind != RecordKind::kEvent) {
      if (key < states_.front().low) [[unlikely]]
        add_late(key, kEventMemory);
      continue;
    }
    if (events_ % kSmallestChunk == 0 && events_ != 0) {
      for (State& state : states_) {
        if (events_ % state.level.chunk_events == 0) end_chunk(state);
      }
    }
    ++events_;
    const std::uint64_t memory = kEventMemory + kByteMemory * record.event.size;
    memory_ += memory;
    // The smaller the chunks, the later is what they call late.
    if (key < states_.front().low) [[unlikely]]
      add_late(key, memory);
    if (key > high_) high_ = key;
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

std::optional<OrderSurvey::Level> OrderSurvey::choose(std::uint64_t memory) const {
  for (const State& state : states_) {
    if (state.level.late_records == 0 && state.level.memory <= memory) return state.level;
  }
  for (const State& state : states_) {
    if (state.level.late_memory <= memory / 4 && state.level.memory <= memory - memory / 4) {
      return state.level;
    }
  }
  return std::nullopt;
}

}  // namespace tracedeck::flow
