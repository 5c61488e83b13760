#include "tracedeck/lower/restoring_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/lower/field_lowering.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/lowered_class.hpp"
#include "tracedeck/lower/mark_rule.hpp"
#include "tracedeck/lower/restored_packet.hpp"
#include "tracedeck/lower/restoring_stage.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::lower {
namespace {

// One of the traces that marks describe.
struct RestoredTrace {
  RestoredTrace(const std::string& input, std::int64_t clock_shift) : reader(input, clock_shift) {}
  DescriptionReader reader;
  struct Stream {
    std::shared_ptr<const DataStream> stream;
    std::shared_ptr<const TraceDescription> trace;
    RestoredPacket packet = {};
  };
  std::map<std::uint64_t, Stream> streams = {};  // by ordinal
  // The first of those with the same class and values of keys.
  using Keys = std::pair<const DataStreamClass*, std::vector<std::uint64_t>>;
  std::map<Keys, Stream*> by_keys = {};
  std::uint64_t classes = 0;  // that were announced
};

// A class of the result that a mark says was lowered.
struct Binding {
  RestoredTrace* trace = nullptr;
  ClassMark mark = {};
  std::unique_ptr<LoweredClass> lowered = {};  // once it was met with
  std::vector<std::uint64_t> last_keys = {};
  RestoredTrace::Stream* last_stream = nullptr;  // by `last_keys`
};

// What is known of a class as it is stored.
struct Stored {
  explicit Stored(const EventClass& of)
      : is_mark(of.name == kMarkName && of.payload != nullptr &&
                same_form(*of.payload, *mark_payload())),
        is_loss(of.name == kLossName && of.payload != nullptr &&
                same_form(*of.payload, *loss_payload())) {}
  bool is_mark;
  bool is_loss;
  std::uint64_t asked = 0;  // how many marks there were when a binding was looked for
  Binding* binding = nullptr;
  bool is_other = false;  // than its mark says, or too much
  bool faulty = false;    // an event did not fit
  bool moved = false;     // an event had another time
};

class RestoringReader final : public RestoringStage {
 public:
  RestoringReader(std::unique_ptr<Reader> stored, const TargetProfile& profile,
                  const ReadOptions& options)
      : RestoringStage(std::move(stored), options, false), profile_(profile) {
    ahead_ = next_batch();
  }

  Result<BatchPtr> next() override {
    if (ahead_) return *std::exchange(ahead_, std::nullopt);
    return next_batch();
  }

 private:
  void end() override {
    for (auto& [index, trace] : traces_) {
      report_missing(trace.reader);
      for (auto& [ordinal, stream] : trace.streams) {
        pin(stream);
        stream.packet.end(output_);
        output_.add(Record(RecordKind::kStreamEnd, stream.stream.get()));
      }
    }
  }

  Taken take(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return take_event(record);
      case RecordKind::kStreamBegin:
        // It is none of the traces that are restored, unless events come as they are stored.
        begins_segment_ = true;
        return Taken::kYes;
      case RecordKind::kStreamEnd:
        return std::exchange(shows_stream_, false) ? copy(record) : Taken::kYes;
      case RecordKind::kDescription:
        return Taken::kYes;
      default:
        return copy(record);
    }
  }

  Taken take_event(const Record& record) {
    const Event& event = record.event;
    Stored& stored = classes_[*event.event_class];
    if (stored.is_mark) {
      take_mark(event);
      return Taken::kYes;
    }
    if (stored.is_loss && take_loss(event)) return Taken::kYes;
    if (stored.binding == nullptr && stored.asked != marks_ && !stored.is_other)
      find_binding(*event.event_class, stored);
    if (stored.binding == nullptr) return as_stored(record);
    Binding& binding = *stored.binding;
    if (binding.lowered->restore(event, values_, arena_)) {
      if (!is_in_proportion(event)) {
        stored.binding = nullptr;
        ignore(*event.event_class, stored, "its events have more values than the trace has bytes");
        return as_stored(record);
      }
      if (RestoredTrace::Stream* const stream = stream_of(binding)) {
        if (values_.moved && !std::exchange(stored.moved, true)) report_moved(event);
        return add(event, binding, *stream) ? Taken::kYes : Taken::kNoRoom;
      }
    }
    if (!std::exchange(stored.faulty, true)) {
      report(event.offset, fmt::format("an event of class `{}` holds what its mark does not allow; "
                                       "such events are shown as they are stored",
                                       event.event_class->name.value_or("")));
    }
    return as_stored(record);
  }

  // Structures without a field make values of no byte.
  [[nodiscard]] bool is_in_proportion(const Event& event) const {
    return slots_ + values_.slots.size() <=
           kFreeSlots + kSlotsEachByte * (event.offset + event.size);
  }

  Taken as_stored(const Record& record) {
    if (!std::exchange(shows_stream_, true))
      copy(Record(RecordKind::kStreamBegin, record.event.stream));
    return copy(record);
  }

  // -- Marks -----------------------------------------------------------------------------------

  void take_mark(const Event& event) {
    const std::optional<Mark> mark = Mark::parse(event.payload());
    if (!mark) return report(event.offset, "it is no mark");
    const Result<void> done = act_on(*mark);
    if (!done) report(event.offset, fmt::format("a mark is ignored: {}", done.error().message));
  }

  Result<void> act_on(const Mark& mark) {
    if (std::exchange(begins_segment_, false) && begins_result(mark)) begin_result();
    if (mark.trace > traces_.size())
      return fail(ErrorCode::kInvalidArgument, "no mark is about the trace before its own");
    constexpr std::uint64_t kTrace = 4096;
    state_ += kStateOfText * mark.text.size() + (mark.trace == traces_.size() ? kTrace : 0);
    if (state_ > options_.max_state)
      return fail(ErrorCode::kLimitExceeded, std::string(kTooMuchState));
    RestoredTrace& trace =
        traces_.try_emplace(mark.trace, stored_->description()->input(), options_.clock_shift)
            .first->second;
    return mark.class_id ? bind(trace, mark) : describe(trace, mark);
  }

  // Results may be appended to each other: the marks of one begin with its first trace.
  [[nodiscard]] bool begins_result(const Mark& mark) const {
    constexpr std::string_view kTraceText = R"({"entity":"trace")";
    return !traces_.empty() && mark.trace == 0 && !mark.class_id &&
           mark.text.starts_with(kTraceText);
  }

  void begin_result() {
    end();
    bindings_.clear();
    classes_.clear();
    traces_.clear();
    state_ = 0;
    lowest_bound_ = class_ids_end();
  }

  Result<void> describe(RestoredTrace& trace, const Mark& mark) {
    if (auto added = trace.reader.add(mark.text); !added) return added;
    const std::shared_ptr<TraceDescription>& description = trace.reader.description();
    if (description == nullptr) return {};
    if (!restores_) {
      restores_ = true;
      description_ = description;
      description->set_symbols(options_.symbols);
    }
    if (description->stored_as().empty()) {
      description->set_stored_as(stored_->description()->format(),
                                 stored_->description()->version());
      leave_out_header(*description);
    }
    output_.pin_lasting(description);
    for (; trace.classes < description->event_classes().size(); ++trace.classes)
      output_.add(Record(&description->event_classes()[trace.classes]));
    if (const auto stream = trace.reader.take_new_stream()) begin_stream(trace, *stream);
    if (const auto ended = trace.reader.take_stream_end()) {
      RestoredTrace::Stream& stream = trace.streams.at(ended->first);
      pin(stream);
      stream.packet.end_at(*stream.stream, ended->second.time, output_);
    }
    return {};
  }

  using NumberedStream = std::pair<std::uint64_t, std::shared_ptr<const DataStream>>;
  void begin_stream(RestoredTrace& trace, const NumberedStream& added) {
    RestoredTrace::Stream& stream =
        trace.streams
            .try_emplace(added.first, RestoredTrace::Stream{.stream = added.second,
                                                            .trace = trace.reader.description()})
            .first->second;
    RestoredTrace::Keys keys{added.second->stream_class, {}};
    for (const StreamKey& key : added.second->keys) keys.second.push_back(key.value);
    trace.by_keys.try_emplace(std::move(keys), &stream);
    pin(stream);
    output_.add(Record(RecordKind::kStreamBegin, added.second.get()));
  }

  Result<void> bind(RestoredTrace& trace, const Mark& mark) {
    const std::optional<ClassMark> class_mark = ClassMark::parse(mark.text);
    if (!class_mark) return fail(ErrorCode::kInvalidArgument, "its text is none of a class");
    if (trace.reader.event_class(class_mark->event_class) == nullptr)
      return fail(ErrorCode::kInvalidArgument, "the class that it names is not described");
    const auto [place, is_new] =
        bindings_.try_emplace(*mark.class_id, Binding{.trace = &trace, .mark = *class_mark});
    if (!is_new) return fail(ErrorCode::kInvalidArgument, "its class has another mark");
    lowest_bound_ = std::min(lowest_bound_, *mark.class_id);
    ++marks_;
    return {};
  }

  void find_binding(const EventClass& event_class, Stored& stored) {
    stored.asked = marks_;
    if (!event_class.id || event_class.payload == nullptr) return;
    const auto found = bindings_.find(*event_class.id);
    if (found == bindings_.end()) {
      // A lowering gives its classes one id after the other, downwards.
      if (*event_class.id + 1 < lowest_bound_ || *event_class.id >= class_ids_end()) return;
      lowest_bound_ = std::min(lowest_bound_, *event_class.id);
      stored.is_other = true;
      return report(0, fmt::format("no mark says what the class `{}` was; its events are shown as "
                                   "they are stored",
                                   event_class.name.value_or("")));
    }
    Binding& binding = found->second;
    const EventClass& source = *binding.trace->reader.event_class(binding.mark.event_class);
    const auto* const payload = event_class.payload->as<StructureClass>();
    auto lowered = LoweredClass::make(source, binding.mark.shape, profile_, payload->members.size(),
                                      options_.clock_shift);
    if (lowered && fits(**lowered, event_class)) {
      state_ += (*lowered)->memory();
      if (state_ > options_.max_state) return ignore(event_class, stored, kTooMuchState);
      binding.lowered = *std::move(lowered);
      stored.binding = &binding;
      return;
    }
    ignore(event_class, stored, "the class has other fields than it says");
  }

  void ignore(const EventClass& event_class, Stored& stored, std::string_view why) {
    stored.is_other = true;
    report(0, fmt::format("the mark of class `{}` is ignored: {}", event_class.name.value_or(""),
                          why));
  }

  static bool fits(const LoweredClass& lowered, const EventClass& stored) {
    const bool has_time = lowered.source().clock != nullptr;
    return lowered.name() == stored.name && has_time == (stored.clock != nullptr) &&
           same_form(*lowered.payload(), *stored.payload);
  }

  // -- Events ----------------------------------------------------------------------------------

  // The data stream of the event whose values are at hand; null: there is none.
  RestoredTrace::Stream* stream_of(Binding& binding) {
    auto& streams = binding.trace->streams;
    const DataStreamClass& stream_class = *binding.lowered->source().stream_class;
    if (binding.lowered->shape().stream_number) {
      const auto found = streams.find(values_.stream_number);
      const bool fits =
          found != streams.end() && found->second.stream->stream_class == &stream_class;
      return fits ? &found->second : nullptr;
    }
    if (binding.last_stream == nullptr || binding.last_keys != values_.stream_keys) {
      binding.last_keys = values_.stream_keys;
      binding.last_stream = find_stream(binding, stream_class);
    }
    return binding.last_stream;
  }

  [[nodiscard]] RestoredTrace::Stream* find_stream(const Binding& binding,
                                                   const DataStreamClass& stream_class) const {
    const auto& by_keys = binding.trace->by_keys;
    const auto found = by_keys.find({&stream_class, values_.stream_keys});
    if (found == by_keys.end()) return nullptr;
    const bool fits = std::ranges::equal(
        found->second->stream->keys, binding.lowered->shape().stream_keys, {}, &StreamKey::name);
    return fits ? found->second : nullptr;
  }

  bool add(const Event& stored, const Binding& binding, RestoredTrace::Stream& stream) {
    const Slot* const slots = placed_values(stored, 0);
    if (slots == nullptr) return false;
    pin_input();
    pin(stream);
    const Packet* const packet = stream.packet.take(*stream.stream, values_.packet, output_);
    add_event(stored, slots, 0, binding.lowered->source(), *stream.stream, packet);
    return true;
  }

  void pin(const RestoredTrace::Stream& stream) {
    output_.pin_lasting(stream.stream);
    output_.pin_lasting(stream.trace);
  }
  bool take_loss(const Event& event) {
    std::optional<LossMark> mark = LossMark::parse(event.payload());
    if (!mark) return false;
    const auto trace = traces_.find(mark->trace);
    if (trace == traces_.end()) return false;
    if (mark->stream) {
      const auto stream = trace->second.streams.find(*mark->stream);
      if (stream == trace->second.streams.end()) return false;
      mark->loss.stream = stream->second.stream.get();
      pin(stream->second);
    }
    output_.add_loss(mark->loss);
    return true;
  }

  // Behind the ids that a lowering gives to classes: those of marks and losses.
  [[nodiscard]] std::uint64_t class_ids_end() const { return profile_.last_class_id - 1; }

  const TargetProfile& profile_;
  std::optional<Result<BatchPtr>> ahead_;
  bool begins_segment_ = false;                    // no mark has come in it
  std::uint64_t lowest_bound_ = class_ids_end();   // of the ids that lowerings gave
  std::map<std::uint64_t, RestoredTrace> traces_;  // by their number in the marks
  NumberMap<std::uint64_t, Binding> bindings_;     // by the ids of stored classes
  std::uint64_t marks_ = 0;                        // of classes
  ClassTable<Stored> classes_;
  bool shows_stream_ = false;  // as it is stored
};

}  // namespace

bool may_have_marks(ByteSpan head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()),
                              std::min(head.size(), kMarksWithin));
  return text.find(kMarkName) != std::string_view::npos;
}

std::unique_ptr<Reader> restore(std::unique_ptr<Reader> stored, const TargetProfile& profile,
                                const ReadOptions& options) {
  return std::make_unique<RestoringReader>(std::move(stored), profile, options);
}

}  // namespace tracedeck::lower
