// Time lines written by hand, for the tests of what consumes marks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/export/exporter.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::exporting {

using timeline::Mark;
using timeline::MarkKind;
using timeline::NameId;
using timeline::TrackId;
using timeline::TrackKind;

class MadeUpMarks {
 public:
  TrackId track(TrackKind kind, std::string name, TrackId parent = timeline::kNoTrack) {
    return timeline.add_track({.kind = kind, .parent = parent, .name = std::move(name)});
  }
  TrackId process(std::string name, std::int64_t pid) {
    return timeline.add_track({.kind = TrackKind::kProcess, .name = std::move(name), .pid = pid});
  }
  TrackId thread(std::string name, std::int64_t tid, TrackId parent) {
    return timeline.add_track(
        {.kind = TrackKind::kThread, .parent = parent, .name = std::move(name), .tid = tid});
  }
  TrackId task(std::string name, std::int64_t tid, TrackId parent = timeline::kNoTrack) {
    return timeline.add_track(
        {.kind = TrackKind::kTask, .parent = parent, .name = std::move(name), .tid = tid});
  }
  // The next lane of `first`.
  TrackId lane(TrackId first, std::uint32_t number) {
    timeline::Track of = timeline.track(first);
    of.lane = number;
    of.first_lane = first;
    return timeline.add_track(std::move(of));
  }
  NameId name(std::string_view text, std::string_view category = {}) {
    return text.empty() ? timeline::kNoName : timeline.add_name(category, text);
  }

  // Each adds a mark, for further members to be set.
  Mark& add(MarkKind kind, TrackId track, std::int64_t time, std::string_view text = {},
            std::string_view category = {}) {
    timeline.note_time(time);
    Mark& mark = marks.emplace_back();
    mark.kind = kind;
    mark.track = track;
    mark.name = name(text, category);
    mark.time = time;
    return mark;
  }
  Mark& begin(TrackId track, std::int64_t time, std::string_view text,
              std::string_view category = {}) {
    return add(MarkKind::kSliceBegin, track, time, text, category);
  }
  Mark& end(TrackId track, std::int64_t time, std::string_view text, std::int64_t began,
            std::string_view category = {}) {
    Mark& mark = add(MarkKind::kSliceEnd, track, time, text, category);
    mark.begin = began;
    return mark;
  }
  Mark& instant(TrackId track, std::int64_t time, std::string_view text) {
    return add(MarkKind::kInstant, track, time, text);
  }
  Mark& state(TrackId track, std::int64_t time, std::string_view text,
              std::int32_t cpu = timeline::kNoCpu) {
    Mark& mark = add(MarkKind::kState, track, time, text);
    mark.cpu = cpu;
    return mark;
  }
  Mark& counter(TrackId track, std::int64_t time, std::int64_t value) {
    Mark& mark = add(MarkKind::kCounter, track, time);
    mark.value = value;
    return mark;
  }
  Mark& flow(MarkKind kind, TrackId track, std::int64_t time, std::uint64_t id,
             std::string_view text = {}) {
    Mark& mark = add(kind, track, time, text);
    mark.flow = id;
    return mark;
  }
  Mark& wait(TrackId track, std::int64_t began, std::int64_t time, std::string_view text) {
    Mark& mark = add(MarkKind::kWait, track, time, text);
    mark.begin = began;
    return mark;
  }
  Mark& gap(std::int64_t began, std::int64_t time, std::string_view text) {
    if (quality_ == timeline::kNoTrack) quality_ = track(TrackKind::kLanes, "trace quality");
    Mark& mark = add(MarkKind::kGap, quality_, time, text);
    mark.begin = began;
    return mark;
  }

  timeline::Timeline timeline;
  std::vector<Mark> marks;

 private:
  TrackId quality_ = timeline::kNoTrack;
};

// What an exporter makes of marks that come `at_once` in a batch.
struct Exported {
  std::string bytes = {};
  Receipt receipt = {};
};
template <class Make>
Exported exported(const MadeUpMarks& made, Make make, std::size_t at_once = 1'000'000) {
  Exported result;
  const auto output = io::memory_output(result.bytes);
  const std::unique_ptr<Exporter> exporter = make(*output);
  for (std::span<const Mark> rest = made.marks; !rest.empty();) {
    const std::size_t count = std::min(at_once, rest.size());
    if (!exporter->take(made.timeline, rest.first(count))) return {};
    rest = rest.subspan(count);
  }
  if (!exporter->finish(made.timeline)) return {};
  result.receipt = exporter->receipt();
  return result;
}

// "3 of slice or instant more than 500 deep: left out" for each entry.
inline std::vector<std::string> sentences(const Receipt& receipt) {
  std::vector<std::string> all;
  for (const ReceiptEntry& entry : receipt)
    all.push_back(std::to_string(entry.count) + " of " + entry.what + ": " + entry.done);
  return all;
}

// Events with arguments of each kind.
class MadeUpArguments {
 public:
  MadeUpArguments() {
    const auto signed_class =
        make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}});
    event_class_ = &trace_.add(trace_.event_class(
        1, "request",
        render::structure_class(
            {{"task", render::unsigned_class()},
             {"offset", signed_class},
             {"ratio", make_field_class(RealClass{})},
             {"ok", make_field_class(BooleanClass{})},
             {"path", render::string_class()},
             {"sizes", render::array_class(render::unsigned_class())},
             {"state", render::enumeration_class({{.label = "busy", .ranges = {{1, 3}}}})},
             {"large", render::unsigned_class()},
             {"data", make_field_class(BlobClass{})}})));
    for (const char* name :
         {"task", "offset", "ratio", "ok", "path", "sizes", "state", "large", "data"}) {
      arguments_.add(name, {.steps = {{.name = name}}}, *event_class_);
    }
    event_ = trace_.event(
        *event_class_, 0,
        {unsigned_slot(7), signed_slot(-3), real_slot(0.5), boolean_slot(true),
         render::text_slot("/a\"b\xff"), head_slot(SlotKind::kArray, 2, 2), unsigned_slot(10),
         unsigned_slot(4096), unsigned_slot(2), unsigned_slot(~std::uint64_t{0}),
         bytes_slot(SlotKind::kBlob, data_.data(), 2)});
  }

  void give(Mark& mark) const {
    mark.event = &event_;
    mark.arguments = &arguments_;
  }

 private:
  render::SampleTrace trace_;
  std::vector<std::uint8_t> data_ = {1, 2};
  const EventClass* event_class_ = nullptr;
  Event event_;
  timeline::Arguments arguments_;
};

}  // namespace tracedeck::exporting
