#include "tracedeck/ctf/stream/stream_schema.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/stream/compile.hpp"
#include "tracedeck/ctf/stream/locations.hpp"
#include "tracedeck/ctf/stream/registers.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

// One without an id has 0.
const std::uint64_t& id_of(const EventClass& event_class) {
  static constexpr std::uint64_t kNone = 0;
  return event_class.id ? *event_class.id : kNone;
}

void append(std::vector<ClassFault>& to, std::vector<ClassFault> faults) {
  to.insert(to.end(), std::make_move_iterator(faults.begin()),
            std::make_move_iterator(faults.end()));
}

}  // namespace

// The event classes of a data stream class by id, in a third of the memory of a map.
class EventsById {
 private:
  static std::string_view as_bytes(const std::uint64_t& id) {
    return {reinterpret_cast<const char*>(&id), sizeof id};
  }
  [[nodiscard]] auto bytes_of_id() const {
    return [this](std::size_t i) { return as_bytes(id_of(*classes_[i])); };
  }

 public:
  void add(const EventClass& event_class) {
    classes_.push_back(&event_class);
    if (by_id_.add(classes_.size() - 1, bytes_of_id()) != classes_.size() - 1) classes_.pop_back();
  }
  // Null: there is none.
  [[nodiscard]] const EventClass* find(std::uint64_t id) const {
    const std::size_t found = by_id_.find(as_bytes(id), bytes_of_id());
    return found == NameIndex::kNone ? nullptr : classes_[found];
  }
  [[nodiscard]] const std::vector<const EventClass*>& all() const { return classes_; }

 private:
  std::vector<const EventClass*> classes_;
  NameIndex by_id_;
};

// What programs are made from, and those of events. Everything under the lock: classes may be added
// while packets are decoded.
class EventPrograms {
 public:
  std::mutex mutex;
  Registers registers;
  LocationChecker locations{registers, Dialect::kRc3};
  Alignments alignments;
  const TraceClass* trace_class = nullptr;

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
  [[nodiscard]] Program compiled(const RootScopes& in, Root root, PositionState& at) {
    return compile({in, registers, locations, alignments}, root, at);
  }

  [[nodiscard]] std::shared_ptr<const EventTable> table(const StreamSchema& stream) {
    const std::scoped_lock lock(mutex);
    std::shared_ptr<const EventTable>& table = stream.events_;
    if (table == nullptr || table->made_.size() >= kManyPrograms)
      table = std::make_shared<const EventTable>(stream, stream.event_classes);
    return table;
  }

  [[nodiscard]] const EventSchema* event(const EventTable& table, const EventClass& event_class) {
    const std::scoped_lock lock(mutex);
    table.made_.push_back(event(table.stream_, event_class));
    return table.made_.back().get();
  }

 private:
  // How many are kept: one takes some 400 bytes.
  static constexpr std::size_t kManyPrograms = 8192;

  // The same for the same class, whichever schema of its stream asks.
  [[nodiscard]] std::shared_ptr<const EventSchema> event(const StreamSchema& stream,
                                                         const EventClass& event_class) {
    if (events_.size() >= kManyPrograms) events_.clear();
    std::shared_ptr<const EventSchema>& known = events_[&event_class];
    if (known != nullptr) return known;
    const RootScopes in = scopes(*stream.stream_class, event_class);
    PositionState at = stream.event_begin;
    auto made = std::make_shared<EventSchema>();
    made->event_class = &event_class;
    if (Program specific = compiled(in, Root::kSpecificContext, at); !specific.empty())
      made->specific_context = std::make_unique<const Program>(std::move(specific));
    made->payload = compiled(in, Root::kPayload, at);
    made->slots = stream.common_context.slots + made->payload.slots;
    if (made->specific_context != nullptr) made->slots += made->specific_context->slots;
    return known = std::move(made);
  }

  std::unordered_map<const EventClass*, std::shared_ptr<const EventSchema>> events_;
};

EventTable::EventTable(const StreamSchema& stream, const std::vector<const EventClass*>& classes)
    : stream_(stream) {
  const std::uint64_t most = std::max<std::uint64_t>(kDense, 2 * classes.size());
  for (const EventClass* const each : classes)
    if (id_of(*each) < most) dense_count_ = std::max(dense_count_, id_of(*each) + 1);
  dense_ = std::make_unique<Entry[]>(dense_count_);
  for (const EventClass* const each : classes) {
    const std::uint64_t id = id_of(*each);
    (id < dense_count_ ? dense_[id] : sparse_[id]).event_class = each;
  }
}

const EventSchema* EventTable::make(const Entry& entry) const {
  if (entry.event_class == nullptr) return nullptr;
  const EventSchema* const made = stream_.programs->event(*this, *entry.event_class);
  entry.schema.store(made, std::memory_order_release);
  return made;
}

std::shared_ptr<const EventTable> StreamSchema::events() const { return programs->table(*this); }

// What was added so far. The programs of a data stream class are compiled when a schema is asked
// for, and again when later locations lead into its fields.
struct SchemaBuilder::State {
  struct Stream {
    const DataStreamClass* stream_class;
    EventsById events = {};
    std::size_t registers = 0;  // that the programs below know of
    std::shared_ptr<const StreamSchema> schema = nullptr;
  };

  std::shared_ptr<EventPrograms> programs = std::make_shared<EventPrograms>();
  Dialect dialect = Dialect::kRc3;
  std::map<std::uint64_t, Stream> streams;
  bool faulty = false;
  std::shared_ptr<const TraceSchema> built;

  std::vector<ClassFault> check(const RootScopes& scopes, std::initializer_list<Root> roots,
                                std::string_view owner = {}) {
    const std::scoped_lock lock(programs->mutex);
    std::vector<ClassFault> faults;
    for (const Root root : roots) append(faults, programs->locations.check(scopes, root, owner));
    faulty = faulty || !faults.empty();
    built = nullptr;
    return faults;
  }

  [[nodiscard]] std::shared_ptr<const StreamSchema> compile_stream(const Stream& stream) const;
};

// Under the lock of the programs.
std::shared_ptr<const StreamSchema> SchemaBuilder::State::compile_stream(
    const Stream& stream) const {
  const RootScopes scopes = programs->scopes(*stream.stream_class);
  auto schema = std::make_shared<StreamSchema>();
  schema->stream_class = stream.stream_class;
  // A packet context begins where the header ends, of which nothing is known here.
  PositionState at;
  schema->packet_context = programs->compiled(scopes, Root::kPacketContext, at);
  at = {};
  schema->event_header = programs->compiled(scopes, Root::kEventHeader, at);
  schema->short_header = ShortHeader::of(schema->event_header);
  schema->common_context = programs->compiled(scopes, Root::kCommonContext, at);
  schema->event_begin = at;
  schema->programs = programs;
  schema->event_classes = stream.events.all();
  return schema;
}

SchemaBuilder::SchemaBuilder() : state_(std::make_unique<State>()) {}
SchemaBuilder::~SchemaBuilder() = default;

void SchemaBuilder::set_dialect(Dialect dialect) {
  state_->dialect = dialect;
  state_->programs->locations.set_dialect(dialect);
  state_->built = nullptr;
}

std::vector<ClassFault> SchemaBuilder::set_trace_class(const TraceClass& trace_class) {
  state_->programs->trace_class = &trace_class;
  return state_->check(state_->programs->scopes(), {Root::kPacketHeader});
}

std::vector<ClassFault> SchemaBuilder::add_stream_class(const DataStreamClass& stream_class) {
  state_->streams.try_emplace(stream_class.id.value_or(0), State::Stream{&stream_class});
  return state_->check(state_->programs->scopes(stream_class),
                       {Root::kPacketContext, Root::kEventHeader, Root::kCommonContext});
}

std::vector<ClassFault> SchemaBuilder::add_event_class(const EventClass& event_class) {
  const DataStreamClass& stream_class = *event_class.stream_class;
  State::Stream& stream = state_->streams.at(stream_class.id.value_or(0));
  stream.events.add(event_class);
  stream.schema = nullptr;
  return state_->check(state_->programs->scopes(stream_class, event_class),
                       {Root::kSpecificContext, Root::kPayload},
                       event_class.name ? std::string_view(*event_class.name) : "");
}

const EventClass* SchemaBuilder::find_event_class(std::uint64_t stream_class_id,
                                                  std::uint64_t id) const {
  const auto stream = state_->streams.find(stream_class_id);
  if (stream == state_->streams.end()) return nullptr;
  return stream->second.events.find(id);
}

std::shared_ptr<const TraceSchema> SchemaBuilder::build() const {
  State& state = *state_;
  if (state.built != nullptr) return state.built;
  EventPrograms& programs = *state.programs;
  const std::scoped_lock lock(programs.mutex);
  auto schema = std::make_shared<TraceSchema>();
  schema->dialect = state.dialect;
  if (programs.trace_class != nullptr) schema->uuid = programs.trace_class->uuid;
  schema->register_count = programs.registers.size();
  // Classes with faults cannot be compiled, and a trace that has some is not decoded.
  if (!state.faulty) {
    PositionState at = kPacketStart;
    schema->packet_header = programs.compiled(programs.scopes(), Root::kPacketHeader, at);
    for (auto& [id, stream] : state.streams) {
      const std::size_t known = programs.registers.size();
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
