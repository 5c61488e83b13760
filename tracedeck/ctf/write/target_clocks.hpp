// The clocks of a trace that is being written.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/metadata_text.hpp"
#include "tracedeck/ctf/write/adaptations.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::ctf {

// How times of a source's clock become those of the target's.
struct TargetClock {
  const ClockClass* target = nullptr;
  bool same_ticks = true;  // else the target counts nanoseconds
};

class TargetClocks {
 public:
  // Adds clocks to `writer`. All must outlive this.
  TargetClocks(Dialect dialect, MetadataWriter& writer, Adaptations& adaptations)
      : dialect_(dialect), writer_(writer), adaptations_(adaptations) {}

  // The clock that CTF 1.8 has where none is declared stays undeclared: there is no other.
  void leave_implicit() { leaves_implicit_ = dialect_ == Dialect::kCtf1; }

  // The target's clock for a source's. Sources whose times readers would see as the same share one.
  // `from_ctf1`: the source's trace is one of CTF 1.8.
  // Errors are those of the metadata writer.
  [[nodiscard]] Result<TargetClock> find(const ClockClass& source, bool from_ctf1);
  // Lets go of what is kept about the clocks of traces that `gone` says are.
  void forget(const std::function<bool(std::uint64_t trace)>& gone) {
    std::erase_if(clock_of_, [&](const auto& each) { return gone(each.first.trace); });
  }

 private:
  Dialect dialect_;
  MetadataWriter& writer_;
  Adaptations& adaptations_;
  bool leaves_implicit_ = false;
  std::deque<ClockClass> clocks_;
  std::unordered_map<EntityId, TargetClock, EntityIdHash> clock_of_;  // by the source's
  std::unordered_set<std::string> clock_ids_;
  std::unordered_map<std::string, std::uint64_t> further_of_id_;  // that were tried
};

}  // namespace tracedeck::ctf
