#include "tracedeck/lower/nested_lowering_writer.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/lower/class_mark.hpp"
#include "tracedeck/lower/description_text.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/lowering_stage.hpp"
#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/lower/nested_description.hpp"
#include "tracedeck/lower/nested_fields.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/model/written_out.hpp"

namespace tracedeck::lower {
namespace {

// Data streams of the target for one of the source, at most.
constexpr std::size_t kMostStreams = 64;

// Classes without events are there in the target too, but no more than these: of all others there
// are marks alone, written when they take so many bytes.
constexpr std::size_t kMostWithoutEvents = 1024;
constexpr std::size_t kTextAtOnce = std::size_t{64} << 10;

Kept event_head() { return {.convention = Convention::kEventHead, .path = "event_header"}; }

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

// A class of a source in one shape.
struct ClassInTarget {
  const StreamsOf* streams = nullptr;
  std::unique_ptr<NestedClass> lowered = {};
  const EventClass* target = nullptr;  // once there is an event
  Account* account = nullptr;
};

// A class of a source.
struct KnownClass {
  explicit KnownClass(const EventClass&) {}
  std::optional<bool> held = {};  // as it is
  Account* heads = nullptr;       // of one that is held, but for the heads of its events
  std::deque<ClassInTarget> lowered = {};
  ClassInTarget* last = nullptr;
};

struct TraceInTarget {
  std::uint64_t index = 0;  // in the order of their appearance
  std::shared_ptr<const TraceDescription> source = {};
  std::shared_ptr<TraceDescription> target = {};
  bool same_format = false;             // it is of a dialect of the target's
  bool loses_heads = false;             // the target writes others
  std::uint64_t open = 0;               // data streams
  std::vector<std::string> texts = {};  // that no class has yet
  std::size_t text_size = 0;            // bytes of those
  std::size_t environment = 0;          // how many of those have been described
  std::size_t clocks = 0;
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

struct OpenStream {
  TraceInTarget* trace = nullptr;
  Sequence* sequence = nullptr;
  std::optional<Sequence> own = {};
};

class NestedLoweringWriter final : public LoweringStage {
 public:
  NestedLoweringWriter(const TargetProfile& profile, std::unique_ptr<Writer> target,
                       bool single_source, render::TraceNames names)
      : LoweringStage(profile, std::move(target),
                      {.heads = !single_source, .all = names != nullptr}),
        nested_(*profile.nested),
        single_source_(single_source),
        names_(std::move(names)) {}

  Result<void> finish() override {
    while (!streams_.empty()) {
      const EntityId last = streams_.begin()->first;
      if (auto done = end_source(last); !done) return done;
    }
    for (auto& [number, trace] : traces_) {
      if (auto done = end_trace(trace); !done) return done;
    }
    return next().finish();
  }

 private:
  Result<void> describe_lowered(const TraceDescription& source) override {
    TraceInTarget& trace = trace_of(source);
    for (const ClockClass& each : source.clocks()) static_cast<void>(clock_of(trace, &each));
    for (StreamsOf& each : trace.streams) {
      mark(trace, each);
      add_without_events(trace, each);
    }
    for (const DataStreamClass& each : source.stream_classes()) describe_streams(trace, each);
    for (const EventClass& each : source.event_classes()) describe_class(trace, each);
    // The marks of what else there is stand at a data stream class of their own.
    if (!trace.texts.empty()) {
      DataStreamClass made;
      made.attributes = mark_of(trace).added_to({});
      trace.target->add_stream_class(std::move(made));
    }
    return next().describe(*trace.target);
  }

  // -- What is described -----------------------------------------------------------------------

  void add_text(TraceInTarget& trace, std::string text) {
    own_receipt().count(Convention::kDescription);
    trace.text_size += text.size();
    trace.texts.push_back(std::move(text));
  }

  void describe_streams(TraceInTarget& trace, const DataStreamClass& stream_class) {
    if (trace.stream_classes.insert(&stream_class).second)
      add_text(trace, text_of(trace.same_format ? stream_class : without_heads(stream_class)));
  }

  void describe_new(TraceInTarget& trace, const TraceDescription& of) {
    for (; trace.environment < of.environment().size(); ++trace.environment)
      add_text(trace, text_of(of.environment()[trace.environment], trace.environment));
    for (; trace.clocks < of.clocks().size(); ++trace.clocks)
      add_text(trace, text_of(of.clocks()[trace.clocks]));
  }

  void describe_class(TraceInTarget& trace, const EventClass& source) {
    if (trace.has_class(source)) return;
    trace.classes[source.entity.ordinal] = true;
    add_text(trace, text_of(source));
  }

  [[nodiscard]] AttributeMark mark_of(TraceInTarget& trace) {
    trace.text_size = 0;
    return {.trace = trace.index, .texts = std::exchange(trace.texts, {})};
  }

  [[nodiscard]] Attributes attributes(const Attributes& source, const AttributeMark& mark) const {
    return mark.added_to(nested_.attributes ? source : Attributes());
  }

  // -- Traces, clocks, data stream classes -----------------------------------------------------

  TraceInTarget& trace_of(const TraceDescription& source) {
    const auto [place, is_new] = traces_.try_emplace(source.number());
    TraceInTarget& trace = place->second;
    if (is_new) {
      trace.index = next_trace_++;
      trace.source = source.shared_from_this();
      add_text(trace, names_ ? text_of(source, names_(source)) : text_of(source));
      trace.target = lowered_trace(source, nested_);
      if (!environment_) environment_ = source.environment();
      trace.target->set_environment(*environment_);
      note_environment(source);
      trace.same_format = source.format() == nested_.format;
    }
    describe_new(trace, source);
    // Whether packets can have the heads that they had depends on all of them.
    if (is_new && trace.same_format) {
      for (const DataStreamClass& each : source.stream_classes()) {
        if (!check_size(each)) continue;
        const DataStream any{.stream_class = &each};
        trace.streams_of[&each] = &add_streams(trace, any, false);
      }
    }
    return trace;
  }

  // A result has the environment of the first trace.
  void note_environment(const TraceDescription& source) {
    for (const Attribute& entry : source.environment()) {
      if (std::ranges::find(*environment_, entry) != environment_->end()) continue;
      Account*& account = environments_[entry.key];
      if (account == nullptr) {
        account = &own_receipt().add(
            {.kept = {{.convention = Convention::kEnvironment, .path = "environment." + entry.key}},
             .input = source.input()});
      }
      ++account->events;
    }
  }

  const ClockClass* clock_of(TraceInTarget& trace, const ClockClass* source) {
    if (source == nullptr) return nullptr;
    const ClockClass*& known = trace.clock_of[source];
    if (known != nullptr) return known;
    known = &trace.target->add_clock(lowered_clock(*source));
    if (!any_clock_) any_clock_ = *known;
    return known;
  }

  // Also of one that has none, where readers of the target want one.
  const ClockClass* clock_of(TraceInTarget& trace, const DataStreamClass& source) {
    const ClockClass* const own = source.default_clock;
    if (own != nullptr || !needs_clocks(*trace.source)) return clock_of(trace, own);
    if (trace.clock_of_others == nullptr) {
      if (!trace.source->clocks().empty()) {
        trace.clock_of_others = clock_of(trace, &trace.source->clocks()[0]);
      } else {
        trace.clock_of_others = &trace.target->add_clock(any_clock_.value_or(
            ClockClass{.id = "none",
                       .origin = ClockOrigin::kUnixEpoch,
                       .description = "of data streams whose events have no times"}));
      }
    }
    return trace.clock_of_others;
  }

  [[nodiscard]] bool needs_clocks(const TraceDescription& source) const {
    const auto has_clock = [](const DataStreamClass& each) {
      return each.default_clock != nullptr;
    };
    return nested_.clocks_for_all &&
           (names_ != nullptr || std::ranges::any_of(source.stream_classes(), has_clock));
  }

  [[nodiscard]] FieldClassPtr packet_context(const std::vector<std::string>& keys) const {
    if (keys.empty()) return nullptr;
    NestedFields fields(nested_, false, false);
    // Tools look for the number of a processor under this name.
    for (const std::string& key : keys)
      fields.add(key == "core" ? "cpu_id" : nested_.member_name(key), wide_number());
    return fields.take();
  }

  StreamsOf& add_streams(TraceInTarget& trace, const DataStream& stream, bool alone) {
    const DataStreamClass& source = *stream.stream_class;
    StreamsOf& made = trace.streams.emplace_back(StreamsOf{.source = &source});
    made.common = std::make_shared<NestedContext>(source, nested_);
    if (trace.same_format) {
      made.packets = std::make_unique<NestedPacket>(source, nested_);
    } else {
      made.packets_say_more =
          user_members(source.packet_context).field_class != nullptr ||
          user_members(source.trace->trace_class().packet_header).field_class != nullptr;
    }
    if (source.default_clock != nullptr)
      made.whole_frequency = has_whole_frequency(*source.default_clock);
    if (alone) {
      describe_streams(trace, source);
      made.only = stream.entity.ordinal;
      add_text(trace, text_of(stream));
    } else if (!trace.same_format) {
      for (const StreamKey& key : stream.keys) made.keys.push_back(key.name);
    }
    DataStreamClass target = source;
    if (alone) target.id.reset();
    made.target = &add_stream_class(trace, made, std::move(target), false);
    return made;
  }

  // Of data streams or, beside them, of what they lost. It has no mark yet.
  DataStreamClass& add_stream_class(TraceInTarget& trace, const StreamsOf& streams,
                                    DataStreamClass target, bool is_loss) {
    target.default_clock = clock_of(trace, *streams.source);
    if (streams.packets != nullptr) {
      target.packet_context = streams.packets->context;
    } else {
      target.packet_context = packet_context(streams.keys);
      target.event_header = nullptr;
    }
    target.common_context = is_loss ? nullptr : streams.common->field_class;
    target.streams_are_parts = false;
    return trace.target->add_stream_class(std::move(target));
  }

  // Before the target sees it.
  void mark(TraceInTarget& trace, const StreamsOf& streams, DataStreamClass& target, bool is_loss) {
    describe_streams(trace, *streams.source);
    AttributeMark mark = mark_of(trace);
    mark.is_loss = is_loss;
    if (streams.only) {
      mark.stream = streams.only;
    } else {
      mark.streams = {.stream_class = streams.source->entity.ordinal, .keys = streams.keys};
    }
    target.attributes = attributes(target.attributes, mark);
  }
  void mark(TraceInTarget& trace, StreamsOf& streams) {
    if (!std::exchange(streams.is_marked, true)) mark(trace, streams, *streams.target, false);
  }

  // Classes that others use may multiply without end when each use is one of its own.
  Result<void> check_size(const DataStreamClass& of) {
    if (of.trace->format() != nested_.format || !checked_.insert(of.entity).second) return {};
    auto fits = written_out_.add(
        {of.trace->trace_class().packet_header, of.packet_context, of.common_context},
        of.trace->input());
    if (!fits) checked_.erase(of.entity);
    return fits;
  }

  [[nodiscard]] bool check_size(const EventClass& of) {
    const TraceDescription& trace = *of.stream_class->trace;
    return trace.format() != nested_.format ||
           written_out_.add({of.specific_context, of.payload}, trace.input()).has_value();
  }

  // -- Data streams ----------------------------------------------------------------------------

  // Makes it the last one.
  Result<void> find_stream(const DataStream& stream) {
    if (auto begun = begin_stream(stream); !begun) return begun;
    last_stream_ = stream.entity;
    last_source_ = &streams_.at(stream.entity);
    return {};
  }

  Result<void> begin_stream(const DataStream& stream) override {
    if (streams_.contains(stream.entity)) return {};
    if (auto fits = check_size(*stream.stream_class); !fits) return fits;
    if (open_.begin(stream.entity.trace)) {
      if (auto ended = end_gone_traces(); !ended) return ended;
    }
    TraceInTarget& trace = trace_of(*stream.stream_class->trace);
    OpenStream& source = streams_[stream.entity];
    source.trace = &trace;
    ++trace.open;
    std::vector<std::uint64_t> values;
    bool plain = true;
    for (const StreamKey& key : stream.keys) {
      plain = plain && key.digits.empty();
      values.push_back(key.value);
    }
    const auto [named, is_new] =
        trace.keys.try_emplace({stream.stream_class->entity.ordinal, values}, stream.entity);
    const bool alone = !trace.same_format && (!plain || named->second != stream.entity);
    StreamsOf* streams = alone ? nullptr : trace.streams_of[stream.stream_class];
    const bool is_other = streams != nullptr && !trace.same_format &&
                          !std::ranges::equal(streams->keys, stream.keys, {}, {}, &StreamKey::name);
    if (streams == nullptr || is_other) {
      streams = &add_streams(trace, stream, alone);
      if (!alone) trace.streams_of[stream.stream_class] = streams;
    }
    mark(trace, *streams);
    if (stream.stream_class->streams_are_parts && !alone) {
      source.sequence = &trace.recordings[stream.stream_class];
    } else {
      source.sequence = &source.own.emplace();
    }
    source.sequence->streams = streams;
    OutStream* out = nullptr;
    if (source.sequence->outs.empty()) {
      auto made = add_out(*source.sequence, trace, trace.same_format ? &stream : nullptr);
      if (!made) return std::unexpected(made.error());
      out = *made;
    } else {
      out = &source.sequence->outs.front();
    }
    return say_keys(*out, stream);
  }

  // `source`: what it is called after, or null.
  Result<OutStream*> add_out(Sequence& sequence, TraceInTarget& trace,
                             const DataStream* source = nullptr) {
    OutStream& out = sequence.outs.emplace_back();
    if (source != nullptr) {
      out.stream = *source;
      out.keeps_packets = true;
    }
    auto begun = begin_out(out, *sequence.streams->target, trace);
    if (!begun) return std::unexpected(begun.error());
    return &out;
  }

  Result<void> begin_out(OutStream& out, const DataStreamClass& stream_class,
                         TraceInTarget& trace) {
    out.stream.entity = trace.target->next_stream();
    out.stream.stream_class = &stream_class;
    trace.loses_heads = loses_heads(*trace.source, *trace.target);
    if (out.stream.keys.empty() && !trace.same_format)
      out.stream.keys = {{"id", out.stream.entity.ordinal}};
    return next().write(Record(RecordKind::kStreamBegin, &out.stream));
  }

  // -- Heads -----------------------------------------------------------------------------------

  // Whether the target writes others than the trace has. `written`: as it gets it, when a data
  // stream of it begins.
  bool loses_heads(const TraceDescription& source, const TraceDescription& written) {
    const bool has_heads = source.format() == nested_.format && source.has_heads();
    if (!keeps_heads_) keeps_heads_ = single_source_ && has_heads && nested_.keeps_heads(written);
    return has_heads && !*keeps_heads_;
  }

  void see_held(const DataStream& stream) override {
    if (stream.stream_class == nullptr || stream.stream_class->trace == nullptr) return;
    const TraceDescription& trace = *stream.stream_class->trace;
    held_loses_heads_ = loses_heads(trace, trace);
  }
  void see_held(const Packet& packet) override {
    if (held_loses_heads_)
      count_heads(held_packet_heads_[packet.stream->stream_class->entity], packet);
  }

  void count_heads(Account*& account, const Packet& packet) {
    if (packet.header.empty() && packet.context.empty()) return;
    if (account == nullptr) {
      const DataStreamClass& of = *packet.stream->stream_class;
      const std::string name = of.name.value_or(of.id ? std::to_string(*of.id) : "");
      account = &own_receipt().add(
          {.kept = {{.convention = Convention::kPacketHead, .path = "stream." + name}},
           .input = of.trace->input(),
           .offset = packet.offset});
    }
    ++account->events;
  }

  void count_head(KnownClass& of, const Event& event) {
    const DataStreamClass& streams = *event.event_class->stream_class;
    if (streams.event_header == nullptr) return;
    if (of.heads == nullptr) {
      of.heads = &own_receipt().add({.class_name = event.event_class->name.value_or(""),
                                     .kept = {event_head()},
                                     .input = streams.trace->input(),
                                     .offset = event.offset});
    }
    ++of.heads->events;
  }

  // -- Packets ---------------------------------------------------------------------------------

  // Whether the packets to come are of that data stream of the source.
  static bool says_keys(const OutStream& out, const DataStream& source) {
    return out.source == source.entity || out.keeps_packets ||
           out.stream.stream_class->packet_context == nullptr;
  }

  Result<void> say_keys(OutStream& out, const DataStream& source) {
    if (says_keys(out, source)) return {};
    if (auto ended = end_packet(out); !ended) return ended;
    out.packet = std::make_unique<Packet>();
    out.packet->stream = &out.stream;
    for (const StreamKey& key : source.keys)
      out.packet->context.push_back(unsigned_slot(key.value));
    out.source = source.entity;
    return next().write(Record(RecordKind::kPacketBegin, out.packet.get()));
  }

  // Packets that stay.
  Result<void> begin_packet(const Packet& packet) override {
    if (packet.stream->entity != last_stream_) {
      if (auto found = find_stream(*packet.stream); !found) return found;
    }
    Sequence& sequence = *last_source_->sequence;
    if (sequence.streams->packets == nullptr) return {};
    if (last_source_->trace->loses_heads) count_heads(sequence.streams->packet_heads, packet);
    return begin_packet(sequence.outs.front(), *sequence.streams->packets, packet);
  }

  Result<void> begin_packet(OutStream& out, const NestedPacket& packets, const Packet& source) {
    if (auto ended = end_packet(out); !ended) return ended;
    arena_.clear();
    PacketValues values;
    if (!packets.lower(source, values, arena_))
      return fail(ErrorCode::kInvalidArgument, "a packet has values that are none of its class");
    out.packet = std::make_unique<Packet>(source);
    out.packet->stream = &out.stream;
    out.packet->header = std::move(values.header);
    out.packet->context = std::move(values.context);
    out.source_packet = &source;
    return next().write(Record(RecordKind::kPacketBegin, out.packet.get()));
  }

  Result<void> end_packet(const Packet& packet) override {
    const auto found = streams_.find(packet.stream->entity);
    if (found == streams_.end()) return {};
    OutStream& out = found->second.sequence->outs.front();
    return out.source_packet == &packet ? end_packet(out) : Result<void>();
  }

  Result<void> end_packet(OutStream& out) {
    if (out.packet == nullptr) return {};
    auto ended = next().write(Record(RecordKind::kPacketEnd, out.packet.get()));
    out.packet.reset();
    out.source_packet = nullptr;
    out.source = EntityId::none();
    return ended;
  }

  Result<void> end_out(OutStream& out) {
    if (auto ended = end_packet(out); !ended) return ended;
    return next().write(Record(RecordKind::kStreamEnd, &out.stream));
  }

  Result<void> end_sequence(Sequence& sequence) {
    for (OutStream& out : sequence.outs) {
      if (auto ended = end_out(out); !ended) return ended;
    }
    return sequence.losses ? end_out(*sequence.losses) : Result<void>();
  }

  Result<void> end_stream(const DataStream& stream) override { return end_source(stream.entity); }

  Result<void> end_source(EntityId stream) {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return {};
    TraceInTarget& trace = *found->second.trace;
    const bool is_last = --trace.open == 0;
    Result<void> ended;
    if (trace.same_format) add_without_events(trace, *found->second.sequence->streams);
    if (is_last && found->second.own) ended = describe_rest(trace, *found->second.own->streams);
    if (ended && found->second.own) ended = end_sequence(*found->second.own);
    streams_.erase(found);
    last_stream_ = EntityId::none();
    open_.end(stream.trace);
    return ended;
  }

  // Some of the classes without events.
  void add_without_events(TraceInTarget& trace, const StreamsOf& streams) {
    std::size_t lowered = 0;
    for (const EventClass& each : trace.source->event_classes()) {
      if (each.stream_class != streams.source || trace.has_class(each)) continue;
      if (lowered++ == kMostWithoutEvents) break;
      if (!check_size(each)) continue;
      trace.without_events[{&streams, each.entity.ordinal}] =
          &add_class(trace, streams, *lowered_class(each, streams, {}));
    }
  }

  // All classes without events, and what was said since the last class.
  Result<void> describe_rest(TraceInTarget& trace, const StreamsOf& streams) {
    describe_new(trace, *trace.source);
    for (const DataStreamClass& each : trace.source->stream_classes())
      describe_streams(trace, each);
    add_without_events(trace, streams);
    for (const EventClass& each : trace.source->event_classes()) {
      if (trace.has_class(each)) continue;
      describe_class(trace, each);
      if (trace.text_size < kTextAtOnce) continue;
      if (auto written = write_texts(trace, streams); !written) return written;
    }
    return trace.texts.empty() ? Result<void>() : write_texts(trace, streams);
  }

  // At a class that no event is of, and of which nothing is kept once it is written.
  Result<void> write_texts(TraceInTarget& trace, const StreamsOf& streams) {
    const EventClass& added =
        trace.target->add_event_class({.name = std::string(kMarkName),
                                       .name_space = {},
                                       .uid = {},
                                       .stream_class = streams.target,
                                       .clock = streams.target->default_clock,
                                       .attributes = mark_of(trace).added_to({})});
    auto written = next().describe(*trace.target);
    const_cast<EventClass&>(added).attributes.clear();  // NOLINT(*-const-cast): it is ours
    return written;
  }

  Result<void> end_trace(TraceInTarget& trace) {
    for (auto& [stream_class, sequence] : trace.recordings) {
      if (auto described = describe_rest(trace, *sequence.streams); !described) return described;
      if (auto ended = end_sequence(sequence); !ended) return ended;
    }
    trace.recordings.clear();
    return {};
  }

  Result<void> end_gone_traces() {
    written_out_.forget();
    for (auto each = traces_.begin(); each != traces_.end();) {
      if (open_.has(each->first)) {
        ++each;
        continue;
      }
      if (auto ended = end_trace(each->second); !ended) return ended;
      each = traces_.erase(each);
    }
    return {};
  }

  // -- Events ----------------------------------------------------------------------------------

  // The class that stands for another one in the target, with its mark.
  const EventClass& add_class(TraceInTarget& trace, const StreamsOf& streams,
                              const NestedClass& lowered) {
    const EventClass& source = lowered.source();
    describe_class(trace, source);
    AttributeMark mark = mark_of(trace);
    mark.events = {.event_class = source.entity.ordinal, .shape = lowered.shape()};
    EventClass target = lowered_event_class(lowered);
    target.stream_class = streams.target;
    target.clock = streams.target->default_clock;
    target.attributes = attributes(source.attributes, mark);
    return trace.target->add_event_class(std::move(target));
  }

  [[nodiscard]] std::unique_ptr<NestedClass> lowered_class(const EventClass& source,
                                                           const StreamsOf& streams,
                                                           NestedShape shape) const {
    return std::make_unique<NestedClass>(source, shape, streams.common, nested_);
  }

  // Of `last_known_`.
  [[gnu::always_inline]] ClassInTarget& class_for(const StreamsOf& streams,
                                                  const EventClass& source, NestedShape shape) {
    ClassInTarget* const last = last_known_->last;
    const bool as_before =
        last != nullptr && last->streams == &streams && last->lowered->shape() == shape;
    return as_before ? *last : find_class(streams, source, shape);
  }

  ClassInTarget& find_class(const StreamsOf& streams, const EventClass& source, NestedShape shape) {
    const auto fits = [&](const ClassInTarget& each) {
      return each.streams == &streams && each.lowered->shape() == shape;
    };
    ClassInTarget*& last = last_known_->last;
    const auto found = std::ranges::find_if(last_known_->lowered, fits);
    if (found != last_known_->lowered.end()) return *(last = &*found);
    last = &last_known_->lowered.emplace_back(
        ClassInTarget{.streams = &streams, .lowered = lowered_class(source, streams, shape)});
    return *last;
  }

  // With its first event.
  void begin_class(TraceInTarget& trace, ClassInTarget& of, const Event& first) {
    const auto known =
        of.lowered->shape() == NestedShape()
            ? trace.without_events.find({of.streams, first.event_class->entity.ordinal})
            : trace.without_events.end();
    of.target = known != trace.without_events.end() ? known->second
                                                    : &add_class(trace, *of.streams, *of.lowered);
    std::vector<Kept> kept = of.lowered->kept();
    kept.insert(kept.end(), of.streams->common->kept.begin(), of.streams->common->kept.end());
    if (const NestedPacket* const packets = of.streams->packets.get())
      kept.insert(kept.end(), packets->kept.begin(), packets->kept.end());
    if (trace.loses_heads && first.event_class->stream_class->event_header != nullptr)
      kept.push_back(event_head());
    if (first.event_class->clock == nullptr && of.target->clock != nullptr)
      kept.push_back({.convention = Convention::kUntimed});
    of.account = &own_receipt().add({.class_name = of.lowered->name(),
                                     .kept = std::move(kept),
                                     .input = trace.source->input(),
                                     .offset = first.offset});
  }

  Result<void> write_event(const Event& event, const Record& record) override {
    if (event.event_class->entity != last_class_) {
      last_class_ = event.event_class->entity;
      last_known_ = &known_[*event.event_class];
      if (!last_known_->held) last_known_->held = event.stream == nullptr || is_held(*event.stream);
      if (!*last_known_->held && last_known_->lowered.empty() && !check_size(*event.event_class)) {
        last_class_ = EntityId::none();
        return fail(ErrorCode::kLimitExceeded,
                    "its class has too many fields when it is written out",
                    event.event_class->stream_class->trace->input());
      }
    }
    if (*last_known_->held) {
      if (held_loses_heads_) count_head(*last_known_, event);
      return next().write(record);
    }
    if (event.stream->entity != last_stream_) {
      if (auto found = find_stream(*event.stream); !found) return found;
    }
    TraceInTarget& trace = *last_source_->trace;
    Sequence& sequence = *last_source_->sequence;
    const StreamsOf& streams = *sequence.streams;
    NestedShape shape;
    shape.in_packet = event.packet != nullptr && streams.packets_say_more &&
                      (!event.packet->header.empty() || !event.packet->context.empty());
    std::uint64_t time = 0;
    OutStream* out = &sequence.outs.front();
    if (streams.packets != nullptr) {
      time = event.time;
      if (event.packet != out->source_packet && event.packet != nullptr) {
        if (auto begun = begin_packet(*out, *streams.packets, *event.packet); !begun) return begun;
      }
    } else if (event.event_class->has_real_time()) {
      time = streams.whole_frequency ? event.time
                                     : in_nanoseconds(event.event_class->clock->tick, event.time);
      shape.clock_value = !streams.whole_frequency;
      if (time < out->last) [[unlikely]] {
        auto chosen = choose(sequence, trace, time);
        if (!chosen) return std::unexpected(chosen.error());
        out = *chosen;
        shape.ordered = out != &sequence.outs.front();
        shape.clock_value = shape.clock_value || time < out->last;
        time = std::max(time, out->last);
      }
    } else {
      // It did not happen when its clock says.
      shape.clock_value = event.has_time();
      time = out->last;
    }
    ClassInTarget* lowered = &class_for(streams, *event.event_class, shape);
    arena_.clear();
    while (!lowered->lowered->lower(event, sequence.events, values_, arena_)) [[unlikely]] {
      if (shape.any_integer)
        return fail(ErrorCode::kInvalidArgument, "an event has values that are none of its class");
      // First only strings, which are the more usual cause.
      shape.any_integer = std::exchange(shape.any_string, true);
      lowered = &class_for(streams, *event.event_class, shape);
      arena_.clear();
    }
    if (lowered->target == nullptr) begin_class(trace, *lowered, event);
    if (!says_keys(*out, *event.stream)) {
      if (auto said = say_keys(*out, *event.stream); !said) return said;
    }
    auto written = put(*lowered->target, *out, time, event);
    if (written) [[likely]] {
      ++sequence.events;
      ++lowered->account->events;
    }
    return written;
  }

  // For an event that is earlier than the one before in the first of them.
  Result<OutStream*> choose(Sequence& sequence, TraceInTarget& trace, std::uint64_t time) {
    // Each ends earlier than the one before.
    const auto place = std::ranges::lower_bound(sequence.outs.begin() + 1, sequence.outs.end(),
                                                time, std::ranges::greater(), &OutStream::last);
    if (place != sequence.outs.end()) return &*place;
    if (sequence.outs.size() < kMostStreams) return add_out(sequence, trace);
    return &sequence.outs.back();
  }

  Result<void> put(const EventClass& target, OutStream& out, std::uint64_t time,
                   const Event& source) {
    Record record;
    Event& event = record.event;
    event.event_class = &target;
    event.stream = &out.stream;
    event.packet = out.packet.get();
    event.time = event.end_time = time;
    event.offset = source.offset;
    event.slots = values_.slots.data() + values_.header_count;
    event.slot_count = static_cast<std::uint32_t>(values_.slots.size()) - values_.header_count;
    event.header_count = values_.header_count;
    event.common_count = values_.common_count;
    event.specific_count = values_.specific_count;
    auto written = next().write(record);
    if (written) [[likely]]
      out.last = time;
    return written;
  }

  // -- Losses ----------------------------------------------------------------------------------

  Result<void> write_loss(const Loss& loss) override {
    if (loss.stream->entity != last_stream_) {
      if (auto found = find_stream(*loss.stream); !found) return found;
    }
    TraceInTarget& trace = *last_source_->trace;
    Sequence& sequence = *last_source_->sequence;
    StreamsOf& streams = *sequence.streams;
    if (streams.packets != nullptr) {
      Loss same = loss;
      same.stream = &sequence.outs.front().stream;
      return next().write(Record(&same));
    }
    if (streams.losses == nullptr) add_loss_class(trace, streams);
    if (!sequence.losses) {
      auto begun = begin_out(sequence.losses.emplace(), *streams.losses->stream_class, trace);
      if (!begun) return begun;
    }
    if (auto said = say_keys(*sequence.losses, *loss.stream); !said) return said;
    own_receipt().count(Convention::kLoss);
    loss_slots_.clear();
    arena_.clear();
    LossMark{.trace = trace.index, .stream = loss.stream->entity.ordinal, .loss = loss}.append(
        loss_slots_, arena_);
    Event event;
    event.event_class = &loss_class();
    event.slots = loss_slots_.data();
    event.slot_count = static_cast<std::uint32_t>(loss_slots_.size());
    if (!loss_class_.lower(event, 0, values_, arena_))
      return fail(ErrorCode::kInvalidArgument, "a loss cannot be written");
    const std::uint64_t time = std::max(sequence.losses->last, sequence.outs.front().last);
    if (auto done = put(*streams.losses, *sequence.losses, time, event); !done) return done;
    OutStream& out = sequence.outs.front();
    // What was lost belongs to the next packet; what came after all may still be counted there.
    if (!loss.taken_back) {
      if (auto ended = end_packet(out); !ended) return ended;
    }
    Loss native = loss;
    native.stream = &out.stream;
    return next().write(Record(&native));
  }

  void add_loss_class(TraceInTarget& trace, StreamsOf& streams) {
    DataStreamClass& stream_class = add_stream_class(trace, streams, {}, true);
    mark(trace, streams, stream_class, true);
    AttributeMark of_class{.trace = trace.index};
    of_class.is_loss = true;
    streams.losses = &trace.target->add_event_class({.name = std::string(kLossName),
                                                     .name_space = {},
                                                     .uid = {},
                                                     .stream_class = &stream_class,
                                                     .clock = stream_class.default_clock,
                                                     .payload = loss_class_.payload(),
                                                     .attributes = of_class.added_to({})});
  }

  const NestedProfile& nested_;
  bool single_source_;
  std::optional<ClockClass> any_clock_;  // of a target trace
  render::TraceNames names_;
  std::optional<Attributes> environment_;         // of the first trace
  std::map<std::string, Account*> environments_;  // of the others, by key
  std::optional<bool> keeps_heads_;
  bool held_loses_heads_ = false;
  std::unordered_map<EntityId, Account*, EntityIdHash> held_packet_heads_;
  OpenTraces open_;
  std::map<std::uint64_t, TraceInTarget> traces_;  // by the numbers of their descriptions
  std::uint64_t next_trace_ = 0;
  std::unordered_map<EntityId, OpenStream, EntityIdHash> streams_;
  EntityId last_stream_ = EntityId::none();
  OpenStream* last_source_ = nullptr;
  ClassTable<KnownClass> known_;
  WrittenOut written_out_;
  std::unordered_set<EntityId, EntityIdHash> checked_;  // data stream classes
  EntityId last_class_ = EntityId::none();
  KnownClass* last_known_ = nullptr;  // of `last_class_`
  NestedValues values_;
  ReusedArena arena_;
  NestedClass loss_class_ = nested_loss_class(nested_);
  std::vector<Slot> loss_slots_;
};

}  // namespace

std::unique_ptr<Writer> lower_nested(const TargetProfile& profile, std::unique_ptr<Writer> target,
                                     bool single_source, render::TraceNames names) {
  return std::make_unique<NestedLoweringWriter>(profile, std::move(target), single_source,
                                                std::move(names));
}

}  // namespace tracedeck::lower
