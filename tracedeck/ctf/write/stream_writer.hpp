// Writes one data stream: the packets of its source, or parts of those where they become too large,
// or packets of its own where the source has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/loss_tracker.hpp"
#include "tracedeck/ctf/write/adaptations.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"
#include "tracedeck/ctf/write/packet_writer.hpp"
#include "tracedeck/ctf/write/target_trace.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::ctf {

class StreamWriter;

// The one whose packets take the most memory first.
struct TakesMore {
  bool operator()(const StreamWriter* a, const StreamWriter* b) const;
};

// What the data streams of a trace that is being written share.
struct TraceInProgress {
  TraceInProgress(std::string name_of, Dialect dialect_of, bool single_source,
                  bool part_of_source_of, MetadataWriter& metadata)
      : name(std::move(name_of)),
        dialect(dialect_of),
        part_of_source(part_of_source_of),
        classes(dialect, single_source, adaptations, metadata) {}

  TraceInProgress(const TraceInProgress&) = delete;
  TraceInProgress& operator=(const TraceInProgress&) = delete;

  std::string name;  // of the output
  Dialect dialect;
  bool part_of_source;  // see `WriteOptions`
  Adaptations adaptations;
  // Data streams that have no packet, by class: nobody knows what its context would hold.
  std::map<std::uint64_t, std::uint64_t> without_packet;
  // Data streams whose id is left out, and those that are given one, by class.
  std::map<std::uint64_t, std::uint64_t> ids_left_out;
  std::map<std::uint64_t, std::uint64_t> ids_added;
  std::uint64_t other_losses = 0;  // that readers of the packets see otherwise
  TargetTrace classes;
  Encoder encoder;
  std::size_t buffered = 0;  // bytes of memory that the packets of all data streams take
  std::set<StreamWriter*, TakesMore> by_memory;  // those whose packets take some
  std::uint64_t opened = 0;                      // data streams
  std::vector<Slot> scratch;                     // until the next use
};

// The error for values that do not fit their classes; `where`: the event or what else they are of.
[[nodiscard]] std::unexpected<Error> unencodable(const TraceInProgress& trace, EncodeStatus status,
                                                 const std::string& where);

// One thread at a time. Errors are those of the output; kInvalidArgument and kUnsupported for what
// the target cannot say.
class StreamWriter {
 public:
  // `trace` must outlive this.
  StreamWriter(TraceInProgress& trace, TargetStreamClass& stream_class,
               std::unique_ptr<io::Output> output, std::uint64_t stream_id);

  [[nodiscard]] const TargetStreamClass& stream_class() const { return stream_class_; }
  [[nodiscard]] TargetStreamClass& stream_class() { return stream_class_; }
  [[nodiscard]] PacketWriter& packets() { return packets_; }
  // The source's packet that is being written. Null: there is none.
  [[nodiscard]] const Packet* source() const { return source_; }
  // What the nodes of the packet context wrote last.
  [[nodiscard]] std::span<const WrittenValue> packet_values() const { return packet_values_; }

  // The time of an event, which is written next, in the target's clock.
  [[nodiscard]] std::uint64_t time_of(const Event& event);

  // The packet must outlive its end.
  [[nodiscard]] Result<void> begin_packet(const Packet& packet);
  // Of the packet that is being written; any other is none of ours.
  [[nodiscard]] Result<void> end_packet(const Packet& packet);
  [[nodiscard]] Result<void> lose(const Loss& loss);
  // Nothing comes after.
  [[nodiscard]] Result<void> finish();

  // Whether the packet may end at `position`, where the source's does not.
  [[nodiscard]] bool can_split_at(std::uint64_t position) const;
  [[nodiscard]] bool can_split() const { return can_split_at(packets_.bits().position()); }
  // CTF 2: no event record is earlier than its packet (pkt-ctx-roles).
  [[nodiscard]] bool is_early(std::uint64_t time) const {
    return time < packets_.begin_time() && begin_counts() && can_split();
  }

  // Where a packet begins that has no event: not before the one in front of it ends.
  [[nodiscard]] std::uint64_t next_begin() const;
  // A packet of ours: the source's, or a part of it.
  [[nodiscard]] Result<void> open_packet(std::uint64_t time);
  // In place of the packet at hand, while that is empty.
  [[nodiscard]] Result<void> begin_another(std::uint64_t time);
  // `whole`: it is the source's packet, or the last part of it.
  [[nodiscard]] Result<void> close_packet(bool whole);
  // Whether the packet at hand, or the next one, ends before an event, for it tells what was lost.
  [[nodiscard]] bool ends_before(std::uint64_t time) const {
    return lost_ && lost_->end && time > *lost_->end;
  }
  [[nodiscard]] Result<void> end_lost();
  // The event is complete.
  [[nodiscard]] Result<void> end_event(std::uint64_t time) {
    auto ended = packets_.end_event();
    if (ended) last_time_ = time;
    return ended;
  }

  // Bytes of memory that are counted in `TraceInProgress::buffered`.
  [[nodiscard]] std::size_t buffered() const { return buffered_; }
  // Whether all that the packets take is.
  [[nodiscard]] bool is_counted() const { return packets_.bits().capacity() == buffered_; }
  void count_memory();
  // Nothing that the packets take is counted any more.
  void forget_memory();
  // Data streams that were opened before.
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  // Nothing in a data stream without a clock.
  [[nodiscard]] std::optional<std::uint64_t> timed(std::optional<std::uint64_t> time) const {
    return stream_class_.layout.has_clock ? time : std::nullopt;
  }
  // What was lost since the source's packet before, as its next one tells it.
  struct LostBefore {
    std::uint64_t packets = 0;
    std::uint64_t events = 0;
    bool is_unknown = false;  // how much
    std::optional<std::uint64_t> begin = {};
    std::optional<std::uint64_t> next = {};  // where the packet that tells it begins
    std::optional<std::uint64_t> end = {};   // and where it ends
  };
  // `leads`: an empty packet is before the first one.
  void take_counters(const Packet& packet, bool leads);
  [[nodiscard]] bool needs_lead(const Packet& packet) const;
  [[nodiscard]] Result<void> put_lead(const Packet& packet);
  // Whether packets that were left out behind the last one tell a loss.
  [[nodiscard]] bool has_trailer() const;
  // Clock values, where they are known.
  struct LostInterval {
    bool packets = false;  // or events
    std::optional<std::uint64_t> begin = {};
    std::optional<std::uint64_t> next = {};  // where the packet that tells it begins
    std::optional<std::uint64_t> end = {};   // and where it ends
  };
  [[nodiscard]] Result<void> begin_lost(const LostInterval& lost);
  // Whether the packets say other losses than were given.
  [[nodiscard]] bool checks_losses() const;
  void check_losses(std::uint64_t sequence);
  void compare_losses();
  // Whether it is known what the head of a packet of ours says.
  [[nodiscard]] bool has_head() const { return !stream_class_.packet_node || !head_.bytes.empty(); }
  [[nodiscard]] Result<void> encode_context(const Packet& packet);
  [[nodiscard]] Result<void> count_lost(std::uint64_t events, bool taken_back);
  [[nodiscard]] Result<void> encode_head(const Packet& packet);
  [[nodiscard]] bool begin_counts() const;
  [[nodiscard]] bool keeps_heads() const { return trace_.classes.keeps_heads(); }

  TraceInProgress& trace_;
  TargetStreamClass& stream_class_;
  PacketWriter packets_;
  // Each packet of ours is one of the source's or a part of one.
  const Packet* source_ = nullptr;
  std::optional<std::uint64_t> source_begin_;  // until its first part begins
  std::optional<std::uint64_t> source_end_;
  std::optional<std::uint64_t> source_sequence_;
  std::optional<std::uint64_t> source_discarded_;
  std::uint64_t source_padding_ = 0;  // bytes behind its content
  // What the packet's head has of the source: all of it, or its own members of the context.
  PacketHeadBits head_;
  std::vector<WrittenValue> packet_values_;
  // What the source's counters were before its first packet, where it is a part of a trace.
  std::optional<std::uint64_t> sequence_base_;
  std::optional<std::uint64_t> discarded_base_;
  std::optional<LostBefore> before_;
  std::optional<LostInterval> lost_;  // that the next packet tells, which is ours
  std::vector<Loss> given_;           // losses that packets have not told yet
  std::vector<Loss> told_;            // those that packets told and nobody has given yet
  LossTracker tracker_;               // of the packets, as readers see them
  std::uint64_t discarded_ = 0;
  std::uint64_t written_discarded_ = 0;
  std::uint64_t sequence_ = 0;  // of the next packet, where the source has none
  std::uint64_t parts_ = 0;     // packets that the source does not have
  std::uint64_t last_time_ = 0;
  std::uint64_t last_readable_ = 0;  // of the clock's values, where readers have such a limit
  std::uint64_t clock_ = 0;          // as a reader knows it at the end of the packet before
  bool has_packet_ = false;          // that ended
  bool ended_ = false;               // with a packet that does not say how long it is
  std::size_t buffered_ = 0;         // bytes of memory that are counted
  std::uint64_t number_ = 0;         // data streams that were opened before
};

}  // namespace tracedeck::ctf
