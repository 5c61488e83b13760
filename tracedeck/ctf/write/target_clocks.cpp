#include "tracedeck/ctf/write/target_clocks.hpp"

#include <utility>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"

namespace tracedeck::ctf {
namespace {

bool is_implicit(const ClockClass& clock) {
  ClockClass implicit{.id = std::string(kImplicitClock)};
  implicit.shift = clock.shift;
  return clock.id == implicit.id && same_clock(clock, implicit);
}

}  // namespace

// A clock of other traces with the same times, best one of the same name.
TargetClocks::Target* TargetClocks::shared(const ClockClass& source) {
  Target* found = nullptr;
  for (Target& each : clocks_) {
    if (!same_clock(each.clock, source) || taken_.contains({source.entity.trace, &each})) continue;
    if (found == nullptr || each.source_id == source.id) found = &each;
    if (found->source_id == source.id) break;
  }
  return found;
}

Result<const ClockClass*> TargetClocks::find(const ClockClass& source, bool from_ctf1) {
  const auto known = clock_of_.find(source.entity);
  if (known != clock_of_.end()) return known->second;
  if (Target* const same = shared(source); same != nullptr) {
    taken_.emplace(source.entity.trace, same);
    return clock_of_[source.entity] = &same->clock;
  }
  ClockClass made = dialect_ == Dialect::kCtf1 ? ctf1_clock(source, from_ctf1) : source;
  const std::string id = made.id;
  for (std::uint64_t& number = further_of_id_[id]; !clock_ids_.insert(made.id).second; ++number)
    made.id = number == 0 ? id + '_' : id + '_' + std::to_string(number + 1);
  const Target& made_target = clocks_.emplace_back(Target{std::move(made), source.id});
  taken_.emplace(source.entity.trace, &made_target);
  const ClockClass& target = made_target.clock;
  if (!leaves_implicit_ || !is_implicit(source)) {
    if (auto added = writer_.add_clock(target); !added) return std::unexpected(added.error());
  }
  return clock_of_[source.entity] = &target;
}

}  // namespace tracedeck::ctf
