// Which rules are for the events of which class: those of tables, and of pairs that names say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/flow/clock_relation.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/pairing.hpp"
#include "tracedeck/timeline/rule_parts.hpp"
#include "tracedeck/timeline/rules.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {

// What is to be done with an event of a plain class: `run(*action, now)`.
struct PlannedRun {
  Action::Run run = nullptr;
  Action* action = nullptr;
};

// Two of them, one after the other.
class RunBoth final : public Action {
 public:
  RunBoth(PlannedRun first, PlannedRun second) : first_(first), second_(second) {}

  void run(const Moment& now) override {
    first_.action->run(now);
    second_.action->run(now);
  }
  [[nodiscard]] PlannedRun planned() { return {run_both, this}; }

 private:
  static void run_both(Action& action, const Moment& now) {
    const auto& both = static_cast<RunBoth&>(action);
    both.first_.run(*both.first_.action, now);
    both.second_.run(*both.second_.action, now);
  }

  PlannedRun first_;
  PlannedRun second_;
};

// What becomes of the events of a class.
struct ClassPlan {
  explicit ClassPlan(const EventClass& event_class)
      : clock(event_class.has_real_time() ? event_class.clock : nullptr),
        counts_nanoseconds(clock != nullptr && clock->counts_nanoseconds()),
        has_duration(event_class.has_duration),
        without_time(clock == nullptr && !event_class.describes_others) {}

  [[nodiscard]] std::int64_t time_of(std::uint64_t value) const {
    if (counts_nanoseconds) [[likely]]
      return static_cast<std::int64_t>(std::min(value, latest) - static_cast<std::uint64_t>(base));
    return saturated(clock->to_nanoseconds(value) - Nanoseconds::from_unsigned(base));
  }
  // `Timeline::base`.
  void count_from(Uint128 to) {
    base = to;
    if (to != 0) latest = std::numeric_limits<std::uint64_t>::max();
    // Not all of its values are within reach of a later one.
    constexpr Uint128 kMiddle = Uint128{1} << 63;
    if (to > kMiddle) counts_nanoseconds = false;
  }

  const ClockClass* clock;  // null: its events have no time
  Uint128 base = 0;
  std::uint64_t latest = std::numeric_limits<std::int64_t>::max();  // value that has a time
  bool counts_nanoseconds;
  bool has_duration;
  bool without_time;  // an event that lacks what it should have
  // Only instants and values come of its events, which may be recorded later than they happen.
  bool may_be_late = false;
  enum class Way : std::uint8_t {
    kPlain,    // all its events have one time in nanoseconds
    kSkipped,  // nothing becomes of them, and nothing is to be counted
    kAny,
    kUnplanned,
  };
  Way way = Way::kUnplanned;
  std::vector<std::unique_ptr<Action>> actions = {};
  PlannedRun usual = {};  // the same, if there are any
  std::vector<std::unique_ptr<RunBoth>> together = {};
};

// Whether two traces, by the numbers of their descriptions, are related by something else than
// their clocks.
using RelatesTraces = std::function<bool(std::uint64_t first, std::uint64_t second)>;

// One thread at a time.
class ClassPlans {
 public:
  // They must outlive it.
  ClassPlans(Timeline& timeline, RuleContext& context, const RelatesTraces& relates)
      : timeline_(timeline), context_(context), relates_(relates) {}

  // The user's tables, and those built-in ones that none of them replaces; once. They must outlive
  // it. Errors: kInvalidArgument, a rule that cannot be.
  [[nodiscard]] Result<void> compile(const std::vector<Table>& tables);

  // Of a class that may be unplanned yet. It keeps its address until `clear`.
  [[nodiscard]] ClassPlan& operator[](const EventClass& event_class) { return plans_[event_class]; }
  // Makes the plan of an event's class, which has none. False: a table has come to be for its trace
  // whose other classes may be among what it is about, and all is to be cleared and planned again.
  // Plans that other classes had may be unplanned then.
  [[nodiscard]] bool plan(const Event& event);
  void clear() { plans_.clear(); }
  // Whether there are so many that all are to be cleared before another is made.
  [[nodiscard]] bool is_full() const { return plans_.entries().size() >= kMost; }

  // Whether what is lost of one data stream of `trace` may be of any, also before its first event.
  [[nodiscard]] bool losses_are_wide(const TraceDescription* trace);
  // Whether data streams end when tracing does, all of them.
  [[nodiscard]] bool streams_end_together() const { return streams_end_together_; }
  // Whether data streams that are parts of one input overlap in time.
  [[nodiscard]] bool streams_overlap() const { return streams_overlap_; }
  // Calls `visit(rules)` for the rules of each table, whether they met events or not.
  template <class Visit>
  void for_each_rules(const Visit& visit) {
    for (const auto* const all : {&rules_, &inferred_rules_}) {
      for (const auto& rules : *all) visit(*rules);
    }
  }

  // As of `Interpreter`; `any_events`: whether any came.
  [[nodiscard]] std::vector<std::string> explained() const;
  [[nodiscard]] std::vector<std::string> notices(bool any_events) const;

 private:
  // A plan takes some KiB, and can be made again.
  static constexpr std::size_t kMost = 4096;

  struct Applied {
    bool applies = false;
    ClassSearch search = {};
  };

  [[nodiscard]] Result<void> compile(const Table& table);
  void note_clock(const ClockClass& clock, const TraceDescription* trace);
  void note_unrelated(flow::ComparedClock clock);
  void make_plan(ClassPlan& plan, const Event& event);
  void plan_otherwise(const EventClass& event_class, const TraceDescription& trace,
                      std::vector<PlannedAction>& into);
  void set_actions(ClassPlan& plan, std::vector<PlannedAction> actions) const;
  void note_use(const RuleSet& rules);
  [[nodiscard]] bool applies(const TraceDescription& trace, std::size_t index);
  void infer(const Event& event, bool any_applies, std::vector<PlannedAction>& into);
  void unplan(const EventClass& event_class);

  Timeline& timeline_;
  RuleContext& context_;
  const RelatesTraces& relates_;
  std::uint64_t first_trace_ = 0;  // the number of its description
  std::vector<std::unique_ptr<RuleSet>> rules_;
  std::map<std::pair<std::uint64_t, std::size_t>, Applied> applied_;  // by trace and rules
  bool plan_again_ = false;
  bool losses_are_wide_ = false;
  bool streams_end_together_ = false;
  bool streams_overlap_ = false;
  std::set<const RuleSet*> used_;
  std::deque<Table> inferred_tables_;
  TextMap<RuleSet*> inferred_;
  std::vector<std::unique_ptr<RuleSet>> inferred_rules_;
  Pairings pairings_;
  std::set<const RuleSet*> paired_;
  ClassTable<ClassPlan> plans_;
  EntityId first_clock_ = {};
  flow::ComparedClock first_compared_ = {};
  std::vector<flow::ComparedClock> unrelated_;           // to that, the first of them
  std::unordered_set<EntityId, EntityIdHash> compared_;  // clocks that do not tell it themselves
  std::unordered_set<std::uint64_t> begun_;              // traces
};

}  // namespace tracedeck::timeline
