// A condition on events, for any traces: what `--where` says.
//
// A condition is parsed once, and bound to each event class when an event of it first comes. It
// remembers which fields no class has, so that a misspelt name is found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/flow/condition.hpp"
#include "tracedeck/query/bound.hpp"
#include "tracedeck/query/field_watch.hpp"

namespace tracedeck::query {

class Condition final : public flow::Condition, public std::enable_shared_from_this<Condition> {
 public:
  // What all of `texts` say together; there is one at least. Errors: kInvalidArgument with a caret
  // under the place, kLimitExceeded.
  [[nodiscard]] static Result<std::shared_ptr<const Condition>> parse(
      std::span<const std::string> texts);

  [[nodiscard]] bool needs_values() const override { return reads_values(*expression_); }
  [[nodiscard]] bool needs_names() const override { return reads_names(*expression_); }
  [[nodiscard]] bool needs_symbols() const override { return names_symbols(*expression_); }
  [[nodiscard]] std::span<const TimePoint> times() const override { return times_; }
  [[nodiscard]] flow::TrimRange range(std::span<const Nanoseconds> times) const override;
  [[nodiscard]] std::unique_ptr<flow::RecordFilter> filter(
      flow::FilterContext context) const override;

  // Takes note of what classes have, and says what of it the condition names in vain.
  [[nodiscard]] FieldWatch& fields() const { return fields_; }

  // The same of expressions that were parsed from `text`. There is one at least.
  [[nodiscard]] static Result<std::shared_ptr<const Condition>> from(
      std::vector<ExpressionPtr> expressions, std::string_view text);
  // Events that filters were asked about so far, and those that passed. Filters report when they
  // end.
  [[nodiscard]] std::uint64_t events_seen() const { return seen_; }
  [[nodiscard]] std::uint64_t events_passed() const { return passed_; }
  void count(std::uint64_t seen, std::uint64_t passed) const {
    seen_ += seen;
    passed_ += passed;
  }

  // The texts that it was parsed from, as one: `(A) && (B)`.
  [[nodiscard]] const std::string& text() const { return text_; }
  // What is behind the condition, for who binds it by himself.
  [[nodiscard]] const Expression& expression() const { return *expression_; }
  [[nodiscard]] const Matchers& matchers() const { return matchers_; }
  // The time that a text beside `time` is, of those that a trace has for `times()`.
  [[nodiscard]] std::optional<Nanoseconds> time_of_text(std::string_view text,
                                                        std::span<const Nanoseconds> times) const;

 private:
  Condition() = default;
  [[nodiscard]] Result<void> take(ExpressionPtr expression, std::string_view text);
  void join();

  std::string text_;
  std::vector<ExpressionPtr> parts_;  // until they are joined
  ExpressionPtr expression_;
  Matchers matchers_;
  std::vector<TimePoint> times_;
  TextMap<std::size_t> time_places_;  // in `times_`, by the texts as they are written
  mutable std::atomic<std::uint64_t> seen_ = 0;
  mutable std::atomic<std::uint64_t> passed_ = 0;
  mutable FieldWatch fields_;
};

}  // namespace tracedeck::query
