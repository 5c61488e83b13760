#include "tracedeck/heph/reader.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/format/frame_reader.hpp"
#include "tracedeck/heph/decoder.hpp"
#include "tracedeck/heph/epoch_search.hpp"
#include "tracedeck/heph/model_classes.hpp"
#include "tracedeck/heph/stream_table.hpp"
#include "tracedeck/heph/tape_policy.hpp"
#include "tracedeck/heph/trace_options.hpp"

namespace tracedeck::heph {
namespace {

// How long a gap in the counters of a live input is held back: so many events of its stream, or so
// long.
constexpr std::uint64_t kHeldEvents = 64;
constexpr std::uint64_t kHeldMilliseconds = 1000;

std::uint64_t milliseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

// Decoded values go to the batch's tape.
struct TapeRoom {
  using Policy = TapePolicy;
  static void begin(Batch& batch, Slot*& out, Slot*& end) {
    out = batch.tape_position();
    end = batch.tape_end();
  }
  static void commit(Batch& batch, Event& event, Slot* begin, Slot* end) {
    event.slots = begin;
    event.slot_count = static_cast<std::uint32_t>(end - begin);
    event.common_count = Policy::kHeadRoom;
    batch.commit_tape(end);
  }
};

template <bool Findings>
struct NoRoom {
  using Policy = SkippingPolicy<Findings>;
  static void begin(Batch&, char*&, char*&) {}
  static void commit(Batch&, Event&, char*, char*) {}
};

template <class Room>
class PacketReader final : public FrameReader<PacketReader<Room>, Decoder> {
  using Base = FrameReader<PacketReader<Room>, Decoder>;

 public:
  using Policy = typename Room::Policy;
  using Out = typename Policy::Out;

  PacketReader(EpochSearch found, const std::string& name, const ReadOptions& options)
      : Base(std::move(found.input), options,
             std::make_shared<TraceDescription>(name, "heph", "0.1.0"),
             window_limit(options.max_state), 1, Decoder(options.max_state)),
        options_(found.epoch) {
    if (found.epoch) add_clock();
  }

  // What the base calls.
  void begin_batch() {
    ++batch_number_;
    if (!holding_.empty()) report_gaps(milliseconds_now());
  }
  // Gaps must not be held back longer than promised because nothing comes.
  bool before_input(WindowSource& source) {
    live_ = source.input().live();
    while (!holding_.empty()) {
      const std::uint64_t now = milliseconds_now();
      report_gaps(now);
      if (!this->batch().empty()) return true;
      std::uint64_t deadline = StreamCounter::kAll;
      for (const StreamState* const state : holding_)
        deadline = std::min(deadline, state->counter.deadline());
      const auto patience = deadline > now ? std::min(deadline - now, kHeldMilliseconds) : 0;
      if (source.ready(std::chrono::milliseconds(patience))) return false;
    }
    return false;
  }
  void end() { end_streams(); }

  // What the decoder calls.
  void begin_events(Out*& out, Out*& end) { Room::begin(this->batch(), out, end); }
  bool event(const EventType& type, const EventHead& head, std::uint64_t offset, ByteSpan packet,
             Out* begin, Out* end) {
    const EventClass& event_class = class_of(type);
    StreamState* state = streams_.find(head.stream);
    if (state == nullptr) [[unlikely]] {
      state = &begin_stream(head, offset);
    } else if (!state->counter.see_expected(head.counter, offset, head.end)) [[unlikely]] {
      see_unexpected(*state, head, offset, packet.size());
    } else if (state->counter.holds_gaps()) [[unlikely]] {
      report_gaps(*state, 0);
    }
    pin(*state);
    Event& event = this->batch().add_event();
    event.event_class = &event_class;
    event.stream = state->stream.get();
    event.time = head.start;
    event.end_time = head.end;
    event.offset = offset;
    event.size = static_cast<std::uint32_t>(packet.size());
    Room::commit(this->batch(), event, begin, end);
    return !this->batch().full();
  }
  bool option(const Option& option, std::uint64_t offset, std::uint64_t size) {
    const bool had_epoch = options_.epoch().has_value();
    Finding finding = options_.add(option, offset, size, events_came_, this->trace());
    if (finding.rule != nullptr) this->finding(std::move(finding));
    if (!had_epoch && options_.epoch()) {
      // Events from here on have another clock, and so other classes and streams.
      end_streams();
      classes_.clear();
      overflow_class_ = nullptr;
      add_clock();
    }
    return true;
  }
  void type(const EventType& type) { static_cast<void>(class_of(type)); }
  void damaged(const DamagedEvents& events) { damage_.add(events); }

 private:
  void add_clock() {
    constexpr std::uint64_t kPerSecond = 1'000'000'000;
    ClockClass clock{.id = "monotonic", .shift = this->options().clock_shift};
    if (const auto& epoch = options_.epoch()) {
      clock.offset_seconds = static_cast<std::int64_t>(*epoch / kPerSecond);
      clock.offset_ticks = *epoch % kPerSecond;
      clock.origin = ClockOrigin::kUnixEpoch;
    }
    stream_class_ = &this->trace().add_stream_class(
        {.default_clock = &this->trace().add_clock(std::move(clock)),
         .common_context = common_context_class(),
         .context_identifies = true});
  }

  const EventClass& class_of(const EventType& type) {
    if (type.is_overflow) [[unlikely]] {
      if (overflow_class_ == nullptr) overflow_class_ = &add_class(type);
      return *overflow_class_;
    }
    if (type.ordinal >= classes_.size()) [[unlikely]]
      classes_.resize(std::size_t{type.ordinal} + 1);
    const EventClass*& known = classes_[type.ordinal];
    if (known == nullptr) [[unlikely]]
      known = &add_class(type);
    return *known;
  }
  const EventClass& add_class(const EventType& type) {
    if (stream_class_ == nullptr) add_clock();
    const EventClass& added = this->trace().add_event_class(event_class(type, *stream_class_));
    this->batch().add(Record(&added));
    return added;
  }

  StreamState& begin_stream(const EventHead& head, std::uint64_t offset) {
    if (streams_.streams().size() == kMaxStreams) {
      end_streams();
      if (!std::exchange(limit_reported_, true)) {
        this->finding({.rule = &rule(RuleId::kStreamLimit),
                       .offset = offset,
                       .text = fmt::format("stream {} is one too many; all that were followed are "
                                           "forgotten",
                                           head.stream)});
      }
    }
    events_came_ = true;
    StreamState& state =
        streams_.add({.id = head.stream,
                      .stream = std::make_shared<const DataStream>(
                          DataStream{.entity = this->trace().next_stream(),
                                     .stream_class = stream_class_,
                                     .keys = {{"id", head.stream}},
                                     .file = {}}),
                      .counter = StreamCounter(head.stream, head.counter, offset, head.end)});
    pin(state);
    this->batch().add(Record(RecordKind::kStreamBegin, state.stream.get()));
    return state;
  }

  void end_streams() {
    for (const auto& state : streams_.streams()) {
      report_gaps(*state, StreamCounter::kAll);
      pin(*state);
      this->batch().add(Record(RecordKind::kStreamEnd, state->stream.get()));
    }
    holding_.clear();
    streams_.clear();
  }

  // Records refer to the stream, which the batch then has to keep.
  void pin(StreamState& state) {
    if (state.pinned_by == batch_number_) [[likely]]
      return;
    state.pinned_by = batch_number_;
    this->batch().pin(state.stream);
  }

  void see_unexpected(StreamState& state, const EventHead& head, std::uint64_t offset,
                      std::uint64_t size) {
    using Verdict = StreamCounter::Verdict;
    const std::uint64_t deadline = live_ ? milliseconds_now() + kHeldMilliseconds : 0;
    const StreamCounter::Step step = state.counter.see(head.counter, offset, head.end, damage_,
                                                       live_ ? kHeldEvents : 0, deadline);
    const auto note = [&](RuleId rule_id, std::string_view what) {
      this->finding(
          {.rule = &rule(rule_id),
           .offset = offset,
           .length = size,
           .text = fmt::format("event {} of stream {} {}", head.counter, head.stream, what)});
    };
    if (step.verdict == Verdict::kDuplicate)
      note(RuleId::kCounterDuplicate, "comes more than once");
    if (step.verdict == Verdict::kReordered)
      note(RuleId::kCounterReordered, "comes after later ones");
    if (step.was_reported) {
      pin(state);
      this->batch().add_loss({.stream = state.stream.get(), .events = 1, .taken_back = true});
    }
    if (step.verdict == Verdict::kGap && live_) holding_.push_back(&state);
    if (state.counter.holds_gaps()) report_gaps(state, 0);
  }

  // Those that are due.
  void report_gaps(std::uint64_t now) {
    for (StreamState* const state : holding_) report_gaps(*state, now);
    std::erase_if(holding_, [](const StreamState* state) { return !state->counter.holds_gaps(); });
  }
  void report_gaps(StreamState& state, std::uint64_t now) {
    for (const StreamCounter::Gap& gap : state.counter.take_gaps(now)) {
      Loss loss{.stream = state.stream.get(), .events = gap.missing()};
      if (gap.begin <= gap.end) {
        loss.begin = stream_class_->default_clock->to_nanoseconds(gap.begin);
        loss.end = stream_class_->default_clock->to_nanoseconds(gap.end);
      }
      pin(state);
      this->batch().add_loss(loss);
    }
  }

  TraceOptions options_;
  const DataStreamClass* stream_class_ = nullptr;
  std::vector<const EventClass*> classes_;  // by ordinal of their types
  const EventClass* overflow_class_ = nullptr;
  StreamTable streams_;
  DamageLedger damage_;
  std::vector<StreamState*> holding_;  // may hold gaps back; perhaps more than once
  std::uint64_t batch_number_ = 0;
  bool live_ = false;
  bool events_came_ = false;
  bool limit_reported_ = false;
};

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(std::unique_ptr<io::Input> input,
                                            const ReadOptions& options) {
  const std::string name = input->name();
  Result<EpochSearch> found = find_epoch(std::move(input), options);
  if (!found) return std::unexpected(std::move(found.error()));
  if (options.values || options.names)
    return std::make_unique<PacketReader<TapeRoom>>(std::move(*found), name, options);
  if (options.findings)
    return std::make_unique<PacketReader<NoRoom<true>>>(std::move(*found), name, options);
  return std::make_unique<PacketReader<NoRoom<false>>>(std::move(*found), name, options);
}

}  // namespace tracedeck::heph
