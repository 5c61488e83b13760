#include "tracedeck/dial9/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/model_classes.hpp"
#include "tracedeck/dial9/recorder_losses.hpp"
#include "tracedeck/dial9/rules.hpp"
#include "tracedeck/dial9/segment_origin.hpp"
#include "tracedeck/dial9/still_written.hpp"
#include "tracedeck/dial9/tape_policy.hpp"
#include "tracedeck/format/clock_anchor.hpp"
#include "tracedeck/format/frame_reader.hpp"

namespace tracedeck::dial9 {
namespace {

// Where decoded events go when values are wanted: the batch's tape.
class TapeRoom {
 public:
  using Policy = TapePolicy;

  void begin(Batch& batch, Slot*& out, FieldContext<Slot>& context) {
    out = batch.tape_position();
    context.out_end = batch.tape_end();
    const bool fits = static_cast<std::size_t>(context.out_end - out) >= context.slot_bound;
    // Events may begin here at the latest. Without room for any, none may.
    last_ = fits ? context.out_end - context.slot_bound : nullptr;
  }
  [[nodiscard]] bool has_room(const Slot* out) const { return out <= last_; }
  static void commit(Batch& batch, Event& event, Slot* begin, Slot* end) {
    event.slots = begin;
    event.slot_count = static_cast<std::uint32_t>(end - begin);
    batch.commit_tape(end);
  }

 private:
  const Slot* last_ = nullptr;
};

template <bool Findings>
struct NoRoom {
  using Policy = SkippingPolicy<Findings>;
  using Out = typename Policy::Out;

  static void begin(Batch&, Out*&, FieldContext<Out>&) {}
  static bool has_room(const Out*) { return true; }
  static void commit(Batch&, Event&, Out*, Out*) {}
};

template <class Room>
class FileReader final : public FrameReader<FileReader<Room>, Decoder> {
  using Base = FrameReader<FileReader<Room>, Decoder>;

 public:
  using Policy = typename Room::Policy;

  FileReader(const std::string& name, std::unique_ptr<io::Input> input, const ReadOptions& options)
      : Base(std::move(input), options,
             std::make_shared<TraceDescription>(name, "dial9", std::to_string(kWireVersion)),
             std::min(options.max_state, kMostMaxState), kHeaderSize, Decoder(options.max_state)) {
    ClockClass& clock =
        this->trace().add_clock({.id = "timestamp",
                                 .shift = options.clock_shift,
                                 .origin = options.clock_origin.value_or(ClockOrigin::kUnknown)});
    this->trace().set_symbols(options.symbols);
    stream_class_ = &this->trace().add_stream_class(
        {.default_clock = &clock, .streams_are_parts = true, .has_describing_events = true});
  }

  // Decodes the header, so that what is no trace is rejected when it is opened.
  [[nodiscard]] Result<void> begin() {
    auto first = Base::next();
    if (!first) return std::unexpected(std::move(first.error()));
    first_ = std::move(*first);
    return {};
  }

  [[nodiscard]] Result<BatchPtr> next() override {
    if (first_ != nullptr) return std::exchange(first_, nullptr);
    return Base::next();
  }

  // What the base calls.
  void begin_batch() {
    if (stream_ != nullptr) this->batch().pin(stream_);
    strings_pinned_ = stacks_pinned_ = 0;
  }
  void finish_batch() { pin_pools(); }
  void end() {
    if (std::exchange(is_unsealed_, false)) lose_end_of_file();
    if (stream_ != nullptr) this->batch().add_stream(RecordKind::kStreamEnd, stream_);
  }

  // A file is begun when the one before it is complete: what is missing is of times before that.
  void lose_files() { files_are_lost_ = true; }

  void begin_next_file() {
    begins_file_ = true;
    ends_unsealed_ = std::exchange(is_unsealed_, false);
    prior_is_lost_ = !ends_unsealed_;
  }

  // What a recorder has not written yet is no damage.
  void problem(Finding finding) {
    std::optional<Finding> unwritten = still_written(finding, this->source());
    if (!unwritten) {
      is_damaged_ = true;
      return Base::problem(std::move(finding));
    }
    if (!std::exchange(cut_reported_, true)) this->finding(*std::move(unwritten));
  }

  // What the decoder calls.
  void begin_events(typename Policy::Out*& out, FieldContext<typename Policy::Out>& context) {
    room_.begin(this->batch(), out, context);
  }
  bool has_room(typename Policy::Out*& out) { return room_.has_room(out); }
  bool event(const EventType& type, std::uint64_t timestamp, std::uint64_t offset,
             std::uint32_t size, typename Policy::Out* begin, typename Policy::Out* end) {
    Batch& batch = this->batch();
    Event& event = batch.add_event();
    event.event_class = static_cast<const EventClass*>(type.attachment);
    event.stream = stream_.get();
    event.time = timestamp;
    event.end_time = timestamp;
    event.offset = offset;
    event.size = size;
    room_.commit(batch, event, begin, end);
    if (type.is_watched) [[unlikely]]
      watch(type);
    return !batch.full();
  }
  void before_frame() { pin_pools(); }
  void segment(std::uint64_t number, std::uint64_t offset) {
    if (std::exchange(files_are_lost_, false)) put_loss(offset);
    if (std::exchange(ends_unsealed_, false)) lose_end_of_file();
    if (stream_ != nullptr) this->batch().add_stream(RecordKind::kStreamEnd, stream_);
    stream_ = std::make_shared<const DataStream>(DataStream{.entity = this->trace().next_stream(),
                                                            .stream_class = stream_class_,
                                                            .keys = {{"segment", number}},
                                                            .file = {},
                                                            .damage_end = damage_end(offset)});
    this->batch().add_stream(RecordKind::kStreamBegin, stream_);
  }
  void type(const EventType& type) {
    if (type.attachment == nullptr) add_class(type);
  }

 private:
  void add_class(const EventType& type) {
    const EventClass& added = classes_.add(type, *stream_class_, this->trace());
    this->batch().add(Record(&added));
    const bool is_anchor =
        added.name == kClockSyncEvent && added.clock != nullptr && this->options().findings;
    if (is_anchor) clock_anchor_ = &added;
    type.is_watched =
        is_anchor || (added.name && (counts_dropped(*added.name) || is_about_file(*added.name)));
  }
  // The last event, which says something of the recording.
  [[gnu::noinline, gnu::cold]] void watch(const EventType& type) {
    const Event& event = this->batch().records().back().event;
    const io::Window& window = *this->source().window();
    const ByteSpan frame = {window.view().data + (event.offset - window.offset()), event.size};
    if (type.attachment == clock_anchor_)
      return watch_clock(number_in(type, frame, kClockSyncField));
    const std::string_view name = type.name();
    if (counts_dropped(name)) {
      const auto dropped = dropped_events(type, frame);
      if (dropped && *dropped != 0)
        this->batch().add_loss(
            {.stream = stream_.get(), .events = dropped, .of_samples = true, .by_event = true});
    } else if (is_about_file(name)) {
      const SealedClean clean = sealed_clean(type, frame);
      is_unsealed_ = is_unsealed_ || clean.is_not;
      if (clean.prior_is_not && std::exchange(prior_is_lost_, false)) lose_end_of_file();
    }
  }
  // Events may be missing that were to be the last ones of the file before here.
  void lose_end_of_file() { this->batch().add_loss({.stream = stream_.get(), .by_event = true}); }
  // Of files before the header at `offset`.
  void put_loss(std::uint64_t offset) {
    Loss loss{.stream = stream_.get(), .end_value = origin_at(offset).begin};
    if (loss.end_value) loss.end = stream_class_->default_clock->to_nanoseconds(*loss.end_value);
    this->batch().add_loss(loss);
  }

  // A recorder begins a file with a clock anchor, behind all that it wrote to the one before.
  [[nodiscard]] std::optional<std::uint64_t> damage_end(std::uint64_t offset) {
    if (!std::exchange(begins_file_, false) || !is_damaged_) return std::nullopt;
    const std::optional<std::uint64_t> end = origin_at(offset).anchor;
    is_damaged_ = !end;
    return end;
  }

  [[nodiscard]] FileOrigin origin_at(std::uint64_t offset) {
    const io::Window& window = *this->source().window();
    const std::size_t at = offset - window.offset();
    const std::size_t size = std::min(window.size() - at, kOriginSize);
    return segment_origin({window.view().data + at, size});
  }

  // Whether the wall clock made a step since the anchor before; the last event is an anchor.
  [[gnu::noinline]] void watch_clock(std::optional<std::uint64_t> utc) {
    const Event event = this->batch().records().back().event;  // a finding moves it
    if (!utc) return;
    const Nanoseconds offset =
        Nanoseconds::from_unsigned(*utc) - Nanoseconds::from_unsigned(event.time);
    const Nanoseconds step = offset - utc_offset_.value_or(offset);
    utc_offset_ = offset;
    if (step.magnitude() <= kMostClockDrift) return;
    this->finding(
        {.rule = &rule(RuleId::kClockStep),
         .offset = event.offset,
         .length = event.size,
         .text = fmt::format("between the anchor before and this one UTC went on by {} ns "
                             "more than the trace's clock: times in UTC between them are "
                             "uncertain by that",
                             step.to_string())});
  }

  // Pools change with frames only: what is pinned before each and at the end is all that events
  // between can have pointed into.
  void pin_pools() {
    pin_pool(this->decoder().pools().strings, strings_pinned_);
    pin_pool(this->decoder().pools().stacks, stacks_pinned_);
  }
  void pin_pool(const Pool& pool, std::uint64_t& pinned) {
    if (pool.arena() == nullptr || pool.arena_generation() == pinned) return;
    this->batch().pin(pool.arena());
    pinned = pool.arena_generation();
  }

  const DataStreamClass* stream_class_ = nullptr;
  std::shared_ptr<const DataStream> stream_;
  EventClasses classes_;
  Room room_;
  BatchPtr first_;
  bool files_are_lost_ = false;  // before the next header
  bool begins_file_ = false;     // the next segment does
  bool is_damaged_ = false;      // and when that ends is not known
  bool cut_reported_ = false;
  const EventClass* clock_anchor_ = nullptr;  // the class whose events relate the clock to UTC
  bool is_unsealed_ = false;                  // the file says that events of it may be missing
  bool ends_unsealed_ = false;                // the one before did, of which nothing more comes
  bool prior_is_lost_ = false;                // that of the one before may still be said
  std::optional<Nanoseconds> utc_offset_;     // at the last of them
  std::uint64_t strings_pinned_ = 0;
  std::uint64_t stacks_pinned_ = 0;
};

template <class Room>
Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input, const ReadOptions& options) {
  const std::string name = input->name();
  auto reader = std::make_unique<FileReader<Room>>(name, std::move(input), options);
  if (auto begun = reader->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return reader;
}

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(std::unique_ptr<io::Input> input,
                                            const ReadOptions& options) {
  if (options.values) return open<TapeRoom>(std::move(input), options);
  if (options.findings) return open<NoRoom<true>>(std::move(input), options);
  return open<NoRoom<false>>(std::move(input), options);
}

}  // namespace tracedeck::dial9
