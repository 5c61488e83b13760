// Whether two traces are equal: what a conversion to another format and back has to keep.
//
// Compared are classes (names, ids, field classes with widths, signedness, encodings, labels and
// attributes; also of classes without events), events with their values bit by bit, times, absent
// times and durations, the order of events within each data stream, data streams with their keys,
// contexts, clocks, the environment, and losses. Members of packet headers and contexts without
// roles are compared as of each event, so that it does not matter how packets are cut.
//
// Not compared are packet boundaries, padding, bookkeeping fields of heads, event headers, byte and
// bit order, alignment, findings, damage, and how data streams interleave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tracedeck/comparison/trace_difference.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::comparison {

// One of two traces, with the values of its fields (`ReadOptions::values`), each data stream in its
// recorded order. The source has not been read yet.
struct ComparedTrace {
  RecordSource& source;
  std::shared_ptr<const TraceDescription> description;
};

struct EqualityOptions {
  std::size_t most_kinds = 100;  // of differences, see `Differences`
  // Events that may wait for their partners. Beyond, the data stream with the most of them is given
  // up, which is reported as a difference of the stream: "too far apart".
  std::size_t most_waiting = 1U << 20;
};

struct Comparison {
  Differences differences;
  std::uint64_t events = 0;  // that were compared, in pairs

  [[nodiscard]] bool equal() const { return differences.empty(); }
};

// Reads both to their ends. Data streams are paired by their classes and keys, those of the same
// ones in the order in which they come; what is left then by their classes, at last in their order.
// Events of two paired streams are paired in their order, as `next_match` says: what one side lacks
// or has more is a difference of that event, and not of all behind it. Memory is bounded by how far
// the streams of the traces are apart, and by the descriptions. Errors: those of the sources.
[[nodiscard]] Result<Comparison> equal_traces(const ComparedTrace& left, const ComparedTrace& right,
                                              const EqualityOptions& options = {});
// Of traces that were opened and not read.
[[nodiscard]] Result<Comparison> equal_traces(Reader& left, Reader& right,
                                              const EqualityOptions& options = {});

}  // namespace tracedeck::comparison
