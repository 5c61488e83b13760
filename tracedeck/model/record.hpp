// Records: what a reader yields, as a closed sum.
//
// A `Record` is an event, or something that happened between events: a data stream or packet began
// or ended, the description grew, the producer lost events (`Loss`), bytes could not be read
// (`Problem`), or something was read against the specification (`Finding`). Loss and damage
// are data: every stage passes them on.
//
// Everything a record points to lives as long as the batch that holds it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

// One member of a data stream's identity, as `print` shows it: {"segment": 0}.
struct StreamKey {
  std::string name = {};
  std::uint64_t value = 0;
  std::string digits = {};  // the value in decimal, where 64 bits do not hold it
};

// A data stream of a trace.
struct DataStream {
  EntityId entity = {};  // `TraceDescription::next_stream`
  const DataStreamClass* stream_class = nullptr;
  std::vector<StreamKey> keys = {};  // in the order in which they are shown
  std::string file = {};             // the data stream file, when a trace has several
  // Where damage of the trace lies before it: a value of the default clock from which on nothing
  // is missing for that, as a file was begun then.
  std::optional<std::uint64_t> damage_end = {};
};

// A packet of a data stream; an absent member is one that the trace does not give.
struct Packet {
  const DataStream* stream = nullptr;
  std::optional<std::uint64_t> begin = {};  // clock values of the stream's default clock
  std::optional<std::uint64_t> end = {};
  std::optional<std::uint64_t> sequence = {};
  std::optional<std::uint64_t> total_size = {};    // bytes
  std::optional<std::uint64_t> content_size = {};  // bits
  std::optional<std::uint64_t> discarded = {};     // the raw counter snapshot
  std::uint64_t offset = 0;        // byte offset of the packet in its (decompressed) file
  std::vector<Slot> header = {};   // values of the packet header and context
  std::vector<Slot> context = {};  // structures, member after member
};

// An event. Its slots are those of the common context, the specific context and the payload, one
// after the other, without head slots for the three structures. Those of its header, where they are
// kept, lie right before.
struct Event {
  const EventClass* event_class = nullptr;
  const DataStream* stream = nullptr;
  const Packet* packet = nullptr;  // null where the format has none
  std::uint64_t time = 0;          // clock value of its begin; 0 unless the class has a clock
  std::uint64_t end_time =
      0;                     // clock value of its end; equals `time` unless the class has durations
  std::uint64_t offset = 0;  // byte offset of the event in its (decompressed) input
  const Slot* slots = nullptr;
  std::uint32_t slot_count = 0;
  std::uint32_t common_count = 0;    // slots of the common context
  std::uint32_t specific_count = 0;  // slots of the specific context
  std::uint32_t size = 0;            // bytes of its record on the wire, its header included
  std::uint32_t header_count = 0;    // slots of its header (`ReadOptions::headers`)

  [[nodiscard]] bool has_time() const { return event_class->clock != nullptr; }
  // When it was recorded: its end, or its only time. Requires `has_time()`.
  [[nodiscard]] Nanoseconds recorded_at() const {
    return event_class->clock->to_nanoseconds(end_time);
  }
  // Its begin, or its only time. Requires `has_time()`.
  [[nodiscard]] Nanoseconds began_at() const { return event_class->clock->to_nanoseconds(time); }

  [[nodiscard]] std::span<const Slot> header() const {
    return {slots - header_count, header_count};
  }
  [[nodiscard]] std::span<const Slot> common_context() const { return {slots, common_count}; }
  [[nodiscard]] std::span<const Slot> specific_context() const {
    return {slots + common_count, specific_count};
  }
  [[nodiscard]] std::span<const Slot> payload() const {
    return {slots + common_count + specific_count, slot_count - common_count - specific_count};
  }
};

// What the producer threw away, as the trace says; unknown numbers are absent.
struct Loss {
  const DataStream* stream = nullptr;
  std::optional<std::uint64_t> events = {};
  std::optional<std::uint64_t> packets = {};
  // What an earlier record counted as lost came after all: to be taken off the total.
  bool taken_back = false;
  // Only what samples something was lost, as allocations: all other events are whole.
  bool of_samples = false;
  // An event of the trace says it: who writes that has written it.
  bool by_event = false;
  std::optional<Nanoseconds> begin = {};
  std::optional<Nanoseconds> end = {};
  // The same as values of the stream's default clock, where it was read from those.
  std::optional<std::uint64_t> begin_value = {};
  std::optional<std::uint64_t> end_value = {};
  // Nothing that the trace says: where records before it were left out, the time that it goes by in
  // the order of time, in ns from the clock's origin.
  std::optional<Nanoseconds> place = {};
};

// A finding and the input it was made in. As a kProblem record: bytes that could not be read; as a
// kFinding record: something tolerated.
struct Notice {
  std::string input = {};
  Finding finding;
  // `TraceDescription::input` of the trace that the input is a file of; empty: it is the same.
  std::string trace = {};
  // The data stream that the bytes are of; null: they may be of others.
  const DataStream* stream = nullptr;

  [[nodiscard]] const std::string& trace_input() const { return trace.empty() ? input : trace; }
  // Of a kProblem record.
  [[nodiscard]] bool may_cost_events() const {
    return finding.rule == nullptr || !finding.rule->of_metadata;
  }
};

enum class RecordKind : std::uint8_t {
  kEvent,
  kStreamBegin,  // stream
  kStreamEnd,    // stream
  kPacketBegin,  // packet
  kPacketEnd,    // packet
  kDescription,  // event_class, or null when something else was added
  kLoss,         // loss
  kProblem,      // notice
  kFinding,      // notice
};

struct Record {
  RecordKind kind = RecordKind::kEvent;
  union {
    Event event;
    const DataStream* stream;
    const Packet* packet;
    const EventClass* event_class;
    const Loss* loss;
    const Notice* notice;
  };

  Record() : event{} {}
  explicit Record(const Event& of) : event(of) {}
  Record(RecordKind kind_of, const DataStream* of) : kind(kind_of), stream(of) {}
  Record(RecordKind kind_of, const Packet* of) : kind(kind_of), packet(of) {}
  explicit Record(const EventClass* of) : kind(RecordKind::kDescription), event_class(of) {}
  explicit Record(const Loss* of) : kind(RecordKind::kLoss), loss(of) {}
  Record(RecordKind kind_of, const Notice* of) : kind(kind_of), notice(of) {}
};

}  // namespace tracedeck
