// What renderers of events leave out of a trace, counted for the receipt.
//
// Text, JSON lines and CSV show events, with `all_records` also where streams and packets begin and
// end, losses and problems. What a trace says beside these is nowhere in the result. Not counted
// are findings, which are made by reading and not part of a trace, and where data streams begin and
// end: their events name them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "tracedeck/format/adaptations.hpp"
#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::render {

// In the order of the receipt.
enum class LeftOutKind : std::uint8_t { kPacket, kLoss, kProblem, kClock, kEnvironment, kCount };

// One thread at a time.
class LeftOut {
 public:
  // `all_records`: see `JsonLinesOptions`.
  explicit LeftOut(bool all_records) : all_records_(all_records) {}

  // Every record that is no event.
  void see(const Record& record);

  // See `Writer::describe`.
  void see(const TraceDescription& trace);

  [[nodiscard]] Receipt receipt() const;

 private:
  void see(const Loss& loss);
  void see(const DataStream& stream);

  // What was counted of a trace, whose description may have grown since.
  struct Counted {
    std::size_t clocks = 0;
    std::size_t environment = 0;
  };

  bool all_records_;
  std::uint64_t losses_ = 0;       // places
  std::uint64_t lost_events_ = 0;  // in them, less those that came after all
  bool all_came_ = true;           // if `lost_events_` is 0
  AdaptationCounts<LeftOutKind> counts_;
  OpenTraces open_;
  std::unordered_map<std::uint64_t, Counted> traces_;  // by the numbers of their descriptions
};

}  // namespace tracedeck::render
