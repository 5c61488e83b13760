// How to decode the data streams of a trace: the programs made from its classes, by class id.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/stream/class_fault.hpp"
#include "tracedeck/ctf/stream/position_state.hpp"
#include "tracedeck/ctf/stream/program.hpp"
#include "tracedeck/ctf/stream/short_header.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

struct EventSchema {
  const EventClass* event_class = nullptr;
  std::unique_ptr<const Program> specific_context = nullptr;  // null: there is none
  Program payload = {};
  std::uint64_t slots = 0;  // of these and the common context, what lies in arrays apart
};

// Makes the programs of events, for any thread.
class EventPrograms;
struct StreamSchema;

// The event classes of a data stream class by id, and their programs. A program is made when the
// first event of its class comes: a trace may describe many more classes than it has events of.
class EventTable {
 public:
  // `classes`: each of another id. The stream schema must outlive the table.
  EventTable(const StreamSchema& stream, const std::vector<const EventClass*>& classes);

  // Null when there is no class of that id; else valid as long as the table. Any thread.
  [[nodiscard]] const EventSchema* find(std::uint64_t id) const {
    const Entry* entry = nullptr;
    if (id < dense_count_) [[likely]] {
      entry = &dense_[id];
    } else {
      const auto found = sparse_.find(id);
      if (found == sparse_.end()) return nullptr;
      entry = &found->second;
    }
    const EventSchema* const made = entry->schema.load(std::memory_order_acquire);
    return made != nullptr ? made : make(*entry);
  }

 private:
  friend class EventPrograms;
  struct Entry {
    const EventClass* event_class = nullptr;  // null: there is none
    mutable std::atomic<const EventSchema*> schema = nullptr;
  };
  // Of how many ids there is a table; twice as many as classes, if that is more.
  static constexpr std::uint64_t kDense = 4096;

  [[nodiscard]] const EventSchema* make(const Entry& entry) const;

  const StreamSchema& stream_;
  std::uint64_t dense_count_ = 0;
  std::unique_ptr<Entry[]> dense_;
  NumberMap<std::uint64_t, Entry> sparse_;
  // What the entries point to. Under the lock of `EventPrograms`.
  mutable std::vector<std::shared_ptr<const EventSchema>> made_;
};

// Immutable but for the programs of events.
struct StreamSchema {
  const DataStreamClass* stream_class = nullptr;
  Program packet_context;
  Program event_header;
  std::optional<ShortHeader> short_header;  // the same, for most events
  Program common_context;
  PositionState event_begin;  // what is known of the position behind the common context
  std::vector<const EventClass*> event_classes;  // each of another id
  std::shared_ptr<EventPrograms> programs;

  // To be asked for with each batch: a table of very many programs is replaced, so that classes
  // that a trace names once do not fill the memory. Any thread.
  [[nodiscard]] std::shared_ptr<const EventTable> events() const;

 private:
  friend class EventPrograms;
  mutable std::shared_ptr<const EventTable> events_;  // under the lock of `programs`
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
  // One that was added; null: there is none of these ids.
  [[nodiscard]] const EventClass* find_event_class(std::uint64_t stream_class_id,
                                                   std::uint64_t id) const;
  [[nodiscard]] std::shared_ptr<const TraceSchema> build() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tracedeck::ctf
