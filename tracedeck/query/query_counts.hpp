// What an answer was made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/query/allocation_rows.hpp"
#include "tracedeck/query/pairing.hpp"
#include "tracedeck/query/sample_rows.hpp"
#include "tracedeck/query/span_rows.hpp"

namespace tracedeck::query {

struct QueryCounts {
  std::uint64_t read = 0;          // events
  std::uint64_t selected = 0;      // of these, met the conditions at the front
  std::uint64_t without_time = 0;  // that could make no pairs
  std::uint64_t lost = 0;          // by their producers
  std::uint64_t losses_of_unknown_size = 0;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t late = 0;  // events of live traces that came after later ones had been taken
  std::uint64_t doubtful_times = 0;  // findings by which times may not be in ns
  std::optional<PairCounts> pairs = {};
  std::optional<SpanCounts> spans = {};
  std::optional<AllocationCounts> allocations = {};
  std::optional<SampleCounts> samples = {};
  std::uint64_t partial_answers = 0;  // that were merged; 0: all is of events that were read here
  std::vector<std::string> columns = {};    // of the answer
  std::vector<std::string> estimates = {};  // columns with counts that are about right
  // Columns of fields, and what these count, as their event classes say.
  std::vector<std::pair<std::string, std::string>> units = {};
};

// Adds what another answer was made of.
void add_counts(QueryCounts& counts, const QueryCounts& others);

// As bytes, and taken off bytes; nothing where none are.
void encode(std::string& into, const QueryCounts& counts);
[[nodiscard]] std::optional<QueryCounts> decode_counts(ByteSpan& bytes);

}  // namespace tracedeck::query
