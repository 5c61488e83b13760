#include "tracedeck/flow/clock_relation.hpp"

#include <algorithm>

namespace tracedeck::flow {
namespace {

// A local clock without an offset counts from when its host booted.
bool counts_from_boot(const ComparedClock& compared) {
  constexpr std::int64_t kYear = std::int64_t{365} * 86'400;
  const std::int64_t offset = compared.clock.offset_seconds;
  return offset > -kYear && offset < kYear;
}

bool are_of_two_machines(const ComparedClock& a, const ComparedClock& b) {
  return a.is_of_machine && b.is_of_machine && is_one_machine(a.machine, b.machine) == false;
}

}  // namespace

ComparedClock ComparedClock::of(const ClockClass& clock, const TraceDescription* trace) {
  const bool is_ctf1 = trace != nullptr && trace->format() == "ctf" && trace->version() == "1.8";
  const bool is_absolute = std::ranges::any_of(
      clock.attributes, [](const Attribute& each) { return each.key == "absolute"; });
  const bool is_relative = is_ctf1 && !is_absolute;
  const bool has_uuid = !clock.identity.uid.empty();
  return {.clock = clock,
          .is_local = is_relative && has_uuid,
          .is_of_machine = is_relative && !has_uuid,
          .machine = is_relative && !has_uuid ? machine_marks(*trace) : MachineMarks()};
}

ClockRelation relation(const ComparedClock& a, const ComparedClock& b) {
  if (!related(a.clock, b.clock)) return ClockRelation::kNone;
  const bool is_one = a.clock.entity == b.clock.entity && a.clock.entity.trace != 0;
  const bool apart = are_of_two_machines(a, b);
  if (is_one || (a.clock.identity == b.clock.identity && !apart)) return ClockRelation::kOne;
  const bool a_is_local = a.is_local || apart;
  const bool b_is_local = b.is_local || apart;
  if ((a_is_local && counts_from_boot(a)) || (b_is_local && counts_from_boot(b)))
    return ClockRelation::kNone;
  return a_is_local || b_is_local ? ClockRelation::kHosts : ClockRelation::kOne;
}

}  // namespace tracedeck::flow
