// Marks as an interpreter would make them, of nothing.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::tests {

// Names that would do harm as markup, or on the screen.
extern const std::vector<std::string> kHostileNames;

class MadeUpMarks {
 public:
  // `listing`: gets each mark as a line of JSON; may be null.
  MadeUpMarks(timeline::MarkSink& sink, std::FILE* listing);

  // About `count` slices of a shape (page-marks lists them), and the end.
  [[nodiscard]] Result<void> make(std::string_view shape, std::uint64_t count);
  [[nodiscard]] std::uint64_t slices() const { return slices_; }

 private:
  using Mark = timeline::Mark;
  using MarkKind = timeline::MarkKind;

  void make_flat(std::uint64_t count);
  void make_runtime(std::uint64_t count);
  void make_odd();
  void make_hostile();
  void make_wild(std::uint64_t count);
  struct Worker;
  void poll(Worker& worker);
  void park(Worker& worker);

  timeline::TrackId track(timeline::TrackKind kind, std::string name,
                          timeline::TrackId parent = timeline::kNoTrack, std::uint32_t rank = 0);
  // Each puts a mark, which can still be changed.
  Mark& put(MarkKind kind, timeline::TrackId track, timeline::NameId name, std::int64_t time);
  void slice_end(timeline::TrackId track, timeline::NameId name, std::int64_t begin,
                 std::int64_t end, unsigned flags = 0);
  void with_arguments(Mark& mark, std::uint64_t number, std::string_view text);
  void hand_on();
  void list(const Mark& mark);
  std::uint64_t random(std::uint64_t below);

  timeline::MarkSink& sink_;
  std::FILE* listing_;
  timeline::Timeline timeline_;
  Result<void> status_;
  std::vector<Mark> marks_;
  std::uint64_t slices_ = 0;
  std::uint64_t state_ = 88'172'645'463'325'252;

  std::shared_ptr<TraceDescription> description_;
  const EventClass* event_class_;
  timeline::Arguments arguments_;
  std::unique_ptr<Batch> batch_;
  std::deque<Event> events_;
  std::deque<std::string> texts_;
};

}  // namespace tracedeck::tests
