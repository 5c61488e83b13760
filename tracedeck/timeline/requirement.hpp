// What latencies have to keep to: a gate for tests.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/lexer.hpp"
#include "tracedeck/query/pattern.hpp"
#include "tracedeck/timeline/comparison.hpp"
#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// `p99("wake -> poll") < 1ms`; where two traces are compared, of B, and A may be the bound:
// `p99("wake -> poll") <= 1.1 * A`.
class Requirement {
 public:
  enum class Of : std::uint8_t { kOneTrace, kTwoTraces };
  struct Verdict {
    bool holds = false;
    std::string reason = {};  // a sentence: what was found instead, or why it is not known
  };

  // Errors: kInvalidArgument with a caret under the place.
  [[nodiscard]] static Result<Requirement> parse(std::string_view text, Of of = Of::kOneTrace);

  [[nodiscard]] const std::string& text() const { return text_; }
  // Of all rows that it names together; where different things have one name, as places that end
  // alike, of each. It does not hold where no row has that name (but for `absent`, which then
  // holds), nor where losses leave it unknown: of all measures where a slice
  // or wait of that name was across one, of those that further ones would change (count, rate,
  // total, max, open, left_out, absent) where any events were lost. `counts`: of the same trace.
  [[nodiscard]] Verdict check(const Latency& latency, const TimelineCounts& counts) const;
  // The same of two traces. A name that one of them has counts 0 in the other.
  [[nodiscard]] Verdict check(const Comparison& comparison) const;

 private:
  enum class Measure : std::uint8_t {
    kCount,
    kMinimum,
    kMaximum,
    kAverage,
    kTotal,
    kQuantile,
    kOpen,
    kLeftOut,
    kAbsent,  // whether no row has that name; without a comparison
    kRate,    // a second
    kSlower,  // names whose median or 99th percentile is greater in B, beyond chance
  };
  struct NamedMeasure {
    std::string_view name;
    Measure measure;
    double part;
    Of of;
  };
  static std::span<const NamedMeasure> measures();

  // What was found, or why it is not known.
  struct Finding {
    double value = 0;
    std::string doubt = {};  // empty: it is known
  };
  struct FindOptions {
    bool has_gaps = false;           // events of the trace were lost
    bool is_known_name = false;      // another trace has it
    const MarkName* only = nullptr;  // of the rows that are named, those of this name
  };

  [[nodiscard]] Result<void> parse_bound(query::Lexer& lexer, Of of);
  [[nodiscard]] bool is_count() const;
  [[nodiscard]] bool names(const LatencyRow& row, const MarkName* only) const;
  [[nodiscard]] bool names_any(const std::deque<LatencyRow>& rows, const MarkName* only) const;
  // The names of `rows` that it may mean, each once.
  void add_meant(const std::deque<LatencyRow>& rows, std::vector<const MarkName*>& into) const;
  [[nodiscard]] Finding find(const std::deque<LatencyRow>& rows, FindOptions options) const;
  // Of one of two traces, whose name is for messages.
  [[nodiscard]] Finding find(const ComparedTrace& trace, std::string_view name,
                             const ComparedTrace& other, const MarkName* only) const;
  [[nodiscard]] Finding count_slower(const Comparison& comparison) const;
  // `names`: what could have been meant.
  [[nodiscard]] std::string nothing_text(const std::set<std::string>& names) const;
  [[nodiscard]] Verdict verdict_of(const Finding& found) const;
  // Of each of several names, else of all rows.
  template <class CheckOne>
  [[nodiscard]] Verdict check_each(const std::vector<const MarkName*>& names,
                                   const CheckOne& check_one) const;
  [[nodiscard]] Verdict check_one(const Comparison& comparison, const MarkName* only) const;
  [[nodiscard]] double value_of(const LatencyRow& row) const;
  [[nodiscard]] bool compare(double value, double bound) const;
  [[nodiscard]] std::string shown(double value) const;

  std::string text_;
  Measure measure_ = Measure::kCount;
  double part_ = 0;  // of kQuantile
  std::string name_;
  NamePattern names_;
  std::string comparison_;
  double bound_ = 0;
  bool times_a_ = false;  // `bound_` times what it is of A
};

}  // namespace tracedeck::timeline
