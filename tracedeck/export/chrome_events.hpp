// Events of Chrome's trace viewer: objects of JSON, each on a line of its own.
//
// Readers differ in what they make of a slice that begins and ends at one time: Perfetto takes ends
// first, so that it would not end. Hence events of one time are held until time goes on: what turns
// out to have no duration is then written in one event, and what belongs to an event is added to
// it, however marks are cut into batches.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "tracedeck/export/argument.hpp"
#include "tracedeck/export/chrome_tracks.hpp"
#include "tracedeck/export/exporter.hpp"
#include "tracedeck/export/sample_stack.hpp"
#include "tracedeck/text/text_buffer.hpp"
#include "tracedeck/timeline/arguments.hpp"

namespace tracedeck::exporting::chrome {

// What was written that JSON, or the viewer, cannot hold.
struct EventCounts {
  std::uint64_t clamped = 0;   // times before the origin
  std::uint64_t repaired = 0;  // texts that are no UTF-8
};

// One that is held.
class Event {
 public:
  explicit Event(EventCounts& counts) : counts_(counts) {}

  void begin(char phase, const Place& place);
  [[nodiscard]] char phase() const { return phase_; }
  // Of a slice that ended when it began: it is a whole one, or an instant where it is asynchronous.
  void end_at_once();
  // It is not written after all.
  void drop() { phase_ = kDropped; }
  [[nodiscard]] bool is_dropped() const { return phase_ == kDropped; }
  [[nodiscard]] bool is_at(const Place& place) const {
    return pid_ == place.pid && tid_ == place.tid;
  }

  void put_time(std::string_view member, std::int64_t from, std::int64_t to);
  void put_name(std::string_view name, std::string_view category);
  // What tells asynchronous events and flows apart. `local`: within their process.
  void put_local_id(std::uint64_t id);
  void put_id(std::uint64_t id);
  void put_member(std::string_view json) { members_.append(json); }

  void put_flags(const timeline::Mark& mark);
  void put_argument(std::string_view name, const Argument& argument);
  void put_integer(std::string_view name, std::int64_t value);
  // As a number even where readers round it.
  void put_number(std::string_view name, std::int64_t value);
  void put_real(std::string_view name, double value);
  void put_text(std::string_view name, std::string_view text);

  void write(TextBuffer& out) const;

 private:
  void put_key(std::string_view name);
  void put_string(TextBuffer& out, std::string_view text);

  static constexpr char kDropped = '\0';

  EventCounts& counts_;
  char phase_ = 'i';
  std::int64_t pid_ = 0;
  std::int64_t tid_ = 0;
  TextBuffer members_{nullptr, 256};
  TextBuffer arguments_{nullptr, 64};
};

class Events {
 public:
  explicit Events(io::Output& output);
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // Before the first event: times are counted from `origin` on.
  void start(std::int64_t origin);

  // Holds another event. Valid until the next is begun.
  [[nodiscard]] Event& begin(char phase, std::int64_t time, const Place& place);
  // The begin of a slice there at that very time that has not ended; null: there is none.
  [[nodiscard]] Event* open_slice(std::int64_t time, const Place& place);
  // The slice or instant to which something of that place and time belongs; null: there is none.
  [[nodiscard]] Event* last(std::int64_t time, const Place& place);
  // The arguments and flags of a mark.
  void put_arguments(Event& event, const timeline::Mark& mark);

  // Written at once: "process_name" and the like.
  void put_metadata(std::string_view what, const Place& place, std::string_view name);
  void put_sort_index(const Place& place, std::uint32_t index);

  // The end of the file.
  [[nodiscard]] Result<void> finish(const std::vector<TraceAttribute>& attributes);
  [[nodiscard]] Result<void> status() { return out_.failed() ? out_.drain() : Result<void>{}; }
  [[nodiscard]] const EventCounts& counts() const { return counts_; }

 private:
  // Of one time, at most: a clock may stand still.
  static constexpr std::size_t kMostHeld = 256;

  void write_held();
  void write(const Event& event);

  EventCounts counts_;
  TextBuffer out_;
  ArgumentReader reader_;
  timeline::Arguments::Visit visit_;
  Event* visited_ = nullptr;                 // whose arguments `visit_` adds to
  const TraceDescription* trace_ = nullptr;  // of that event
  std::deque<Event> held_;  // the first `held_count_` are; others are to be used again
  std::size_t held_count_ = 0;
  std::int64_t held_time_ = 0;
  std::int64_t origin_ = 0;
  bool any_ = false;  // event was written
};

}  // namespace tracedeck::exporting::chrome
