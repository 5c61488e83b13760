// The stages that a selection puts between the traces and who reads them: one table, which every
// way of reading follows. A new stage is an entry there and a member of `Selection`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "tracedeck/flow/selection.hpp"
#include "tracedeck/flow/time_bounds.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

class HiddenTraces;

// What has to be read of events and files for somebody to work with them.
struct Needs {
  // The names of addresses, for which a trace is read once more.
  enum class Symbols : std::uint8_t {
    kNone,
    kCheap,  // where that does not take long
    kAll,
  };

  bool values = false;    // values of fields
  bool names = false;     // of events that carry their own
  bool headers = false;   // and those of event headers
  bool findings = false;  // kFinding records
  Symbols symbols = Symbols::kNone;

  [[nodiscard]] friend constexpr Needs operator|(Needs a, Needs b) {
    return {a.values || b.values, a.names || b.names, a.headers || b.headers,
            a.findings || b.findings, a.symbols > b.symbols ? a.symbols : b.symbols};
  }
};

// What is known of the trace that a stage works on.
struct StageContext {
  const Selection& selection;
  std::span<const std::string_view> names = {};  // the operands it was named by
  std::shared_ptr<const WallClock> wall = {};    // null: it is not known
  ResolvedTimes times = {};                      // that the selection names
  std::string trace = {};                        // see `FilterContext::trace`
  bool again = false;                            // see `FilterContext::again`
  std::shared_ptr<TimesSeen> left_out = {};      // of events that a stage left out for their time
  std::shared_ptr<HiddenTraces> hidden = {};     // null: nothing is hidden
};

using RecordSourcePtr = std::unique_ptr<RecordSource>;

struct Stage {
  enum class Place : std::uint8_t {
    kReading,  // the reader does it
    kSource,   // on each source of a trace, before they are brought together
    kOrder,    // the bringing together
    kAfter,    // on what was brought together
  };

  std::string_view name;
  Place place;
  // Whether with this selection events come out changed, left out or in another place than
  // recorded. Otherwise the stage is left out.
  bool (*changes)(const Selection& selection);
  // Whether it may leave all events of a trace out, which is then worth a word.
  bool selects = false;
  // What it needs of events. Null: nothing.
  Needs (*needs)(const Selection& selection) = nullptr;
  // What it asks of the reader. Null: nothing.
  void (*ask)(const StageContext& context, ReadOptions& reading) = nullptr;
  // Null unless it stands at kSource or kAfter.
  RecordSourcePtr (*apply)(RecordSourcePtr source, const StageContext& context) = nullptr;
};

// In the order in which they are applied.
[[nodiscard]] std::span<const Stage> stages();

// Whether any stage changes the records. A trace that nothing changes may be copied byte by byte.
[[nodiscard]] bool changes_events(const Selection& selection);
// Whether a stage may have left out all events.
[[nodiscard]] bool selects_events(const Selection& selection);
// What all stages need together.
[[nodiscard]] Needs needs_of(const Selection& selection);

// The events of a reader that was asked, at the times of the wall clock where those are selected.
[[nodiscard]] RecordSourcePtr at_selected_times(RecordSourcePtr source,
                                                const StageContext& context);

// Lets all stages ask the reader.
void ask_reader(const StageContext& context, ReadOptions& reading);
// Puts the stages of `place` behind `source`.
[[nodiscard]] RecordSourcePtr apply_stages(Stage::Place place, RecordSourcePtr source,
                                           const StageContext& context);

}  // namespace tracedeck::flow
