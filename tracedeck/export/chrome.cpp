#include "tracedeck/export/chrome.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/chrome_events.hpp"
#include "tracedeck/export/chrome_tracks.hpp"
#include "tracedeck/export/mark_exporter.hpp"
#include "tracedeck/export/mark_flags.hpp"
#include "tracedeck/export/track_depth.hpp"

namespace tracedeck::exporting {
namespace {

using chrome::Place;
using timeline::Mark;
using timeline::MarkKind;
using timeline::Timeline;
using timeline::TrackId;

constexpr std::string_view kGaps = "trace quality";
constexpr std::string_view kNoProcess = "tracks";  // of those that belong to none
constexpr std::size_t kMostFlows = 1'000'000;

class Chrome final : public MarkExporter<Chrome> {
 public:
  Chrome(io::Output& output, ChromeOptions options)
      : options_(std::move(options)), events_(output) {}

  Result<void> finish(const Timeline& timeline) override;
  [[nodiscard]] Receipt receipt() const override;

 private:
  friend class MarkExporter<Chrome>;

  enum class Content : std::uint8_t { kSlices, kStates, kCounter };
  struct TrackState {
    TrackDepth depth = {};
    TrackDepth state_depth = {};
    timeline::NameId state = timeline::kNoName;  // that is open
  };

  [[nodiscard]] Result<void> status() { return events_.status(); }
  void begin_trace(const Timeline& timeline, std::int64_t first);
  void before(const Timeline&, const Mark&) {}
  void begin_slice(const Timeline& timeline, const Mark& mark);
  void end_slice(const Timeline& timeline, const Mark& mark);
  void put_whole_slice(const Timeline& timeline, const Mark& mark, const Place& place);
  void put_instant(const Timeline& timeline, const Mark& mark);
  void put_state(const Timeline& timeline, const Mark& mark);
  void end_at_once(chrome::Event& event, TrackDepth& depth, std::int64_t time);
  chrome::Event& end_state(std::int64_t time, const Place& place, TrackState& track);
  void put_counter(const Timeline& timeline, const Mark& mark);
  void put_flow(const Timeline& timeline, const Mark& mark);
  [[nodiscard]] std::uint64_t flow_id(std::uint64_t flow, bool is_out);
  void put_wait(const Timeline& timeline, const Mark& mark);
  void put_gap(const Timeline& timeline, const Mark& mark);

  [[nodiscard]] const Place& place_of(const Timeline& timeline, TrackId track,
                                      Content content = Content::kSlices);
  // Begins an event with the name of the mark.
  chrome::Event& begin(const Timeline& timeline, const Mark& mark, const Place& place, char phase,
                       std::int64_t time);
  TrackState& state_of(const Timeline& timeline, TrackId track) {
    if (track > states_.size()) states_.resize(timeline.track_count());
    return states_[track - 1];
  }

  ChromeOptions options_;
  chrome::Events events_;
  chrome::Places places_;
  std::vector<TrackState> states_;                    // by TrackId
  NumberMap<std::uint64_t, std::uint64_t> flow_ids_;  // of those that have not arrived
  std::uint64_t last_flow_ = 0;
  struct Counts {
    std::uint64_t gaps = 0;
    std::uint64_t too_deep = 0;
    std::uint64_t without_begin = 0;
    std::uint64_t lane_flows = 0;
    std::uint64_t flows_left_out = 0;
    std::uint64_t no_numbers = 0;
  };
  Counts counts_;
};

void Chrome::begin_trace(const Timeline& timeline, std::int64_t first) {
  events_.start(std::min(first, timeline.begin()));
}

const Place& Chrome::place_of(const Timeline& timeline, TrackId track, Content content) {
  const auto [place, is_new] = places_.find(timeline, track, content == Content::kStates);
  if (!is_new) [[likely]]
    return place;
  const chrome::Introduction introduction = places_.introduce(timeline, track, place);
  if (introduction.process) {
    const std::string& name = introduction.process_name;
    events_.put_metadata("process_name", place, name.empty() ? kNoProcess : name);
  }
  // Counters belong to processes, by their names.
  if (content == Content::kCounter) return place;
  events_.put_metadata("thread_name", place, introduction.thread_name);
  events_.put_sort_index(place, introduction.rank);
  return place;
}

chrome::Event& Chrome::begin(const Timeline& timeline, const Mark& mark, const Place& place,
                             char phase, std::int64_t time) {
  chrome::Event& event = events_.begin(phase, time, place);
  const timeline::MarkName none;
  const timeline::MarkName& name = mark.name == timeline::kNoName ? none : timeline.name(mark.name);
  if (!place.is_async) {
    event.put_name(name.text, name.category);
    return event;
  }
  // Those that are asynchronous need a category.
  event.put_name(name.text,
                 name.category.empty() ? timeline.track(mark.track).name : name.category);
  event.put_local_id(static_cast<std::uint64_t>(place.tid));
  return event;
}

void Chrome::begin_slice(const Timeline& timeline, const Mark& mark) {
  if (!state_of(timeline, mark.track).depth.begin()) {
    ++counts_.too_deep;
    return;
  }
  const Place& place = place_of(timeline, mark.track);
  events_.put_arguments(begin(timeline, mark, place, place.is_async ? 'b' : 'B', mark.time), mark);
}

void Chrome::end_slice(const Timeline& timeline, const Mark& mark) {
  TrackState& track = state_of(timeline, mark.track);
  const Place& place = place_of(timeline, mark.track);
  if (!track.depth.any()) return put_whole_slice(timeline, mark, place);
  if (!track.depth.end()) return;
  if (chrome::Event* const begun = events_.open_slice(mark.time, place)) {
    end_at_once(*begun, track.depth, mark.time);
    return events_.put_arguments(*begun, mark);
  }
  events_.put_arguments(begin(timeline, mark, place, place.is_async ? 'e' : 'E', mark.time), mark);
}

// One whose begin did not come.
void Chrome::put_whole_slice(const Timeline& timeline, const Mark& mark, const Place& place) {
  ++counts_.without_begin;
  if (place.is_async) {
    begin(timeline, mark, place, 'b', mark.begin);
    return events_.put_arguments(begin(timeline, mark, place, 'e', mark.time), mark);
  }
  chrome::Event& event = begin(timeline, mark, place, 'X', mark.begin);
  event.put_time("dur", mark.begin, mark.time);
  events_.put_arguments(event, mark);
}

void Chrome::put_instant(const Timeline& timeline, const Mark& mark) {
  if (!state_of(timeline, mark.track).depth.instant(mark.time)) {
    ++counts_.too_deep;
    return;
  }
  const Place& place = place_of(timeline, mark.track);
  chrome::Event& event = begin(timeline, mark, place, place.is_async ? 'n' : 'i', mark.time);
  if (!place.is_async) event.put_member(R"(,"s":"t")");
  events_.put_arguments(event, mark);
}

// Slices without a duration lie in each other for Perfetto, as instants do.
void Chrome::end_at_once(chrome::Event& event, TrackDepth& depth, std::int64_t time) {
  event.end_at_once();
  if (depth.instant(time)) return;
  ++counts_.too_deep;
  event.drop();
}

chrome::Event& Chrome::end_state(std::int64_t time, const Place& place, TrackState& track) {
  chrome::Event* const begun = events_.open_slice(time, place);
  if (begun == nullptr) return events_.begin('E', time, place);
  end_at_once(*begun, track.state_depth, time);
  return *begun;
}

void Chrome::put_state(const Timeline& timeline, const Mark& mark) {
  const Place& place = place_of(timeline, mark.track, Content::kStates);
  TrackState& track = state_of(timeline, mark.track);
  timeline::NameId& open = track.state;
  if (open != timeline::kNoName) {
    chrome::Event& ended = end_state(mark.time, place, track);
    if (mark.value != 0) ended.put_integer("spent", mark.value);
  }
  open = mark.name;
  if (open == timeline::kNoName) return;
  chrome::Event& event = begin(timeline, mark, place, 'B', mark.time);
  events_.put_arguments(event, mark);
  if (mark.cpu != timeline::kNoCpu) event.put_integer("cpu", mark.cpu);
}

void Chrome::put_counter(const Timeline& timeline, const Mark& mark) {
  const bool is_real = mark.has(timeline::kReal);
  if (is_real && !std::isfinite(mark.real)) {
    ++counts_.no_numbers;
    return;
  }
  const Place& place = place_of(timeline, mark.track, Content::kCounter);
  chrome::Event& event = events_.begin('C', mark.time, place);
  event.put_name(timeline.track(mark.track).name, {});
  if (is_real) {
    event.put_real("value", mark.real);
  } else {
    event.put_number("value", mark.value);
  }
}

// An arrow is between the slices that are open; where none is, one without a duration is made.
void Chrome::put_flow(const Timeline& timeline, const Mark& mark) {
  const Place& place = place_of(timeline, mark.track);
  if (place.is_async) {
    ++counts_.lane_flows;
    return;
  }
  const bool is_out = mark.kind == MarkKind::kFlowOut;
  const std::uint64_t id = flow_id(mark.flow, is_out);
  if (id == 0) {
    ++counts_.flows_left_out;
    return;
  }
  // Of a time that has passed it is not known what was open then.
  if (!state_of(timeline, mark.track).depth.any() || mark.has(timeline::kLate)) {
    chrome::Event& slice = events_.begin('X', mark.time, place);
    slice.put_name(mark.name == timeline::kNoName ? "flow" : timeline.name(mark.name).text, {});
    slice.put_time("dur", mark.time, mark.time);
  }
  chrome::Event& event = events_.begin(is_out ? 's' : 'f', mark.time, place);
  event.put_name("flow", "flow");
  event.put_id(id);
  if (!is_out) event.put_member(R"(,"bp":"e")");
}

// Numbers of flows are used again, which Perfetto takes for the same flow. 0: there is no such
// flow, or there are too many.
std::uint64_t Chrome::flow_id(std::uint64_t flow, bool is_out) {
  if (is_out) {
    if (flow_ids_.size() == kMostFlows && !flow_ids_.contains(flow)) return 0;
    return flow_ids_[flow] = ++last_flow_;
  }
  const auto found = flow_ids_.find(flow);
  if (found == flow_ids_.end()) return 0;
  const std::uint64_t id = found->second;
  flow_ids_.erase(found);
  return id;
}

// An argument of the slice that it ended with.
void Chrome::put_wait(const Timeline& timeline, const Mark& mark) {
  const Place& place = place_of(timeline, mark.track);
  if (events_.last(mark.time, place) == nullptr) put_instant(timeline, mark);
  const std::string_view name =
      mark.name == timeline::kNoName ? "waited" : std::string_view(timeline.name(mark.name).text);
  chrome::Event* const event = events_.last(mark.time, place);
  if (event == nullptr) return;
  const std::string key = std::string(name) + " (ns)";
  if (const std::string why = unknown_duration(mark); !why.empty())
    return event->put_text(key, why);
  event->put_integer(key, mark.duration());
}

// Gaps of several streams overlap.
void Chrome::put_gap(const Timeline& timeline, const Mark& mark) {
  const Place place{.pid = chrome::Places::kMadeUp - 1, .tid = chrome::Places::kMadeUp - 1};
  if (counts_.gaps++ == 0) {
    const std::string& track = timeline.track(mark.track).name;
    events_.put_metadata("process_name", place, track);
    events_.put_metadata("thread_name", place, track);
  }
  const std::string_view name =
      mark.name == timeline::kNoName ? "" : std::string_view(timeline.name(mark.name).text);
  const auto begin_event = [&](char phase, std::int64_t time) -> chrome::Event& {
    chrome::Event& event = events_.begin(phase, time, place);
    event.put_name(name, kGaps);
    event.put_local_id(counts_.gaps);
    return event;
  };
  chrome::Event& begun = begin_event('b', std::min(mark.begin, mark.time));
  events_.put_arguments(begun, mark);
  begin_event('e', mark.time);
}

Result<void> Chrome::finish(const Timeline& timeline) {
  start(timeline, timeline.begin());
  // States last until the trace's end.
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].state == timeline::kNoName) continue;
    end_state(timeline.end(), place_of(timeline, static_cast<TrackId>(i + 1), Content::kStates),
              states_[i]);
  }
  return events_.finish(options_.attributes ? options_.attributes()
                                            : std::vector<TraceAttribute>{});
}

Receipt Chrome::receipt() const {
  Receipt receipt = {
      {"time before the trace's begin", "moved there", events_.counts().clamped},
      {"slice or instant more than 500 deep", "left out", counts_.too_deep},
      {"end of a slice that did not begin", "begun where it says", counts_.without_begin, false},
      {"flow of a slice that overlaps others", "left out", counts_.lane_flows},
      {"flow that did not begin, or began beside a million others", "left out",
       counts_.flows_left_out},
      {"counter value that is not finite", "left out", counts_.no_numbers},
      {"text that is no UTF-8", "written with U+FFFD", events_.counts().repaired},
  };
  std::erase_if(receipt, [](const ReceiptEntry& entry) { return entry.count == 0; });
  return receipt;
}

}  // namespace

std::unique_ptr<Exporter> make_chrome(io::Output& output, ChromeOptions options) {
  return std::make_unique<Chrome>(output, std::move(options));
}

}  // namespace tracedeck::exporting
