#include "tracedeck/timeline/heap_samples.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "tracedeck/model/member_slot.hpp"

namespace tracedeck::timeline {
namespace {

constexpr std::string_view kRateKey = "memory.sample_rate_bytes";

std::uint64_t member_value(const Event& event, std::size_t number) {
  const Slot* const slot = member_slot(event, number);
  return slot != nullptr && slot->kind == SlotKind::kUnsigned ? slot->bits : 0;
}

}  // namespace

HeapSamples::ClassUse::ClassUse(const EventClass& event_class) {
  struct Named {
    std::string_view event;
    Kind kind;
  };
  static constexpr auto kNamed = std::to_array<Named>({{"AllocEvent", Kind::kAllocation},
                                                       {"FreeEvent", Kind::kFree},
                                                       {"SegmentMetadataEvent", Kind::kMetadata},
                                                       {"SegmentMetadata", Kind::kMetadata}});
  if (event_class.payload == nullptr || event_class.self_described) return;
  const auto* const payload = event_class.payload->as<StructureClass>();
  const auto named = std::ranges::find(kNamed, event_class.name.value_or(""), &Named::event);
  if (payload == nullptr || named == kNamed.end()) return;
  kind = named->kind;
  address = member_number(*payload, kind == Kind::kMetadata ? "entries" : "addr");
  size = member_number(*payload, "size");
  stack = member_number(*payload, "callchain");
  allocated_at = member_number(*payload, "alloc_timestamp_ns");
  if (kind == Kind::kAllocation && size == payload->members.size()) kind = Kind::kOther;
}

void HeapSamples::see(const Event& event) {
  const ClassUse& use = classes_[*event.event_class];
  switch (use.kind) {
    case Kind::kOther:
      return;
    case Kind::kAllocation:
      return allocate(use, event);
    case Kind::kFree:
      return free(use, event);
    case Kind::kMetadata:
      return read_rate(use, event);
  }
}

// Sampled with a probability of 1 - e^(-size / rate).
void HeapSamples::allocate(const ClassUse& use, const Event& event) {
  const std::uint64_t trace = event.event_class->entity.trace;
  const std::uint64_t address = member_value(event, use.address);
  const auto size = static_cast<double>(member_value(event, use.size));
  const auto rate = rates_.find(trace);
  double count = 1;
  if (rate == rates_.end()) {
    ++unscaled_;
  } else if (size > 0) {
    count = 1 / -std::expm1(-size / rate->second);
  }
  ++count_;
  const HeapKey key{trace, address};
  const bool has_room = live_.size() < kMost || live_.contains(key);
  const HeapSample sample{.tag = tag_of_(event, member_slot(event, use.stack)),
                          .count = count,
                          .bytes = size * count,
                          .time = event.time,
                          .is_tracked = address != 0 && has_room};
  visit_(sample);
  if (sample.is_tracked) {
    const auto [known, is_new] = live_.try_emplace(key, sample);
    if (is_new) return;
    // It was freed, as its place is used again.
    if (ended_) ended_(known->second, event, false);
    known->second = sample;
  } else {
    ++(address == 0 ? untracked_ : not_held_);
  }
}

void HeapSamples::free(const ClassUse& use, const Event& event) {
  const auto known =
      live_.find({event.event_class->entity.trace, member_value(event, use.address)});
  if (known == live_.end()) {
    ++unmatched_frees_;
    return;
  }
  // Of another allocation at that place, which is not in the trace.
  const std::uint64_t allocated_at = member_value(event, use.allocated_at);
  const bool is_free = allocated_at == 0 || allocated_at == known->second.time;
  if (ended_) ended_(known->second, event, is_free);
  live_.erase(known);
}

void HeapSamples::read_rate(const ClassUse& use, const Event& event) {
  const Slot* const entries = member_slot(event, use.address);
  if (entries == nullptr || entries->kind != SlotKind::kStringMap) return;
  bool is_rate = false;
  for (const Slot* at = entries + 1; at < entries->next(); at = at->next()) {
    if (at->kind != SlotKind::kString) continue;
    const std::string_view text = at->text();
    double rate = 0;
    if (is_rate &&
        std::from_chars(text.data(), text.data() + text.size(), rate).ec == std::errc() && rate > 0)
      rates_[event.event_class->entity.trace] = rate;
    is_rate = !is_rate && text == kRateKey;
  }
}

}  // namespace tracedeck::timeline
