#include "tracedeck/lower/receipt_words.hpp"

#include <array>
#include <utility>

namespace tracedeck::lower {

const ConventionFacts& facts_of(Convention convention) {
  static constexpr std::array<ConventionFacts, std::to_underlying(Convention::kCount)> kFacts = {{
      {"structures", "their members are fields of their own, joined by a dot"},
      {"arrays, variants, maps, wide numbers and the like", "written as JSON text"},
      {"arrays and structures", "written as lists and maps of values"},
      {"integers of other widths", "written as wider ones"},
      {"labels of enumerations and bit maps", "kept in a mark"},
      {"identities of data streams", "written as fields `stream.KEY`"},
      {"packet headers and contexts",
       "written as fields `packet_header.NAME` and `packet.NAME` of each event, without the sizes, "
       "times and counters of packets"},
      {"common contexts", "written as fields `common.NAME`"},
      {"specific contexts", "written as fields `specific.NAME`"},
      {"durations", "written as the field `duration`, in ticks of their clock"},
      {"times of clocks that do not count nanoseconds",
       "written as the nearest below, beside the field `clock.value`"},
      {"nominal times, at which nothing happened",
       "written as the time of the event before, beside the field `clock_value`"},
      {"times that step back further than data streams of their own allow",
       "written as the time of the event before, beside the field `clock_value`"},
      {"names that are empty, too long or another's", "written as others, and kept in a mark"},
      {"lengths and selectors that are no fields of their own", "written as added members"},
      {"booleans", "written as enumerations"},
      {"field classes that the target lacks", "written as the nearest it has"},
      {"events earlier than the one before",
       "written to data streams of their own, with a field `tracedeck_order`"},
      {"events without a time of their own", "written with the time of the event before"},
      {"losses", "written as events `tracedeck.loss`"},
      {"descriptions of traces, clocks, data streams and classes", "kept in marks"},
      {"entries of the environment of further traces", "kept in a mark"},
      {"heads of events", "written as the target's own"},
      {"heads of packets", "written as the target's own"},
      {"fields of packet headers and contexts with bookkeeping inside", "left out", true},
  }};
  return kFacts[std::to_underlying(convention)];
}

}  // namespace tracedeck::lower
