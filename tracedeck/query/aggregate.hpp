// What is computed of all values of a group: counts, sums, quantiles and the like.
//
// States add up: that of all events is that of their parts, in whatever order those come, but for
// `first` and `last`, which are taken by the order in which parts are merged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tracedeck/base/distinct_counter.hpp"
#include "tracedeck/base/histogram.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

enum class AggregateKind : std::uint8_t {
  kCount,
  kSum,
  kMinimum,
  kMaximum,
  kAverage,
  kFirst,
  kLast,
  kRate,
  kQuantile,
  kHistogram,
  kDistinct,
};

struct AggregateInfo {
  std::string_view word;  // "count"; of quantiles "p"
  AggregateKind kind;
  bool takes_argument = true;
  std::string_view meaning;
};
[[nodiscard]] std::span<const AggregateInfo> aggregate_table();

// The aggregate of a word such as `max` or `p99.9`; `part` gets 0.999 of the latter.
[[nodiscard]] const AggregateInfo* find_aggregate(std::string_view word, double& part);

// A sum of integers, exact as far as 128 bits and a sign go, and of reals, by Neumaier.
struct Sum {
  Integer whole = {};
  bool too_large = false;  // `whole` is not exact any more
  double real = 0;
  double rest = 0;  // what `real` lost to rounding
  bool has_reals = false;
  std::uint64_t count = 0;

  void add(std::uint64_t value) {
    if (!add_at_hand(value)) [[unlikely]]
      add(Integer::from(value));
  }
  // The same where it takes a few instructions: otherwise it does nothing, and returns false.
  [[nodiscard]] bool add_at_hand(std::uint64_t value) {
    std::uint64_t low = 0;
    if (whole.negative || __builtin_add_overflow(static_cast<std::uint64_t>(whole.magnitude), value,
                                                 &low)) [[unlikely]]
      return false;
    whole.magnitude = whole.magnitude >> 64 << 64 | low;
    ++count;
    return true;
  }
  void add(const Integer& value);
  void add(double value);
  void merge(const Sum& other);
  // Unknown of no values.
  [[nodiscard]] Cell total() const;
  [[nodiscard]] Cell average() const;
};

// What an aggregate is of the values so far.
class AggregateState {
 public:
  // `key`: of kDistinct, see `DistinctCounter`.
  explicit AggregateState(AggregateKind kind, const HashKey& key = DistinctCounter::kUsualKey);

  // Another event; of `kCount` and `kRate` whatever the value is. Unknown values do not count.
  // Returns by how much `memory` grew, about.
  std::size_t add(const Value& value);
  void add_event() { ++*events(); }  // the same of kCount and kRate
  // What counts the events of kCount and kRate, the sum of kSum and kAverage, the histogram of
  // kQuantile and kHistogram; null of others. For who adds to them faster than by values.
  [[nodiscard]] std::uint64_t* events() { return std::get_if<std::uint64_t>(&state_); }
  [[nodiscard]] Sum* sum() { return std::get_if<Sum>(&state_); }
  [[nodiscard]] Histogram* histogram() { return std::get_if<Histogram>(&state_); }
  // Returns as `add` does.
  std::size_t merge(const AggregateState& other);

  // `part`: of a quantile. `seconds`: what a rate is measured by.
  [[nodiscard]] Cell result(double part, double seconds) const;
  void encode(std::string& into) const;
  [[nodiscard]] static std::optional<AggregateState> decode(AggregateKind kind,
                                                            std::span<const std::uint8_t>& bytes);
  // Bytes on the heap, about.
  [[nodiscard]] std::size_t memory() const;

 private:
  [[nodiscard]] bool replaces(const Value& value, const Cell& before) const;

  AggregateKind kind_;
  std::variant<std::uint64_t, Sum, Cell, Histogram, DistinctCounter> state_;
};

}  // namespace tracedeck::query
