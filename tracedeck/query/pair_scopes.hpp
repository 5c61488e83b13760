// Of which events pairs may be, as far as their keys say: what was lost elsewhere is none of
// theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/query/lost_times.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// Which keys of pairs are the trace, and which are keys of the data stream.
struct ScopeKeys {
  std::optional<std::size_t> trace = {};
  std::vector<std::pair<std::size_t, std::string>> stream = {};  // and what they are called
};

// A trace and values of keys of data streams, by numbers; 0 is any.
struct PairScope {
  std::uint64_t trace = 0;
  std::uint64_t stream = 0;

  friend bool operator==(const PairScope&, const PairScope&) = default;
  friend auto operator<=>(const PairScope&, const PairScope&) = default;
};

class PairScopes {
 public:
  explicit PairScopes(ScopeKeys keys) : keys_(std::move(keys)) {}

  // Of a pair, whose keys these are.
  [[nodiscard]] PairScope of(std::span<const Value> keys);
  // Of what a data stream lost; `trace`: what its trace is called.
  [[nodiscard]] PairScope of(const DataStream& stream, const std::string& trace);
  // Of damage of a trace.
  [[nodiscard]] PairScope of(const std::string& trace);

  [[nodiscard]] bool tell_traces_apart() const { return keys_.trace.has_value(); }

 private:
  // As many differ; all others are one.
  static constexpr std::size_t kMost = 4096;
  static constexpr std::uint64_t kOthers = kMost + 1;

  [[nodiscard]] std::uint64_t number_of(std::string encoded);

  ScopeKeys keys_;
  std::map<std::string, std::uint64_t> numbers_;
};

// When events were lost, by scope.
class LostInScopes {
 public:
  enum class What : std::uint8_t { kWhole, kBegins, kEnds };
  // `number`: of the events so far. A loss that begins goes on until it is said that it ends.
  void add(const PairScope& scope, What what, const Loss& loss, std::uint64_t number);
  // Whether events of that scope may have been lost while the pair of that number waited.
  [[nodiscard]] bool concern(const PairScope& scope, std::uint64_t number, Nanoseconds begin,
                             Nanoseconds end) const;

 private:
  struct Lost {
    LostTimes times = {};
    std::uint64_t going_on = 0;
  };
  [[nodiscard]] static bool concerns(const Lost& lost, std::uint64_t number, Nanoseconds begin,
                                     Nanoseconds end);

  std::map<PairScope, Lost> lost_;
};

}  // namespace tracedeck::query
