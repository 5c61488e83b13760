#include "tracedeck/flow/clock_relation.hpp"

#include <algorithm>

namespace tracedeck::flow {
namespace {

// A local clock without an offset counts from when its host booted.
bool counts_from_boot(const ComparedClock& compared) {
  constexpr std::int64_t kYear = std::int64_t{365} * 86'400;
  const std::int64_t offset = compared.clock.offset_seconds;
  return compared.is_local && offset > -kYear && offset < kYear;
}

}  // namespace

ComparedClock ComparedClock::of(const ClockClass& clock, const TraceDescription* trace) {
  const bool is_ctf1 = trace != nullptr && trace->format() == "ctf" && trace->version() == "1.8";
  const bool is_absolute = std::ranges::any_of(
      clock.attributes, [](const Attribute& each) { return each.key == "absolute"; });
  // Without a UUID nothing says that it is another one.
  return {.clock = clock, .is_local = is_ctf1 && !is_absolute && !clock.identity.uid.empty()};
}

ClockRelation relation(const ComparedClock& a, const ComparedClock& b) {
  if (!related(a.clock, b.clock)) return ClockRelation::kNone;
  const bool is_one = a.clock.entity == b.clock.entity && a.clock.entity.trace != 0;
  if (is_one || a.clock.identity == b.clock.identity) return ClockRelation::kOne;
  if (counts_from_boot(a) || counts_from_boot(b)) return ClockRelation::kNone;
  return a.is_local || b.is_local ? ClockRelation::kHosts : ClockRelation::kOne;
}

}  // namespace tracedeck::flow
