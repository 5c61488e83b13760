#include "tracedeck/dial9/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/make_value.hpp"
#include "tracedeck/dial9/plain_fields.hpp"
#include "tracedeck/dial9/schema_mapping.hpp"
#include "tracedeck/dial9/slot_values.hpp"
#include "tracedeck/format/adaptations.hpp"
#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::dial9 {
namespace {

// What may not come over, in the order of the receipt.
enum class Adaptation : std::uint8_t {
  kField,
  kAnnotation,
  kPlainStack,
  kEmptyStack,
  kTypeId,
  kStream,
  kTimeRange,
  kUnresolved,
  kLoss,
  kUnused,
  kCount,
};
using Adaptations = AdaptationCounts<Adaptation>;
constexpr Adaptations::Table kAdaptations = {{
    {"lists and maps of values, which need version 0.4", "left out", true},
    {"annotations of fields, which need version 0.4", "left out", true},
    {"pooled stacks, which need version 0.4", "written in place", false},
    {"references to undefined stacks, which need version 0.4", "written as empty stacks", true},
    {"event types whose type_id another type has", "given another type_id", false},
    {"events of another data stream than the segment's", "written into the segment at hand", true},
    {"times before 0 or after 2^64-1 ns", "written as the nearest that can be", true},
    {"references to undefined pool entries whose id is taken now", "written as id 4294967295",
     true},
    {"losses that the producer recorded", "left out", true},
    {"event classes without events, beyond 65,536 classes", "left out", true},
}};

class TraceWriter final : public Writer {
 public:
  TraceWriter(io::Output& output, bool since_0_4, bool part_of_source)
      : encoder_([&output](ByteSpan bytes) { return output.write(bytes); },
                 {.version = since_0_4 ? Version::k0_4 : Version::k0_3}),
        values_(encoder_),
        since_0_4_(since_0_4),
        part_of_source_(part_of_source) {}

  Result<void> write(const Record& record) override {
    return record.kind == RecordKind::kEvent ? write_event(record.event) : write_other(record);
  }

  Result<void> describe(const TraceDescription& trace) override {
    std::unordered_multimap<std::uint64_t, const Schema*> written;
    for (const EventClass& each : trace.event_classes()) {
      const Registered& known = registered_[each];
      if (known.segment != 0) written.emplace(each.id.value_or(0), &known.mapping.schema);
    }
    for (const EventClass& each : trace.event_classes()) {
      if (registered_[each].segment != 0) continue;
      // A type that was annotated before its first event is two classes, and is written already.
      const Schema schema = map_schema(each, since_0_4_).schema;
      const auto [first, last] = written.equal_range(each.id.value_or(0));
      if (std::any_of(first, last, [&](const auto& of) { return extends(*of.second, schema); }))
        continue;
      if (auto done = register_unused(each); !done) return done;
    }
    return {};
  }

  Result<void> flush() override { return encoder_.flush(); }

  Result<void> finish() override {
    open_ = {};
    if (auto ended = end_traces(); !ended) return ended;
    const auto finished = encoder_.finish();
    if (!finished) return std::unexpected(finished.error());
    return {};
  }

  [[nodiscard]] Receipt receipt() const override {
    Adaptations all = adaptations_;
    all.add(Adaptation::kUnresolved, values_.renumbered());
    Receipt receipt = all.receipt(kAdaptations);
    for (const auto& [key, place] : places_) {
      const auto& [what, event_class, path] = key;
      const AdaptationFacts& facts = kAdaptations[static_cast<std::size_t>(what)];
      if (place.count == 0) continue;
      receipt.push_back({.what = std::string(facts.what),
                         .done = std::string(facts.done),
                         .count = place.count,
                         .lossy = facts.lossy,
                         .event_class = event_class,
                         .path = path,
                         .input = place.input,
                         .offset = place.offset});
    }
    return receipt;
  }

 private:
  // An event class, and how the segment knows it that it was registered in last.
  struct Registered {
    explicit Registered(const EventClass&) {}
    std::uint64_t segment = 0;  // counts those of the result from 1; 0: none yet
    std::uint16_t type_id = 0;
    SchemaMapping mapping = {};
    std::optional<PlainFields> plain = {};
    std::vector<std::uint64_t*> left_out = {};  // how often each field that is
    // How often each of `mapping.plain_stacks` is undefined.
    std::vector<std::uint64_t*> undefined_stacks = {};
  };

  // Something of a class that the target version has in another way, or not at all.
  struct Place {
    std::uint64_t count = 0;
    std::string input = {};
    std::uint64_t offset = 0;  // of the first event
  };

  Result<void> write_other(const Record& record) {
    switch (record.kind) {
      case RecordKind::kStreamBegin:
        return begin_stream(*record.stream);
      case RecordKind::kStreamEnd:
        if (open_streams_ > 0) --open_streams_;
        open_.end(record.stream->entity.trace);
        break;
      case RecordKind::kLoss:
        if (!is_told(*record.loss)) adaptations_.add(Adaptation::kLoss);
        break;
      case RecordKind::kEvent:
      case RecordKind::kPacketBegin:
      case RecordKind::kPacketEnd:
      case RecordKind::kDescription:
      case RecordKind::kProblem:
      case RecordKind::kFinding:
        break;
    }
    return {};
  }

  // Whether an event says the loss: in dial9 all that are counted.
  static bool is_told(const Loss& loss) {
    if (loss.by_event) return true;
    const DataStreamClass* const of = loss.stream == nullptr ? nullptr : loss.stream->stream_class;
    return loss.events && of != nullptr && of->trace != nullptr && of->trace->format() == "dial9";
  }

  Result<void> begin_stream(const DataStream& stream) {
    if (auto begun = begin_trace(stream); !begun) return begun;
    if (++open_streams_ > 1) return {};
    if (segment_stream_) {
      if (auto begun = begin_segment(); !begun) return begun;
    }
    segment_stream_ = stream.entity;
    return {};
  }

  // Classes without events are of the trace too. Which they are shows when it has ended, which it
  // has at the latest when all have; or when a newer one begins, and no data stream of it is open.
  Result<void> begin_trace(const DataStream& stream) {
    if (!open_.begin(stream.entity.trace)) return {};
    if (auto ended = end_traces(); !ended) return ended;
    if (stream.stream_class == nullptr || stream.stream_class->trace == nullptr) return {};
    if (auto trace = stream.stream_class->trace->weak_from_this().lock())
      traces_.push_back(std::move(trace));
    return {};
  }

  Result<void> end_traces() {
    for (const auto& trace : traces_) {
      // Of a part of a trace, classes without events are of no use.
      if (part_of_source_ || open_.has(trace->number())) continue;
      if (auto done = describe(*trace); !done) return done;
    }
    std::erase_if(traces_, [&](const auto& trace) { return !open_.has(trace->number()); });
    return {};
  }

  Result<void> register_unused(const EventClass& event_class) {
    auto done = register_class(event_class, registered_[event_class]);
    if (done || done.error().code != ErrorCode::kLimitExceeded) return done;
    adaptations_.add(Adaptation::kUnused);
    return {};
  }

  Result<void> begin_segment() {
    if (auto begun = encoder_.new_segment(); !begun) return begun;
    ++segment_;
    owners_.clear();
    types_.clear();
    types_are_known_ = false;
    values_.forget_pools();
    return {};
  }

  // Whether the event is written where it was.
  [[nodiscard]] bool is_in_place(const Event& event) const {
    return event.stream != nullptr && event.stream->entity == segment_stream_;
  }

  Result<void> write_event(const Event& event) {
    last_ = &registered_[*event.event_class];
    if (last_->segment != segment_) [[unlikely]] {
      if (auto done = register_class(*event.event_class, *last_, event.stream, event.offset); !done)
        return done;
    }
    if (!is_in_place(event)) adaptations_.add(Adaptation::kStream);
    if (last_->plain && put_plain(event)) return {};
    if (auto collected = collect_values(event); !collected) return collected;
    std::optional<std::uint64_t> timestamp;
    if (event.has_time()) timestamp = timestamp_of(event);
    return encoder_.write_event(last_->type_id, timestamp,
                                std::span(row_).first(last_->mapping.schema.fields.size()));
  }

  // Writes an event from its slots, if its values are as `PlainFields` can write them.
  bool put_plain(const Event& event) {
    const PlainFields& fields = *last_->plain;
    const std::span<const Slot> payload = event.payload();
    if (payload.size() != fields.count()) return false;
    std::optional<std::uint64_t> timestamp;
    if (event.has_time()) {
      if (!event.event_class->clock->counts_nanoseconds()) return false;
      timestamp = event.time;
    }
    return encoder_.put_event_values(
        last_->type_id, timestamp, fields.room(payload),
        [&](std::uint8_t* to) { return fields.put(to, payload.data()); });
  }

  Result<void> collect_values(const Event& event) {
    values_.begin_event();
    const SchemaMapping& mapping = last_->mapping;
    if (row_.size() < mapping.schema.fields.size()) row_.resize(mapping.schema.fields.size());
    const FieldDefinition* field = mapping.schema.fields.data();
    Value* value = row_.data();
    const Slot* slot = event.payload().data();
    auto left_out = last_->left_out.begin();
    for (const std::uint8_t is_kept : mapping.kept) {
      if (is_kept != 0 && is_plain_number(*field, *slot)) [[likely]] {
        *value++ = detail::scalar((field++)->type, slot->bits);
        ++slot;
        continue;
      }
      if (is_kept == 0) {
        ++**left_out++;
      } else {
        auto converted = values_.convert(*field++, *slot);
        if (!converted) return std::unexpected(std::move(converted.error()));
        *value++ = *converted;
      }
      slot = slot->next();
    }
    if (!last_->undefined_stacks.empty()) [[unlikely]]
      count_undefined_stacks(event);
    return {};
  }

  void count_undefined_stacks(const Event& event) {
    const Slot* slot = event.payload().data();
    std::size_t member = 0;
    auto count = last_->undefined_stacks.begin();
    for (const std::size_t stack : last_->mapping.plain_stacks) {
      for (; member < stack; ++member) slot = slot->next();
      const bool is_present = slot->kind == SlotKind::kOptional && slot->bits != 0;
      const Slot& value = is_present ? *(slot + 1) : *slot;
      **count++ += value.kind == SlotKind::kUnresolved ? 1 : 0;
    }
  }

  std::uint64_t timestamp_of(const Event& event) {
    if (event.event_class->clock->counts_nanoseconds()) return event.time;
    const Nanoseconds time = event.began_at();
    constexpr std::uint64_t kLast = ~std::uint64_t{0};
    if (!time.negative() && time.magnitude() <= kLast)
      return static_cast<std::uint64_t>(time.magnitude());
    adaptations_.add(Adaptation::kTimeRange);
    return time.negative() ? 0 : kLast;
  }

  // `stream` and `offset`: of its first event, if it has one.
  Result<void> register_class(const EventClass& event_class, Registered& registered,
                              const DataStream* stream = nullptr, std::uint64_t offset = 0) {
    if (registered.segment == 0) {
      registered.mapping = map_schema(event_class, since_0_4_);
      registered.plain = PlainFields::of(event_class, registered.mapping);
      note_adaptations(event_class, registered, offset);
    }
    const auto type_id = register_mapped(registered.mapping.schema, event_class, stream);
    if (!type_id) return std::unexpected(type_id.error());
    if (event_class.id && *event_class.id != *type_id) adaptations_.add(Adaptation::kTypeId);
    registered.type_id = *type_id;
    registered.segment = segment_;
    return {};
  }

  // Of the fields of a class.
  void note_adaptations(const EventClass& event_class, Registered& registered,
                        std::uint64_t offset) {
    if (event_class.payload == nullptr) return;
    const auto& members = event_class.payload->as<StructureClass>()->members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto count_at = [&](Adaptation what) {
        Place& place =
            places_[{what, event_class.name.value_or(""), std::string(members[i].name.str())}];
        if (place.count == 0) {
          const DataStreamClass* const of = event_class.stream_class;
          if (of != nullptr && of->trace != nullptr) place.input = of->trace->input();
          place.offset = offset;
        }
        return &place.count;
      };
      if (registered.mapping.kept[i] == 0) {
        registered.left_out.push_back(count_at(Adaptation::kField));
        continue;
      }
      if (std::ranges::find(registered.mapping.plain_stacks, i) !=
          registered.mapping.plain_stacks.end()) {
        ++*count_at(Adaptation::kPlainStack);
        registered.undefined_stacks.push_back(count_at(Adaptation::kEmptyStack));
      }
      if (since_0_4_) continue;
      if (const std::size_t lost = members[i].attributes.size(); lost != 0)
        *count_at(Adaptation::kAnnotation) += lost;
    }
  }

  // The type_id of a schema, under `wanted` if that is free or has the same schema, perhaps with
  // fewer annotations, which are then added to; or that of the same type of another `stream`, as
  // segments whose events come in turns number their types by themselves.
  Result<std::uint16_t> register_mapped(const Schema& schema, const EventClass& event_class,
                                        const DataStream* stream) {
    const std::optional<std::uint64_t>& wanted = event_class.id;
    Schema plain = schema;
    plain.annotations.clear();
    std::span<const Annotation> annotations = schema.annotations;
    std::optional<std::uint16_t> free_id;
    if (wanted && *wanted < kMaxTypeCount) {
      const auto id = static_cast<std::uint16_t>(*wanted);
      const Schema* const there = encoder_.find_schema(id);
      if (there == nullptr) free_id = id;
      if (there != nullptr && extends(schema, *there)) {
        annotations = annotations.subspan(there->annotations.size());
        return annotate(id, annotations);
      }
    }
    if (stream != nullptr) {
      // Those that describe others come from segments before, too.
      const bool is_repeated = part_of_source_ && event_class.describes_others;
      if (owners_.empty()) first_owner_ = stream->entity;
      know_types(stream->entity, is_repeated);
      const auto [first, last] = types_.equal_range(schema.name);
      const auto same = std::find_if(first, last, [&](const auto& each) {
        const bool is_others = owners_[each.second] != stream->entity || is_repeated;
        return is_others && extends(schema, *encoder_.find_schema(each.second));
      });
      if (same != last) {
        const std::uint16_t id = same->second;
        return annotate(id, annotations.subspan(encoder_.find_schema(id)->annotations.size()));
      }
    }
    const auto type_id = encoder_.register_schema(plain, free_id);
    if (!type_id) return type_id;
    if (stream != nullptr) {
      owners_.resize(std::max<std::size_t>(owners_.size(), *type_id + 1U), EntityId::none());
      owners_[*type_id] = stream->entity;
      if (types_are_known_) types_.emplace(schema.name, *type_id);
    }
    return annotate(*type_id, annotations);
  }

  // Of one data stream nobody asks.
  void know_types(EntityId stream, bool even_its_own) {
    if (types_are_known_ || (stream == first_owner_ && !even_its_own)) return;
    types_are_known_ = true;
    for (std::size_t id = 0; id < owners_.size(); ++id) {
      if (owners_[id] == EntityId::none()) continue;
      const auto type_id = static_cast<std::uint16_t>(id);
      types_.emplace(encoder_.find_schema(type_id)->name, type_id);
    }
  }

  Result<std::uint16_t> annotate(std::uint16_t type_id, std::span<const Annotation> annotations) {
    if (annotations.empty()) return type_id;
    auto annotated = encoder_.annotate(type_id, annotations);
    if (!annotated) return std::unexpected(std::move(annotated.error()));
    return type_id;
  }

  // Whether `schema` is `base`, perhaps with further annotations.
  static bool extends(const Schema& schema, const Schema& base) {
    return schema.name == base.name && schema.has_timestamp == base.has_timestamp &&
           schema.fields == base.fields && schema.annotations.size() >= base.annotations.size() &&
           std::equal(base.annotations.begin(), base.annotations.end(), schema.annotations.begin());
  }

  Encoder encoder_;
  SlotValues values_;
  bool since_0_4_;
  bool part_of_source_;  // see `WriteOptions`
  ClassCache<Registered> registered_;
  Registered* last_ = nullptr;  // of the event at hand
  // Of the segment: the data streams whose types they are, by type_id.
  std::vector<EntityId> owners_;
  EntityId first_owner_ = EntityId::none();
  std::multimap<std::string, std::uint16_t> types_;  // by name
  bool types_are_known_ = false;                     // they are in `types_`
  std::optional<EntityId> segment_stream_;
  std::uint64_t segment_ = 1;
  OpenTraces open_;
  std::vector<std::shared_ptr<const TraceDescription>> traces_;  // whose classes may be unused
  std::uint64_t open_streams_ = 0;
  std::vector<Value> row_;  // values of the event at hand, and room for more
  Adaptations adaptations_;
  std::map<std::tuple<Adaptation, std::string, std::string>, Place> places_;
};

}  // namespace

Result<std::unique_ptr<Writer>> create_writer(io::Output& output, const WriteOptions& options) {
  if (!options.version.empty() && options.version != "0.3" && options.version != "0.4") {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("dial9 has no version {}: use 0.3 or 0.4", options.version));
  }
  return std::make_unique<TraceWriter>(output, options.version != "0.3", options.part_of_source);
}

}  // namespace tracedeck::dial9
