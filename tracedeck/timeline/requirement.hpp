// What latencies have to keep to: a gate for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/pattern.hpp"
#include "tracedeck/timeline/latency.hpp"

namespace tracedeck::timeline {

// `p99("wake -> poll") < 1ms`
class Requirement {
 public:
  struct Verdict {
    bool holds = false;
    std::string reason = {};  // a sentence: what was found instead, or why it is not known
  };

  // Errors: kInvalidArgument with a caret under the place.
  [[nodiscard]] static Result<Requirement> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  // Of all rows that it names together. Where slices it names were across losses, it is not known.
  [[nodiscard]] Verdict check(const Latency& latency) const;

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
  };

  [[nodiscard]] double value_of(const LatencyRow& row) const;
  [[nodiscard]] bool compare(double value) const;

  std::string text_;
  Measure measure_ = Measure::kCount;
  double part_ = 0;  // of kQuantile
  std::string name_;
  query::TextMatcherPtr names_;
  std::string comparison_;
  double bound_ = 0;
};

}  // namespace tracedeck::timeline
