// All that a reader knows about a trace apart from its events.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/base/stable_list.hpp"
#include "tracedeck/model/entity_id.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/symbols.hpp"
#include "tracedeck/model/value_names.hpp"

namespace tracedeck {

using Uuid = std::array<std::uint8_t, 16>;

// What all data streams of a trace have in common (CTF: trace class). Other formats leave it empty.
struct TraceClass {
  std::optional<Uuid> uuid = {};
  std::string name_space = {};
  std::optional<std::string> name = {};
  std::string uid = {};
  FieldClassPtr packet_header = nullptr;  // a structure, or null
  Attributes attributes = {};
};

// The description of one trace. It only grows, and what it holds keeps its address, so events
// point into it while it lives. Shared by a reader and the batches that it made. A reader adds to
// it between batches; other threads may look at what a batch they hold refers to.
class TraceDescription : public std::enable_shared_from_this<TraceDescription> {
 public:
  TraceDescription(std::string input, std::string format, std::string version)
      : input_(std::move(input)), format_(std::move(format)), version_(std::move(version)) {}
  TraceDescription(const TraceDescription&) = delete;
  TraceDescription& operator=(const TraceDescription&) = delete;

  // Unique in the process, and greater than those of all descriptions made before. Never 0.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Of a trace that is read several times at once: the same for all readings, whose classes, clocks
  // and data streams of one ordinal are the same then. Else its number.
  [[nodiscard]] std::uint64_t same_trace() const {
    return same_trace_ == 0 ? number_ : same_trace_;
  }
  // Before any batch was made, by who reads it several times.
  void set_same_trace(std::uint64_t number) const { same_trace_ = number; }
  [[nodiscard]] const std::string& input() const { return input_; }      // as the user named it
  [[nodiscard]] const std::string& format() const { return format_; }    // "dial9"
  [[nodiscard]] const std::string& version() const { return version_; }  // of the format, "1"

  // Of a trace that a conversion wrote in another format, and that is shown as it was: the name of
  // that format. Empty: it is shown as it is stored.
  [[nodiscard]] const std::string& stored_as() const { return stored_as_; }
  // The version of that format.
  [[nodiscard]] const std::string& stored_version() const { return stored_version_; }
  // Of a trace that a conversion brought into one result with others: what it was called among
  // them. Else empty.
  [[nodiscard]] const std::string& name_among_others() const { return name_among_others_; }
  // Whether packets and events have the heads that they are stored with.
  [[nodiscard]] bool has_heads() const { return stored_as_.empty() || restored_heads_; }

  // Of what was restored: whether its events stand in the order of time in packets that say when
  // they are, so that a reader can pass over some.
  [[nodiscard]] bool has_ordered_packets() const { return ordered_packets_; }

  [[nodiscard]] const TraceClass& trace_class() const { return trace_class_; }
  [[nodiscard]] const StableList<ClockClass>& clocks() const { return clocks_; }
  [[nodiscard]] const StableList<DataStreamClass>& stream_classes() const {
    return stream_classes_;
  }
  [[nodiscard]] const StableList<EventClass>& event_classes() const { return event_classes_; }
  [[nodiscard]] const Attributes& environment() const { return environment_; }
  [[nodiscard]] const ValueNames& value_names() const { return value_names_; }
  // The names of addresses; null: nobody asked for them, or the trace has none.
  [[nodiscard]] const Symbols* symbols() const { return symbols_.get(); }

  // Before any batch was made: a format may learn its version from the trace's first bytes.
  void set_version(std::string version) { version_ = std::move(version); }
  void set_stored_as(std::string format, std::string version) {
    stored_as_ = std::move(format);
    stored_version_ = std::move(version);
  }
  void set_name_among_others(std::string name) { name_among_others_ = std::move(name); }
  // The heads of what is restored are those that it had.
  void set_restored_heads() { restored_heads_ = true; }
  void set_ordered_packets() { ordered_packets_ = true; }
  void set_symbols(std::shared_ptr<const Symbols> symbols) { symbols_ = std::move(symbols); }
  void set_trace_class(TraceClass trace_class) { trace_class_ = std::move(trace_class); }
  // These set the id of what is added.
  ClockClass& add_clock(ClockClass clock) {
    clock.entity = {number_, clocks_.size()};
    return clocks_.emplace_back(std::move(clock));
  }
  DataStreamClass& add_stream_class(DataStreamClass stream_class) {
    stream_class.entity = {number_, stream_classes_.size()};
    stream_class.trace = this;
    return stream_classes_.emplace_back(std::move(stream_class));
  }
  const EventClass& add_event_class(EventClass event_class) {
    event_class.entity = {number_, event_classes_.size()};
    return event_classes_.emplace_back(std::move(event_class));
  }
  // The id of another data stream.
  [[nodiscard]] EntityId next_stream() { return {number_, streams_++}; }
  // How many data streams there were so far.
  [[nodiscard]] std::uint64_t stream_count() const { return streams_; }
  void set_environment(Attributes environment) { environment_ = std::move(environment); }
  void add_environment(Attribute entry) { environment_.push_back(std::move(entry)); }
  // The same in place of entry `index`, which there is.
  void set_environment(std::size_t index, Attribute entry) {
    environment_[index] = std::move(entry);
  }
  // The number of a name that slots may refer to from now on, by who makes them: the reader, or a
  // stage behind it.
  std::uint32_t add_value_name(std::string_view name) const { return value_names_.add(name); }

 private:
  static std::uint64_t next_number();

  std::uint64_t number_ = next_number();
  mutable std::uint64_t same_trace_ = 0;  // known by who opens readers, and not by these
  std::uint64_t streams_ = 0;
  std::string input_;
  std::string format_;
  std::string version_;
  std::string stored_as_;
  std::string stored_version_;
  std::string name_among_others_;
  bool restored_heads_ = false;
  bool ordered_packets_ = false;
  TraceClass trace_class_;
  StableList<ClockClass> clocks_;
  StableList<DataStreamClass> stream_classes_;
  StableList<EventClass> event_classes_;
  Attributes environment_;
  mutable ValueNames value_names_;
  std::shared_ptr<const Symbols> symbols_;
};

// Calls a function for event classes, which are valid until it returns, up to its first error.
using EachEventClass =
    std::function<Result<void>(const std::function<Result<void>(const EventClass&)>&)>;

// Those of a description, which must outlive it.
[[nodiscard]] EachEventClass event_classes_of(const TraceDescription& description);

}  // namespace tracedeck
