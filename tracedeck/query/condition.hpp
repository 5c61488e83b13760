// A condition on events, for any traces: what `--where` says.
//
// A condition is parsed once, and bound to each event class when an event of it first comes. It
// remembers which fields no class has, so that a misspelt name is found out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/flow/condition.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/bound.hpp"

namespace tracedeck::query {

class Condition final : public flow::Condition, public std::enable_shared_from_this<Condition> {
 public:
  // What all of `texts` say together; there is one at least. Errors: kInvalidArgument with a caret
  // under the place, kLimitExceeded.
  [[nodiscard]] static Result<std::shared_ptr<const Condition>> parse(
      std::span<const std::string> texts);

  [[nodiscard]] bool needs_values() const override { return needs_values_; }
  [[nodiscard]] std::span<const TimePoint> times() const override { return times_; }
  [[nodiscard]] flow::TrimRange range(std::span<const Nanoseconds> times) const override;
  [[nodiscard]] std::unique_ptr<flow::EventFilter> filter(
      flow::FilterContext context) const override;

  // Takes note of the classes of a trace before events of them come.
  void look_at(const TraceDescription& description) const;
  // Sentences about what is probably wrong, by the classes that were seen so far: fields that none
  // of them has, with the nearest name. None when there were no classes.
  [[nodiscard]] std::vector<std::string> unknown_fields() const;
  // What may be meant otherwise than it was taken, by the classes that were seen so far.
  [[nodiscard]] std::vector<std::string> notices() const;

  // What is behind the condition, for who binds it by himself.
  [[nodiscard]] const Expression& expression() const { return *expression_; }
  [[nodiscard]] const Matchers& matchers() const { return matchers_; }
  // The time that a text beside `time` is, of those that a trace has for `times()`.
  [[nodiscard]] std::optional<Nanoseconds> time_of_text(std::string_view text,
                                                        std::span<const Nanoseconds> times) const;
  // Counts the paths that a class has.
  void note_class(const EventClass& event_class) const;

 private:
  // A field that the expression names, and what classes have it.
  struct FieldUse {
    const Expression* path = nullptr;
    bool found = false;
    std::set<FieldReference::Part> parts = {};  // where it lies
  };

  Condition() = default;
  void collect(const Expression& expression);
  [[nodiscard]] std::string nearest_name(std::string_view name) const;

  ExpressionPtr expression_;
  Matchers matchers_;
  std::vector<TimePoint> times_;
  std::vector<std::string> time_texts_;  // as they are written, in the order of `times_`
  bool needs_values_ = false;
  std::set<std::string_view> event_words_;  // what events have that the expression names

  mutable std::mutex mutex_;  // of what comes
  mutable std::uint64_t classes_ = 0;
  mutable std::vector<FieldUse> uses_;
  mutable std::set<std::string, std::less<>> names_;  // of fields of the classes, some of them
  mutable std::set<std::string_view> shadowing_;      // what events have and fields are called too
};

}  // namespace tracedeck::query
