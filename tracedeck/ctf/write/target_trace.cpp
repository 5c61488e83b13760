#include "tracedeck/ctf/write/target_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/metadata/dialect_classes.hpp"
#include "tracedeck/ctf/write/head_roles.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

// `wanted`, or a free id up to `last`.
std::uint64_t free_id(NumberSet<std::uint64_t>& taken, std::optional<std::uint64_t> wanted,
                      std::uint64_t last) {
  if (wanted && *wanted <= last && taken.insert(*wanted).second) return *wanted;
  std::uint64_t id = taken.size();
  while (!taken.insert(id).second) id = id == last ? 0 : id + 1;
  return id;
}

// Classes whose programs are kept: each takes half a KiB.
constexpr std::size_t kManyClasses = 8'192;

constexpr std::uint64_t kLastShortId = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kLastId = std::numeric_limits<std::uint64_t>::max();
// Of classes in TSDL, as babeltrace2 reads it.
constexpr std::uint64_t kLastTsdlId = std::numeric_limits<std::int64_t>::max();

// Members that came from the packet context of the source, its roles left out.
StructureClass user_members(const StructureClass& context, std::vector<bool>& kept) {
  StructureClass users;
  for (const Member& member : context.members) {
    kept.push_back(!has_role_inside(*member.field_class));
    if (!kept.back()) continue;
    users.members.push_back(member);
    Name& name = users.members.back().name;
    while (is_packet_member(name)) name = name.str() + '_';
  }
  return users;
}

bool is_ctf1(const TraceDescription* trace) {
  return trace != nullptr && trace->version() == trace_version(Dialect::kCtf1);
}

// Whether the dialect has the classes of a head. UUIDs have one in each.
bool has_heads(const FieldClassPtr& head, Dialect dialect) {
  if (head == nullptr) return true;
  StructureClass others = *head->as<StructureClass>();
  std::erase_if(others.members, [](const Member& member) {
    return !member.field_class->roles.empty() && member.field_class->as<IntegerClass>() == nullptr;
  });
  return is_expressible(make_field_class(std::move(others)), dialect);
}

// The member of a packet header that is the UUID of the trace; behind the last: there is none.
std::size_t uuid_member(const StructureClass& packet_header) {
  const auto found = std::ranges::find_if(packet_header.members, [](const Member& member) {
    return std::ranges::any_of(member.field_class->roles, [](const std::string& word) {
      return find_role(word) == Role::kUuid;
    });
  });
  return static_cast<std::size_t>(found - packet_header.members.begin());
}

}  // namespace

TargetTrace::TargetTrace(Dialect dialect, bool single_source, Adaptations& adaptations,
                         MetadataWriter& metadata)
    : dialect_(dialect),
      single_source_(single_source),
      adaptations_(adaptations),
      writer_(metadata),
      clocks_(dialect, metadata) {}

Result<void> TargetTrace::begin_empty() {
  if (begun_) return {};
  begun_ = true;
  const TraceClass trace_class{.packet_header = layout_.header_class(dialect_)};
  if (auto done = writer_.begin(trace_class, {}); !done) return done;
  // A trace has one data stream class at least.
  return writer_.add_stream_class({.id = 0});
}

Result<void> TargetTrace::begin(const DataStream& stream) {
  begun_ = true;
  TraceClass trace_class;
  const TraceDescription* const first = stream.stream_class->trace;
  if (first != nullptr) {
    first_trace_ = first->number();
    first_version_ = first->version();
    trace_class = first->trace_class();
    environment_ = first->environment();
  }
  has_stream_ids_ =
      std::ranges::any_of(stream.keys, [](const StreamKey& key) { return key.name != "class"; });
  keeps_heads_ = first != nullptr && can_keep_heads(*first);
  if (keeps_heads_) {
    packet_header_ = trace_class.packet_header;
    if (packet_header_ != nullptr) {
      uuid_member_ = uuid_member(*packet_header_->as<StructureClass>());
      if (uuid_member_ != packet_header_->as<StructureClass>()->members.size())
        uuid_ = trace_class.uuid;
      ClassMapper mapper(
          {.dialect = dialect_,
           .keep_roles = true,
           .head_selectors = dialect_ == Dialect::kCtf1 ? nullptr : &head_selectors_});
      auto mapped = mapper.add_root(Root::kPacketHeader, packet_header_);
      if (!mapped) return std::unexpected(mapped.error());
      trace_class.packet_header = mapped->target;
    }
  } else {
    layout_ = {.uuid = trace_class.uuid, .has_stream_ids = has_stream_ids_};
    trace_class.packet_header = layout_.header_class(dialect_);
  }
  if (auto done = writer_.begin(trace_class, environment_); !done || first == nullptr) return done;
  if (single_source_ && is_ctf1(first) && first->clocks().size() == 1) clocks_.leave_implicit();
  // Clocks that no data stream has are there too.
  for (const ClockClass& clock : first->clocks()) {
    if (auto found = clocks_.find(clock, is_ctf1(first)); !found)
      return std::unexpected(found.error());
  }
  return {};
}

void TargetTrace::put_uuid(std::span<Slot> packet_header) const {
  if (!uuid_) return;
  const Slot* const end = packet_header.data() + packet_header.size();
  Slot* slot = packet_header.data();
  for (std::size_t i = 0; i < uuid_member_ && slot < end; ++i) slot += 1 + slot->extent();
  if (slot >= end || slot->length != uuid_->size()) return;
  if (slot->kind == SlotKind::kBlob || slot->kind == SlotKind::kPackedArray)
    slot->pointer = uuid_->data();
}

Result<TargetStreamClass*> TargetTrace::stream_class(const DataStream& stream) {
  const DataStreamClass& source = *stream.stream_class;
  const auto made_before = stream_class_of_.find(source.entity);
  if (made_before != stream_class_of_.end()) return made_before->second.get();
  if (!begun_) {
    if (auto done = begin(stream); !done) return std::unexpected(done.error());
  }
  const std::uint64_t trace = source.trace == nullptr ? 0 : source.trace->number();
  if (keeps_heads_ && (trace != first_trace_ || !fits_heads(source))) {
    return fail(ErrorCode::kUnsupported,
                "a data stream that has other packets than those before; write it without "
                "`single_source`");
  }
  if (auto fits =
          written_out_.add({source.packet_context, source.event_header, source.common_context},
                           source.trace == nullptr ? std::string() : source.trace->input());
      !fits)
    return std::unexpected(fits.error());
  auto owner = std::make_unique<TargetStreamClass>();
  TargetStreamClass& made = *owner;
  made.source = &source;
  made.from_ctf = source.trace != nullptr && source.trace->format() == "ctf";
  made.layout = layout_;
  HeadRoles of_events;
  of_events.collect(source.event_header, Root::kEventHeader);
  made.layout.has_wide_ids =
      of_events.has_wide_id || std::ranges::any_of(events_of(source), [](const EventClass* each) {
        return each->id.value_or(0) > kLastShortId;
      });
  made.target = source;
  made.target.default_clock = nullptr;
  made.common_context = made.target.common_context;
  made.target.id = free_id(stream_class_ids_, source.id, last_id(source.trace));
  if (source.id && *source.id != *made.target.id) adapted(Adaptation::kClassId);
  if (source.default_clock != nullptr) {
    auto target = clocks_.find(*source.default_clock, is_ctf1(source.trace));
    if (!target) return std::unexpected(target.error());
    made.target.default_clock = *target;
    made.layout.has_clock = true;
  }
  if (keeps_heads_) {
    if (auto mapped = map_heads(made); !mapped) return std::unexpected(mapped.error());
  } else {
    note_header(source.trace);
    if (auto mapped = map_packet_context(made); !mapped) return std::unexpected(mapped.error());
    made.target.event_header = made.layout.event_header_class(dialect_);
  }
  ClassMapper mapper(mapper_options());
  if (made.packet_mapper != nullptr) mapper.use_packet_context(*made.packet_mapper);
  if (made.event_header != nullptr) {
    auto mapped = mapper.add_root(Root::kEventHeader, made.event_header);
    if (!mapped) return std::unexpected(mapped.error());
    made.target.event_header = mapped->target;
  }
  if (made.common_context != nullptr) {
    auto mapped = mapper.add_root(Root::kCommonContext, made.common_context);
    if (!mapped) return std::unexpected(mapped.error());
    made.target.common_context = mapped->target;
  }
  count(mapper.counts());
  adapted(Adaptation::kHeadMember, mapper.counts().left_out);
  if (made.packet_mapper != nullptr)
    adapted(Adaptation::kHeadMember, made.packet_mapper->counts().left_out);
  if (auto added = writer_.add_stream_class(made.target); !added)
    return std::unexpected(added.error());
  stream_class_of_.emplace(source.entity, std::move(owner));
  return &made;
}

// The last id that a class of a trace may have.
std::uint64_t TargetTrace::last_id(const TraceDescription* source) const {
  return dialect_ == Dialect::kCtf1 && !is_ctf1(source) ? kLastTsdlId : kLastId;
}

// A head that is bookkeeping itself has its like in the target's own.
void TargetTrace::note_left_out(const Member& member) {
  if (!member.field_class->roles.empty()) return;
  const std::string path = "packet." + std::string(member.name.str());
  const bool has_room = heads_left_out_.size() < kMostHeads || heads_left_out_.contains(path);
  ++heads_left_out_[has_room ? path : "(others)"];
}

void TargetTrace::note_header(const TraceDescription* trace) {
  if (trace == nullptr || trace->trace_class().packet_header == nullptr ||
      trace->number() <= noted_until_ || !noted_headers_.insert(trace->number()).second)
    return;
  if (noted_headers_.size() > kMostNoted)
    noted_until_ = noted_headers_.extract(noted_headers_.begin()).value();
  for (const Member& each : trace->trace_class().packet_header->as<StructureClass>()->members)
    note_left_out(each);
}

const std::vector<const EventClass*>& TargetTrace::events_of(const DataStreamClass& source) {
  if (source.trace != nullptr) {
    const auto& classes = source.trace->event_classes();
    for (std::size_t& known = known_classes_[source.trace->number()]; known < classes.size();
         ++known) {
      const EventClass& each = classes[known];
      if (each.stream_class != nullptr) events_of_[each.stream_class->entity].push_back(&each);
    }
  }
  return events_of_[source.entity];
}

Result<void> TargetTrace::map_packet_context(TargetStreamClass& made) {
  std::vector<Member> more;
  const FieldClassPtr& source = made.source->packet_context;
  if (source != nullptr) {
    const auto& members = *source->as<StructureClass>();
    StructureClass users = user_members(members, made.packet_members);
    for (std::size_t i = 0; i < members.members.size(); ++i) {
      if (!made.packet_members[i]) note_left_out(members.members[i]);
    }
    made.packet_mapper = std::make_unique<ClassMapper>(MapperOptions{.dialect = dialect_});
    made.packet_context = make_field_class(std::move(users));
    auto mapped = made.packet_mapper->add_root(Root::kPacketContext, made.packet_context);
    if (!mapped) return std::unexpected(mapped.error());
    made.packet_node = mapped->node;
    more = mapped->target->as<StructureClass>()->members;
    Alignments alignments;
    for (const Member& member : more) {
      made.layout.context_alignment =
          std::max(made.layout.context_alignment, alignments.of(*member.field_class));
    }
    count(made.packet_mapper->counts());
  }
  made.target.packet_context = made.layout.context_class(dialect_, std::move(more));
  return {};
}

bool TargetTrace::is_of_dialect(Dialect dialect) const {
  return first_trace_ != 0 && first_version_ == trace_version(dialect);
}

bool TargetTrace::can_keep_heads(const TraceDescription& first) {
  if (!single_source_ || first.format() != "ctf" || !first.has_heads()) return false;
  for (const DataStreamClass& each : first.stream_classes()) collect_head_selectors(each);
  return std::ranges::all_of(first.stream_classes(),
                             [&](const DataStreamClass& each) { return fits_heads(each); });
}

// Whether the target can have its heads as they are.
bool TargetTrace::fits_heads(const DataStreamClass& source) {
  const FieldClassPtr& header = source.trace->trace_class().packet_header;
  if (dialect_ != Dialect::kCtf1) {
    if (head_selectors_.has_idle_value(header, Root::kPacketHeader) ||
        head_selectors_.has_idle_value(source.event_header, Root::kEventHeader))
      return false;
  }
  const bool has_classes = is_of_dialect(dialect_) || (has_heads(header, dialect_) &&
                                                       has_heads(source.packet_context, dialect_) &&
                                                       has_heads(source.event_header, dialect_));
  if (!has_classes) return false;
  HeadRoles heads;
  heads.collect(header, source);
  return heads.serve(is_of_dialect(Dialect::kCtf1), dialect_ == Dialect::kCtf1,
                     source.default_clock != nullptr);
}

// What the classes of a data stream are selected by.
void TargetTrace::collect_head_selectors(const DataStreamClass& source) {
  head_selectors_.collect(source.trace->trace_class().packet_header);
  head_selectors_.collect(source.packet_context);
  head_selectors_.collect(source.event_header);
  head_selectors_.collect(source.common_context);
  for (const EventClass* const each : events_of(source)) {
    head_selectors_.collect(each->specific_context);
    head_selectors_.collect(each->payload);
  }
}

MapperOptions TargetTrace::mapper_options() const {
  return {
      .dialect = dialect_,
      .keep_roles = keeps_heads_,
      .head_selectors = keeps_heads_ && dialect_ != Dialect::kCtf1 ? &head_selectors_ : nullptr};
}

Result<void> TargetTrace::map_heads(TargetStreamClass& made) {
  MapperOptions options = mapper_options();
  options.widen_sizes = dialect_ == Dialect::kCtf1 && !is_of_dialect(dialect_);
  made.packet_mapper = std::make_unique<ClassMapper>(options);
  if (packet_header_ != nullptr) {
    auto mapped = made.packet_mapper->add_root(Root::kPacketHeader, packet_header_);
    if (!mapped) return std::unexpected(mapped.error());
    made.header_node = mapped->node;
  }
  made.packet_context = made.source->packet_context;
  made.event_header = made.source->event_header;
  made.target.packet_context = nullptr;
  made.target.event_header = nullptr;
  if (made.packet_context != nullptr) {
    auto mapped = made.packet_mapper->add_root(Root::kPacketContext, made.packet_context);
    if (!mapped) return std::unexpected(mapped.error());
    made.packet_node = mapped->node;
    made.target.packet_context = mapped->target;
  }
  count(made.packet_mapper->counts());
  return {};
}

Result<TargetEventClass*> TargetTrace::event_class(const EventClass& source,
                                                   TargetStreamClass& stream_class) {
  const EventKey key{source.entity, stream_class.source->entity};
  const auto known = event_class_of_.find(key);
  if (known != event_class_of_.end()) return known->second.get();
  const TraceDescription* const trace = stream_class.source->trace;
  const auto written = ids_of_others_.find(key);
  const bool is_new = written == ids_of_others_.end();
  if (is_new) {
    if (auto fits = written_out_.add({source.specific_context, source.payload},
                                     trace == nullptr ? std::string() : trace->input());
        !fits)
      return std::unexpected(fits.error());
  }
  auto made = std::make_unique<TargetEventClass>();
  made->source = &source;
  made->stream_class = &stream_class;
  made->id = is_new ? free_id(stream_class.event_ids, source.id,
                              stream_class.layout.has_wide_ids ? last_id(trace) : kLastShortId)
                    : written->second;
  if (is_new && source.id && *source.id != made->id) adapted(Adaptation::kClassId);
  EventClass target{.id = made->id,
                    .name = source.name,
                    .name_space = source.name_space,
                    .uid = source.uid,
                    .stream_class = &stream_class.target,
                    .specific_context = source.specific_context,
                    .payload = source.payload};
  const auto mapped = map_event(*made, target);
  if (!mapped) return std::unexpected(mapped.error());
  if (!is_new) {
    ids_of_others_.erase(written);
    return (event_class_of_[key] = std::move(made)).get();
  }
  count(*mapped);
  // Readers of CTF 1.8 want a name of every class.
  if (dialect_ == Dialect::kCtf1 && !target.name && !is_ctf1(trace))
    target.name = fmt::format("#{}", made->id);
  if (auto added = writer_.add_event_class(target, source.attributes); !added)
    return std::unexpected(added.error());
  return (event_class_of_[key] = std::move(made)).get();
}

Result<void> TargetTrace::add_other_classes(TargetStreamClass& stream_class,
                                            const std::function<Result<void>()>& added) {
  for (const EventClass* const each : events_of(*stream_class.source)) {
    const EventKey key{each->entity, stream_class.source->entity};
    if (event_class_of_.contains(key) || ids_of_others_.contains(key)) continue;
    // One that cannot be written is missed by no event.
    const auto made = event_class(*each, stream_class);
    if (!made) continue;
    ids_of_others_.emplace(key, (*made)->id);
    event_class_of_.erase(key);
    if (auto done = added(); !done) return done;
  }
  return {};
}

Result<MapperCounts> TargetTrace::map_event(TargetEventClass& made, EventClass& target) {
  ClassMapper mapper(mapper_options());
  if (made.stream_class->packet_mapper != nullptr)
    mapper.use_packet_context(*made.stream_class->packet_mapper);
  const auto add = [&](Root root, const FieldClassPtr& source,
                       std::optional<std::uint32_t>& node) -> Result<FieldClassPtr> {
    if (source == nullptr) return nullptr;
    auto mapped = mapper.add_root(root, source);
    if (!mapped) return std::unexpected(mapped.error());
    node = mapped->node;
    return mapped->target;
  };
  auto header = add(Root::kEventHeader, made.stream_class->event_header, made.header);
  if (!header) return std::unexpected(header.error());
  auto common = add(Root::kCommonContext, made.stream_class->common_context, made.common);
  if (!common) return std::unexpected(common.error());
  auto specific = add(Root::kSpecificContext, target.specific_context, made.specific);
  if (!specific) return std::unexpected(specific.error());
  auto body = add(Root::kPayload, target.payload, made.body);
  if (!body) return std::unexpected(body.error());
  target.specific_context = *specific;
  target.payload = *body;
  const MapperCounts counts = mapper.counts();
  made.program = std::move(mapper).take_program();
  if (!made.program.refs.empty()) {
    made.values.resize(made.program.nodes.size());
  } else if (made.body && !made.common && !made.specific) {
    made.plain_members = made.program.plain_members(*made.body);
  }
  return counts;
}

bool TargetTrace::forget_many() {
  if (event_class_of_.size() < kManyClasses) return false;
  for (const auto& [key, made] : event_class_of_) ids_of_others_.emplace(key, made->id);
  event_class_of_.clear();
  written_out_.forget();
  return true;
}

void TargetTrace::forget(const std::function<bool(std::uint64_t trace)>& gone) {
  const auto is_of_gone = [&](const auto& each) { return gone(each.first.trace); };
  std::erase_if(event_class_of_, [&](const auto& each) {
    return gone(each.first.source.trace) || gone(each.first.stream_class.trace);
  });
  std::erase_if(ids_of_others_, [&](const auto& each) { return gone(each.first.source.trace); });
  std::erase_if(stream_class_of_, is_of_gone);
  std::erase_if(events_of_, is_of_gone);
  std::erase_if(known_classes_, [&](const auto& each) { return gone(each.first); });
  clocks_.forget(gone);
  written_out_.forget();
}

void TargetTrace::count(const MapperCounts& counts) {
  adapted(Adaptation::kRealigned, counts.realigned);
}

}  // namespace tracedeck::ctf
