// A condition on events, which the stage `where` asks. What is behind it, the stage does not know.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/flow/select.hpp"
#include "tracedeck/flow/trim.hpp"

namespace tracedeck::flow {

// What is known of the trace that a filter works on.
struct FilterContext {
  // What `Condition::times` are in the trace, in that order: ns from its clock's origin.
  std::vector<Nanoseconds> times = {};
  std::string trace = {};         // what distinguishes it from others; "" where it is alone
  bool again = false;             // its events were asked about before, and need not be counted
  bool keeps_describing = false;  // events that describe others pass, uncounted
};

class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  virtual ~Condition() = default;

  // Whether it may look at the values of events.
  [[nodiscard]] virtual bool needs_values() const = 0;
  // Whether it may look at the names of events, also of those that carry their own.
  [[nodiscard]] virtual bool needs_names() const = 0;
  // Whether it asks for the names of addresses.
  [[nodiscard]] virtual bool needs_symbols() const { return false; }
  // The times that it names, where they depend on the trace.
  [[nodiscard]] virtual std::span<const TimePoint> times() const = 0;
  // What each event that passes lies in. `times` are those of `times()` in a trace, and may be
  // fewer: then the others are not known yet.
  [[nodiscard]] virtual TrimRange range(std::span<const Nanoseconds> times) const = 0;

  // Lets all records pass that are no events. May be called by several threads, and keeps the
  // condition alive.
  [[nodiscard]] virtual std::unique_ptr<RecordFilter> filter(FilterContext context) const = 0;
};

using ConditionPtr = std::shared_ptr<const Condition>;

}  // namespace tracedeck::flow
