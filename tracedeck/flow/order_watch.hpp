// What the order of the events that are delivered is worth.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tracedeck/flow/clock_relation.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::flow {

// Traces whose times compare badly with those of the first: see `ClockRelation`.
struct UnrelatedTraces {
  std::string first = {};                // as the user named them
  std::vector<std::string> others = {};  // which cannot be related to it; at least one
};

// Looks at events in the order in which they are delivered. Counts how often one was recorded
// before the one delivered before it, and finds out whether there are traces whose clocks cannot be
// related, so that their order means nothing. Allocates once for each trace.
class OrderWatch {
 public:
  void see(const Batch& batch);

  // Events with a time that is earlier than that of the timed event before it.
  [[nodiscard]] std::uint64_t steps_back() const { return steps_back_; }
  // Whether two traces, by the numbers of their descriptions, are related by something else than
  // their clocks. It may be costly, and is called only where clocks do not relate them.
  using Relates = std::function<bool(std::uint64_t first, std::uint64_t second)>;
  // The first trace and those that cannot be related to it, of which so many are remembered;
  // nothing: all can be. What has the clock of a trace that `relates` relates is related with it.
  [[nodiscard]] std::optional<UnrelatedTraces> unrelated(const Relates& relates = {}) const;
  static constexpr std::size_t kMostUnrelated = 1024;
  // The same of those that are related by how the clocks of their hosts were set.
  [[nodiscard]] std::optional<UnrelatedTraces> of_other_hosts(const Relates& relates = {}) const;

 private:
  struct Named;
  [[nodiscard]] std::optional<UnrelatedTraces> named(const std::vector<Named>& traces,
                                                     const Relates& relates) const;
  // The clock and the value of an event, within one batch.
  struct Place {
    const ClockClass* clock = nullptr;
    std::uint64_t value = 0;
  };
  // Does what an event takes that does not simply follow one of the same clock.
  void step(const Place& from, const Place& to, const Event& event);
  void compare_clocks(const ClockClass& clock, const Event& event);

  KeyMaker keys_from_;
  KeyMaker keys_to_;
  OrderKey last_ = OrderKey::first();  // of the batch before
  std::uint64_t steps_back_ = 0;
  // A trace by the number of its description, and as the user named it.
  struct Named {
    std::uint64_t number = 0;
    std::string name = {};
    ComparedClock clock = {};
  };
  [[nodiscard]] static bool shares_clock(const Named& trace, const std::vector<Named>& placed);
  std::optional<ComparedClock> first_clock_;
  Named first_trace_;
  std::unordered_set<std::uint64_t> traces_;   // numbers of those that were compared
  std::array<std::uint64_t, 16> recent_ = {};  // of some, plus 1: where traces take turns
  std::vector<Named> unrelated_;               // by their clocks
  std::vector<Named> of_other_hosts_;
};

}  // namespace tracedeck::flow
