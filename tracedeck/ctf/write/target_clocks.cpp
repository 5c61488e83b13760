#include "tracedeck/ctf/write/target_clocks.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"

namespace tracedeck::ctf {
namespace {

// Whether readers would see the same times from both.
bool same_clock(const ClockClass& a, const ClockClass& b) {
  return a.tick == b.tick && a.offset_seconds == b.offset_seconds &&
         a.offset_ticks == b.offset_ticks && a.shift == b.shift && a.origin == b.origin &&
         a.identity == b.identity && a.origin_identity == b.origin_identity &&
         a.precision == b.precision && a.accuracy == b.accuracy && a.description == b.description;
}

bool is_implicit(const ClockClass& clock) {
  ClockClass implicit{.id = std::string(kImplicitClock)};
  implicit.shift = clock.shift;
  return clock.id == implicit.id && same_clock(clock, implicit);
}

}  // namespace

Result<const ClockClass*> TargetClocks::find(const ClockClass& source, bool from_ctf1) {
  const auto known = clock_of_.find(source.entity);
  if (known != clock_of_.end()) return known->second;
  const auto same = std::ranges::find_if(
      clocks_, [&](const ClockClass& clock) { return same_clock(clock, source); });
  if (same != clocks_.end()) return clock_of_[source.entity] = &*same;
  ClockClass made = dialect_ == Dialect::kCtf1 ? ctf1_clock(source, from_ctf1) : source;
  const std::string id = made.id;
  for (std::uint64_t& number = further_of_id_[id]; !clock_ids_.insert(made.id).second; ++number)
    made.id = number == 0 ? id + '_' : id + '_' + std::to_string(number + 1);
  const ClockClass& target = clocks_.emplace_back(std::move(made));
  if (!leaves_implicit_ || !is_implicit(source)) {
    if (auto added = writer_.add_clock(target); !added) return std::unexpected(added.error());
  }
  return clock_of_[source.entity] = &target;
}

}  // namespace tracedeck::ctf
