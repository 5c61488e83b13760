// How to decode the data streams of a trace: the programs made from its classes, by class id.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/stream/class_fault.hpp"
#include "tracedeck/ctf/stream/program.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

struct EventSchema {
  const EventClass* event_class = nullptr;
  Program specific_context;
  Program payload;
  std::uint64_t slots = 0;  // of these and the common context, what lies in arrays apart
};

struct StreamSchema {
  const DataStreamClass* stream_class = nullptr;
  Program packet_context;
  Program event_header;
  Program common_context;
  // Null when there is no class of that id.
  [[nodiscard]] const EventSchema* find_event(std::uint64_t id) const {
    if (id < dense_.size()) [[likely]]
      return dense_[id].get();
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : found->second.get();
  }
  void add_event(std::uint64_t id, std::shared_ptr<const EventSchema> event);

 private:
  static constexpr std::size_t kMostDense = 4096;
  std::vector<std::shared_ptr<const EventSchema>> dense_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const EventSchema>> sparse_;
};

// Immutable once handed out.
struct TraceSchema {
  Dialect dialect = Dialect::kRc3;
  std::optional<Uuid> uuid = {};
  Program packet_header;
  std::size_t register_count = 0;
  std::map<std::uint64_t, std::shared_ptr<const StreamSchema>> streams = {};
};

// Makes schemas of classes as they are added, and finds the faults of their field locations.
class SchemaBuilder {
 public:
  SchemaBuilder();
  ~SchemaBuilder();
  void set_dialect(Dialect dialect);
  [[nodiscard]] std::vector<ClassFault> set_trace_class(const TraceClass& trace_class);
  [[nodiscard]] std::vector<ClassFault> add_stream_class(const DataStreamClass& stream_class);
  [[nodiscard]] std::vector<ClassFault> add_event_class(const EventClass& event_class);
  [[nodiscard]] std::shared_ptr<const TraceSchema> build() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tracedeck::ctf
