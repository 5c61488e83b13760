#include "tracedeck/lower/marked_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/lower/field_lowering.hpp"
#include "tracedeck/lower/mark_rule.hpp"
#include "tracedeck/lower/nested_fields.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::lower {
namespace {

bool same_ticks(const ClockClass* source, const ClockClass* stored) {
  // Readers of the target may want one all the same.
  if (source == nullptr) return true;
  if (stored == nullptr) return false;
  const Tick& is = stored->tick;
  const Tick was = has_whole_frequency(*source) ? source->tick : Tick{};
  return Uint128{is.numerator} * was.denominator == Uint128{was.numerator} * is.denominator;
}

bool same_times(const ClockClass* source, const ClockClass* stored) {
  if (source == nullptr || stored == nullptr) return source == stored;
  return source->tick == stored->tick && source->offset_seconds == stored->offset_seconds &&
         source->offset_ticks == stored->offset_ticks && source->shift == stored->shift;
}

// Whether an event comes with its packet, wherever that is wanted: its time is the one that it is
// stored with, it is over at once, says nothing of others, and takes nothing from events before it.
bool goes_by_time(const NestedClass& lowered) {
  const NestedShape& shape = lowered.shape();
  return !shape.ordered && !shape.clock_value && !shape.in_packet &&
         !lowered.source().has_duration && !lowered.source().describes_others;
}

// The keys are the last members of packet contexts.
bool has_keys(const DataStreamClass& stored, const std::vector<std::string>& keys) {
  if (keys.empty()) return true;
  if (stored.packet_context == nullptr) return false;
  const auto& members = stored.packet_context->as<StructureClass>()->members;
  return members.size() >= keys.size() &&
         std::all_of(members.end() - static_cast<std::ptrdiff_t>(keys.size()), members.end(),
                     [](const Member& member) {
                       return same_nested_form(*member.field_class, *wide_number());
                     });
}

bool same_structure(const FieldClassPtr& lowered, const FieldClassPtr& stored) {
  const auto is_empty = [](const FieldClassPtr& of) {
    return of == nullptr || of->as<StructureClass>()->members.empty();
  };
  if (is_empty(lowered) || is_empty(stored)) return is_empty(lowered) && is_empty(stored);
  return same_nested_form(*lowered, *stored);
}

bool has_role(const FieldClassPtr& field_class, std::string_view role) {
  if (field_class == nullptr) return false;
  bool has = std::ranges::find(field_class->roles, role) != field_class->roles.end();
  for_each_child(*field_class,
                 [&](const FieldClassPtr& inner) { has = has || has_role(inner, role); });
  return has;
}

// Whether its heads are known, and say nothing of which data stream a packet is of. Those of a
// trace that was restored itself may be gone.
bool lacks_stream_ids(const NestedPacket& packets, const DataStreamClass& source) {
  const bool is_known = packets.header != nullptr || source.event_header != nullptr;
  return is_known && !has_role(packets.header, "data-stream-id");
}

std::string name_of(const DataStreamClass& stored) {
  return stored.id ? fmt::to_string(*stored.id) : std::string();
}

bool same_heads(const FieldClassPtr& lowered, const FieldClassPtr& stored) {
  if (lowered == nullptr || stored == nullptr) return lowered == stored;
  return same_head_form(*lowered, *stored);
}

}  // namespace

void MarkedStage::ignore(std::string_view of, std::string_view name, std::string_view why) {
  report(0, fmt::format("the mark of {} `{}` is ignored: {}", of, name, why));
}

void MarkedStage::take_marks() {
  const TraceDescription& stored = *stored_->description();
  for (; stream_classes_seen_ < stored.stream_classes().size(); ++stream_classes_seen_) {
    const DataStreamClass& each = stored.stream_classes()[stream_classes_seen_];
    if (const auto mark = mark_of(each, "data stream class", name_of(each), false))
      take_mark(each, *mark);
  }
  for (; event_classes_seen_ < stored.event_classes().size(); ++event_classes_seen_) {
    const EventClass& each = stored.event_classes()[event_classes_seen_];
    // A lowered data stream class has only lowered event classes.
    const bool wanted = stream_classes_.contains(each.stream_class->entity);
    if (const auto mark = mark_of(each, "event class", each.name.value_or(""), wanted))
      take_mark(each, *mark);
  }
}

template <class Class>
std::optional<AttributeMark> MarkedStage::mark_of(const Class& stored, std::string_view of,
                                                  std::string_view name, bool wanted) {
  auto mark = AttributeMark::find(stored.attributes);
  if (mark) return mark;
  if (AttributeMark::is_unreadable(stored.attributes)) {
    ignore(of, name, "it cannot be read");
  } else if (wanted) {
    report(0, fmt::format("no mark says what the {} `{}` was; its events are shown as they are "
                          "stored",
                          of, name));
  }
  return mark;
}

void MarkedStage::report_missing_texts() {
  for (const auto& [number, trace] : traces_) report_missing(trace.reader);
}

MarkedTrace* MarkedStage::trace_of(const AttributeMark& mark, std::string_view of,
                                   std::string_view name) {
  if (mark.trace > traces_.size()) {
    ignore(of, name, "no mark is about the trace before its own");
    return nullptr;
  }
  constexpr std::uint64_t kTrace = 4096;
  if (mark.trace == traces_.size()) state_ += kTrace;
  MarkedTrace& trace = traces_
                           .try_emplace(mark.trace, mark.trace, stored_->description()->input(),
                                        options_.clock_shift)
                           .first->second;
  for (const std::string& text : mark.texts) {
    state_ += kStateOfText * text.size();
    if (state_ > options_.max_state) {
      ignore(of, name, kTooMuchState);
      return nullptr;
    }
    if (const auto added = trace.reader.add(text); !added)
      report(0, fmt::format("a mark is ignored: {}", added.error().message));
  }
  announce(trace);
  return trace.reader.description() == nullptr ? nullptr : &trace;
}

void MarkedStage::announce(MarkedTrace& trace) {
  const std::shared_ptr<TraceDescription>& description = trace.reader.description();
  if (description == nullptr) return;
  if (!std::exchange(restores_, true)) {
    description_ = description;
    description->set_symbols(options_.symbols);
  }
  if (description->stored_as().empty()) {
    description->set_stored_as(stored_->description()->format(), stored_->description()->version());
    if (description->format() != nested_.format) leave_out_header(*description);
  }
  if (trace.classes == description->event_classes().size()) return;
  output_.pin_lasting(description);
  for (; trace.classes < description->event_classes().size(); ++trace.classes)
    output_.add(Record(&description->event_classes()[trace.classes]));
}

// Whether packets fit, with the heads that they had or, for all of a trace, with others.
bool MarkedStage::take_heads(StoredStreamClass& streams, const DataStreamClass& stored) {
  MarkedTrace& trace = *streams.trace;
  TraceDescription& description = *trace.reader.description();
  if (!trace.has_heads) {
    const FieldClassPtr& header = stored.trace->trace_class().packet_header;
    trace.lacked_stream_ids = lacks_stream_ids(*streams.packets, *streams.source);
    trace.has_heads = same_heads(streams.packets->header, header) &&
                      same_heads(streams.packets->context, stored.packet_context) &&
                      same_heads(streams.source->event_header, stored.event_header);
    if (*trace.has_heads) {
      description.set_restored_heads();
    } else {
      leave_out_header(description);
    }
  } else if (*trace.has_heads) {
    return same_heads(streams.packets->context, stored.packet_context) &&
           same_heads(streams.source->event_header, stored.event_header);
  }
  if (*trace.has_heads) return true;
  UserMembers users = user_members(stored.packet_context);
  if (!same_structure(streams.packets->users, users.field_class)) return false;
  streams.packet_users = std::move(users.kept);
  // It is ours, and nobody has seen it.
  auto& source = const_cast<DataStreamClass&>(*streams.source);  // NOLINT(*-const-cast)
  source.packet_context = user_members(source.packet_context).field_class;
  source.event_header = nullptr;
  return true;
}

// What a result of this version or, where only that fits, of an earlier one was lowered to.
template <class Lowered, class Fits, class... Of>
std::unique_ptr<Lowered> MarkedStage::as_lowered(const Fits& fits, const Of&... of) const {
  auto now = std::make_unique<Lowered>(of..., nested_);
  if (nested_.earlier == nullptr || fits(*now)) return now;
  auto before = std::make_unique<Lowered>(of..., *nested_.earlier);
  return fits(*before) ? std::move(before) : std::move(now);
}

void MarkedStage::take_mark(const DataStreamClass& stored, const AttributeMark& mark) {
  const std::string name = name_of(stored);
  MarkedTrace* const trace = trace_of(mark, "data stream class", name);
  if (trace == nullptr) return;
  // Of a trace without data streams.
  if (!mark.streams && !mark.stream) return;
  StoredStreamClass streams{.trace = trace};
  if (mark.streams) {
    streams.source = trace->reader.stream_class(mark.streams->stream_class);
    streams.keys = mark.streams->keys;
  } else if (mark.stream) {
    const auto stream = trace->reader.data_stream(*mark.stream);
    if (stream != nullptr) streams.source = stream->stream_class;
    streams.only = mark.stream;
  }
  if (streams.source == nullptr)
    return ignore("data stream class", name, "the class that it names is not described");
  // Parts are told apart by their only key.
  if (!has_keys(stored, streams.keys) || (streams.has_parts() && streams.keys.size() != 1))
    return ignore("data stream class", name, "its packets do not say the keys that it names");
  if (!same_ticks(streams.source->default_clock, stored.default_clock))
    return ignore("data stream class", name, "its clock ticks otherwise than it says");
  streams.common = std::make_shared<NestedContext>();
  if (!mark.is_loss) {
    streams.common = as_lowered<NestedContext>(
        [&](const NestedContext& context) {
          return same_structure(context.field_class, stored.common_context);
        },
        *streams.source);
  }
  streams.same_times = same_times(streams.source->default_clock, stored.default_clock);
  if (streams.source->trace->format() == nested_.format) {
    streams.packets = as_lowered<NestedPacket>(
        [&](const NestedPacket& packets) {
          return same_heads(packets.context, stored.packet_context) ||
                 same_structure(packets.users, user_members(stored.packet_context).field_class);
        },
        *streams.source);
    if (!take_heads(streams, stored))
      return ignore("data stream class", name, "its packets have other fields than it says");
  }
  if (!same_structure(streams.common->field_class, stored.common_context))
    return ignore("data stream class", name, "its common context has other fields than it says");
  stream_classes_.emplace(stored.entity, std::move(streams));
}

bool MarkedStage::has_ordered_packets() const {
  return std::ranges::all_of(classes_.entries(), [](const StoredClass& each) {
    if (!each.streams->same_times) return false;
    // Of packets that stay what they are, events are as they are stored.
    if (each.streams->packets != nullptr) return true;
    return !each.is_loss && (each.lowered == nullptr || goes_by_time(*each.lowered));
  });
}

void MarkedStage::note_ordered_packets() {
  if (!has_ordered_packets()) return;
  for (auto& [number, trace] : traces_) {
    if (trace.reader.description() != nullptr) trace.reader.description()->set_ordered_packets();
  }
}

void MarkedStage::take_mark(const EventClass& stored, const AttributeMark& mark) {
  const std::string name = stored.name.value_or("");
  MarkedTrace* const trace = trace_of(mark, "event class", name);
  if (trace == nullptr) return;
  const auto streams = stream_classes_.find(stored.stream_class->entity);
  if (streams == stream_classes_.end() || streams->second.trace != trace) {
    if (mark.events) ignore("event class", name, "no mark says what its data stream class was");
    return;
  }
  StoredClass& entry = classes_[stored];
  entry.streams = &streams->second;
  if (mark.is_loss) {
    entry.is_loss = same_structure(loss_class_.payload(), stored.payload);
    if (!entry.is_loss) ignore("event class", name, "the class has other fields than it says");
    return;
  }
  if (!mark.events) return;
  const EventClass* const source = trace->reader.event_class(mark.events->event_class);
  if (source == nullptr || source->stream_class != streams->second.source)
    return ignore("event class", name, "the class that it names is not described");
  const auto fits = [&](const NestedClass& lowered) {
    return same_structure(lowered.payload(), stored.payload) &&
           same_structure(lowered.specific_context(), stored.specific_context);
  };
  auto lowered = as_lowered<NestedClass>(fits, *source, mark.events->shape, streams->second.common);
  state_ += lowered->memory();
  if (state_ > options_.max_state) return ignore("event class", name, kTooMuchState);
  if (!fits(*lowered))
    return ignore("event class", name, "the class has other fields than it says");
  entry.lowered = std::move(lowered);
}

}  // namespace tracedeck::lower
