#include "tracedeck/dial9/reader.hpp"

#include <algorithm>

#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/model_classes.hpp"
#include "tracedeck/dial9/tape_policy.hpp"
#include "tracedeck/format/input_rule.hpp"
#include "tracedeck/format/window_source.hpp"

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
class FileReader final : public Reader {
 public:
  using Policy = typename Room::Policy;

  FileReader(std::unique_ptr<io::Input> input, const ReadOptions& options)
      : options_(options),
        description_(std::make_shared<TraceDescription>(input->name(), "dial9",
                                                        std::to_string(kWireVersion))),
        source_(std::move(input), std::min(options.max_state, kMostMaxState), kHeaderSize),
        decoder_(options.max_state) {
    ClockClass& clock = description_->add_clock({.id = "timestamp", .shift = options.clock_shift});
    stream_class_ = &description_->add_stream_class({.default_clock = &clock});
  }

  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const override {
    return description_;
  }
  [[nodiscard]] double progress() const override { return source_.progress(); }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const override {
    return source_.input().stored_size();
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_read() const override {
    return source_.offset();
  }

  // Decodes the header, so that what is no trace is rejected when it is opened.
  [[nodiscard]] Result<void> begin() {
    auto first = next();
    if (!first) return std::unexpected(std::move(first.error()));
    first_ = std::move(*first);
    return {};
  }

  [[nodiscard]] Result<BatchPtr> next() override {
    if (first_ != nullptr) return std::exchange(first_, nullptr);
    if (ended_) return nullptr;
    begin_batch();
    while (!ended_) {
      // A batch points into one window, so it is handed on before the next window comes.
      if (source_.needs_more() && !batch_->empty()) break;
      const DecodeProgress progress = source_.run(decoder_, *this);
      if (progress.outcome == DecodeOutcome::kRejected) return reject();
      if (progress.outcome == DecodeOutcome::kPaused) {
        if (progress.needed == 0 || !batch_->tape_unused() || !batch_->empty()) break;
        // At least twice: an event of many lists asks again for each, decoded from its start.
        batch_->grow_tape(std::max<std::size_t>(progress.needed, 2 * batch_->tape_capacity()));
      }
      if (source_.ended()) end();
    }
    return finish_batch();
  }

  // What the decoder calls.
  void begin_events(typename Policy::Out*& out, FieldContext<typename Policy::Out>& context) {
    room_.begin(*batch_, out, context);
  }
  bool has_room(typename Policy::Out*& out) { return room_.has_room(out); }
  bool event(const EventType& type, std::uint64_t timestamp, std::uint64_t offset,
             std::uint32_t size, typename Policy::Out* begin, typename Policy::Out* end) {
    Event& event = batch_->add_event();
    event.event_class = static_cast<const EventClass*>(type.attachment);
    event.stream = stream_.get();
    event.time = timestamp;
    event.end_time = timestamp;
    event.offset = offset;
    event.size = size;
    room_.commit(*batch_, event, begin, end);
    return !batch_->full();
  }
  void before_frame() { pin_pools(); }
  void segment(std::uint64_t number, std::uint64_t) {
    if (stream_ != nullptr) batch_->add_stream(RecordKind::kStreamEnd, stream_);
    stream_ = std::make_shared<const DataStream>(
        DataStream{.stream_class = stream_class_, .keys = {{"segment", number}}, .file = {}});
    batch_->add_stream(RecordKind::kStreamBegin, stream_);
  }
  void type(const EventType& type) {
    if (type.attachment != nullptr) return;
    const EventClass& added = description_->add_event_class(event_class(type, *stream_class_));
    type.attachment = &added;
    batch_->add(Record(&added));
  }
  void problem(Finding finding) {
    batch_->add_notice(RecordKind::kProblem, {description_->input(), std::move(finding)});
  }
  void finding(Finding finding) {
    if (options_.findings)
      batch_->add_notice(RecordKind::kFinding, {description_->input(), std::move(finding)});
  }

 private:
  void begin_batch() {
    if (batch_ == nullptr || batch_.use_count() > 1) {
      batch_ = std::make_shared<Batch>();
      batch_->reserve(Batch::kRecords);
    } else {
      batch_->clear();
    }
    batch_->pin(std::shared_ptr<const TraceDescription>(description_));
    if (stream_ != nullptr) batch_->pin(stream_);
    strings_pinned_ = stacks_pinned_ = 0;
  }

  Result<BatchPtr> finish_batch() {
    if (batch_->empty()) return nullptr;
    pin_pools();
    batch_->pin(source_.window());
    return batch_;
  }

  // Pools change with frames only: what is pinned before each and at the end is all that events
  // between can have pointed into.
  void pin_pools() {
    pin_pool(decoder_.pools().strings, strings_pinned_);
    pin_pool(decoder_.pools().stacks, stacks_pinned_);
  }
  void pin_pool(const Pool& pool, std::uint64_t& pinned) {
    if (pool.arena() == nullptr || pool.arena_generation() == pinned) return;
    batch_->pin(pool.arena());
    pinned = pool.arena_generation();
  }

  void end() {
    ended_ = true;
    if (stream_ != nullptr) batch_->add_stream(RecordKind::kStreamEnd, stream_);
    if (const auto& failure = source_.failure()) {
      batch_->add_notice(RecordKind::kProblem,
                         input_notice(description_->input(), source_.offset(), *failure));
    }
  }

  std::unexpected<Error> reject() {
    ended_ = true;
    Error error = decoder_.rejection();
    error.input = description_->input();
    return std::unexpected(std::move(error));
  }

  ReadOptions options_;
  std::shared_ptr<TraceDescription> description_;
  const DataStreamClass* stream_class_ = nullptr;
  WindowSource source_;
  Decoder decoder_;
  std::shared_ptr<const DataStream> stream_;
  std::shared_ptr<Batch> batch_;
  Room room_;
  BatchPtr first_;
  std::uint64_t strings_pinned_ = 0;
  std::uint64_t stacks_pinned_ = 0;
  bool ended_ = false;
};

template <class Room>
Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input, const ReadOptions& options) {
  auto reader = std::make_unique<FileReader<Room>>(std::move(input), options);
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
