// What a target with nested classes has of the traces that are lowered into it: their clocks, data
// stream classes and event classes, and the marks from which these come back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/format/writer.hpp"
#include "tracedeck/lower/class_mark.hpp"
#include "tracedeck/lower/lowering_receipt.hpp"
#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/model/written_out.hpp"

namespace tracedeck::lower {

// A data stream class of a source, as the target has it.
struct StreamsOf {
  const DataStreamClass* source = nullptr;
  DataStreamClass* target = nullptr;
  bool is_marked = false;
  std::shared_ptr<const NestedContext> common = {};
  // Set: they are of another dialect of the target's format, and packets stay what they are.
  std::unique_ptr<const NestedPacket> packets = {};
  std::vector<std::string> keys = {};      // that packets say
  std::optional<std::uint64_t> only = {};  // the ordinal of the data stream that it is made for
  bool whole_frequency = true;
  bool packets_say_more = false;  // of the source: their headers or contexts have users' members
  const EventClass* losses = nullptr;  // once there are some
  Account* packet_heads = nullptr;     // of packets with heads of the target's own
};

// A data stream of the target.
struct OutStream {
  DataStream stream = {};
  std::unique_ptr<Packet> packet = {};  // that is open, where packets say something
  bool keeps_packets = false;
  const Packet* source_packet = nullptr;  // which `packet` was made of, where they stay
  EntityId source = EntityId::none();     // whose keys it says
  std::uint64_t last = 0;                 // time
};

// Events whose order is kept: those of a data stream, or of all that are parts of one recording.
// The first data stream of the target has nearly all. One that is earlier than the one before goes
// to the first that does not end later, with the number of events before it.
struct Sequence {
  StreamsOf* streams = nullptr;
  std::deque<OutStream> outs = {};
  std::optional<OutStream> losses = {};
  std::uint64_t events = 0;
};

struct TraceInTarget {
  std::uint64_t index = 0;  // in the order of their appearance
  std::shared_ptr<const TraceDescription> source = {};
  std::shared_ptr<TraceDescription> target = {};
  bool same_format = false;      // it is of a dialect of the target's
  bool loses_heads = false;      // the target writes others
  std::uint64_t open = 0;        // data streams
  MarkText texts = MarkText(0);  // that no class has yet
  std::size_t environment = 0;   // how many of those have been described
  std::size_t clocks = 0;
  // Classes of `target` without events whose marks the writer does not have yet. They are let go of
  // then, and not there for a writer that would meet the trace once more.
  std::vector<const EventClass*> marked = {};
  std::set<const DataStreamClass*> stream_classes = {};  // that have been described
  std::vector<bool> classes = {};                        // which of those have been, by ordinal
  std::map<const ClockClass*, const ClockClass*> clock_of = {};
  const ClockClass* clock_of_others = nullptr;  // of data streams without one
  std::deque<StreamsOf> streams = {};
  std::map<const DataStreamClass*, StreamsOf*> streams_of = {};  // but those for one alone
  std::map<const DataStreamClass*, Sequence> recordings = {};
  // The target's classes of those that had no events then, by ordinal.
  std::map<std::pair<const StreamsOf*, std::uint64_t>, const EventClass*> without_events = {};
  // Which data stream has these keys, by its class.
  std::map<std::pair<std::uint64_t, std::vector<std::uint64_t>>, EntityId> keys = {};

  // Whether the class has been described.
  [[nodiscard]] bool has_class(const EventClass& of) {
    if (of.entity.ordinal >= classes.size()) classes.resize(of.entity.ordinal + 1);
    return classes[of.entity.ordinal];
  }
};

// All traces that data streams are of. What is described here is marked: it comes back.
class TargetTraces {
 public:
  // `profile` and `receipt` must outlive it; `names` as for `lower_nested`.
  // `are_parts`: the result is a part of a divided one.
  TargetTraces(const NestedProfile& profile, LoweringReceipt& receipt, TraceNames names,
               bool are_parts)
      : nested_(profile), receipt_(receipt), names_(std::move(names)), are_parts_(are_parts) {}

  // By the numbers of their descriptions.
  [[nodiscard]] std::map<std::uint64_t, TraceInTarget>& all() { return traces_; }
  // The trace, with what was added to its environment and its clocks since.
  TraceInTarget& of(const TraceDescription& source);
  // All of it, also what no data stream or event has.
  TraceInTarget& describe(const TraceDescription& source);

  // Those of a data stream with such keys, or of that one `alone`.
  StreamsOf& add_streams(TraceInTarget& trace, const DataStream& stream, bool alone);
  // Of data streams or, beside them, of what they lost. It has no mark yet.
  DataStreamClass& add_stream_class(TraceInTarget& trace, const StreamsOf& streams,
                                    DataStreamClass target, bool is_loss);
  // Before the target sees it.
  void mark(TraceInTarget& trace, const StreamsOf& streams, DataStreamClass& target, bool is_loss);
  void mark(TraceInTarget& trace, StreamsOf& streams);
  void mark_all(TraceInTarget& trace);

  // The class that stands for another one in the target, with its mark.
  const EventClass& add_class(TraceInTarget& trace, const StreamsOf& streams,
                              const NestedClass& lowered);
  [[nodiscard]] std::unique_ptr<NestedClass> lowered_class(const EventClass& source,
                                                           const StreamsOf& streams,
                                                           NestedShape shape) const;
  // Some of the classes without events, which `target`, if any, gets as far as their marks are
  // long. Errors: those of `target`.
  Result<void> add_without_events(TraceInTarget& trace, const StreamsOf& streams, Writer* target);
  // All of these, and what was said since the last class, which `target` gets.
  Result<void> describe_rest(TraceInTarget& trace, const StreamsOf& streams, Writer& target);

  // Classes that others use may multiply without end when each use is one of its own.
  Result<void> check_size(const DataStreamClass& of);
  [[nodiscard]] bool check_size(const EventClass& of);
  // Of a class that the writer has, which takes its mark but once.
  static void forget_mark(const EventClass& of);
  // That the sizes of classes which are gone count no more.
  void forget_sizes() { written_out_.forget(); }

 private:
  // What is new of the trace. Lets go of marks of classes without events.
  Result<void> hand_on(TraceInTarget& trace, Writer& target);
  void add_text(TraceInTarget& trace, std::string_view text);
  void describe_streams(TraceInTarget& trace, const DataStreamClass& stream_class);
  void describe_new(TraceInTarget& trace, const TraceDescription& of);
  void describe_class(TraceInTarget& trace, const EventClass& source);
  [[nodiscard]] Attributes marked(TraceInTarget& trace, const AttributeMark& mark,
                                  const Attributes& source) const;
  // A result has the environment of the first trace.
  void note_environment(const TraceDescription& source);
  const ClockClass* clock_of(TraceInTarget& trace, const ClockClass* source);
  // Also of one that has none, where readers of the target want one.
  const ClockClass* clock_of(TraceInTarget& trace, const DataStreamClass& source);
  [[nodiscard]] bool needs_clocks(const TraceDescription& source) const;
  [[nodiscard]] FieldClassPtr packet_context(const std::vector<std::string>& keys) const;
  // At a class that no event is of, and of which nothing is kept once it is written.
  Result<void> write_texts(TraceInTarget& trace, const StreamsOf& streams, Writer& target);

  const NestedProfile& nested_;
  LoweringReceipt& receipt_;
  TraceNames names_;
  bool are_parts_;
  std::map<std::uint64_t, TraceInTarget> traces_;
  std::uint64_t next_trace_ = 0;
  std::optional<ClockClass> any_clock_;           // of a target trace
  std::optional<Attributes> environment_;         // of the first trace
  std::map<std::string, Account*> environments_;  // of the others, by key
  WrittenOut written_out_;
  std::unordered_set<EntityId, EntityIdHash> checked_;  // data stream classes
};

}  // namespace tracedeck::lower
