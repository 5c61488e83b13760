#include "tracedeck/ctf/stream/stream_schema.hpp"

namespace tracedeck::ctf {

struct SchemaBuilder::State {
  std::shared_ptr<TraceSchema> schema = std::make_shared<TraceSchema>();
};

SchemaBuilder::SchemaBuilder() : state_(std::make_unique<State>()) {}
SchemaBuilder::~SchemaBuilder() = default;
void SchemaBuilder::set_dialect(Dialect dialect) { state_->schema->dialect = dialect; }
std::vector<ClassFault> SchemaBuilder::set_trace_class(const TraceClass&) { return {}; }
std::vector<ClassFault> SchemaBuilder::add_stream_class(const DataStreamClass&) { return {}; }
std::vector<ClassFault> SchemaBuilder::add_event_class(const EventClass&) { return {}; }
std::shared_ptr<const TraceSchema> SchemaBuilder::build() const { return state_->schema; }

}  // namespace tracedeck::ctf
