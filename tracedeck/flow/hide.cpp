#include "tracedeck/flow/hide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/flow/hidden_fields.hpp"
#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/model/altered.hpp"

namespace tracedeck::flow {
namespace {

using Root = FieldLocation::Root;

// What conversions of this library keep of other traces, which says what was in those.
constexpr std::string_view kOwnMark = "tracedeck";

bool is_own_mark(const EventClass& event_class) {
  return event_class.name && event_class.name->starts_with("tracedeck.");
}

}  // namespace

struct HiddenClass {
  const EventClass* made = nullptr;  // null: its events are dropped
  Verdict verdict = {};              // on its name
  std::string name = {};             // as it was
  HiddenRoot specific = {};
  HiddenRoot payload = {};
  bool self_described = false;
};

struct HiddenStreams {
  const DataStreamClass* made = nullptr;
  HiddenRoot packet = {};
  HiddenRoot common = {};
};

// Texts of the metadata of one trace.
class HiddenMetadata {
 public:
  HiddenMetadata(const Hiding& hiding, HidingCounts& counts) : hiding_(hiding), counts_(counts) {}

  // What a text becomes. `word`: what patterns call it.
  void hide(std::string_view word, std::string& text) {
    if (text.empty()) return;
    const Verdict verdict = hiding_.of(HiddenKind::kMetadata, word);
    if (!verdict) return;
    count(word, verdict);
    text = verdict.drops ? std::string() : hiding_.mask(text);
  }
  void hide(std::string_view word, std::optional<std::string>& text) {
    if (!text) return;
    hide(word, *text);
    if (text->empty()) text.reset();
  }
  template <class Text>
  void hide_name(std::string_view word, Text& text, std::string_view now) {
    std::string changed(now);
    hide(word, changed);
    if (changed != now) text = Text(changed);
  }
  void hide(std::string_view kind, Identity& identity) {
    hide(fmt::format("{}-namespace", kind), identity.name_space);
    hide(fmt::format("{}-name", kind), identity.name);
    hide(fmt::format("{}-uid", kind), identity.uid);
  }
  [[nodiscard]] Attributes attributes(const Attributes& attributes) {
    Attributes kept;
    for (const Attribute& attribute : attributes) {
      if (attribute.key.starts_with(kOwnMark)) continue;
      add(kept, attribute, HiddenKind::kMetadata);
    }
    return kept;
  }
  [[nodiscard]] Attributes environment(const Attributes& entries) {
    Attributes kept;
    for (const Attribute& entry : entries) {
      if (entry.key.starts_with(kOwnMark)) continue;
      add(kept, entry, HiddenKind::kEnvironment);
    }
    return kept;
  }
  // Once for each word.
  void count(std::string_view word, Verdict verdict) {
    if (counted_.emplace(word).second) ++counts_[verdict.pattern];
  }

 private:
  void add(Attributes& to, const Attribute& attribute, HiddenKind kind) {
    Verdict verdict = hiding_.of(kind, attribute.key);
    if (!verdict && hiding_.may_name_threads({.name = attribute.key}))
      verdict = hiding_.of(HiddenKind::kThread, attribute.value);
    const bool is_number = attribute.is_json && attribute.value.find('"') == std::string::npos;
    if (!verdict || (verdict.only_texts && is_number)) return to.push_back(attribute);
    count(fmt::format("{}:{}", kind == HiddenKind::kMetadata ? "meta" : "env", attribute.key),
          verdict);
    if (!verdict.drops)
      to.push_back({.key = attribute.key, .value = hiding_.mask(attribute.value)});
  }

  const Hiding& hiding_;
  HidingCounts& counts_;
  std::set<std::string, std::less<>> counted_;
};

// One description and what it is handed on as.
class HiddenTrace {
 public:
  HiddenTrace(const Hiding& hiding, HidingCounts& counts, const TraceDescription& source,
              Verdict of_trace)
      : hiding_(hiding),
        source_(source.shared_from_this()),
        of_trace_(of_trace),
        classes_made_(hiding, source.format() == "ctf"),
        metadata_(hiding, counts),
        made_(std::make_shared<TraceDescription>(hiding.path(source.input(), of_trace),
                                                 source.format(), source.version())) {
    if (of_trace) metadata_.count("file", of_trace);
    // It has not the heads that it is stored with.
    made_->set_stored_as(source.stored_as().empty() ? source.format() : source.stored_as(),
                         source.stored_as().empty() ? source.version() : source.stored_version());
    if (source.has_ordered_packets()) made_->set_ordered_packets();
    if (!source.name_among_others().empty())
      made_->set_name_among_others(hiding.path(source.name_among_others(), of_trace));
    if (source.symbols() != nullptr)
      made_->set_symbols(std::shared_ptr<const Symbols>(source_, source.symbols()));
    grow();
    grow_rest();
    const Format* const format = find_format(source.format());
    const bool knows_classes = format != nullptr && format->info().classes_first;
    if (hiding.hides_fields() && (is_changed_ || !knows_classes)) set_altered(*made_);
  }

  [[nodiscard]] const std::shared_ptr<TraceDescription>& made() const { return made_; }

  // Takes what the description has got since.
  void grow() {
    for (; clocks_ < source_->clocks().size(); ++clocks_) add(source_->clocks()[clocks_]);
    for (; streams_.size() < source_->stream_classes().size();)
      add(source_->stream_classes()[streams_.size()]);
    for (; classes_.size() < source_->event_classes().size();)
      add(source_->event_classes()[classes_.size()]);
  }
  void grow_rest() {
    made_->set_environment(metadata_.environment(source_->environment()));
    TraceClass trace_class = source_->trace_class();
    if (trace_class.uuid) {
      const Verdict verdict = hiding_.of(HiddenKind::kMetadata, "uuid");
      if (verdict) {
        metadata_.count("uuid", verdict);
        trace_class.uuid = verdict.drops ? std::nullopt : std::optional(masked(*trace_class.uuid));
      }
    }
    metadata_.hide("trace-namespace", trace_class.name_space);
    metadata_.hide("trace-name", trace_class.name);
    metadata_.hide("trace-uid", trace_class.uid);
    trace_class.packet_header = nullptr;
    trace_class.attributes = metadata_.attributes(trace_class.attributes);
    made_->set_trace_class(std::move(trace_class));
  }

  [[nodiscard]] const HiddenClass& of(const EventClass& event_class) {
    if (event_class.entity.ordinal >= classes_.size()) grow();
    return classes_[event_class.entity.ordinal];
  }
  [[nodiscard]] const HiddenStreams& of(const DataStreamClass& stream_class) {
    if (stream_class.entity.ordinal >= streams_.size()) grow();
    return streams_[stream_class.entity.ordinal];
  }
  [[nodiscard]] std::shared_ptr<const DataStream> of(const DataStream& stream) {
    std::shared_ptr<const DataStream>& known = data_streams_[stream.entity.ordinal];
    if (known != nullptr) return known;
    while (made_->stream_count() <= stream.entity.ordinal) (void)made_->next_stream();
    DataStream copy = stream;
    copy.entity.trace = made_->number();
    if (stream.stream_class != nullptr) copy.stream_class = of(*stream.stream_class).made;
    copy.file = hiding_.path(stream.file, of_trace_);
    if (copy.file != stream.file) {
      const Verdict own = hiding_.of(HiddenKind::kFile, stream.file);
      metadata_.count("file:" + stream.file, own ? own : of_trace_);
    }
    return known = std::make_shared<const DataStream>(std::move(copy));
  }
  void forget(const DataStream& stream) { data_streams_.erase(stream.entity.ordinal); }

  // The number of what stands for a name of a value; 0: it has none any more.
  [[nodiscard]] std::uint32_t value_name(std::uint32_t number) {
    const auto known = value_names_.find(number);
    if (known != value_names_.end()) return known->second;
    const std::string_view name = source_->value_names()[number];
    const Verdict verdict = hiding_.of_value_name(name);
    if (verdict) metadata_.count(fmt::format("name:{}", number), verdict);
    const std::uint32_t made =
        verdict.drops ? 0 : made_->add_value_name(verdict ? hiding_.mask(name) : std::string(name));
    value_names_[number] = made;
    return made;
  }

 private:
  [[nodiscard]] Uuid masked(const Uuid& uuid) const {
    const std::string mask =
        hiding_.mask({reinterpret_cast<const char*>(uuid.data()), uuid.size()});
    Uuid made{};
    const std::size_t size = std::min(made.size(), mask.size());
    std::copy_n(mask.end() - static_cast<std::ptrdiff_t>(size), size, made.begin());
    return made;
  }

  const ClockClass* clock(const ClockClass* clock) const {
    return clock == nullptr ? nullptr : &made_->clocks()[clock->entity.ordinal];
  }

  void add(const ClockClass& clock) {
    ClockClass copy = clock;
    metadata_.hide("clock-id", copy.id);
    metadata_.hide("clock", copy.identity);
    metadata_.hide("clock-origin", copy.origin_identity);
    metadata_.hide("clock-description", copy.description);
    copy.attributes = metadata_.attributes(copy.attributes);
    made_->add_clock(std::move(copy));
  }

  void add(const DataStreamClass& stream_class) {
    HiddenStreams& hidden = streams_.emplace_back();
    DataStreamClass copy = stream_class;
    metadata_.hide("stream-name", copy.name);
    metadata_.hide_name("stream-namespace", copy.name_space, copy.name_space.view());
    metadata_.hide_name("stream-uid", copy.uid, copy.uid.view());
    copy.default_clock = clock(stream_class.default_clock);
    copy.attributes = metadata_.attributes(copy.attributes);
    copy.event_header = nullptr;
    hidden.packet = classes_made_.root(stream_class.packet_context, {.scope = "packet"});
    // What says where an event comes from are numbers, and part of its stream.
    hidden.common = classes_made_.root(stream_class.common_context, {.scope = "common"});
    const GoneMembers gone = gone_of(hidden);
    copy.packet_context =
        HiddenClasses::detached(hidden.packet.field_class, Root::kPacketContext, gone);
    copy.common_context =
        HiddenClasses::detached(hidden.common.field_class, Root::kCommonContext, gone);
    note_change(stream_class.packet_context, hidden.packet.field_class);
    note_change(stream_class.common_context, hidden.common.field_class);
    hidden.made = &made_->add_stream_class(std::move(copy));
  }

  static GoneMembers gone_of(const HiddenStreams& streams) {
    return {{Root::kPacketContext, &streams.packet}, {Root::kCommonContext, &streams.common}};
  }

  // Whether formats may not have such a class any more.
  void note_change(const FieldClassPtr& before, const FieldClassPtr& after) {
    if (before != after) is_changed_ = true;
  }

  void add(const EventClass& event_class) {
    HiddenClass& hidden = classes_.emplace_back();
    hidden.self_described = event_class.self_described;
    hidden.name = event_class.name.value_or("");
    if (is_own_mark(event_class)) return;
    if (event_class.name) hidden.verdict = hiding_.of(HiddenKind::kClass, *event_class.name);
    if (hidden.verdict.drops) return;
    EventClass copy = event_class;
    if (hidden.verdict) copy.name = hiding_.mask(*event_class.name);
    GoneMembers gone;
    if (event_class.stream_class != nullptr) {
      const HiddenStreams& streams = of(*event_class.stream_class);
      copy.stream_class = streams.made;
      gone = gone_of(streams);
    }
    copy.clock = clock(event_class.clock);
    metadata_.hide_name("class-namespace", copy.name_space, copy.name_space.view());
    metadata_.hide_name("class-uid", copy.uid, copy.uid.view());
    copy.attributes = metadata_.attributes(copy.attributes);
    hidden.specific = classes_made_.root(event_class.specific_context,
                                         {.event_class = hidden.name, .scope = "specific"});
    if (event_class.self_described) {
      hidden.payload.field_class = event_class.payload;
    } else {
      hidden.payload =
          classes_made_.root(event_class.payload, {.event_class = hidden.name, .scope = "fields"});
    }
    gone[Root::kSpecificContext] = &hidden.specific;
    gone[Root::kPayload] = &hidden.payload;
    copy.specific_context =
        HiddenClasses::detached(hidden.specific.field_class, Root::kSpecificContext, gone);
    copy.payload = HiddenClasses::detached(hidden.payload.field_class, Root::kPayload, gone);
    note_change(event_class.specific_context, copy.specific_context);
    note_change(event_class.payload, copy.payload);
    hidden.made = &made_->add_event_class(std::move(copy));
  }

  const Hiding& hiding_;
  std::shared_ptr<const TraceDescription> source_;
  Verdict of_trace_;
  HiddenClasses classes_made_;
  HiddenMetadata metadata_;
  std::shared_ptr<TraceDescription> made_;
  bool is_changed_ = false;  // some field class
  std::size_t clocks_ = 0;
  std::deque<HiddenStreams> streams_;  // by ordinal
  std::deque<HiddenClass> classes_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const DataStream>> data_streams_;
  std::unordered_map<std::uint32_t, std::uint32_t> value_names_;
};

class HiddenTraces::Impl {
 public:
  Impl(std::shared_ptr<const Hiding> of, Verdict of_files, std::string at)
      : hiding(std::move(of)), place(std::move(at)), counts(hiding->size()), of_trace(of_files) {}

  HiddenTrace& of(const TraceDescription& description) {
    if (last != nullptr && last_number == description.number()) return *last;
    std::unique_ptr<HiddenTrace>& known = traces[description.number()];
    if (known == nullptr)
      known = std::make_unique<HiddenTrace>(*hiding, counts, description, of_trace);
    last_number = description.number();
    last = known.get();
    return *last;
  }

  // Says what was counted until now.
  void report() {
    hiding->add(place, counts);
    if (place.empty()) std::ranges::fill(counts, 0);
  }

  std::shared_ptr<const Hiding> hiding;
  std::string place;
  HidingCounts counts;
  Verdict of_trace;
  std::map<std::uint64_t, std::unique_ptr<HiddenTrace>> traces;
  HiddenTrace* last = nullptr;
  std::uint64_t last_number = 0;
};

HiddenTraces::HiddenTraces(std::shared_ptr<const Hiding> hiding, Verdict of_files,
                           std::string place)
    : impl_(std::make_unique<Impl>(std::move(hiding), of_files, std::move(place))) {}

HiddenTraces::~HiddenTraces() { impl_->report(); }

std::shared_ptr<const TraceDescription> HiddenTraces::description_of(
    const TraceDescription& description) {
  auto made = impl_->of(description).made();
  impl_->report();
  return made;
}

std::string HiddenTraces::path(std::string_view path) const {
  return impl_->hiding->path(path, impl_->of_trace);
}

class Hide final : public RecordSource {
 public:
  Hide(std::unique_ptr<RecordSource> source, std::shared_ptr<HiddenTraces> traces)
      : source_(std::move(source)),
        traces_(std::move(traces)),
        impl_(*traces_->impl_),
        values_(*impl_.hiding, impl_.counts) {}

  Result<BatchPtr> next() override {
    for (;;) {
      if (left_.empty()) {
        auto batch = source_->next();
        if (!batch || *batch == nullptr) return batch;
        batch_ = *std::move(batch);
        left_ = batch_->records();
      }
      output_.pin(batch_);
      while (!left_.empty() && take(left_.front())) left_ = left_.subspan(1);
      pinned_.clear();
      impl_.report();
      if (!output_.empty()) return output_.take();
      (void)output_.take();
    }
  }

 private:
  // False: the batch has no room for its values.
  bool take(const Record& record) {
    switch (record.kind) {
      case RecordKind::kEvent:
        return take(record.event);
      case RecordKind::kStreamBegin:
      case RecordKind::kStreamEnd:
        output_.add(Record(record.kind, stream(record.stream)));
        if (record.kind == RecordKind::kStreamEnd) forget(*record.stream);
        return true;
      case RecordKind::kPacketBegin:
      case RecordKind::kPacketEnd:
        output_.add(Record(record.kind, packet(record.packet)));
        return true;
      case RecordKind::kDescription:
        take_description(record.event_class);
        return true;
      case RecordKind::kLoss: {
        Loss loss = *record.loss;
        loss.stream = stream(loss.stream);
        output_.add_loss(std::move(loss));
        return true;
      }
      case RecordKind::kProblem:
      case RecordKind::kFinding:
        take_notice(record);
        return true;
    }
    return true;
  }

  void take_description(const EventClass* event_class) {
    if (event_class == nullptr) {
      for (const auto& [number, trace] : impl_.traces) {
        trace->grow();
        trace->grow_rest();
      }
      output_.add(Record(static_cast<const EventClass*>(nullptr)));
      return;
    }
    const EventClass* const made = trace_of(event_class->stream_class).of(*event_class).made;
    if (made != nullptr) output_.add(Record(made));
  }

  void take_notice(const Record& record) {
    Notice notice = *record.notice;
    notice.stream = stream(notice.stream);
    notice.input = traces_->path(notice.input);
    if (!notice.trace.empty()) notice.trace = traces_->path(notice.trace);
    notice.finding.text = notice.finding.rule == nullptr
                              ? "bytes that could not be read"
                              : std::string(notice.finding.rule->summary);
    output_.add_notice(record.kind, std::move(notice));
  }

  bool take(const Event& event) {
    HiddenTrace& trace = trace_of(event.event_class->stream_class);
    const HiddenClass& hidden = trace.of(*event.event_class);
    if (hidden.made == nullptr) {
      if (hidden.verdict) ++impl_.counts[hidden.verdict.pattern];
      return true;
    }
    Verdict verdict = hidden.verdict;
    const std::span<const Slot> payload = event.payload();
    if (hidden.self_described && !payload.empty()) {
      verdict = impl_.hiding->of(HiddenKind::kClass, payload.front().text());
      if (verdict.drops) {
        ++impl_.counts[verdict.pattern];
        return true;
      }
      values_.begin(payload.front().text());
    } else {
      values_.begin(hidden.name);
    }
    const DataStreamClass* const streams = event.event_class->stream_class;
    if (streams != nullptr)
      values_.add(trace.of(*streams).common, "common", event.common_context());
    const auto common = static_cast<std::uint32_t>(values_.size());
    values_.add(hidden.specific, "specific", event.specific_context());
    const auto specific = static_cast<std::uint32_t>(values_.size()) - common;
    if (hidden.self_described) {
      values_.add_self_described(verdict, payload);
    } else {
      values_.add(hidden.payload, "fields", payload);
    }
    Slot* const room = output_.room(values_.size());
    if (room == nullptr) return false;
    for (Slot& slot : values_.slots()) rename(trace, slot);
    values_.copy_to(room, [&](ByteSpan bytes) { return output_.keep(bytes); });
    output_.commit(room + values_.size());
    values_.count();
    if (verdict && !hidden.self_described) ++impl_.counts[verdict.pattern];
    const DataStream* const of_stream = stream(event.stream);
    const Packet* const of_packet = packet(event.packet);
    Event& made = output_.add_event();
    made = event;
    made.event_class = hidden.made;
    made.stream = of_stream;
    made.packet = of_packet;
    made.slots = room;
    made.slot_count = static_cast<std::uint32_t>(values_.size());
    made.common_count = common;
    made.specific_count = specific;
    made.header_count = 0;
    pin(trace.made());
    return true;
  }

  static void rename(HiddenTrace& trace, Slot& slot) {
    if (slot.kind != SlotKind::kUnsigned || slot.name() == 0) return;
    slot = named_slot(slot.bits, trace.value_name(slot.name()));
  }

  HiddenTrace& trace_of(const DataStreamClass* stream_class) {
    return impl_.of(*stream_class->trace);
  }

  const DataStream* stream(const DataStream* of) {
    if (of == nullptr || of->stream_class == nullptr || of->stream_class->trace == nullptr)
      return nullptr;
    HiddenTrace& trace = trace_of(of->stream_class);
    const std::shared_ptr<const DataStream> made = trace.of(*of);
    pin(trace.made());
    pin(made);
    return made.get();
  }
  void forget(const DataStream& stream) {
    if (stream.stream_class != nullptr && stream.stream_class->trace != nullptr)
      trace_of(stream.stream_class).forget(stream);
  }

  const Packet* packet(const Packet* of) {
    if (of == nullptr) return nullptr;
    if (of != last_packet_ || packet_batch_ == nullptr) {
      HiddenTrace& trace = trace_of(of->stream->stream_class);
      Packet copy = *of;
      copy.stream = stream(of->stream);
      copy.header.clear();
      HiddenValues values(*impl_.hiding, impl_.counts);
      values.begin({});
      values.add(trace.of(*of->stream->stream_class).packet, "packet", of->context);
      values.count();
      copy.context.resize(values.size());
      const auto texts = std::make_shared<std::deque<std::vector<std::uint8_t>>>();
      values.copy_to(copy.context.data(), [&](ByteSpan bytes) {
        return texts->emplace_back(bytes.begin(), bytes.end()).data();
      });
      for (Slot& slot : copy.context) rename(trace, slot);
      // It points into the packet that it was, and into its texts.
      struct Kept {
        Packet packet;
        std::shared_ptr<const void> texts;
        BatchPtr batch;
        std::shared_ptr<const DataStream> stream;
        std::shared_ptr<const TraceDescription> description;
      };
      const auto kept = std::make_shared<Kept>(Kept{.packet = std::move(copy),
                                                    .texts = texts,
                                                    .batch = batch_,
                                                    .stream = trace.of(*of->stream),
                                                    .description = trace.made()});
      last_packet_ = of;
      packet_batch_ = batch_;
      made_packet_ = std::shared_ptr<const Packet>(kept, &kept->packet);
    }
    pin(made_packet_);
    return made_packet_.get();
  }

  // Until the batch is handed on, once.
  void pin(const std::shared_ptr<const void>& owner) {
    if (std::ranges::find(pinned_, owner.get()) != pinned_.end()) return;
    pinned_.push_back(owner.get());
    output_.pin_lasting(owner);
  }

  std::unique_ptr<RecordSource> source_;
  std::shared_ptr<HiddenTraces> traces_;
  HiddenTraces::Impl& impl_;
  HiddenValues values_;
  BatchPtr batch_;
  std::span<const Record> left_;  // of the batch
  OutputBatch output_;
  std::vector<const void*> pinned_;  // in the output
  const Packet* last_packet_ = nullptr;
  BatchPtr packet_batch_;  // keeps it, so that no other takes its place
  std::shared_ptr<const Packet> made_packet_;
};

std::unique_ptr<RecordSource> hide(std::unique_ptr<RecordSource> source,
                                   std::shared_ptr<HiddenTraces> traces) {
  return std::make_unique<Hide>(std::move(source), std::move(traces));
}

}  // namespace tracedeck::flow
