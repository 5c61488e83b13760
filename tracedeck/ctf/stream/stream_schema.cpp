#include "tracedeck/ctf/stream/stream_schema.hpp"

#include <utility>

#include "tracedeck/ctf/stream/compile.hpp"
#include "tracedeck/ctf/stream/locations.hpp"
#include "tracedeck/ctf/stream/registers.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

void append(std::vector<ClassFault>& to, std::vector<ClassFault> faults) {
  to.insert(to.end(), std::make_move_iterator(faults.begin()),
            std::make_move_iterator(faults.end()));
}

}  // namespace

void StreamSchema::add_event(std::uint64_t id, std::shared_ptr<const EventSchema> event) {
  if (id < kMostDense) {
    if (dense_.size() <= id) dense_.resize(id + 1);
    dense_[id] = std::move(event);
  } else {
    sparse_[id] = std::move(event);
  }
}

// What was added so far. Programs are compiled when a schema is asked for, and again for a data
// stream class when later locations lead into its fields.
struct SchemaBuilder::State {
  struct Event {
    const EventClass* event_class;
    std::shared_ptr<const EventSchema> schema = nullptr;
  };
  struct Stream {
    const DataStreamClass* stream_class;
    std::map<std::uint64_t, Event> events = {};
    std::size_t registers = 0;  // that the programs below know of
    std::shared_ptr<const StreamSchema> schema = nullptr;
  };

  Registers registers;
  LocationChecker locations{registers, Dialect::kRc3};
  Alignments alignments;
  Dialect dialect = Dialect::kRc3;
  const TraceClass* trace_class = nullptr;
  std::map<std::uint64_t, Stream> streams;
  bool faulty = false;
  std::shared_ptr<const TraceSchema> built;

  [[nodiscard]] RootScopes scopes() const {
    RootScopes scopes;
    if (trace_class != nullptr)
      scopes[Root::kPacketHeader] = {trace_class->packet_header.get(), trace_class};
    return scopes;
  }
  [[nodiscard]] RootScopes scopes(const DataStreamClass& of) const {
    RootScopes result = scopes();
    result[Root::kPacketContext] = {of.packet_context.get(), &of};
    result[Root::kEventHeader] = {of.event_header.get(), &of};
    result[Root::kCommonContext] = {of.common_context.get(), &of};
    return result;
  }
  [[nodiscard]] RootScopes scopes(const DataStreamClass& stream, const EventClass& of) const {
    RootScopes result = scopes(stream);
    result[Root::kSpecificContext] = {of.specific_context.get(), &of};
    result[Root::kPayload] = {of.payload.get(), &of};
    return result;
  }

  std::vector<ClassFault> check(const RootScopes& scopes, std::initializer_list<Root> roots) {
    std::vector<ClassFault> faults;
    for (const Root root : roots) append(faults, locations.check(scopes, root));
    faulty = faulty || !faults.empty();
    built = nullptr;
    return faults;
  }

  [[nodiscard]] std::shared_ptr<const StreamSchema> compile_stream(Stream& stream);
};

std::shared_ptr<const StreamSchema> SchemaBuilder::State::compile_stream(Stream& stream) {
  const DataStreamClass& stream_class = *stream.stream_class;
  const RootScopes outer = scopes(stream_class);
  auto schema = std::make_shared<StreamSchema>();
  schema->stream_class = &stream_class;
  const auto compiled = [&](const RootScopes& in, Root root, PositionState& at) {
    return compile({in, registers, locations, alignments}, root, at);
  };
  // A packet context begins where the header ends, of which nothing is known here.
  PositionState at;
  schema->packet_context = compiled(outer, Root::kPacketContext, at);
  at = {};
  schema->event_header = compiled(outer, Root::kEventHeader, at);
  schema->common_context = compiled(outer, Root::kCommonContext, at);
  for (auto& [id, event] : stream.events) {
    if (event.schema == nullptr) {
      const RootScopes inner = scopes(stream_class, *event.event_class);
      PositionState inside = at;
      auto made = std::make_shared<EventSchema>();
      made->event_class = event.event_class;
      made->specific_context = compiled(inner, Root::kSpecificContext, inside);
      made->payload = compiled(inner, Root::kPayload, inside);
      made->slots =
          schema->common_context.slots + made->specific_context.slots + made->payload.slots;
      event.schema = std::move(made);
    }
    schema->add_event(id, event.schema);
  }
  return schema;
}

SchemaBuilder::SchemaBuilder() : state_(std::make_unique<State>()) {}
SchemaBuilder::~SchemaBuilder() = default;

void SchemaBuilder::set_dialect(Dialect dialect) {
  state_->dialect = dialect;
  state_->locations.set_dialect(dialect);
  state_->built = nullptr;
}

std::vector<ClassFault> SchemaBuilder::set_trace_class(const TraceClass& trace_class) {
  state_->trace_class = &trace_class;
  return state_->check(state_->scopes(), {Root::kPacketHeader});
}

std::vector<ClassFault> SchemaBuilder::add_stream_class(const DataStreamClass& stream_class) {
  state_->streams.try_emplace(stream_class.id.value_or(0), State::Stream{&stream_class});
  return state_->check(state_->scopes(stream_class),
                       {Root::kPacketContext, Root::kEventHeader, Root::kCommonContext});
}

std::vector<ClassFault> SchemaBuilder::add_event_class(const EventClass& event_class) {
  const DataStreamClass& stream_class = *event_class.stream_class;
  State::Stream& stream = state_->streams.at(stream_class.id.value_or(0));
  stream.events.try_emplace(event_class.id.value_or(0), State::Event{&event_class});
  stream.schema = nullptr;
  return state_->check(state_->scopes(stream_class, event_class),
                       {Root::kSpecificContext, Root::kPayload});
}

std::shared_ptr<const TraceSchema> SchemaBuilder::build() const {
  State& state = *state_;
  if (state.built != nullptr) return state.built;
  auto schema = std::make_shared<TraceSchema>();
  schema->dialect = state.dialect;
  if (state.trace_class != nullptr) schema->uuid = state.trace_class->uuid;
  schema->register_count = state.registers.size();
  // Classes with faults cannot be compiled, and a trace that has some is not decoded.
  if (!state.faulty) {
    PositionState at = kPacketStart;
    const RootScopes scopes = state.scopes();
    schema->packet_header = compile({scopes, state.registers, state.locations, state.alignments},
                                    Root::kPacketHeader, at);
    for (auto& [id, stream] : state.streams) {
      const std::size_t known = state.registers.size();
      if (stream.schema == nullptr || stream.registers != known)
        stream.schema = state.compile_stream(stream);
      stream.registers = known;
      schema->streams[id] = stream.schema;
    }
  }
  state.built = std::move(schema);
  return state.built;
}

}  // namespace tracedeck::ctf
