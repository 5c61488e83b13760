// Event record classes and data stream classes: what the events of a trace look like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/model/clock.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck {

class TraceDescription;

// What the data streams of one class have in common. Lives in its `TraceDescription`.
struct DataStreamClass {
  EntityId entity = {};  // which the description sets
  std::optional<std::uint64_t> id = {};
  std::optional<std::string> name = {};
  Name name_space = {};
  Name uid = {};
  const ClockClass* default_clock = nullptr;
  FieldClassPtr packet_context = nullptr;  // structures, or null
  FieldClassPtr event_header = nullptr;
  FieldClassPtr common_context = nullptr;
  // The members of the common context say, behind the keys of its data stream, where an event
  // comes from (of Heph: substream and counter). They are shown there and not as a context.
  bool context_identifies = false;
  // Its data streams are parts of one recording, one after the other, distinguished by their only
  // key (segments of dial9). There may be very many, also empty ones: a format with a file for each
  // data stream keeps which part an event is of as a value.
  bool streams_are_parts = false;
  // Some of its event classes, which may not be known yet, have `describes_others`.
  bool has_describing_events = false;
  Attributes attributes = {};
  const TraceDescription* trace = nullptr;  // the description it lives in, which sets it
};

// What the events of one class have in common. Lives in its `TraceDescription`, immutable, at a
// stable address while that lives.
struct EventClass {
  EntityId entity = {};                  // which the description sets
  std::optional<std::uint64_t> id = {};  // the numeric class id on the wire
  std::optional<std::string> name = {};  // present when the format carries one, even if empty
  RareName name_space = {};
  RareName uid = {};
  const DataStreamClass* stream_class = nullptr;
  const ClockClass* clock = nullptr;  // null: its events have no time
  bool has_duration = false;          // events have a begin and an end
  // The format gives its events a time, but they did not happen then (the symbols of dial9 carry
  // time 0). It is shown, and orders them; what is said of the trace's times leaves it out.
  bool nominal_time = false;
  // Its events say what those of other classes mean: names of ids, symbols of addresses, how clocks
  // relate, what holds for a part of the trace. Stages that select events let them pass, for what
  // was selected would not be understood without them.
  bool describes_others = false;
  // Events carry their own name and fields: the payload is a string and a map, of the fields' names
  // to their values. Stands for classes that are too many to describe.
  bool self_described = false;
  FieldClassPtr specific_context = nullptr;
  FieldClassPtr payload = nullptr;  // structures, or null
  Attributes attributes = {};

  // Whether its events have times at which they happened.
  [[nodiscard]] bool has_real_time() const { return clock != nullptr && !nominal_time; }
};

}  // namespace tracedeck
