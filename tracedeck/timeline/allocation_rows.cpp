#include "tracedeck/timeline/allocation_rows.hpp"

#include <string_view>
#include <utility>

#include "tracedeck/model/member_slot.hpp"
#include "tracedeck/query/symbol_values.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::timeline {
namespace {

using query::AllocationColumn;
using query::Value;

std::uint64_t number_in(const Event& event, std::size_t member) {
  const Slot* const slot = member_slot(event, member);
  return slot != nullptr && slot->kind == SlotKind::kUnsigned ? slot->bits : 0;
}

std::optional<Nanoseconds> time_of(const Event& event) {
  return event.event_class->has_real_time() ? std::optional(event.began_at()) : std::nullopt;
}

void append_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::uint32_t AllocationStacks::number_of(const Event& event, const Slot* list) {
  if (list == nullptr) return kNone;
  key_.clear();
  append_number(key_, event.event_class->entity.trace);
  bool is_empty = true;
  const bool is_list = query::for_each_address(*list, [&](std::uint64_t address) {
    is_empty = false;
    append_number(key_, address);
  });
  if (!is_list || is_empty) return kNone;
  if (const auto known = numbers_.find(key_); known != numbers_.end()) return known->second;
  if (bytes_ >= kMostBytes) {
    ++not_held_;
    return kNone;
  }
  const TraceDescription* const trace = query::trace_of(event);
  Stack stack{.text = query::stack_at(*list, trace).value_or(""), .function = {}, .inlined_in = {}};
  const Value function = query::innermost_at(*list, stack.text, trace);
  stack.function = function.text;
  for (const Function& each : function.functions) stack.inlined_in.emplace_back(each.name);
  bytes_ += sizeof(Stack) + key_.size() + stack.text.size() + stack.function.size();
  stacks_.push_back(std::move(stack));
  const auto number = static_cast<std::uint32_t>(stacks_.size());
  numbers_.emplace(key_, number);
  return number;
}

AllocationRows::ClassUse::ClassUse(const EventClass& event_class) {
  const auto& payload = *event_class.payload->as<StructureClass>();
  tid = member_number(payload, "tid");
  address = member_number(payload, "addr");
  size = member_number(payload, "size");
}

AllocationRows::AllocationRows(query::Query& query, TraceOrigins::NameOfTrace name_of_trace)
    : query_(query),
      name_of_trace_(std::move(name_of_trace)),
      heap_([this](const Event& event, const Slot* stack) { return keep(event, stack); },
            [this](const HeapSample& sample) {
              if (!sample.is_tracked) put(sample, {});
            },
            [this](const HeapSample& sample, const Event& event, bool is_free) {
              put(sample, {.live = false, .freed_at = is_free ? time_of(event) : std::nullopt});
            }),
      row_(query::kAllocationColumns) {
  query_.note_allocations(counts_);
}

std::uint32_t AllocationRows::keep(const Event& event, const Slot* stack) {
  const ClassUse& use = classes_[*event.event_class];
  std::uint32_t place = 0;
  if (free_places_.empty()) {
    place = static_cast<std::uint32_t>(kept_.size());
    kept_.emplace_back();
  } else {
    place = free_places_.back();
    free_places_.pop_back();
  }
  kept_[place] = {
      .time = time_of(event),
      .size = number_in(event, use.size),
      .tid = number_in(event, use.tid),
      .address = number_in(event, use.address),
      .stack = query_.needs_symbols() ? stacks_.number_of(event, stack) : AllocationStacks::kNone,
      .trace = trace_of(event)};
  return place;
}

std::uint32_t AllocationRows::trace_of(const Event& event) {
  const auto next = static_cast<std::uint32_t>(traces_.size());
  const auto [known, is_new] = trace_numbers_.try_emplace(event.event_class->entity.trace, next);
  if (is_new) {
    const TraceDescription* const trace = query::trace_of(event);
    Trace& made = traces_.emplace_back();
    if (trace != nullptr && name_of_trace_) made.name = name_of_trace_(*trace);
    if (frame_of_) made.frame = frame_of_(made.name);
  }
  return known->second;
}

Value AllocationRows::shown(const std::optional<Nanoseconds>& time, const Kept& kept) const {
  if (!time) return {};
  const auto& frame = traces_[kept.trace].frame;
  return Value::of(Integer::from(frame ? flow::to_utc(*time, *frame) : *time));
}

bool AllocationRows::is_before(const std::optional<Nanoseconds>& time) const {
  return begin_ && time && *time < *begin_;
}

void AllocationRows::put(const HeapSample& sample, const End& end) {
  const Kept& kept = kept_[sample.tag];
  free_places_.push_back(sample.tag);
  const bool is_live = end.live.value_or(false);
  // Where it is not known until when it was live, it may have been until now.
  if (is_before(end.live ? end.freed_at : kept.time) || !status_) return;
  ++counts_.allocations;
  counts_.live += is_live ? 1 : 0;
  const auto at = [&](AllocationColumn column) -> Value& {
    return row_[std::to_underlying(column)];
  };
  at(AllocationColumn::kTime) = shown(kept.time, kept);
  at(AllocationColumn::kSize) = Value::of(kept.size);
  at(AllocationColumn::kWeight) = Value::of(sample.count);
  at(AllocationColumn::kWeightBytes) = Value::of(sample.bytes);
  at(AllocationColumn::kLive) = Value::of(end.live);
  at(AllocationColumn::kFreedAt) = shown(end.freed_at, kept);
  at(AllocationColumn::kLifetime) =
      kept.time && end.freed_at ? Value::of(Integer::from(*end.freed_at - *kept.time)) : Value{};
  at(AllocationColumn::kSymbol) = {};
  at(AllocationColumn::kStack) = {};
  if (kept.stack != AllocationStacks::kNone) {
    const AllocationStacks::Stack& stack = stacks_.at(kept.stack);
    at(AllocationColumn::kSymbol) = Value::of(std::string_view(stack.function), stack.inlined_in);
    at(AllocationColumn::kStack) = Value::of(std::string_view(stack.text));
  }
  at(AllocationColumn::kTid) = Value::of(kept.tid);
  at(AllocationColumn::kAddress) = kept.address == 0 ? Value{} : Value::of(kept.address);
  at(AllocationColumn::kTrace) = Value::of(std::string_view(traces_[kept.trace].name));
  status_ = query_.add_row(row_);
}

Result<void> AllocationRows::add(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent) heap_.see(record.event);
    has_losses_ = has_losses_ || record.kind == RecordKind::kLoss;
  }
  counts_.untracked = heap_.untracked();
  counts_.not_held = heap_.not_held();
  counts_.unscaled = heap_.unscaled();
  counts_.unmatched_frees = heap_.unmatched_frees();
  // The query may want no more.
  query_.note_allocations(counts_);
  return status_;
}

Result<void> AllocationRows::finish() {
  heap_.for_each_live(
      [this](const HeapSample& sample) { put(sample, {.live = true, .freed_at = {}}); });
  query_.note_allocations(counts_);
  return status_;
}

std::vector<std::string> AllocationRows::notices() const {
  std::vector<std::string> sentences;
  if (counts_.allocations == 0) sentences.push_back(render::say<"notice/no-allocations">());
  if (heap_.unscaled() != 0)
    sentences.push_back(render::say<"notice/unscaled-allocations">(heap_.unscaled()));
  if (heap_.untracked() != 0)
    sentences.push_back(render::say<"notice/untracked-allocations">(heap_.untracked()));
  if (has_losses_ && counts_.live != 0) sentences.push_back(render::say<"notice/frees-lost">());
  if (stacks_.not_held() != 0)
    sentences.push_back(render::say<"notice/stacks-not-held">(stacks_.not_held()));
  return sentences;
}

}  // namespace tracedeck::timeline
