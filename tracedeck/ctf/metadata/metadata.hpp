// What the metadata of a trace says, whichever of the three spellings it is written in.
//
// A metadata reader (`json_metadata.hpp`, `tsdl_metadata.hpp`) puts clock, trace, data stream and
// event record classes in here as it finds them; decoding looks them up by id. It only grows: a
// metadata stream may be appended to while its data streams are written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/stream/stream_schema.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// One thread at a time, but for what `schemas()` hands out.
class Metadata {
 public:
  // `input`: as the user named the trace. `clock_shift`: ns to add to every time.
  Metadata(std::string input, std::int64_t clock_shift);

  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return description_;
  }

  [[nodiscard]] Dialect dialect() const { return dialect_; }
  // Sets the description's version too. A dialect is settled before any class is added.
  void set_dialect(Dialect dialect);

  // Of the metadata stream or trace class; the packet headers' UUID must be the same.
  [[nodiscard]] const std::optional<Uuid>& uuid() const { return description_->trace_class().uuid; }

  // Adds classes. Clocks have their `shift` set. `trace_class` comes before the first data stream
  // class. `id`s must be free; event classes of a data stream class that is not there must not be
  // added (the metadata reader looks first). Classes with faults are added all the same, but a
  // trace whose metadata has faults is not decoded.
  const ClockClass& add_clock(ClockClass clock);
  // Changes the offset of a clock by `ticks`. Before anything was decoded.
  void move_clock(const std::string& id, std::int64_t ticks);
  [[nodiscard]] std::vector<ClassFault> set_trace_class(TraceClass trace_class);
  [[nodiscard]] std::vector<ClassFault> add_stream_class(DataStreamClass stream_class);
  [[nodiscard]] std::vector<ClassFault> add_event_class(std::uint64_t stream_class_id,
                                                        EventClass event_class);

  [[nodiscard]] const ClockClass* find_clock(const std::string& id) const;
  [[nodiscard]] const DataStreamClass* find_stream_class(std::uint64_t id) const;
  [[nodiscard]] const EventClass* find_event_class(std::uint64_t stream_class_id,
                                                   std::uint64_t id) const;

  // Extensions that the metadata declares ("namespace/name"); none is supported, so a trace that
  // has some is not decoded.
  std::vector<std::string> extensions;

  // How to decode the data streams, as of now. It is replaced when classes are added, never
  // changed: who keeps the pointer may go on using it on any thread.
  [[nodiscard]] std::shared_ptr<const TraceSchema> schema() const { return builder_.build(); }

 private:
  std::shared_ptr<TraceDescription> description_;
  std::int64_t clock_shift_;
  Dialect dialect_ = Dialect::kRc3;
  std::map<std::string, ClockClass*> clocks_;
  std::map<std::uint64_t, const DataStreamClass*> stream_classes_;
  SchemaBuilder builder_;
};

}  // namespace tracedeck::ctf
