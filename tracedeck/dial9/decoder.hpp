// The decoder: frames of a dial9 trace, native, without copying.
//
// `decode` at the end of this file decodes a trace in memory with a visitor and is all that most
// users need. `Decoder` underneath works window by window and serves the visitor, the `Reader` and
// the rewriter alike: it keeps what a segment has established (schemas, pools, timestamp base),
// finds its way after damage, and hands every event to a handler whose policy says how values are
// stored.
//
// Damage: frames carry no length, so after a frame that cannot be decoded reading resumes at the
// next plausible header (`TRC\0`, version 1, then a known tag or the end of the input). What lies
// between is one damaged range. After a later header of unknown version nothing is read.
// Every byte of the input is part of a decoded frame or of a damaged range.
//
// Threading: a decoder is used by one thread at a time; decoders share nothing.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/base/decode_window.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/dial9/event_type.hpp"
#include "tracedeck/dial9/field_decode.hpp"
#include "tracedeck/dial9/pools.hpp"
#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/dial9/value_policy.hpp"

namespace tracedeck::dial9 {

// How many frames of each kind were decoded, whole ones only.
struct FrameCounts {
  std::uint64_t headers = 0;
  std::uint64_t schemas = 0;
  std::uint64_t string_pools = 0;
  std::uint64_t stack_pools = 0;
  std::uint64_t timestamp_resets = 0;
  std::uint64_t annotations = 0;
};

inline constexpr std::uint64_t kDefaultMaxState = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMostMaxState = 0xFFFF'FFFF;

// What `Decoder::run` hands the frames of a trace to.
template <class H>
concept DecodeHandler =
    FieldPolicy<typename H::Policy> &&
    requires(H& handler, typename H::Policy::Out*& out,
             FieldContext<typename H::Policy::Out>& context, const EventType& type,
             std::uint64_t number, std::uint32_t size, Finding finding) {
      // Events may come: sets where their values go, and the end of the room in the context.
      handler.begin_events(out, context);
      // Whether there is room for an event of the context's `slot_bound`; false: pause. May set
      // where its values go.
      { handler.has_room(out) } -> std::same_as<bool>;
      // An event: its type, timestamp (0 for types without), offset in the trace and bytes, and its
      // values from the first to behind the last. False: pause behind it.
      { handler.event(type, number, number, size, out, out) } -> std::same_as<bool>;
      // A header: the number of the segment, from 0, and its offset.
      handler.segment(number, number);
      // A type was registered or got annotations.
      handler.type(type);
      // A damaged range; something that was tolerated.
      handler.problem(std::move(finding));
      handler.finding(std::move(finding));
    };

class Decoder {
 public:
  // `max_state`: bytes that pools and distinct schemas may take before the trace counts as damaged.
  // Sizes are 32-bit numbers, so no frame may take more than 4 GiB whatever is asked for.
  explicit Decoder(std::uint64_t max_state = kDefaultMaxState)
      : max_state_(std::min(max_state, kMostMaxState)) {}

  // Decodes from `position` (an index into the window) on, advancing it past what was consumed.
  //
  // If the handler has `void before_frame()`, it is called before each frame that may change the
  // pools. Findings come only if the policy reports oddities.
  template <DecodeHandler Handler>
  [[nodiscard]] DecodeProgress run(const DecodeWindow& window, std::size_t& position,
                                   Handler& handler);

  // What follows is another file of the trace: it begins with a header, and bytes before its first
  // one are damage.
  void begin_file() { phase_ = Phase::kFileStart; }

  // Takes less memory until the next `run`, which takes longer for it.
  void rest() { types_.rest(); }

  // Why the input was rejected.
  [[nodiscard]] const Error& rejection() const { return *rejection_; }

  // What the segment at hand has established.
  [[nodiscard]] const SegmentTypes& types() const { return types_; }
  [[nodiscard]] const Pools& pools() const { return pools_; }
  [[nodiscard]] std::uint64_t timestamp_base() const { return timestamp_base_; }
  // Counts headers from 0.
  [[nodiscard]] std::uint64_t segment() const { return segment_; }

  // Over all segments. Events are not counted here: the handler sees them.
  [[nodiscard]] const FrameCounts& frame_counts() const { return counts_; }

  // Whether a damaged range is open: everything from `damage_begin()` on is part of it so far.
  [[nodiscard]] bool in_damage() const {
    return phase_ == Phase::kScanning || phase_ == Phase::kDraining;
  }
  [[nodiscard]] std::uint64_t damage_begin() const { return damage_begin_; }

 private:
  enum class Phase : std::uint8_t { kStart, kFileStart, kFrames, kScanning, kDraining };
  // What became of a frame that is not an event.
  struct FrameResult {
    enum class Status : std::uint8_t { kOk, kIncomplete, kDamage };
    Status status = Status::kOk;
    std::uint64_t size = 0;    // kOk: bytes of the frame; kIncomplete: bytes needed
    std::uint64_t walked = 0;  // otherwise: bytes looked at
    bool segment_began = false;
    const EventType* type = nullptr;  // registered or annotated
  };
  struct Fault {
    RuleId rule{};
    std::string text;
  };

  // decoder.cpp: the cold parts.
  FrameResult decode_frame(const DecodeWindow& window, std::size_t position);
  FrameResult decode_header(const DecodeWindow& window, std::size_t position);
  FrameResult decode_schema(const DecodeWindow& window, std::size_t position);
  FrameResult decode_pool(const DecodeWindow& window, std::size_t position, Pool& pool,
                          std::uint32_t element_size);
  FrameResult decode_annotations(const DecodeWindow& window, std::size_t position);
  FrameResult annotate(const EventType& annotated, std::vector<Annotation> annotations,
                       std::uint64_t offset, ByteSpan frames);
  FrameResult damage(RuleId rule, std::string text, std::uint64_t walked);
  FrameResult register_type(const DecodeWindow& window, std::size_t position, std::uint64_t size,
                            std::uint16_t id, const Schema& schema);
  void note(RuleId rule, std::uint64_t offset, std::uint64_t length, std::string text);
  void note_name(std::string_view name, std::uint64_t offset, std::string_view of_what);
  void note_schema_names(std::uint16_t id, const Schema& schema, std::uint64_t offset);
  void set_fault(FieldStatus status, const EventType& type, std::uint64_t offset);
  void set_truncation_fault(const DecodeWindow& window, std::size_t position, std::uint64_t needed);
  bool exceeds_limit(std::uint64_t frame_size);
  void enter_damage(const DecodeWindow& window, std::size_t position, std::uint64_t walked);
  void note_event(const EventType& type, const std::uint8_t* event, std::size_t size,
                  std::uint64_t offset);
  // Moves `position` towards the next plausible header; true when it stands there or the input
  // ends.
  bool scan(const DecodeWindow& window, std::size_t& position);
  Finding finish_damage(std::uint64_t end_offset);

  // Why the loop over events ended, and where.
  struct EventStop {
    enum class Reason : std::uint8_t { kOtherFrame, kTimestampOverflow, kNoRoom, kFields, kPause };
    Reason reason = Reason::kOtherFrame;
    FieldStatus status = FieldStatus::kOk;  // of kFields; the rest as in FieldContext
    const std::uint8_t* frame = nullptr;    // the frame that was not decoded
    std::uint64_t base = 0;                 // the timestamp base before it
    const std::uint8_t* fault = nullptr;
    const std::uint8_t* walked = nullptr;
    std::uint64_t slots_used = 0;
    std::uint64_t slots_needed = 0;
  };
  // The loop over events and timestamp resets; ends before any other frame, incomplete ones
  // included.
  template <class Handler>
  DecodeProgress run_events(const DecodeWindow& window, std::size_t& position, Handler& handler);
  DecodeProgress end_events(const DecodeWindow& window, std::size_t& position,
                            const EventStop& stop);
  template <class Handler>
  void hand_over_notes(Handler& handler);

  Phase phase_ = Phase::kStart;
  TypeStore store_;
  SegmentTypes types_;
  Pools pools_;
  std::uint64_t timestamp_base_ = 0;
  std::uint64_t segment_ = 0;
  FrameCounts counts_;
  std::uint64_t max_state_;

  std::vector<Finding> notes_;
  bool notes_wanted_ = false;
  std::uint64_t notes_left_out_ = 0;
  Fault fault_;
  std::uint64_t damage_begin_ = 0;
  std::uint64_t scan_from_ = 0;
  std::uint64_t stopped_walk_ = 0;  // bytes walked in the incomplete event that ended `run_events`
  std::uint64_t walked_in_vain_ = 0;
  std::optional<Error> rejection_;
};

template <class Handler>
void Decoder::hand_over_notes(Handler& handler) {
  if constexpr (Handler::Policy::kReportsOddities) {
    for (Finding& finding : notes_) handler.finding(std::move(finding));
  }
  notes_.clear();
}

template <DecodeHandler Handler>
DecodeProgress Decoder::run(const DecodeWindow& window, std::size_t& position, Handler& handler) {
  notes_wanted_ = Handler::Policy::kReportsOddities;
  types_.wake();
  for (;;) {
    if (in_damage()) [[unlikely]] {
      if (!scan(window, position)) return {DecodeOutcome::kNeedMore, kHeaderSize + 1};
      handler.problem(finish_damage(window.offset + position));
    }
    DecodeProgress stopped;
    if (phase_ == Phase::kFrames) {
      stopped = run_events(window, position, handler);
      if (stopped.outcome == DecodeOutcome::kPaused) return stopped;
      if (in_damage()) continue;
    }
    std::uint64_t walked = stopped_walk_;
    if (stopped.outcome == DecodeOutcome::kConsumed) {
      if (position == window.bytes.size && phase_ != Phase::kStart) return stopped;
      if constexpr (requires { handler.before_frame(); }) handler.before_frame();
      const FrameResult frame = decode_frame(window, position);
      if (rejection_) return {DecodeOutcome::kRejected, 0};
      if (frame.status == FrameResult::Status::kOk) {
        hand_over_notes(handler);
        if (frame.segment_began) handler.segment(segment_, window.offset + position);
        if (frame.type != nullptr) handler.type(*frame.type);
        position += frame.size;
        continue;
      }
      walked = frame.walked;
      if (frame.status == FrameResult::Status::kDamage) {
        enter_damage(window, position, walked);
        continue;
      }
      stopped = {DecodeOutcome::kNeedMore, frame.size};
    }
    if (!window.last && !exceeds_limit(stopped.needed)) return stopped;
    if (window.last) set_truncation_fault(window, position, stopped.needed);
    enter_damage(window, position, walked);
  }
}

template <class Handler>
DecodeProgress Decoder::run_events(const DecodeWindow& window, std::size_t& position,
                                   Handler& handler) {
  using Policy = typename Handler::Policy;
  const std::uint8_t* const begin = window.bytes.data;
  const std::uint8_t* const end = begin + window.bytes.size;
  const std::uint64_t end_offset = window.offset + window.bytes.size;
  const EventType* const* const types = types_.table();
  FieldContext<typename Policy::Out> context{
      .end = end, .out_end = nullptr, .pools = &pools_, .slot_bound = types_.slot_bound()};
  typename Policy::Out* out = nullptr;
  handler.begin_events(out, context);
  EventStop stop{
      .reason = EventStop::Reason::kOtherFrame, .frame = begin + position, .base = timestamp_base_};
  const std::uint8_t* frame = stop.frame;
  std::uint64_t base = stop.base;

  // Whatever ends the loop is sorted out behind it, so that the loop keeps its registers.
  while (frame < end) {
    if (*frame != std::to_underlying(FrameTag::kEvent)) [[unlikely]] {
      if (*frame != std::to_underlying(FrameTag::kTimestampReset) ||
          end - frame < static_cast<std::ptrdiff_t>(kTimestampResetSize)) {
        break;
      }
      base = load_le<std::uint64_t>(frame + 1);
      frame += kTimestampResetSize;
      ++counts_.timestamp_resets;
      continue;
    }
    const EventType* const type = types[load_le<std::uint16_t>(frame + 1)];
    const std::uint32_t delta = load_le<std::uint32_t>(frame + kEventHeaderSize) & type->delta_mask;
    std::uint64_t timestamp;
    if (__builtin_add_overflow(base, delta, &timestamp)) [[unlikely]] {
      stop.reason = EventStop::Reason::kTimestampOverflow;
      break;
    }
    if (!handler.has_room(out)) [[unlikely]] {
      stop.reason = EventStop::Reason::kNoRoom;
      break;
    }
    typename Policy::Out* const first = out;
    const std::uint8_t* at = frame + type->header_size;
    bool odd = false;
    const FieldStatus status = decode_fields<Policy>(type->steps, at, out, odd, context);
    if (status != FieldStatus::kOk) [[unlikely]] {
      stop.reason = EventStop::Reason::kFields;
      stop.status = status;
      stop.slots_used = static_cast<std::uint64_t>(out - first);
      break;
    }
    base = timestamp;
    const std::uint64_t offset = end_offset - static_cast<std::uint64_t>(end - frame);
    const auto size = static_cast<std::uint32_t>(at - frame);
    const bool more =
        handler.event(*type, timestamp & type->timestamp_mask, offset, size, first, out);
    if constexpr (Policy::kReportsOddities) {
      if (odd) [[unlikely]] {
        note_event(*type, frame, size, offset);
        hand_over_notes(handler);
      }
    }
    frame = at;
    if (!more) [[unlikely]] {
      stop.reason = EventStop::Reason::kPause;
      break;
    }
  }
  stop.frame = frame;
  stop.base = base;
  stop.fault = context.fault;
  stop.walked = context.walked;
  stop.slots_needed = context.slots_needed;
  return end_events(window, position, stop);
}

// A handler that wants no events: a base for those that follow the frames only.
template <bool Findings>
struct BasicFrameHandler {
  using Policy = SkippingPolicy<Findings>;
  using Out = typename Policy::Out;
  static void begin_events(Out*&, FieldContext<Out>&) {}
  static bool has_room(Out*&) { return true; }
  static bool event(const EventType&, std::uint64_t, std::uint64_t, std::uint32_t, Out*, Out*) {
    return true;
  }
  static void segment(std::uint64_t, std::uint64_t) {}
  static void type(const EventType&) {}
  static void problem(const Finding&) {}
  static void finding(const Finding&) {}
};
using FrameHandler = BasicFrameHandler<false>;

// An event as the visitor of `decode` sees it. Its values, one for each field of the schema, live
// until the visitor returns; what they point to lives as long as the trace's bytes.
struct EventView {
  const EventType* type = nullptr;
  std::uint64_t timestamp = 0;  // ns; 0 when the schema has none
  std::uint64_t offset = 0;     // of the event frame in the trace
  std::uint32_t size = 0;       // bytes of the event frame
  std::span<const Value> values;
  const Pools* pools = nullptr;  // of the segment, to resolve pooled strings and stacks

  [[nodiscard]] const Schema& schema() const { return type->schema(); }
};

// Decodes a whole trace in memory, calling `visitor.event(const EventView&)` for every event and,
// where the visitor has them, `segment(number, offset)`, `type(const EventType&)`, `problem(const
// Finding&)` for damaged ranges and `finding(const Finding&)` for what was tolerated. Errors:
// kMustReject when the trace has no valid header.
template <class Visitor>
[[nodiscard]] Result<void> decode(PaddedView trace, Visitor& visitor);

namespace detail {

template <class Visitor>
class VisitingHandler {
 public:
  static constexpr bool kFindings = requires(Visitor& v, const Finding& f) { v.finding(f); };
  using Policy = ValuePolicy<kFindings>;

  VisitingHandler(Visitor& visitor, const Pools& pools) : visitor_(visitor), pools_(pools) {}

  void begin_events(Value*&, FieldContext<Value>&) {}
  bool has_room(Value*& out) {
    out = values_.data();
    return true;
  }
  bool event(const EventType& type, std::uint64_t timestamp, std::uint64_t offset,
             std::uint32_t size, Value* begin, Value* end) {
    visitor_.event(EventView{.type = &type,
                             .timestamp = timestamp,
                             .offset = offset,
                             .size = size,
                             .values = {begin, end},
                             .pools = &pools_});
    return true;
  }
  void segment(std::uint64_t number, std::uint64_t offset) {
    if constexpr (requires { visitor_.segment(number, offset); }) visitor_.segment(number, offset);
  }
  void type(const EventType& type) {
    if (type.field_count > values_.size()) values_.resize(type.field_count);
    if constexpr (requires { visitor_.type(type); }) visitor_.type(type);
  }
  void problem(const Finding& finding) {
    if constexpr (requires { visitor_.problem(finding); }) visitor_.problem(finding);
  }
  void finding(const Finding& finding) {
    if constexpr (kFindings) visitor_.finding(finding);
  }

 private:
  Visitor& visitor_;
  const Pools& pools_;
  std::vector<Value> values_;
};

}  // namespace detail

template <class Visitor>
Result<void> decode(PaddedView trace, Visitor& visitor) {
  Decoder decoder;
  detail::VisitingHandler<Visitor> handler(visitor, decoder.pools());
  // Windows hold any frame that is within the limit, and what follows one serves it as padding.
  constexpr std::size_t kWindow = kDefaultMaxState;
  for (std::size_t begin = 0;;) {
    const std::size_t size = std::min(kWindow, trace.size - begin);
    const bool last = begin + size == trace.size;
    std::size_t position = 0;
    const DecodeProgress progress = decoder.run(
        {.bytes = {trace.data + begin, size}, .offset = begin, .last = last}, position, handler);
    if (progress.outcome == DecodeOutcome::kRejected) return std::unexpected(decoder.rejection());
    if (last) return {};
    begin += position;
  }
}

}  // namespace tracedeck::dial9
