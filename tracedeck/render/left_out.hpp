// What renderers of events leave out of a trace, counted for the receipt.
//
// Text, JSON lines and CSV show events, with `all_records` also where streams and packets begin and
// end, losses and problems. What a trace says beside these is nowhere in the result. Not counted
// are findings, which are made by reading and not part of a trace, where data streams begin and
// end, as their events name them, and how values are stored.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "tracedeck/flow/loss_count.hpp"
#include "tracedeck/format/adaptations.hpp"
#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::render {

// In the order of the receipt.
enum class LeftOutKind : std::uint8_t {
  kPacket,
  kLoss,
  kProblem,
  kClock,
  kEnvironment,
  kAttribute,
  kIdentity,
  kUnused,
  kCount
};

// One thread at a time.
class LeftOut {
 public:
  // `all_records`, `receipt`: see `JsonLinesOptions`. `describes_traces`: the result has the clocks
  // and the environment of traces.
  explicit LeftOut(bool all_records, bool receipt = true, bool describes_traces = false)
      : all_records_(all_records), counts_any_(receipt), describes_traces_(describes_traces) {}

  // Every record that is no event.
  void see(const Record& record);
  // Every event.
  void see(const Event& event) {
    if (event.event_class->entity != last_class_) [[unlikely]]
      note_class(*event.event_class);
  }

  // See `Writer::describe`.
  void see(const TraceDescription& trace);

  [[nodiscard]] Receipt receipt() const;

 private:
  void see(const DataStream& stream);

  void note_class(const EventClass& event_class);
  void forget_traces();

  // What was counted of a trace, whose description may have grown since.
  struct Counted {
    bool begun = false;
    std::size_t clocks = 0;
    std::size_t environment = 0;
    std::size_t stream_classes = 0;
    std::size_t event_classes = 0;
    std::unordered_set<const FieldClass*> compounds = {};  // whose attributes were counted
    // Whether there are events of classes, by their data stream class, id and name: what is
    // described more than once is one.
    using ClassKey = std::tuple<const DataStreamClass*, std::optional<std::uint64_t>, std::string>;
    std::map<ClassKey, bool> classes = {};

    [[nodiscard]] bool& has_events(const EventClass& of) {
      return classes[{of.stream_class, of.id, of.name.value_or("")}];
    }
    [[nodiscard]] std::uint64_t unused() const;
  };
  void see_attributes(Counted& counted, const FieldClass& field_class);
  void see_attributes(Counted& counted, const FieldClassPtr& field_class) {
    if (field_class != nullptr) see_attributes(counted, *field_class);
  }

  bool all_records_;
  bool counts_any_;
  bool describes_traces_;
  flow::LossCount losses_;
  AdaptationCounts<LeftOutKind> counts_;
  EntityId last_class_ = EntityId::none();            // of the last event
  std::unordered_set<EntityId, EntityIdHash> noted_;  // classes of events
  OpenTraces open_;
  std::unordered_map<std::uint64_t, Counted> traces_;  // by the numbers of their descriptions
};

}  // namespace tracedeck::render
