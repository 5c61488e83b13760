// When the packets of traces are, found without reading their events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tracedeck/flow/trim.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// A packet, or several that follow one another in a data stream; ns from the clocks' origins.
struct PacketStretch {
  Nanoseconds begin;
  Nanoseconds end;
  std::uint64_t bytes = 0;
};

// Whether a trace has packets that may say their times.
[[nodiscard]] bool says_its_packets(const TraceDescription& description);

// Collects the packets of traces, of which readings with `ReadOptions::packets_only` are added.
class PacketSurvey {
 public:
  // Whether all packets of the trace say their times, and none begins before the one before it in
  // its data stream has ended.
  [[nodiscard]] bool add(RecordSource& source);

  // In no order. Beyond about a million, neighbours are taken together.
  [[nodiscard]] std::vector<PacketStretch> finish() { return std::move(stretches_); }

 private:
  bool add(const Packet& packet);
  void halve();

  std::vector<PacketStretch> stretches_;
  std::unordered_map<EntityId, std::uint64_t, EntityIdHash> last_ends_;
};

// From the latest begin of a data stream of a trace, that of its first packet, to the earliest end:
// the time in which all have packets, of which a reading with `ReadOptions::packets_only` is given.
// `last` is before `first` where there is no such time. Nothing: it has fewer than two data
// streams, or a packet does not say its times.
[[nodiscard]] std::optional<TimeRange> common_time(RecordSource& source);

// Opens a trace to be read silently, without values: its packets only, or its events with at least
// those in `range`. Null: it cannot be opened.
using OpenPart = std::function<std::unique_ptr<Reader>(bool packets_only, const TrimRange& range)>;

// The earliest and the latest time of the trace's events. Where its packets say their times and do
// not overlap, those in its first and last packets are read, else all. Nothing: there are none.
[[nodiscard]] std::optional<TimeRange> range_of_events(const OpenPart& open);

}  // namespace tracedeck::flow
