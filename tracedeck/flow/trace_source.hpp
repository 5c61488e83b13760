// One trace as sources of records, with the stages that stand before traces are brought together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/flow/hide.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/time_bounds.hpp"
#include "tracedeck/flow/trace_place.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// How one trace of several is read.
struct TraceReading {
  bool values = true;         // false: none but those that events are selected by
  bool same_sources = false;  // without values, too, there is the source of metadata's findings
  bool silent = false;        // reports nothing: it is read a second time
  bool packets_only = false;  // see `ReadOptions::packets_only`
  std::size_t traces_at_once = 1;  // that share the threads and the memory
  // Shared by all readings of one trace: the number of the first, from when it is opened.
  std::shared_ptr<std::uint64_t> first_reading = {};
};

// Opens and reads one trace. One thread at a time. The context must outlive it and its sources.
class TraceSource {
 public:
  TraceSource(const PipelineContext& context, TracePlace place, const TraceReading& reading)
      : context_(context), place_(std::move(place)), reading_(reading) {}

  // Opens the trace, unless that was tried before. Returns whether there is something to read; an
  // error is reported.
  bool open();
  // The same, for who reports errors in another way. To be called once.
  [[nodiscard]] Result<void> try_open();
  // The same for a trace that was found, or opened, before.
  [[nodiscard]] Result<void> try_open(FoundTrace found);

  // What an open trace is read by: one source, or, if `streams`, one for each of its data streams
  // where it has several. To be called once. What they read is let go of when they end.
  // Their errors are reported and end only the source that had them, unless `fails`: then sources
  // hand them on.
  [[nodiscard]] std::vector<RecordSourcePtr> take_sources(bool streams, bool fails = false);

  [[nodiscard]] const TracePlace& place() const { return place_; }
  // What it is called among others, unless that is hidden.
  [[nodiscard]] std::string shown_name() const;
  [[nodiscard]] std::string shown(const std::string& path) const;
  // Null before it was opened and when its sources have ended.
  [[nodiscard]] std::shared_ptr<const Reader> reader() const { return reader_.lock(); }
  // 0 to 1, negative when unknown.
  [[nodiscard]] double progress() const;
  // As it is handed on. Null until it was opened with success, and when nothing of it is in use any
  // more.
  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const {
    return description_.lock();
  }
  // Whether it was opened with success.
  [[nodiscard]] bool was_opened() const {
    return state_ == State::kOpen || state_ == State::kTaken;
  }

  // How its times, as they come, relate to UTC; nothing: the trace does not say, or cannot be read
  // once more to find out. Without its range.
  [[nodiscard]] std::optional<TimeFrame> utc();

  // Nanoseconds to add to its times, as they were recorded, to get UTC, as far as an event near its
  // beginning says so. Reads that once more.
  [[nodiscard]] std::optional<Nanoseconds> early_utc_offset();
  // Whether the user says how its clock relates to others, by an offset of its own.
  [[nodiscard]] bool is_placed() const;
  // Of its description; 0: it was not opened with success.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& input() const { return input_; }

  // When and where its events are, whatever was selected of them: as far as that was met with, or
  // found by reading the trace once more.
  [[nodiscard]] TimeFrame whole_frame();

 private:
  enum class State : std::uint8_t { kClosed, kOpen, kTaken, kFailed };

  [[nodiscard]] Result<void> keep(Result<std::unique_ptr<Reader>> reader);
  void hide(const TraceDescription& description);
  // Finds out what bounds are measured from, where that is to be known before the trace is opened.
  [[nodiscard]] Result<void> resolve_bounds();
  // The bounds are `times_` but for those that `Selection::stream_intersection` adds.
  [[nodiscard]] Result<void> resolve_given_bounds();
  // Finds out what all data streams have in common, and leaves that in `times_`.
  [[nodiscard]] Result<void> intersect_streams();
  void narrow_to_common();
  // Fails where the unit of a bound is in doubt.
  [[nodiscard]] Result<void> check_units();
  // Whether the first event that is read has a later time, or none has a time.
  [[nodiscard]] bool is_before_events(Nanoseconds time) const;
  void resolve_bounds(std::vector<RecordSourcePtr>& sources, const TraceDescription& description);
  [[nodiscard]] TimeFrame survey() const;
  // The packets only, or the events with at least those in `part`, silently, without values, at the
  // times that are selected. Null: it cannot be opened.
  [[nodiscard]] std::unique_ptr<Reader> open_for_times(bool packets_only,
                                                       const TrimRange& part) const;
  // Finds out how the recorded times relate to UTC, if that was not tried before.
  void relate_clock();
  // The trace with its values, to be read beside; null: it cannot be.
  [[nodiscard]] std::unique_ptr<Reader> open_again() const;
  // Whether somebody may look at the names that values have.
  [[nodiscard]] bool shows_value_names() const;
  // How times, as they come, relate to UTC as far as that is known.
  [[nodiscard]] TimeFrame known_utc() const;
  [[nodiscard]] bool is_wall() const;
  [[nodiscard]] StageContext stage_context() const;
  [[nodiscard]] ReadOptions read_options() const;

  const PipelineContext& context_;
  TracePlace place_;
  TraceReading reading_;
  State state_ = State::kClosed;
  std::uint64_t number_ = 0;
  std::string input_;                           // of its description
  ResolvedTimes times_ = {};                    // as far as they are known
  bool times_known_ = false;                    // they need no event of the trace any more
  std::optional<TimeFrame> frame_ = {};         // where it was surveyed
  std::optional<TimeRange> common_ = {};        // of `Selection::stream_intersection`
  bool related_ = false;                        // whether `wall_` was looked for
  std::shared_ptr<const WallClock> wall_ = {};  // of times as recorded
  std::shared_ptr<TimesSeen> left_out_ = {};
  Verdict of_files_ = {};                      // on its paths
  std::shared_ptr<HiddenTraces> hidden_ = {};  // until its sources are taken; null: nothing is
  std::shared_ptr<Reader> opened_;             // until its sources are taken
  std::weak_ptr<const Reader> reader_;         // gone when they have ended
  std::weak_ptr<const TraceDescription> description_;
};

}  // namespace tracedeck::flow
