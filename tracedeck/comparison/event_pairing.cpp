#include "tracedeck/comparison/event_pairing.hpp"

#include <algorithm>

#include "tracedeck/comparison/class_differences.hpp"

namespace tracedeck::comparison {
namespace {

bool same_time(const Event& left, const Event& right) {
  const ClockClass* const a = left.event_class->clock;
  const ClockClass* const b = right.event_class->clock;
  if (a == nullptr || b == nullptr) return a == b;
  if (counts_alike(a, b)) return left.time == right.time;
  return a->to_nanoseconds(left.time) == b->to_nanoseconds(right.time);
}

bool same_payload(const Event& left, const Event& right) {
  return same_values(left.payload(), right.payload());
}

bool match(const WaitingEvent& left, const WaitingEvent& right) {
  const Event& a = *left.event;
  const Event& b = *right.event;
  return same_identity(*a.event_class, *b.event_class) && same_time(a, b) && same_payload(a, b);
}

}  // namespace

bool counts_alike(const ClockClass* left, const ClockClass* right) {
  if (left == nullptr || right == nullptr) return false;
  return left->tick == right->tick && left->offset_seconds == right->offset_seconds &&
         left->offset_ticks == right->offset_ticks && left->shift == right->shift;
}

std::optional<Skipped> next_match(const WaitingQueue<WaitingEvent>& left,
                                  const WaitingQueue<WaitingEvent>& right) {
  const Event& a = *left.front().event;
  const Event& b = *right.front().event;
  if (same_identity(*a.event_class, *b.event_class) && (same_time(a, b) || same_payload(a, b)))
    return Skipped{};
  for (std::size_t i = 1; i <= kLookAhead && i < std::max(left.size(), right.size()); ++i) {
    if (i < left.size() && match(left[i], right.front())) return Skipped{.left = i};
    if (i < right.size() && match(left.front(), right[i])) return Skipped{.right = i};
  }
  return {};
}

}  // namespace tracedeck::comparison
