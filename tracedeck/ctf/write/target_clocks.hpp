// The clocks of a trace that is being written.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/error.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/metadata_text.hpp"
#include "tracedeck/model/clock.hpp"

namespace tracedeck::ctf {

class TargetClocks {
 public:
  // Adds clocks to `writer`, which must outlive this.
  TargetClocks(Dialect dialect, MetadataWriter& writer) : dialect_(dialect), writer_(writer) {}

  // The clock that CTF 1.8 has where none is declared stays undeclared: there is no other.
  void leave_implicit() { leaves_implicit_ = dialect_ == Dialect::kCtf1; }

  // The target's clock for a source's. Traces whose clocks say the same share them; the clocks of
  // one trace stay apart. `from_ctf1`: the source's trace is one of CTF 1.8.
  // Errors are those of the metadata writer.
  [[nodiscard]] Result<const ClockClass*> find(const ClockClass& source, bool from_ctf1);
  // Lets go of what is kept about the clocks of traces that `gone` says are.
  void forget(const std::function<bool(std::uint64_t trace)>& gone) {
    std::erase_if(clock_of_, [&](const auto& each) { return gone(each.first.trace); });
    std::erase_if(taken_, [&](const auto& each) { return gone(each.first); });
  }

 private:
  struct Target {
    ClockClass clock;
    std::string source_id;  // of the clock that it was made of
  };
  [[nodiscard]] Target* shared(const ClockClass& source);

  Dialect dialect_;
  MetadataWriter& writer_;
  bool leaves_implicit_ = false;
  std::deque<Target> clocks_;
  std::unordered_map<EntityId, const ClockClass*, EntityIdHash> clock_of_;  // by the source's
  // Numbers of traces, and a clock that one of theirs became.
  std::set<std::pair<std::uint64_t, const Target*>> taken_;
  TextSet clock_ids_;
  TextMap<std::uint64_t> further_of_id_;  // that were tried
};

}  // namespace tracedeck::ctf
