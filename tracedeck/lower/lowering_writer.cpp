#include "tracedeck/lower/lowering_writer.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/lower/description_text.hpp"
#include "tracedeck/lower/lower_marks.hpp"
#include "tracedeck/lower/lowered_class.hpp"
#include "tracedeck/lower/lowering_stage.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {
namespace {

// A class in one shape, as it is in the target.
struct Lowered {
  Shape shape;
  std::unique_ptr<LoweredClass> lowered;  // null: it is to be made again
  const EventClass* target = nullptr;
  Account* account = nullptr;
};

// A class of a source.
struct Known {
  explicit Known(const EventClass&) {}
  std::optional<bool> held = {};  // as it is
  std::list<Lowered> shapes = {};
};

// What is marked of a source trace.
struct SourceTrace {
  std::uint64_t index = 0;  // in the order of their appearance
  std::size_t environment = 0;
  std::size_t clocks = 0;
  std::size_t stream_classes = 0;
  std::size_t event_classes = 0;
  // Of its data streams, by class and keys.
  std::set<std::pair<std::uint64_t, std::vector<std::uint64_t>>> keys = {};
};

struct SourceStream {
  SourceTrace* trace = nullptr;
  Shape shape = {};        // as far as the data stream decides it
  std::uint64_t last = 0;  // clock value of its last event
  std::optional<std::uint64_t> packet_end = {};
};

class LoweringWriter final : public LoweringStage {
 public:
  LoweringWriter(const TargetProfile& profile, std::unique_ptr<Writer> target, TraceNames names,
                 bool lists)
      : LoweringStage(profile, std::move(target), {}),
        names_(std::move(names)),
        lists_(lists),
        description_(std::make_shared<TraceDescription>("", std::string(profile.format), "")),
        next_id_(profile.last_class_id) {
    const ClockClass& clock = description_->add_clock({});
    const DataStreamClass& stream_class = description_->add_stream_class({.default_clock = &clock});
    stream_.entity = description_->next_stream();
    stream_.stream_class = &stream_class;
  }

  Result<void> finish() override {
    if (auto put = begin_times(0); !put) return put;
    return next().finish();
  }

  [[nodiscard]] Receipt receipt() const override {
    Receipt receipt = LoweringStage::receipt();
    if (!unnamed_.empty() && unnamed_.size() + next_trace_ > 1) {
      receipt.push_back({.what = "names of traces",
                         .done = "left out: the events of all are those of one",
                         .count = unnamed_.size(),
                         .lossy = true,
                         .path = "trace",
                         .input = first_unnamed_});
    }
    return receipt;
  }

 private:
  // What is held is not marked.
  void see_held(const DataStream& stream) override {
    const DataStreamClass* const of = stream.stream_class;
    if (!names_ || of == nullptr || of->trace == nullptr) return;
    if (unnamed_.empty()) first_unnamed_ = of->trace->input();
    unnamed_.insert(of->trace->number());
  }

  // -- Marks -----------------------------------------------------------------------------------

  Result<void> begin() {
    if (std::exchange(begun_, true)) return {};
    const ClockClass* const clock = stream_.stream_class->default_clock;
    mark_class_ = &add_class(kMarkName, mark_payload(), clock);
    loss_class_ = &add_class(kLossName, loss_payload(), clock);
    return next().write(Record(RecordKind::kStreamBegin, &stream_));
  }

  const EventClass& add_class(std::string_view name, FieldClassPtr payload,
                              const ClockClass* clock) {
    return description_->add_event_class({.id = next_id_--,
                                          .name = std::string(name),
                                          .name_space = {},
                                          .uid = {},
                                          .stream_class = stream_.stream_class,
                                          .clock = clock,
                                          .payload = std::move(payload)});
  }

  Result<void> put(const EventClass& event_class, std::uint64_t time,
                   std::span<const Slot> values) {
    Event event{.event_class = &event_class, .stream = &stream_, .time = time, .end_time = time};
    event.slots = values.data();
    event.slot_count = static_cast<std::uint32_t>(values.size());
    return next().write(Record(event));
  }

  Result<void> mark(const SourceTrace& trace, std::optional<std::uint64_t> class_id,
                    std::string_view text) {
    own_receipt().count(Convention::kDescription);
    const Mark mark{.trace = trace.index, .class_id = class_id, .text = text};
    if (has_times_) return put(mark);
    waiting_.push_back({.mark = mark, .text = std::string(text)});
    waiting_bytes_ += sizeof(WaitingMark) + text.size();
    return waiting_bytes_ < kMostWaiting ? Result<void>() : begin_times(0);
  }

  Result<void> put(const Mark& mark) {
    slots_.clear();
    mark.append(slots_);
    return put(*mark_class_, last_time_, slots_);
  }

  // Marks have the time of the event before, and those before the first event its time: viewers
  // want one of every event, and none that stretches the trace.
  Result<void> begin_times(std::uint64_t time) {
    if (std::exchange(has_times_, true)) return {};
    last_time_ = time;
    for (WaitingMark& each : std::exchange(waiting_, {})) {
      each.mark.text = each.text;
      if (auto done = put(each.mark); !done) return done;
    }
    return {};
  }

  template <class List>
  Result<void> mark_new(const SourceTrace& trace, const List& list, std::size_t& marked) {
    for (; marked < list.size(); ++marked) {
      if (auto done = mark(trace, std::nullopt, text_of(list[marked])); !done) return done;
    }
    return {};
  }

  // What the description has come to hold.
  Result<void> mark_description(SourceTrace& trace, const TraceDescription& of) {
    const Attributes& environment = of.environment();
    for (; trace.environment < environment.size(); ++trace.environment) {
      const std::string text = text_of(environment[trace.environment], trace.environment);
      if (auto done = mark(trace, std::nullopt, text); !done) return done;
    }
    if (auto done = mark_new(trace, of.clocks(), trace.clocks); !done) return done;
    for (; trace.stream_classes < of.stream_classes().size(); ++trace.stream_classes) {
      const DataStreamClass& each = of.stream_classes()[trace.stream_classes];
      own_receipt().note_heads(each.packet_context, of.input());
      const std::string text = text_of(without_heads(each));
      if (auto done = mark(trace, std::nullopt, text); !done) return done;
    }
    return {};
  }

  Result<void> describe_lowered(const TraceDescription& trace) override {
    if (auto begun = begin(); !begun) return begun;
    auto source = trace_of(trace);
    if (!source) return std::unexpected(source.error());
    return mark_new(**source, trace.event_classes(), (*source)->event_classes);
  }

  // -- Sources ---------------------------------------------------------------------------------

  Result<SourceTrace*> trace_of(const TraceDescription& description) {
    const auto [place, is_new] = traces_.try_emplace(description.number());
    SourceTrace& trace = place->second;
    if (is_new) {
      trace.index = next_trace_++;
      const std::string text =
          names_ ? text_of(description, names_(description)) : text_of(description);
      if (auto done = mark(trace, std::nullopt, text); !done) return std::unexpected(done.error());
      own_receipt().note_heads(description.trace_class().packet_header, description.input());
    }
    if (auto done = mark_description(trace, description); !done)
      return std::unexpected(done.error());
    return &trace;
  }

  Result<SourceStream*> stream_of(const DataStream& stream) {
    if (stream.entity == last_stream_ && last_source_ != nullptr) return last_source_;
    const auto [place, is_new] = streams_.try_emplace(stream.entity);
    if (is_new) {
      if (auto made = make_stream(stream, place->second); !made) {
        streams_.erase(place);
        return std::unexpected(made.error());
      }
    }
    last_stream_ = stream.entity;
    last_lowered_ = nullptr;
    return last_source_ = &place->second;
  }

  Result<void> make_stream(const DataStream& stream, SourceStream& source) {
    if (open_.begin(stream.entity.trace))
      std::erase_if(traces_, [this](const auto& each) { return !open_.has(each.first); });
    auto trace = trace_of(*stream.stream_class->trace);
    if (!trace) return std::unexpected(trace.error());
    source.trace = *trace;
    std::vector<std::uint64_t> values;
    bool plain = true;
    for (const StreamKey& key : stream.keys) {
      plain = plain && key.digits.empty();
      values.push_back(key.value);
    }
    const bool is_only =
        source.trace->keys.emplace(stream.stream_class->entity.ordinal, values).second;
    source.shape.lists = lists_;
    source.shape.stream_number = !plain || !is_only;
    if (!source.shape.stream_number) {
      for (const StreamKey& key : stream.keys) source.shape.stream_keys.push_back(key.name);
    }
    return mark(*source.trace, std::nullopt, text_of(stream));
  }

  Result<void> begin_stream(const DataStream& stream) override {
    if (auto begun = begin(); !begun) return begun;
    const auto known = stream_of(stream);
    if (!known) return std::unexpected(known.error());
    return {};
  }

  Result<void> end_packet(const Packet& packet) override {
    const auto found = streams_.find(packet.stream->entity);
    if (found != streams_.end()) found->second.packet_end = packet.end;
    return {};
  }

  // Classes without events are described at the end.
  Result<void> end_stream(const DataStream& stream) override {
    const auto found = streams_.find(stream.entity);
    if (found == streams_.end()) return {};
    SourceTrace& trace = *found->second.trace;
    const TraceDescription& description = *stream.stream_class->trace;
    if (auto done = mark_description(trace, description); !done) return done;
    if (auto done = mark_new(trace, description.event_classes(), trace.event_classes); !done)
      return done;
    const std::optional<std::uint64_t> end = found->second.packet_end;
    const bool goes_on = end && *end > found->second.last;
    if (goes_on && stream.stream_class->default_clock != nullptr) {
      if (auto done = mark(trace, std::nullopt, text_of_end(stream, *end)); !done) return done;
    }
    streams_.erase(found);
    last_source_ = nullptr;
    last_lowered_ = nullptr;
    open_.end(stream.entity.trace);
    return {};
  }

  // -- Events ----------------------------------------------------------------------------------

  Result<void> write_event(const Event& event, const Record& record) override {
    Known& known = known_[*event.event_class];
    if (!known.held) [[unlikely]]
      known.held = event.stream == nullptr || is_held(*event.stream);
    return *known.held ? next().write(record) : write_lowered(event, known);
  }

  [[gnu::noinline]] Result<void> write_lowered(const Event& event, Known& known) {
    if (event.event_class->entity != last_class_) {
      last_class_ = event.event_class->entity;
      last_known_ = &known;
      last_lowered_ = nullptr;
    }
    if (auto begun = begin(); !begun) return begun;
    const bool in_packet = event.packet != nullptr &&
                           (!event.packet->header.empty() || !event.packet->context.empty());
    const bool as_before = last_lowered_ != nullptr && event.stream->entity == last_stream_ &&
                           last_lowered_->shape.packet_context == in_packet;
    if (!as_before) {
      if (auto found = find_lowered(event, in_packet, false); !found) return found;
    }
    if (!lower(event)) {
      // An integer of variable length has more than 64 bits.
      if (auto found = find_lowered(event, in_packet, true); !found) return found;
      const bool fits = lower(event);
      const Lowered& lowered = *std::exchange(last_lowered_, nullptr);
      if (!fits) return fail(ErrorCode::kInvalidArgument, "an event lacks values of its packet");
      return put(lowered, event);
    }
    return put(*last_lowered_, event);
  }

  bool lower(const Event& event) {
    slots_.clear();
    arena_.clear();
    SlotRun out(slots_);
    const bool fits = last_lowered_->lowered->lower(event, out, arena_);
    values_ = out.slots();
    return fits;
  }

  Result<void> put(const Lowered& lowered, const Event& event) {
    ++lowered.account->events;
    last_source_->last = event.end_time;
    const std::uint64_t time = lowered.lowered->time_of(event);
    if (!has_times_) [[unlikely]] {
      // Their slots are those of the values at hand.
      const std::vector<Slot> values(values_.begin(), values_.end());
      if (auto begun = begin_times(time); !begun) return begun;
      return put(*lowered.target, time, values);
    }
    last_time_ = time;
    return put(*lowered.target, time, values_);
  }

  Result<void> find_lowered(const Event& event, bool in_packet, bool any_integer) {
    auto stream = stream_of(*event.stream);
    if (!stream) return std::unexpected(stream.error());
    Shape shape = (*stream)->shape;
    shape.packet_context = in_packet;
    shape.any_integer = any_integer;
    auto lowered = lowered_of(event, *last_known_, shape, *(*stream)->trace);
    if (!lowered) return std::unexpected(lowered.error());
    last_lowered_ = *lowered;
    return {};
  }

  Result<Lowered*> lowered_of(const Event& event, Known& known, const Shape& shape,
                              SourceTrace& trace) {
    const auto found = std::ranges::find_if(
        known.shapes, [&](const Lowered& each) { return each.shape == shape; });
    const bool is_new = found == known.shapes.end();
    if (!is_new && found->lowered != nullptr) return &*found;
    auto made = LoweredClass::make(*event.event_class, shape, profile(), profile().most_members);
    if (!made) return std::unexpected(made.error());
    if (with_lowered_.size() == ClassCache<Known>::kMost) forget_lowered();
    with_lowered_.push_back(&known);
    if (!is_new) {
      found->lowered = *std::move(made);
      return &*found;
    }
    if (next_id_ > profile().last_class_id)
      return fail(ErrorCode::kLimitExceeded, "the target has no more classes");
    const TraceDescription& description = *event.event_class->stream_class->trace;
    if (auto done = mark_description(trace, description); !done)
      return std::unexpected(done.error());
    if (auto done = mark_new(trace, description.event_classes(), trace.event_classes); !done)
      return std::unexpected(done.error());
    const ClassMark class_mark{.event_class = event.event_class->entity.ordinal, .shape = shape};
    if (auto done = mark(trace, next_id_, class_mark.text()); !done)
      return std::unexpected(done.error());
    const ClockClass* const clock =
        event.event_class->clock == nullptr ? nullptr : stream_.stream_class->default_clock;
    const EventClass& target = add_class((*made)->name(), (*made)->payload(), clock);
    Account& account = own_receipt().add({.class_name = (*made)->name(),
                                          .kept = (*made)->kept(),
                                          .input = description.input(),
                                          .offset = event.offset});
    return &known.shapes.emplace_back(Lowered{shape, *std::move(made), &target, &account});
  }

  void forget_lowered() {
    last_lowered_ = nullptr;
    for (Known* const each : with_lowered_) {
      for (Lowered& shape : each->shapes) shape.lowered.reset();
    }
    with_lowered_.clear();
  }

  Result<void> write_loss(const Loss& loss) override {
    if (auto begun = begin(); !begun) return begun;
    auto stream = stream_of(*loss.stream);
    if (!stream) return std::unexpected(stream.error());
    own_receipt().count(Convention::kLoss);
    if (auto begun = begin_times(begin_of(loss)); !begun) return begun;
    slots_.clear();
    arena_.clear();
    LossMark{.trace = (*stream)->trace->index, .stream = loss.stream->entity.ordinal, .loss = loss}
        .append(slots_, arena_);
    return put(*loss_class_, last_time_, slots_);
  }

  static std::uint64_t begin_of(const Loss& loss) {
    const std::optional<Nanoseconds>& known = loss.begin ? loss.begin : loss.end;
    return known ? nearest_value(*known) : 0;
  }

  struct WaitingMark {
    Mark mark = {};  // without its text
    std::string text = {};
  };
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;

  TraceNames names_;
  bool lists_;
  std::set<std::uint64_t> unnamed_;  // traces of which there are no marks, by their numbers
  std::string first_unnamed_;        // of those, the input
  std::shared_ptr<TraceDescription> description_;  // of what the target gets
  DataStream stream_;
  std::uint64_t next_id_;
  bool begun_ = false;
  const EventClass* mark_class_ = nullptr;
  const EventClass* loss_class_ = nullptr;
  std::vector<WaitingMark> waiting_;  // for the first time
  std::size_t waiting_bytes_ = 0;
  bool has_times_ = false;
  OpenTraces open_;
  std::unordered_map<std::uint64_t, SourceTrace> traces_;  // by the numbers of their descriptions
  std::uint64_t next_trace_ = 0;
  std::unordered_map<EntityId, SourceStream, EntityIdHash> streams_;
  EntityId last_stream_ = EntityId::none();
  SourceStream* last_source_ = nullptr;
  ClassTable<Known> known_;
  std::vector<Known*> with_lowered_;  // with some `lowered`
  EntityId last_class_ = EntityId::none();
  Known* last_known_ = nullptr;      // of `last_class_`
  Lowered* last_lowered_ = nullptr;  // of `last_class_` and `last_stream_`
  std::span<const Slot> values_;     // of the event at hand: its own, or `slots_`
  std::vector<Slot> slots_;
  ReusedArena arena_;
  std::uint64_t last_time_ = 0;
};

}  // namespace

std::unique_ptr<Writer> lower_for(const TargetProfile& profile, std::unique_ptr<Writer> target,
                                  TraceNames names, std::string_view version) {
  const bool lists = !version.empty() && version == profile.list_version;
  return std::make_unique<LoweringWriter>(profile, std::move(target), std::move(names), lists);
}

}  // namespace tracedeck::lower
