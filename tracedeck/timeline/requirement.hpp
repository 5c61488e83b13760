// What latencies have to keep to: a gate for tests.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  // It has to hold for each row that it names; of several, those without any duration say nothing
  // of durations. It does not hold where no row has that name (but for `absent`, which then holds),
  // nor where losses leave it unknown: of all measures where a slice or wait of the row was across
  // one, of those that further ones would change (count, rate, total, min, max, open, left_out,
  // absent) where any events were lost. `counts`: of the same trace.
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
  [[nodiscard]] Result<void> parse_bound(query::Lexer& lexer, Of of);
  [[nodiscard]] bool is_count() const;
  // `has_gaps`: events of the trace were lost.
  [[nodiscard]] Finding find(const LatencyRow& row, bool has_gaps) const;
  // Of one of two traces, whose name is for messages; null: it has no such row, but the other has.
  [[nodiscard]] Finding find(const LatencyRow* row, const ComparedTrace& trace,
                             std::string_view name) const;
  [[nodiscard]] bool tells_nothing_of_some(const std::vector<const LatencyRow*>& rows) const;
  // Nothing was lost within it, and no duration is known; or there is no row.
  [[nodiscard]] static bool is_without_durations(const LatencyRow* row);
  [[nodiscard]] bool is_meant(const ComparedRow& row) const;
  [[nodiscard]] Finding count_slower(const Comparison& comparison) const;
  // `names`: what could have been meant.
  [[nodiscard]] std::string nothing_text(const std::set<std::string>& names) const;
  [[nodiscard]] Verdict verdict_of(const Finding& found) const;
  [[nodiscard]] Verdict check_absent(bool any, bool has_gaps) const;
  // `row_of`: the row that messages name.
  template <class Row, class NameOf, class CheckOne>
  [[nodiscard]] static Verdict check_each(const std::vector<const Row*>& rows, const NameOf& row_of,
                                          const CheckOne& check_one);
  [[nodiscard]] Verdict check_one(const Comparison& comparison, const ComparedRow& row) const;
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
