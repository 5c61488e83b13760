// Events made up by hand and the marks that tables make of them, as lines of text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/batch.hpp"
#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/timeline/interpreter.hpp"

namespace tracedeck::timeline {

// "begin NAME on TRACK at TIME", "end NAME on TRACK from BEGIN to END open".
inline std::string mark_line(const Timeline& timeline, const Mark& mark) {
  const Track& track = timeline.track(mark.track);
  std::string on = track.name;
  // Of several tracks of one name.
  int which = 1;
  for (TrackId id = 1; id < mark.track; ++id)
    which += timeline.track(id).name == track.name ? 1 : 0;
  if (which != 1) on += fmt::format(" ({})", which);
  const std::string name =
      mark.name == kNoName ? std::string("unknown") : timeline.name(mark.name).label();
  constexpr auto kFlags = std::to_array<std::pair<MarkFlag, std::string_view>>({
      {kBeganBefore, "before"},
      {kInferredEnd, "inferred"},
      {kAcrossLoss, "lost"},
      {kClockStep, "clamped"},
      {kUnmatchedEnd, "unmatched"},
      {kNegative, "negative"},
      {kOpenAtEnd, "open"},
      {kMoved, "moved"},
  });
  std::string flags;
  for (const auto& [flag, word] : kFlags) {
    if (mark.has(flag)) flags += fmt::format(" {}", word);
  }
  switch (mark.kind) {
    case MarkKind::kSliceBegin:
      return fmt::format("begin {} on {} at {}{}", name, on, mark.time, flags);
    case MarkKind::kSliceEnd:
      return fmt::format("end {} on {} from {} to {}{}", name, on, mark.begin, mark.time, flags);
    case MarkKind::kInstant:
      return fmt::format("instant {} on {} at {}{}", name, on, mark.time, flags);
    case MarkKind::kState:
      return fmt::format("state {} on {} at {}{}", name, on, mark.time, flags);
    case MarkKind::kCounter:
      return fmt::format("counter {} on {} at {}{}", mark.value, on, mark.time, flags);
    case MarkKind::kFlowOut:
      return fmt::format("flow {} out of {} at {}{}", mark.flow, on, mark.time, flags);
    case MarkKind::kFlowIn:
      return fmt::format("flow {} into {} at {}{}", mark.flow, on, mark.time, flags);
    case MarkKind::kWait:
      return fmt::format("wait {} on {} from {} to {}{}", name, on, mark.begin, mark.time, flags);
    case MarkKind::kGap:
      return fmt::format("gap {} from {} to {}{}", name, mark.begin, mark.time, flags);
    case MarkKind::kOtherState:
      return fmt::format("other state {} from {} to {}{}", name, mark.begin, mark.time, flags);
  }
  return {};
}

class InterpretedTest : public testing::Test, private MarkSink {
 protected:
  const EventClass& add_class(const std::string& name, FieldClassPtr payload) {
    return trace_.add(trace_.event_class(next_id_++, name, std::move(payload)));
  }
  // Events that have a begin and an end.
  const EventClass& add_whole_class(const std::string& name) {
    EventClass made = trace_.event_class(next_id_++, name, render::structure_class({}));
    made.has_duration = true;
    return trace_.add(std::move(made));
  }
  // A task leaves a core, in a state, for the next one.
  const EventClass& add_switch_class() {
    return add_class("switch", render::structure_class({{"core", render::unsigned_class()},
                                                        {"task", render::unsigned_class()},
                                                        {"state", render::string_class()},
                                                        {"next", render::unsigned_class()}}));
  }
  // Of which of two data streams further events are.
  void on_stream(int stream) { other_stream_ = stream != 0; }
  void say(const EventClass& of, std::int64_t time, render::Slots slots) {
    add(trace_.event(of, static_cast<std::uint64_t>(time), std::move(slots)));
  }
  void say_whole(const EventClass& of, std::int64_t begin, std::int64_t end) {
    Event event = trace_.event(of, static_cast<std::uint64_t>(begin), {});
    event.end_time = static_cast<std::uint64_t>(end);
    add(event);
  }
  void say(const Event& event) { events_.push_back(event); }
  // Events of the stream were lost since the last one, and it is said so before the next event.
  void lose() { losses_.emplace_back(events_.size(), other_stream_); }
  // The data streams are parts of the input, which begin before the first event.
  void make_parts() { trace_.stream_class.streams_are_parts = true; }
  // Before the next event another begins, as a file does that was begun at `time`.
  void begin_part_behind_damage(std::uint64_t time) { new_part_.emplace(events_.size(), time); }
  // From here on they have ended.
  void end_parts() { parts_end_ = events_.size(); }
  // Some bytes of the input cannot be read, before the next event.
  void damage() { damage_.push_back(events_.size()); }
  // Bytes could not be read, and they were the last of the stream.
  void end_in_damage() { damaged_.emplace_back(events_.size(), other_stream_); }
  // No event was said.
  void forget() { events_.clear(); }

  // The marks of what was said; `table`: TOML, empty for none.
  std::vector<std::string> marks(std::string_view table, InterpreterOptions options = {}) {
    lines_.clear();
    if (!table.empty()) {
      auto parsed = parse_table(table, "test.toml");
      EXPECT_TRUE(parsed) << parsed.error().message;
      if (parsed) options.tables.push_back(*std::move(parsed));
    }
    auto made = Interpreter::make(std::move(options));
    EXPECT_TRUE(made) << made.error().message;
    if (!made) return {};
    interpreter_ = *std::move(made);
    const auto batch = std::make_shared<Batch>();
    batch->reserve(events_.size());
    const std::array<std::shared_ptr<const DataStream>, 2> streams = {
        std::make_shared<DataStream>(trace_.stream), std::make_shared<DataStream>(second_stream_)};
    const auto say_parts = [&](RecordKind kind) {
      if (!trace_.stream_class.streams_are_parts) return;
      for (const auto& stream : streams) batch->add_stream(kind, stream);
    };
    say_parts(RecordKind::kStreamBegin);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (parts_end_ == i) say_parts(RecordKind::kStreamEnd);
      if (new_part_ && new_part_->first == i) {
        auto part = std::make_shared<DataStream>(trace_.stream);
        part->entity = trace_.description.next_stream();
        part->damage_end = new_part_->second;
        batch->pin(part);
        batch->add_stream(RecordKind::kStreamBegin, part);
      }
      if (std::ranges::find(damage_, i) != damage_.end())
        batch->add_notice(RecordKind::kProblem, {trace_.description.input(), {}});
      for (const auto& [before, is_other] : losses_) {
        if (before == i)
          batch->add_loss({.stream = is_other ? &second_stream_ : first_stream_, .events = 1});
      }
      for (const auto& [before, is_other] : damaged_) {
        if (before != i) continue;
        batch->add_notice(RecordKind::kProblem, {});
        batch->add(Record(RecordKind::kStreamEnd, is_other ? &second_stream_ : first_stream_));
      }
      batch->add_event(events_[i]);
    }
    EXPECT_TRUE(interpreter_->add(batch, *this));
    EXPECT_TRUE(interpreter_->finish(*this));
    return lines_;
  }
  // Of these the lines that contain a text.
  std::vector<std::string> marks_with(std::string_view text, std::string_view table) {
    std::vector<std::string> found = marks(table);
    std::erase_if(found, [&](const std::string& line) { return !line.contains(text); });
    return found;
  }
  [[nodiscard]] const TimelineCounts& counts() const { return interpreter_->timeline().counts(); }
  [[nodiscard]] std::string explained() const { return interpreter_->explain(); }
  [[nodiscard]] std::vector<std::string> notices() const { return interpreter_->notices(); }

 private:
  Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override {
    for (const Mark& mark : marks) lines_.push_back(mark_line(timeline, mark));
    return {};
  }
  Result<void> finish(const Timeline&) override { return {}; }

  void add(Event event) {
    if (other_stream_)
      event.stream = &second_stream_;
    else
      first_stream_ = event.stream;
    events_.push_back(event);
  }

  render::SampleTrace trace_;
  DataStream second_stream_{.entity = trace_.description.next_stream(),
                            .stream_class = &trace_.stream_class,
                            .keys = {{"segment", 1}},
                            .file = {}};
  bool other_stream_ = false;
  std::uint64_t next_id_ = 1;
  std::deque<Event> events_;
  std::optional<std::pair<std::size_t, std::uint64_t>> new_part_;
  std::vector<std::pair<std::size_t, bool>> losses_;   // before which of them, and of which stream
  std::vector<std::pair<std::size_t, bool>> damaged_;  // the same
  std::vector<std::size_t> damage_;                    // before which of them
  std::size_t parts_end_ = std::numeric_limits<std::size_t>::max();
  const DataStream* first_stream_ = nullptr;
  std::vector<std::string> lines_;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace tracedeck::timeline
