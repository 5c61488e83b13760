// The rules of tables at work: bound to event classes, they turn events into marks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/query/pattern.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/rule_values.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/timeline/trace_origins.hpp"

namespace tracedeck::timeline {

class ClassSearch;
struct TrackSpace;

// What all rules share while a trace is interpreted.
struct RuleContext {
  explicit RuleContext(Marking& into, bool all_flows = false);
  RuleContext(const RuleContext&) = delete;
  RuleContext& operator=(const RuleContext&) = delete;
  ~RuleContext();

  Marking& marking;
  bool all_flows;  // also those that took less than rules ask for
  RuleMemory memory = {};
  ValueScope scope = {&memory, &marking};
  // By what [[track]] rules say: tables that say the same have the same tracks.
  std::unordered_map<std::string, std::unique_ptr<TrackSpace>> tracks;
  TraceOrigins origins{marking.timeline()};
  // The tracks of the last task and of the last process that ended with each number. A key is the
  // number, the trace or machine, and bits that say which of these it is.
  KeyTable ended{3};
  // The tracks of rules with a `join`, by that word.
  std::unordered_map<std::string, KeyTable> joined = {};
};

// What one rule does with the events of one class.
class Action {
 public:
  using Run = void (*)(Action& action, const Moment& now);

  virtual ~Action() = default;
  virtual void run(const Moment& now) = 0;
  // What does the same with events of plain classes, and takes a few instructions if what most of
  // them are about can be found in so many. `counts`: whether marks are counted only.
  [[nodiscard]] virtual Run usual_run(bool counts) const {
    (void)counts;
    return [](Action& action, const Moment& now) { action.run(now); };
  }

 protected:
  // `run_usual<counts, kKnown...>` of the class. `kKnown`: what is the same for all events.
  template <class Actual, bool... kKnown>
  [[nodiscard]] static Run usual_run_of(bool counts) {
    return counts ? run_usual_of<Actual, true, kKnown...> : run_usual_of<Actual, false, kKnown...>;
  }

 private:
  template <class Actual, bool kCounts, bool... kKnown>
  static void run_usual_of(Action& action, const Moment& now) {
    static_cast<Actual&>(action).template run_usual<kCounts, kKnown...>(now);
  }
};

// In the order in which an event is taken through its rules.
enum class Phase : std::uint8_t {
  kLookup,   // names that the event gives
  kEnd,      // what it ends
  kState,    // what changes
  kBegin,    // what it begins
  kServe,    // what waited for it
  kRequest,  // what waits from now on
  kPoint,    // instants, counters, flows
  kCurrent,  // what later events mean by current
};

struct PlannedAction {
  Phase phase;
  std::unique_ptr<Action> action;
};

// The rules of one table. One thread at a time.
class RuleSet {
 public:
  // The table and the context must outlive it. Errors: kInvalidArgument, which rule and why.
  [[nodiscard]] static Result<std::unique_ptr<RuleSet>> compile(const Table& table,
                                                                RuleContext& context);
  virtual ~RuleSet() = default;

  [[nodiscard]] virtual const Table& table() const = 0;
  // Whether the table is for a trace, as far as its classes say by now. `search`: of that trace and
  // these rules, the same each time.
  [[nodiscard]] virtual bool applies(const TraceDescription& trace, ClassSearch& search) const = 0;
  // What the rules do with events of that class, which they are for by its name. The arguments live
  // as long as the rules. Returns whether a rule is for the class that lacks a field of it.
  virtual bool plan(const EventClass& event_class, std::vector<PlannedAction>& into) = 0;
  // The same of a class that no rule is about so far.
  virtual void plan_otherwise(const EventClass& event_class, std::vector<PlannedAction>& into) = 0;
  // Of slices and tracks that were ended, and of all that is waited for, nothing is known any more.
  virtual void forget(const SectionEnd& ended, const Moment& end) = 0;
  // No more events come. `end`: of no event.
  virtual void finish(const Moment& end) = 0;
  // Fields that rules are about and classes lack, as sentences; each once.
  [[nodiscard]] virtual std::vector<std::string> notices() const = 0;
  // Slices that cannot be told apart, as sentences: which of several ended, or whose they are.
  [[nodiscard]] virtual std::vector<std::string> unclear() const = 0;
  // Rules that met no event, and values that no event had: of tables that are not built in.
  [[nodiscard]] virtual std::vector<std::string> unused() const = 0;
};

}  // namespace tracedeck::timeline
