#include "tracedeck/ctf/write/target_trace.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tracedeck/ctf/write/conventions.hpp"
#include "tracedeck/ctf/write/tsdl_metadata_writer.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;
__extension__ using Wide = unsigned __int128;

// Whether readers would see the same times from both.
bool same_clock(const ClockClass& a, const ClockClass& b) {
  return a.tick == b.tick && a.offset_seconds == b.offset_seconds &&
         a.offset_ticks == b.offset_ticks && a.shift == b.shift && a.origin == b.origin &&
         a.identity == b.identity && a.origin_identity == b.origin_identity &&
         a.precision == b.precision && a.accuracy == b.accuracy && a.description == b.description;
}

bool has_role_inside(const FieldClass& field_class, std::size_t depth = 0) {
  if (!field_class.roles.empty() || depth > kClassNesting) return true;
  bool found = false;
  for_each_child(field_class, [&](const FieldClassPtr& inner) {
    found = found || has_role_inside(*inner, depth + 1);
  });
  return found;
}

// `wanted`, or a free id up to `last`.
std::uint64_t free_id(std::unordered_set<std::uint64_t>& taken, std::optional<std::uint64_t> wanted,
                      std::uint64_t last) {
  if (wanted && *wanted <= last && taken.insert(*wanted).second) return *wanted;
  std::uint64_t id = taken.size();
  while (!taken.insert(id).second) id = id == last ? 0 : id + 1;
  return id;
}

constexpr std::uint64_t kLastShortId = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kLastId = std::numeric_limits<std::uint64_t>::max();

// Members that came from the packet context of the source, its roles left out.
StructureClass user_members(const StructureClass& context, std::vector<bool>& kept) {
  StructureClass users;
  for (const Member& member : context.members) {
    kept.push_back(!has_role_inside(*member.field_class));
    if (!kept.back()) continue;
    users.members.push_back(member);
    while (is_packet_member(users.members.back().name)) users.members.back().name.push_back('_');
  }
  return users;
}

// Whether CTF 1.8 can spell all names inside.
bool has_plain_names(const FieldClassPtr& field_class, std::size_t depth = 0) {
  if (field_class == nullptr) return true;
  if (depth > kClassNesting) return false;
  bool plain = true;
  if (const auto* const structure = field_class->as<StructureClass>()) {
    plain = std::ranges::all_of(structure->members, [](const Member& member) {
      return !member.name.empty() && is_tsdl_name("_" + member.name);
    });
  }
  for_each_child(*field_class, [&](const FieldClassPtr& inner) {
    plain = plain && has_plain_names(inner, depth + 1);
  });
  return plain;
}

FieldClassPtr with_duration(const FieldClassPtr& payload) {
  StructureClass made;
  const auto* const structure = payload == nullptr ? nullptr : payload->as<StructureClass>();
  if (structure != nullptr) made = *structure;
  std::string name = "duration";
  while (std::ranges::find(made.members, name, &Member::name) != made.members.end())
    name.push_back('_');
  FieldClass duration{.kind = IntegerClass{.layout = FixedLayout{.width = 64}}};
  duration.alignment = 8;
  add_mark(duration.attributes, "kind", "\"duration\"");
  made.members.insert(made.members.begin(),
                      Member{.name = name,
                             .field_class = std::make_shared<const FieldClass>(std::move(duration)),
                             .attributes = {}});
  return make_field_class(std::move(made));
}

}  // namespace

TargetTrace::TargetTrace(Dialect dialect, Concessions& concessions)
    : dialect_(dialect), concessions_(concessions), writer_(metadata_writer(dialect)) {
  if (dialect == Dialect::kCtf1) kept_.emplace();
}

Result<void> TargetTrace::begin_empty() {
  if (begun_) return {};
  begun_ = true;
  const TraceClass trace_class{.packet_header = layout_.header_class(dialect_)};
  if (auto done = writer_->begin(trace_class, {}); !done) return done;
  // A trace has one data stream class at least.
  return writer_->add_stream_class({.id = 0});
}

Result<void> TargetTrace::begin(const DataStream& stream) {
  begun_ = true;
  TraceClass trace_class;
  first_ = stream.stream_class->trace;
  if (first_ != nullptr) {
    trace_class = first_->trace_class();
    environment_ = own_environment(first_->environment());
  }
  has_stream_ids_ =
      std::ranges::any_of(stream.keys, [](const StreamKey& key) { return key.name != "class"; });
  layout_ = {.uuid = trace_class.uuid, .has_stream_ids = has_stream_ids_};
  trace_class.packet_header = layout_.header_class(dialect_);
  if (dialect_ == Dialect::kCtf1) {
    concede(Concession::kTraceAttribute, trace_class.attributes.size());
    trace_class.attributes.clear();
  }
  return writer_->begin(trace_class, environment_);
}

Result<TargetClock> TargetTrace::clock(const ClockClass& source) {
  const auto known = clock_of_.find(&source);
  if (known != clock_of_.end()) return known->second;
  ClockClass made = source;
  TargetClock target;
  if (!clock_frequency(source)) {
    // Ticks that are no whole part of a second become nanoseconds.
    target.same_ticks = false;
    made.tick = {};
    made.offset_ticks = static_cast<std::uint64_t>(static_cast<Wide>(source.offset_ticks) *
                                                   source.tick.numerator / source.tick.denominator);
    made.precision.reset();
    made.accuracy.reset();
    concede(Concession::kClock);
  }
  const auto same = std::ranges::find_if(
      clocks_, [&](const ClockClass& clock) { return same_clock(clock, made); });
  if (same != clocks_.end()) {
    target.target = &*same;
  } else {
    if (dialect_ == Dialect::kCtf1) {
      concede(Concession::kTraceAttribute, made.attributes.size());
      made.attributes.clear();
    }
    while (!clock_ids_.insert(made.id).second) made.id.push_back('_');
    target.target = &clocks_.emplace_back(std::move(made));
    if (auto added = writer_->add_clock(*target.target); !added)
      return std::unexpected(added.error());
    if (kept_) {
      if (auto added = kept_->writer().add_clock(*target.target); !added)
        return std::unexpected(added.error());
    }
  }
  clock_of_.emplace(&source, target);
  return target;
}

Result<TargetStreamClass*> TargetTrace::stream_class(const DataStream& stream) {
  const DataStreamClass& source = *stream.stream_class;
  const auto known = stream_class_of_.find(&source);
  if (known != stream_class_of_.end() && known->second->held == source.packet_context)
    return known->second;
  if (!begun_) {
    if (auto done = begin(stream); !done) return std::unexpected(done.error());
  }
  if (source.trace != nullptr && source.trace != first_ &&
      own_environment(source.trace->environment()) != environment_) {
    concede(Concession::kEnvironment);
  }
  TargetStreamClass& made = stream_classes_.emplace_back();
  made.source = &source;
  made.held = source.packet_context;
  made.layout = layout_;
  made.layout.has_wide_ids = std::ranges::any_of(events_of(source), [](const EventClass* each) {
    return each->id.value_or(0) > kLastShortId;
  });
  made.restored = restored(source);
  const DataStreamClass* const before =
      made.restored == nullptr ? nullptr : made.restored->find(source);
  made.target = before == nullptr ? source : *before;
  made.target.default_clock = nullptr;
  made.common_context = made.target.common_context;
  collect_header_lengths(made);
  made.target.id = free_id(stream_class_ids_, source.id, kLastId);
  if (source.id && *source.id != *made.target.id) concede(Concession::kClassId);
  if (source.default_clock != nullptr) {
    auto target = clock(*source.default_clock);
    if (!target) return std::unexpected(target.error());
    made.clock = *target;
    made.target.default_clock = target->target;
    made.layout.has_clock = true;
  }
  const DataStreamClass kept = made.target;
  if (auto mapped = map_packet_context(made, before == nullptr ? nullptr : before->packet_context);
      !mapped)
    return std::unexpected(mapped.error());
  made.target.event_header = made.layout.event_header_class(dialect_);
  if (made.common_context != nullptr) {
    ClassMapper mapper({.dialect = dialect_,
                        .restoring = made.restored != nullptr,
                        .header_lengths = &made.header_lengths});
    if (made.packet_mapper != nullptr) mapper.use_packet_context(*made.packet_mapper);
    auto mapped = mapper.add_root(Root::kCommonContext, made.common_context);
    if (!mapped) return std::unexpected(mapped.error());
    made.target.common_context = mapped->target;
    count(mapper.counts());
  }
  if (dialect_ == Dialect::kCtf1) {
    concede(Concession::kAttribute, made.target.attributes.size());
    made.target.attributes.clear();
  }
  if (auto added = writer_->add_stream_class(made.target); !added)
    return std::unexpected(added.error());
  if (auto done = keep(made, kept); !done) return std::unexpected(done.error());
  stream_class_of_[&source] = &made;
  return &made;
}

const std::vector<const EventClass*>& TargetTrace::events_of(const DataStreamClass& source) {
  if (source.trace != nullptr && known_traces_.insert(source.trace).second) {
    for (const EventClass& each : source.trace->event_classes())
      events_of_[each.stream_class].push_back(&each);
  }
  return events_of_[&source];
}

void TargetTrace::collect_header_lengths(TargetStreamClass& made) {
  made.header_lengths.collect(made.common_context);
  for (const EventClass* const each : events_of(*made.source)) {
    const EventClass* const before =
        made.restored == nullptr ? nullptr : made.restored->find(*each);
    const EventClass& known = before == nullptr ? *each : *before;
    made.header_lengths.collect(known.specific_context);
    made.header_lengths.collect(known.payload);
  }
  made.layout.header_lengths = made.header_lengths.size();
}

Result<void> TargetTrace::map_packet_context(TargetStreamClass& made, const FieldClassPtr& before) {
  std::vector<Member> more;
  if (made.source->packet_context != nullptr) {
    StructureClass users =
        user_members(*made.source->packet_context->as<StructureClass>(), made.packet_members);
    made.packet_mapper = std::make_unique<ClassMapper>(
        MapperOptions{.dialect = dialect_, .restoring = made.restored != nullptr});
    made.packet_context = before != nullptr ? before : make_field_class(std::move(users));
    auto mapped = made.packet_mapper->add_root(Root::kPacketContext, made.packet_context);
    if (!mapped) return std::unexpected(mapped.error());
    made.packet_node = mapped->node;
    more = mapped->target->as<StructureClass>()->members;
    for (const Member& member : more) {
      made.layout.context_alignment =
          std::max(made.layout.context_alignment, alignment_of(*member.field_class));
    }
    count(made.packet_mapper->counts());
  }
  made.target.packet_context = made.layout.context_class(dialect_, std::move(more));
  return {};
}

Result<TargetEventClass*> TargetTrace::event_class(const EventClass& source,
                                                   TargetStreamClass& stream_class) {
  const EventKey key{&source, &stream_class};
  const auto known = event_class_of_.find(key);
  if (known != event_class_of_.end() && known->second->payload == source.payload)
    return known->second.get();
  auto made = std::make_unique<TargetEventClass>();
  made->source = &source;
  made->payload = source.payload;
  made->stream_class = &stream_class;
  made->id = free_id(stream_class.event_ids, source.id,
                     stream_class.layout.has_wide_ids ? kLastId : kLastShortId);
  if (source.id && *source.id != made->id) concede(Concession::kClassId);
  made->has_duration = source.has_duration;
  const EventClass* const before =
      stream_class.restored == nullptr ? nullptr : stream_class.restored->find(source);
  EventClass target = before == nullptr ? source : *before;
  target.id = made->id;
  target.stream_class = &stream_class.target;
  const EventClass kept = target;
  if (auto mapped = map_event(*made, target); !mapped) return std::unexpected(mapped.error());
  if (dialect_ == Dialect::kCtf1) {
    const auto lost = std::ranges::count_if(
        target.attributes, [](const Attribute& attribute) { return attribute.is_json; });
    concede(Concession::kAttribute, static_cast<std::uint64_t>(lost));
  }
  if (auto added = writer_->add_event_class(target); !added) return std::unexpected(added.error());
  if (auto done = keep(*made, kept); !done) return std::unexpected(done.error());
  return (event_class_of_[key] = std::move(made)).get();
}

Result<void> TargetTrace::map_event(TargetEventClass& made, EventClass& target) {
  made.mapper = std::make_unique<ClassMapper>(
      MapperOptions{.dialect = dialect_,
                    .restoring = made.stream_class->restored != nullptr,
                    .header_lengths = &made.stream_class->header_lengths});
  if (made.stream_class->packet_mapper != nullptr)
    made.mapper->use_packet_context(*made.stream_class->packet_mapper);
  const auto add = [&](Root root, const FieldClassPtr& source,
                       std::optional<std::uint32_t>& node) -> Result<FieldClassPtr> {
    if (source == nullptr) return nullptr;
    auto mapped = made.mapper->add_root(root, source);
    if (!mapped) return std::unexpected(mapped.error());
    node = mapped->node;
    return mapped->target;
  };
  const FieldClassPtr payload = made.has_duration ? with_duration(target.payload) : target.payload;
  auto common = add(Root::kCommonContext, made.stream_class->common_context, made.common);
  if (!common) return std::unexpected(common.error());
  auto specific = add(Root::kSpecificContext, target.specific_context, made.specific);
  if (!specific) return std::unexpected(specific.error());
  auto body = add(Root::kPayload, payload, made.body);
  if (!body) return std::unexpected(body.error());
  target.specific_context = *specific;
  target.payload = *body;
  made.values.resize(made.mapper->program().nodes.size());
  count(made.mapper->counts());
  return {};
}

const RestoredClasses* TargetTrace::restored(const DataStreamClass& source) {
  if (source.trace == nullptr) return nullptr;
  const auto [found, is_new] = restored_.try_emplace(source.trace);
  if (is_new) found->second = RestoredClasses::from(*source.trace);
  return found->second.get();
}

// What comes before a class of CTF 1.8: the same in CTF2-SPEC-2.0, where that says more.
Result<void> TargetTrace::keep(const TargetStreamClass& made, DataStreamClass before) {
  if (!kept_) return {};
  const MapperOptions options{
      .dialect = Dialect::kFinal, .keeping = true, .header_lengths = &made.header_lengths};
  ClassMapper packet(options);
  ClassMapper mapper(options);
  if (made.packet_context != nullptr) {
    auto mapped = packet.add_root(Root::kPacketContext, made.packet_context);
    if (!mapped) return std::unexpected(mapped.error());
    before.packet_context = mapped->target;
    mapper.use_packet_context(packet);
  }
  if (made.common_context != nullptr) {
    auto mapped = mapper.add_root(Root::kCommonContext, made.common_context);
    if (!mapped) return std::unexpected(mapped.error());
    before.common_context = mapped->target;
  }
  before.id = made.target.id;
  before.event_header = made.layout.event_header_class(Dialect::kFinal);
  before.default_clock = made.target.default_clock;
  if (auto added = kept_->writer().add_stream_class(before); !added) return added;
  add_kept();
  return {};
}

Result<void> TargetTrace::keep(const TargetEventClass& made, EventClass before) {
  const MapperCounts& counts = made.mapper->counts();
  const bool differs = counts.put_otherwise + counts.lengths_added + counts.attributes_lost != 0 ||
                       !before.attributes.empty() || !before.name_space.empty() ||
                       !before.uid.empty() || !has_plain_names(before.specific_context) ||
                       !has_plain_names(before.payload) ||
                       !has_plain_names(made.stream_class->packet_context) ||
                       !has_plain_names(made.stream_class->common_context);
  if (!kept_ || !differs) return {};
  const MapperOptions options{.dialect = Dialect::kFinal,
                              .keeping = true,
                              .header_lengths = &made.stream_class->header_lengths};
  ClassMapper packet(options);
  ClassMapper mapper(options);
  const TargetStreamClass& parent = *made.stream_class;
  if (parent.packet_context != nullptr) {
    if (auto mapped = packet.add_root(Root::kPacketContext, parent.packet_context); !mapped)
      return std::unexpected(mapped.error());
    mapper.use_packet_context(packet);
  }
  if (made.has_duration) before.payload = with_duration(before.payload);
  FieldClassPtr common = parent.common_context;
  for (const auto& [root, where] : {std::pair{&common, Root::kCommonContext},
                                    std::pair{&before.specific_context, Root::kSpecificContext},
                                    std::pair{&before.payload, Root::kPayload}}) {
    if (*root == nullptr) continue;
    auto mapped = mapper.add_root(where, *root);
    if (!mapped) return std::unexpected(mapped.error());
    *root = mapped->target;
  }
  if (auto added = kept_->writer().add_event_class(before); !added) return added;
  add_kept();
  return {};
}

void TargetTrace::add_kept() { writer_->add_environment(kept_->take()); }

void TargetTrace::count(const MapperCounts& counts) {
  concede(Concession::kOtherwise, counts.put_otherwise);
  concede(Concession::kAdded, counts.lengths_added);
  concede(Concession::kRealigned, counts.realigned);
  concede(Concession::kAttribute, counts.attributes_lost);
}

}  // namespace tracedeck::ctf
