// The data streams of traces that are restored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/lower/marked_stage.hpp"
#include "tracedeck/lower/restored_packet.hpp"

namespace tracedeck::lower {

struct RestoredStream;

// Events whose order is known.
struct RestoredSequence {
  std::uint64_t events = 0;  // that were handed on
  // Which stored data streams wait, by the number of the event that they wait with; a heap, the
  // first one in front.
  using Waiting = std::pair<std::uint64_t, std::size_t>;
  std::vector<Waiting> waiting = {};
  // Parts that have not begun, by their key, and the one at hand.
  std::map<std::uint64_t, RestoredStream*> parts = {};
  RestoredStream* part = nullptr;

  void wait(std::uint64_t order, std::size_t stream);
  // Whether one waits with the event that is next, or whose turn was before.
  [[nodiscard]] bool is_due() const { return !waiting.empty() && waiting.front().first <= events; }
  // How many events come before one of those that wait is due.
  [[nodiscard]] std::uint64_t events_before_due() const {
    if (waiting.empty()) return std::numeric_limits<std::uint64_t>::max();
    return waiting.front().first - std::min(waiting.front().first, events);
  }
  // Takes the first one out.
  [[nodiscard]] Waiting take_first();
};

struct RestoredStream {
  std::shared_ptr<const DataStream> stream = {};
  std::shared_ptr<const void> owner = {};  // of the data stream and its description
  std::shared_ptr<RestoredSequence> sequence = {};
  bool is_part = false;
  bool keeps_packets = false;  // those that are stored
  RestoredPacket packet = {};
};

// Begins and ends them: those that are parts one after the other, in the order of their keys,
// others all at once.
class RestoredStreams {
 public:
  // What records go to; it must outlive this.
  explicit RestoredStreams(OutputBatch& output) : output_(output) {}

  using Keys = std::vector<std::uint64_t>;
  // Whether it has been made.
  [[nodiscard]] bool has(const StoredStreamClass& of, const Keys& keys) const;
  // One of that trace, if there is any.
  [[nodiscard]] RestoredStream* any(const MarkedTrace& trace);
  // The data stream of which packets of the stored class say `keys`.
  [[nodiscard]] RestoredStream& operator()(const StoredStreamClass& of, const Keys& keys);
  // The data stream that `stored` is, and the end of it.
  [[nodiscard]] RestoredStream& same(const StoredStreamClass& of, const DataStream& stored);
  void end_same(const StoredStreamClass& of, const DataStream& stored);
  // What comes is of this data stream. Parts follow each other, also those without events.
  void enter(RestoredStream& stream) {
    if (stream.is_part && stream.sequence->part != &stream) enter_part(stream);
    output_.pin_lasting(stream.owner);
  }
  void end();

  // Those with events whose order is known.
  [[nodiscard]] const std::vector<std::shared_ptr<RestoredSequence>>& sequences() const {
    return sequences_;
  }

 private:
  struct OfTrace {
    std::map<std::pair<const DataStreamClass*, Keys>, RestoredStream> by_keys = {};
    std::map<std::uint64_t, RestoredStream> by_ordinal = {};
    // Those that keep their packets, by what is stored.
    std::unordered_map<EntityId, RestoredStream, EntityIdHash> same = {};
    std::map<const DataStreamClass*, std::shared_ptr<RestoredSequence>> recordings = {};
  };

  static void own(RestoredStream& of, std::shared_ptr<const DataStream> stream, MarkedTrace& trace);
  void begin(const RestoredStream& stream);
  void end(RestoredStream& stream);
  void enter_part(RestoredStream& stream);
  void begin_part(RestoredStream& stream);

  OutputBatch& output_;
  std::map<std::uint64_t, OfTrace> traces_;  // by their number in the marks
  std::vector<std::shared_ptr<RestoredSequence>> sequences_;
};

}  // namespace tracedeck::lower
